//! What a walk finds.

use std::collections::HashMap;

use planfuzz_core::address::ConfigResource;
use planfuzz_core::plans::{AddressedChange, OutputChange};
use planfuzz_workspace::{CheckTable, Diagnostic};

/// What a walk finds.
#[derive(Debug, Default)]
pub struct Results {
    /// Changes of objects.
    pub changes: Vec<AddressedChange>,
    /// The places of the changes of each block.
    pub changes_of: HashMap<ConfigResource, Vec<usize>>,
    /// Drift.
    pub drift: Vec<AddressedChange>,
    /// Changes of root outputs.
    pub outputs: Vec<OutputChange>,
    /// Checks.
    pub checks: CheckTable,
    /// The diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether some instance was found to differ from its stored object.
    pub taken_in: bool,
}
