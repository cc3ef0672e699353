//! The state that the SDK keeps of a resource between calls (Z51).

use planfuzz_core::value::ValueRef;

use super::error::SdkError;
use super::flat::FlatMap;
use super::flatten::flatten;
use super::read::{At, Reader, StateReader};
use super::schema::{ID, Schema};
use super::text::MAX_COUNT;
use super::write::write;

/// A flat state: the id and the texts of everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub(super) id: String,
    pub(super) flat: FlatMap,
}

impl State {
    /// A state of an id, empty for none, and of texts by flat path.
    ///
    /// # Errors
    /// The counts add up to more elements than a state may have.
    pub fn new(id: String, flat: FlatMap) -> Result<State, SdkError> {
        let counts = flat.iter().filter(|(path, _)| path.ends_with('#'));
        let mut sum = 0i64;
        for (path, text) in counts {
            sum = sum.saturating_add(text.parse::<i64>().unwrap_or(0).max(0));
            if sum > MAX_COUNT {
                return Err(SdkError::Count { path: path.to_owned(), found: sum });
            }
        }
        Ok(State { id, flat })
    }

    /// The id; empty where there is none.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The texts by flat path.
    pub fn flat(&self) -> &FlatMap {
        &self.flat
    }

    /// The state shim (Z51): empty where the object has no id.
    ///
    /// # Errors
    /// A field cannot hold a value.
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

    /// The state of a level: each top-level field that exists and is known. Without an id.
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
