//! The plan of a workspace (section 12 of workspace-plan.md).

use planfuzz_core::plans::{AddressedChange, Mode, OutputChange, RelevantAttribute};

use super::checks::CheckTable;
use super::state::State;

/// A plan. Lists are in any order.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The mode in which it was made.
    pub mode: Mode,
    /// Changes of objects (G150).
    pub changes: Vec<AddressedChange>,
    /// Changes made outside of the engine (G152).
    pub drift: Vec<AddressedChange>,
    /// Changes of root outputs (G151).
    pub outputs: Vec<OutputChange>,
    /// Checks (G153).
    pub checks: CheckTable,
    /// The attributes that explain the changes (G155); `None` if a planner does not report them.
    pub relevant: Option<Vec<RelevantAttribute>>,
    /// Whether there is anything to apply (G156).
    pub applyable: bool,
    /// Whether nothing was left out.
    pub complete: bool,
    /// Whether it was made with errors.
    pub errored: bool,
    /// The refreshed state: what an apply starts from (G158).
    pub prior: State,
    /// The state as it was, after upgrades and moves.
    pub previous: State,
}
