//! An object that was read from the state.

use planfuzz_core::plans::Marked;
use planfuzz_core::state::{Object, Private, Status, Stored};
use planfuzz_core::value::Text;

use super::answered::without_unknowns;
use super::walk::Step;

/// An object at the schema's version, with its marks on it.
#[derive(Clone, Debug)]
pub(super) struct TypedObject {
    pub value: Marked,
    pub private: Private,
    pub status: Status,
    pub dependencies: Vec<Text>,
    pub create_before_destroy: bool,
    pub skip_destroy: bool,
}

impl TypedObject {
    /// A ready object with default values of all other fields.
    pub fn ready(value: Marked, private: Private) -> TypedObject {
        TypedObject {
            value,
            private,
            status: Status::Ready,
            dependencies: Vec::new(),
            create_before_destroy: false,
            skip_destroy: false,
        }
    }

    /// The object in a state that a walk writes: unknowns that a read left are nulls there, and only there (L11, LD23).
    pub fn encode(&self) -> Step<Object> {
        Ok(TypedObject { value: self.encoded()?, ..self.clone() }.store())
    }

    /// The value of [`TypedObject::encode`].
    pub fn encoded(&self) -> Step<Marked> {
        match self.value.value().is_wholly_known() {
            true => Ok(self.value.clone()),
            false => Ok(Marked::new(without_unknowns(self.value.value())?, self.value.sensitive())),
        }
    }

    /// The object as it is, for the state.
    pub fn store(&self) -> Object {
        Object {
            stored: Stored::Value(self.value.value().clone()),
            private: self.private.clone(),
            status: self.status,
            dependencies: self.dependencies.clone(),
            create_before_destroy: self.create_before_destroy,
            sensitive: self.value.sensitive().clone(),
            skip_destroy: self.skip_destroy,
        }
    }
}
