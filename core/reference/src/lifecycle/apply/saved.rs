//! The saved object after a call (20.4).

use crate::lifecycle::typed_object::TypedObject;
use planfuzz_core::state::Status;

use super::call::{Called, Outcome};

/// An object to be saved.
pub(super) struct Saved {
    pub held: TypedObject,
    /// Whether it is the object that was read, or differs from it only in the value.
    pub is_kept: bool,
}

/// A34 to A37. The leg sets the flag and the dependencies of a new object (A14, A35, A36).
pub(super) fn saved(called: Called, object: Option<&TypedObject>) -> Option<Saved> {
    let kept = |held: TypedObject| Saved { held, is_kept: true };
    let (value, private) = match called.result {
        Outcome::NoObject => return None,
        Outcome::AsRead => return object.cloned().map(kept),
        // A24
        Outcome::Remarked(value) => return object.cloned().map(|object| kept(TypedObject { value, ..object })),
        Outcome::Answered(value, private) => (value, private),
    };
    match (called.failed, value.is_null()) {
        // A34
        (true, true) => object.cloned().map(kept),
        // A35
        (true, false) => {
            let status = object.map_or(Status::Ready, |object| object.status);
            Some(Saved { held: TypedObject { status, ..TypedObject::ready(value, private) }, is_kept: false })
        }
        // A36
        (false, false) => Some(Saved { held: TypedObject::ready(value, private), is_kept: false }),
        // A37
        (false, true) => None,
    }
}
