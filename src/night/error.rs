//! Why a phase is not done.

use std::io;
use std::path::Path;

use super::record::PhaseOutcome;

/// Why a phase is not done.
#[derive(Debug, thiserror::Error)]
pub enum PhaseError {
    /// It has nothing to do, or not what it needs.
    #[error("{0}")]
    Skipped(String),
    /// It failed.
    #[error("{0}")]
    Failed(String),
    /// Its time ran out.
    #[error("{0}")]
    OverTime(String),
    /// The night was told to end.
    #[error("the night was told to end")]
    Interrupted,
}

impl PhaseError {
    /// A file or folder with which something cannot be done.
    pub fn of_file(doing: &str, path: &Path, problem: &io::Error) -> PhaseError {
        PhaseError::Failed(format!("cannot {doing} {}: {problem}", path.display()))
    }

    /// As a record has it.
    pub fn outcome(&self) -> PhaseOutcome {
        match self {
            PhaseError::Skipped(_) | PhaseError::Interrupted => PhaseOutcome::Skipped,
            PhaseError::Failed(_) => PhaseOutcome::Failed,
            PhaseError::OverTime(_) => PhaseOutcome::OverTime,
        }
    }
}
