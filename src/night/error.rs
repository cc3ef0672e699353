//! The reasons why a phase is not done.

use std::io;
use std::path::Path;

use super::record::PhaseOutcome;

/// Why a phase is not done.
#[derive(Debug, thiserror::Error)]
pub enum PhaseError {
    /// It has no work, or lacks something that it needs.
    #[error("{0}")]
    Skipped(String),
    /// It failed.
    #[error("{0}")]
    Failed(String),
    /// Its time ran out.
    #[error("{0}")]
    OverTime(String),
    /// The user interrupted the night.
    #[error("the night was interrupted")]
    Interrupted,
}

impl PhaseError {
    /// An operation on a file or folder that failed.
    pub fn of_file(doing: &str, path: &Path, problem: &io::Error) -> PhaseError {
        PhaseError::Failed(format!("cannot {doing} {}: {problem}", path.display()))
    }

    /// The outcome in a record.
    pub fn outcome(&self) -> PhaseOutcome {
        match self {
            PhaseError::Skipped(_) | PhaseError::Interrupted => PhaseOutcome::Skipped,
            PhaseError::Failed(_) => PhaseOutcome::Failed,
            PhaseError::OverTime(_) => PhaseOutcome::OverTime,
        }
    }
}
