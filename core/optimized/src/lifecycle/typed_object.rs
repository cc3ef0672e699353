//! The objects of a walk: read from the state, or returned by a provider.

use planfuzz_core::plans::Marked;
use planfuzz_core::state::{Object, Private, Status, Stored};
use planfuzz_core::value::Text;

use super::unknowns::without_unknowns;

/// An object whose value is of the type of the schema.
#[derive(Clone)]
pub(super) struct TypedObject {
    pub(super) object: Marked,
    pub(super) private: Private,
    pub(super) status: Status,
    pub(super) dependencies: Vec<Text>,
    pub(super) create_before_destroy: bool,
    pub(super) skip_destroy: bool,
}

impl TypedObject {
    /// An object with default values of all other fields.
    pub(super) fn new(object: Marked, private: Private) -> TypedObject {
        TypedObject {
            object,
            private,
            status: Status::Ready,
            dependencies: Vec::new(),
            create_before_destroy: false,
            skip_destroy: false,
        }
    }

    /// The same object with another value and other private data.
    pub(super) fn with(&self, object: Marked, private: Private) -> TypedObject {
        TypedObject { object, private, dependencies: self.dependencies.clone(), ..*self }
    }

    pub(super) fn is_tainted(&self) -> bool {
        self.status == Status::Tainted
    }

    /// The object in the states of a plan: unknowns that a read left in it become nulls there (LD23).
    pub(super) fn kept(&self) -> Object {
        let mut kept = self.stored();
        if !self.object.value().is_wholly_known() {
            let known = self.known();
            kept.sensitive = known.sensitive().clone();
            kept.stored = Stored::Value(known.into_parts().0);
        }
        kept
    }

    /// The value of [`TypedObject::kept`].
    pub(super) fn known(&self) -> Marked {
        if self.object.value().is_wholly_known() {
            return self.object.clone();
        }
        Marked::new(without_unknowns(self.object.value().clone()), self.object.sensitive())
    }

    /// The object in the state.
    pub(super) fn stored(&self) -> Object {
        Object {
            stored: Stored::Value(self.object.value().clone()),
            private: self.private.clone(),
            status: self.status,
            dependencies: self.dependencies.clone(),
            create_before_destroy: self.create_before_destroy,
            sensitive: self.object.sensitive().clone(),
            skip_destroy: self.skip_destroy,
        }
    }
}
