//! Artifacts: the plan files, plans and states as `show -json` prints them, and state files that users have.
//!
//! One reader detects the kind by the content, and gives one model of all: objects with their planned or stored values, encoded
//! until a schema is found ([`Catalogue`]), then typed ([`SchemaFinder`]). Files of many versions and producers are read, so a part that
//! cannot be read is recorded as a [`Flaw`] and does not hide the other parts.

mod catalogue;
mod detect;
mod encoded;
mod error;
mod object;
mod plan;
mod plan_file;
mod producer;
mod schema_finder;
mod shown;
mod state;
mod state_file;

#[cfg(test)]
mod tests;

pub use catalogue::{Candidate, Catalogue};
pub use detect::MAX_ARTIFACT_BYTES;
pub use encoded::{Encoded, Misfit};
pub use error::ArtifactError;
pub use object::{ObjectId, ResourceKey};
pub use plan::{CheckStatus, Checked, Import, ObjectChange, OutputChange, Plan};
pub use producer::{Producer, Release};
pub use schema_finder::{Fit, SchemaFinder, Untyped};
pub use state::{State, StateObject, StateOutput};

use planfuzz_core::dialect::Engine;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A plan file: an archive (PF01).
    PlanFile,
    /// A plan as `show -json` prints it (JS01).
    PlanJson,
    /// A state as `show -json` prints it (JS50).
    StateJson,
    /// A state file of version 4 (ST01).
    StateFile,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 4] = [Kind::PlanFile, Kind::PlanJson, Kind::StateJson, Kind::StateFile];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Kind::PlanFile => "plan file",
            Kind::PlanJson => "plan JSON",
            Kind::StateJson => "state JSON",
            Kind::StateFile => "state file",
        }
    }
}

/// One file, read.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// Its kind.
    pub kind: Kind,
    /// The engine that wrote it.
    pub producer: Producer,
    /// Its content.
    pub content: Content,
    /// Schemas that it contains.
    pub schemas: Option<Catalogue>,
    /// Its parts that could not be read.
    pub flaws: Vec<Flaw>,
}

/// The content of a file.
#[derive(Clone, Debug)]
pub enum Content {
    /// A plan, with the states it was made from.
    Plan(Box<Plan>),
    /// A state.
    State(Box<State>),
}

/// A part of a file that is not what the format says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Where: a path from the top of the document.
    pub place: String,
    /// What was expected there; contains no value of the file.
    pub message: String,
}

impl Artifact {
    /// Reads a file, compressed or not. `engine` is the engine that wrote it, if the caller knows; otherwise the content decides.
    ///
    /// # Errors
    /// Bytes of none of the kinds, or beyond a bound.
    pub fn read(bytes: &[u8], engine: Option<Engine>) -> Result<Artifact, ArtifactError> {
        detect::read(bytes, engine)
    }

    /// The plan, if it is one.
    pub fn plan(&self) -> Option<&Plan> {
        match &self.content {
            Content::Plan(plan) => Some(plan),
            Content::State(_) => None,
        }
    }

    /// The state that this is, or that the plan starts from.
    pub fn state(&self) -> Option<&State> {
        match &self.content {
            Content::Plan(plan) => plan.prior.as_ref(),
            Content::State(state) => Some(state),
        }
    }
}
