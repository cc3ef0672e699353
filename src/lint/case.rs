//! The subject of a check: a change, a stored object or an output, with its values read.

use std::sync::Arc;

use planfuzz_core::plans::{Action, Marked};
use planfuzz_core::value::{Tri, equals};

use crate::artifact::{Candidate, Encoded, ObjectChange, OutputChange, Producer, Release, StateObject, Untyped};

use super::indexed_file::IndexedFile;
use super::outcome::{CheckOutcome, Why};

/// The list of a plan that a change is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Planned changes.
    Changes,
    /// Changes made outside.
    Drift,
    /// Deferred changes.
    Deferred,
}

/// A change of an object.
#[derive(Debug)]
pub struct ChangeCase<'a> {
    /// The file.
    pub file: &'a IndexedFile<'a>,
    /// The list.
    pub list: List,
    /// The change.
    pub change: &'a ObjectChange,
    /// Its values read with a schema.
    pub typed: Result<Typed, Untyped>,
}

/// Values read with a schema.
#[derive(Clone, Debug)]
pub struct Typed {
    /// The schema.
    pub schema: Arc<Candidate>,
    /// Whether the schema is of the version that the values were written with, as far as the file records it.
    pub is_same_version: bool,
    /// The values: before and after of a change, the one of an object.
    pub values: Vec<Marked>,
}

/// The state that an object is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateSide {
    /// The state of a state file.
    Own,
    /// The refreshed one of a plan.
    Prior,
    /// That of the previous run.
    Previous,
}

/// An object of a state.
#[derive(Debug)]
pub struct ObjectCase<'a> {
    /// The file.
    pub file: &'a IndexedFile<'a>,
    /// The state.
    pub side: StateSide,
    /// The object.
    pub object: &'a StateObject,
    /// Its value read with a schema.
    pub typed: Result<Typed, Untyped>,
}

/// A change of a root output.
#[derive(Debug)]
pub struct OutputCase<'a> {
    /// The file.
    pub file: &'a IndexedFile<'a>,
    /// The change.
    pub output: &'a OutputChange,
}

impl Typed {
    /// The value before.
    pub fn before(&self) -> &Marked {
        &self.values[0]
    }

    /// The value after, or the only one.
    pub fn after(&self) -> &Marked {
        &self.values[self.values.len() - 1]
    }
}

/// Why values stay encoded, as a reason of a check.
pub(super) fn why(untyped: &Untyped) -> Why {
    match untyped {
        Untyped::NoAddress => Why::NoAddress,
        Untyped::NoSchemas => Why::NoSchemas,
        Untyped::NoSchema => Why::NoSchema,
        Untyped::Misfit { .. } => Why::NoFit,
    }
}

impl ChangeCase<'_> {
    /// The action.
    pub fn action(&self) -> Action {
        self.change.action
    }

    /// Whether this is a planned change of a current object.
    pub fn is_current(&self) -> bool {
        self.list == List::Changes && self.change.id.deposed.is_none()
    }

    /// Runs `check` on the values; [`CheckOutcome::Cannot`] if they could not be read.
    pub fn typed(&self, check: impl FnOnce(&Typed) -> CheckOutcome) -> CheckOutcome {
        match &self.typed {
            Ok(typed) => check(typed),
            Err(untyped) => CheckOutcome::Cannot(why(untyped)),
        }
    }

    /// Whether both values are known to be the same, marks aside; `None` if that depends on the schema.
    pub fn is_same_value(&self) -> Option<bool> {
        let ObjectChange { before, after, .. } = self.change;
        if let Ok(typed) = &self.typed {
            return Some(equals(typed.before().value().view(), typed.after().value().view()) == Tri::True);
        }
        is_same_encoded(before, after)
    }

    /// Runs `check` if the engine is of these versions or later.
    pub fn since(&self, terraform: Release, opentofu: Release, check: impl FnOnce() -> CheckOutcome) -> CheckOutcome {
        since(&self.file.artifact.producer, terraform, opentofu, check)
    }
}

impl ObjectCase<'_> {
    /// Runs `check` on the value; [`CheckOutcome::Cannot`] if it could not be read, or has another version of the
    /// schema.
    pub fn typed(&self, check: impl FnOnce(&Typed) -> CheckOutcome) -> CheckOutcome {
        match &self.typed {
            Ok(typed) if typed.is_same_version => check(typed),
            Ok(_) => CheckOutcome::Cannot(Why::OtherSchemaVersion),
            Err(untyped) => CheckOutcome::Cannot(why(untyped)),
        }
    }

    /// Runs `check` if the engine is of these versions or later.
    pub fn since(&self, terraform: Release, opentofu: Release, check: impl FnOnce() -> CheckOutcome) -> CheckOutcome {
        since(&self.file.artifact.producer, terraform, opentofu, check)
    }
}

/// Runs `check` if the producer is of these versions or later; [`CheckOutcome::Cannot`] if not.
pub(super) fn since(
    producer: &Producer,
    terraform: Release,
    opentofu: Release,
    check: impl FnOnce() -> CheckOutcome,
) -> CheckOutcome {
    match producer.is_since(terraform, opentofu) {
        None => CheckOutcome::Cannot(Why::NoVersion),
        Some(false) => CheckOutcome::Cannot(Why::OtherVersion),
        Some(true) => check(),
    }
}

/// Whether two values are the same and known, as far as their encodings show.
pub(super) fn is_same_encoded(before: &Encoded, after: &Encoded) -> Option<bool> {
    if before.is_null() || after.is_null() {
        return Some(before.is_null() && after.is_null());
    }
    if before.has_unknown()? || after.has_unknown()? {
        return Some(false);
    }
    Some(before.as_json()? == after.as_json()?)
}
