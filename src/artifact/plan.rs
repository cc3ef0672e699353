//! Plans: what a file says will be done.

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
    /// What changed outside, likewise.
    pub drift: Vec<ObjectChange>,
    /// What is put off, likewise.
    pub deferred: Vec<ObjectChange>,
    /// The changes of root outputs, likewise.
    pub outputs: Vec<OutputChange>,
    /// The refreshed state.
    pub prior: Option<State>,
    /// The state of the previous run.
    pub previous: Option<State>,
    /// What is planned to be there, with the outputs; nothing where the file does not tell it apart.
    pub planned: Option<State>,
    /// The configuration as the file has it; nothing where it has none.
    pub configuration: Option<Json>,
    /// What the plan is made for, if the file says.
    pub mode: Option<Mode>,
    /// Whether there were errors, if the file says.
    pub errored: Option<bool>,
    /// Whether nothing was left out, if the file says.
    pub complete: Option<bool>,
    /// Whether there is anything to apply, if the file says.
    pub applyable: Option<bool>,
    /// Whether the plan was restricted to a part, if the file says.
    pub targeted: Option<bool>,
    /// When it was made, if the file says.
    pub timestamp: Option<String>,
    /// What came of checks.
    pub checks: Vec<Checked>,
    /// Whether parts were taken out of it, as cloud back ends do.
    pub is_redacted: bool,
}

/// A change of an object.
#[derive(Clone, Debug)]
pub struct ObjectChange {
    /// Which.
    pub id: ObjectId,
    /// Where in the document.
    pub place: String,
    /// The address before moves, as the file has it.
    pub previous: Option<String>,
    /// What is done.
    pub action: Action,
    /// Why; nothing where the file gives a reason that nobody knows.
    pub reason: Option<ActionReason>,
    /// The object as it is.
    pub before: Encoded,
    /// The object as it is to be.
    pub after: Encoded,
    /// The paths that make this a replacement.
    pub replace: Vec<PathItems>,
    /// What is imported first.
    pub importing: Option<Import>,
    /// What the provider wants back; nothing where the file does not say.
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
    /// Where in the document.
    pub place: String,
    /// What is done.
    pub action: Action,
    /// The value as it is.
    pub before: Encoded,
    /// The value as it is to be.
    pub after: Encoded,
    /// Whether it is called sensitive; nothing where the file has no such thing.
    pub sensitive: Option<bool>,
}

/// What came of the checks of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Its address.
    pub address: String,
    /// All together.
    pub status: CheckStatus,
    /// Each of its instances: the address, what came of it, and how many failures are told.
    pub objects: Vec<(String, CheckStatus, usize)>,
}

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckStatus {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// It could not be asked.
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

    /// The status of a name; an unknown name is unknown (ST06).
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
    /// All changes of objects with a word for the list that they are in.
    pub fn object_changes(&self) -> impl Iterator<Item = (&'static str, &ObjectChange)> {
        let named = |name: &'static str| move |change| (name, change);
        let changes = self.changes.iter().map(named("change"));
        changes.chain(self.drift.iter().map(named("drift"))).chain(self.deferred.iter().map(named("deferred change")))
    }

    /// The objects of all states that the plan brings along.
    pub fn stored(&self) -> impl Iterator<Item = &StateObject> {
        [&self.prior, &self.previous].into_iter().flatten().flat_map(|state| &state.objects)
    }
}
