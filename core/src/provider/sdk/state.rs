//! What the SDK keeps of a resource between calls (Z51).

use crate::value::ValueRef;

use super::error::SdkError;
use super::flat::FlatMap;
use super::flatten::flatten;
use super::read::{At, Reader, StateReader};
use super::schema::{ID, Schema};
use super::write::write;

/// A flat state: the id and the texts of everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The id; empty where there is none.
    pub id: String,
    /// The texts by flat path.
    pub flat: FlatMap,
}

impl State {
    /// The state shim (Z51): empty where the object has no id.
    ///
    /// # Errors
    /// A value that its field cannot hold.
    pub fn shim(schema: &Schema, object: ValueRef<'_>) -> Result<State, SdkError> {
        let flat = flatten(object);
        let Some(id) = flat.get(ID).filter(|id| !id.is_empty()).map(str::to_owned) else {
            return Ok(State::default());
        };
        let mut state = State::of_levels(schema, &StateReader { flat: &flat })?;
        state.flat.set(ID, id.as_str());
        state.id = id;
        Ok(state)
    }

    /// The state that a level says: each top-level field that exists and is known. Without an id.
    pub(super) fn of_levels(schema: &Schema, level: &dyn Reader) -> Result<State, SdkError> {
        let mut state = State::default();
        let root = At::root(None);
        for (name, field) in schema.fields().iter() {
            let read = level.field(field.into(), &root.field(name))?;
            if read.exists && !read.computed {
                let value = read.stored.or(read.value);
                write(&mut state.flat, &field.kind, name, value.as_ref());
            }
        }
        Ok(state)
    }
}
