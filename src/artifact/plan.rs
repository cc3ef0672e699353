//! Plans, in one model for all formats.

use planfuzz_core::json::Json;
use planfuzz_core::plans::json::PathItems;
use planfuzz_core::plans::{Action, ActionReason, Mode};
use planfuzz_core::state::Private;

use super::encoded::Encoded;
use super::object::ObjectId;
use super::state::{State, StateObject};

/// A plan.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The changes, in the order of the file.
    pub changes: Vec<ObjectChange>,
    /// Changes made outside, likewise.
    pub drift: Vec<ObjectChange>,
    /// Deferred changes, likewise.
    pub deferred: Vec<ObjectChange>,
    /// The changes of root outputs, likewise.
    pub outputs: Vec<OutputChange>,
    /// The refreshed state.
    pub prior: Option<State>,
    /// The state of the previous run.
    pub previous: Option<State>,
    /// The planned state, with the outputs; `None` where the file does not have it separately.
    pub planned: Option<State>,
    /// The configuration as the file has it; `None` where it has none.
    pub configuration: Option<Json>,
    /// The mode of the plan, if the file records it.
    pub mode: Option<Mode>,
    /// Whether there were errors, if the file records it.
    pub errored: Option<bool>,
    /// Whether the plan is complete, if the file records it.
    pub complete: Option<bool>,
    /// Whether there is anything to apply, if the file records it.
    pub applyable: Option<bool>,
    /// Whether the plan was restricted to a part, if the file records it.
    pub targeted: Option<bool>,
    /// When it was made, if the file records it.
    pub timestamp: Option<String>,
    /// The results of checks.
    pub checks: Vec<Checked>,
    /// Whether parts were removed from it, as cloud back ends do.
    pub is_redacted: bool,
}

/// A change of an object.
#[derive(Clone, Debug)]
pub struct ObjectChange {
    /// The object.
    pub id: ObjectId,
    /// Its place in the document.
    pub place: String,
    /// The address before moves, as the file has it.
    pub previous: Option<String>,
    /// The action.
    pub action: Action,
    /// The reason; `None` if the file gives an unknown one.
    pub reason: Option<ActionReason>,
    /// The object as it is.
    pub before: Encoded,
    /// The object as it is to be.
    pub after: Encoded,
    /// The paths that make this a replacement.
    pub replace: Vec<PathItems>,
    /// What is imported first.
    pub importing: Option<Import>,
    /// The provider's private data; `None` where the file does not have it.
    pub private: Option<Private>,
}

/// What is imported first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Import {
    /// By an id.
    Id(String),
    /// By an identity.
    Identity,
    /// By something that is not known yet.
    Unknown,
}

/// A change of a root output.
#[derive(Clone, Debug)]
pub struct OutputChange {
    /// The name.
    pub name: String,
    /// Its place in the document.
    pub place: String,
    /// The action.
    pub action: Action,
    /// The value as it is.
    pub before: Encoded,
    /// The value as it is to be.
    pub after: Encoded,
    /// Whether it is sensitive; `None` where the format does not record it.
    pub sensitive: Option<bool>,
}

/// The results of the checks of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Its address.
    pub address: String,
    /// The status of all together.
    pub status: CheckStatus,
    /// Each of its instances: the address, its status, and the number of failures reported.
    pub objects: Vec<(String, CheckStatus, usize)>,
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckStatus {
    /// It holds.
    Pass,
    /// It fails.
    Fail,
    /// It could not be evaluated.
    Error,
    /// It is not known yet.
    Unknown,
}

impl CheckStatus {
    /// The name in JSON (ST06).
    pub fn name(self) -> &'static str {
        match self {
            CheckStatus::Pass => "pass",
            CheckStatus::Fail => "fail",
            CheckStatus::Error => "error",
            CheckStatus::Unknown => "unknown",
        }
    }

    /// The status of a name; an unknown name gives [`CheckStatus::Unknown`] (ST06).
    pub fn from_name(name: &str) -> CheckStatus {
        match name {
            "pass" => CheckStatus::Pass,
            "fail" => CheckStatus::Fail,
            "error" => CheckStatus::Error,
            _ => CheckStatus::Unknown,
        }
    }
}

impl Plan {
    /// The objects of all states that the plan contains.
    pub fn stored(&self) -> impl Iterator<Item = &StateObject> {
        [&self.prior, &self.previous].into_iter().flatten().flat_map(|state| &state.objects)
    }
}
