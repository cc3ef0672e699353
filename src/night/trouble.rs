//! Why a phase is not done.

use std::io;
use std::path::Path;

use super::record::Came;

/// Why a phase is not done.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
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

impl Trouble {
    /// A file or folder with which something cannot be done.
    pub fn of_file(doing: &str, path: &Path, problem: &io::Error) -> Trouble {
        Trouble::Failed(format!("cannot {doing} {}: {problem}", path.display()))
    }

    /// As a record has it.
    pub fn came(&self) -> Came {
        match self {
            Trouble::Skipped(_) | Trouble::Interrupted => Came::Skipped,
            Trouble::Failed(_) => Came::Failed,
            Trouble::OverTime(_) => Came::OverTime,
        }
    }
}
