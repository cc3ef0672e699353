//! Why bytes are no artifact.

use planfuzz_core::json::{JsonError, JsonProblem};
use planfuzz_core::plans::file::PlanFileError;
use planfuzz_core::state::file::StateFileError;

use super::detect::MAX_ARTIFACT_BYTES;

/// Why bytes are no artifact. It contains no values of the file, which may be secrets.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArtifactError {
    /// Nothing at all.
    #[error("expected a plan or a state, found an empty file")]
    Empty,
    /// More than is read.
    #[error("expected at most {} MiB uncompressed, found more", MAX_ARTIFACT_BYTES >> 20)]
    TooLarge,
    /// A compressed file that is broken.
    #[error("expected a whole compressed file: {0}")]
    Gzip(#[source] std::io::Error),
    /// An archive that is no plan file.
    #[error("expected a plan file: {}", of_plan(.0))]
    PlanFile(#[from] PlanFileError),
    /// A plan file of an engine before 0.12.
    #[error("expected a plan file of an engine since 1.0, found one from before 0.12")]
    OldPlan,
    /// No JSON document.
    #[error("expected a plan file, or JSON of a plan or state: {}", describe(.0))]
    NoJson(JsonError),
    /// JSON that is something else.
    #[error("expected a plan or a state, found {0}")]
    Other(&'static str),
    /// A state of another version.
    #[error("expected a state of version 4, found version {0}")]
    StateVersion(u64),
    /// A document whose frame is not that of its kind.
    #[error("expected {kind}: {}", describe(.error))]
    Frame {
        /// What it looked like.
        kind: &'static str,
        /// What is wrong.
        error: JsonError,
    },
}

/// The problem of a document, without the document's content.
pub fn describe(error: &JsonError) -> String {
    let problem = match error.problem() {
        JsonProblem::Unexpected { expected, .. } => format!("expected {expected}, found something else"),
        JsonProblem::Number { .. } => "expected a number that values can hold".to_owned(),
        other => other.to_string(),
    };
    let place = match error.position() {
        Some(position) => format!("line {}, column {}: ", position.line, position.column),
        None => String::new(),
    };
    let path = match error.path() {
        "" => String::new(),
        path => format!("{}: ", path.chars().take(120).collect::<String>()),
    };
    format!("{place}{path}{problem}")
}

/// The problem of a plan file, likewise.
fn of_plan(error: &PlanFileError) -> String {
    match error {
        PlanFileError::State { name, error: StateFileError::Json(error) } => {
            format!("member {name:?}: {}", describe(error))
        }
        PlanFileError::Manifest { error } => format!("the manifest of modules: {}", describe(error)),
        other => other.to_string(),
    }
}
