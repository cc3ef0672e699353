//! The fuzz targets by name.

use std::str::FromStr;

use crate::generate::Breed;

/// A fuzz target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Merges: every operation, with the rules and the metamorphic properties.
    Planner,
    /// Scenarios: runs of instances under providers, with the invariants.
    Lifecycle,
    /// Whole workspaces: configurations, states, commands, with the rules and the laws.
    Workspace,
    /// Readers of bytes.
    Codecs,
}

impl Target {
    /// All of them.
    pub const ALL: [Target; 4] = [Target::Planner, Target::Lifecycle, Target::Workspace, Target::Codecs];

    /// The name of the binary, and of the folder of its corpus.
    pub fn name(self) -> &'static str {
        match self {
            Target::Planner => "planner",
            Target::Lifecycle => "lifecycle",
            Target::Workspace => "workspace",
            Target::Codecs => "codecs",
        }
    }

    /// The kind of the cases that are made for it.
    pub(super) fn breed(self) -> Breed {
        match self {
            Target::Planner | Target::Codecs => Breed::Merges,
            Target::Lifecycle => Breed::Scenarios,
            Target::Workspace => Breed::Workspaces,
        }
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(name: &str) -> Result<Target, String> {
        let found = Target::ALL.into_iter().find(|target| target.name() == name);
        found.ok_or_else(|| format!("expected planner, lifecycle, workspace or codecs, found {name:?}"))
    }
}
