//! The largest size to which each fault of the lifecycle is shrunk, whichever seed found it.

/// The size of a scenario.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// Nodes of its document.
    pub nodes: usize,
    /// Members of its schema, without the `id` that every resource of the SDK has.
    pub members: usize,
    /// Steps.
    pub steps: usize,
}

/// The largest size of a shrunk scenario: three members and two steps are enough, and can be read at a glance. The number of nodes
/// depends on which scenario is found first, so on the generator.
pub const MOST: Most = Most { nodes: 90, members: 3, steps: 2 };
