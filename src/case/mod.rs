//! Cases: what a comparison is made of.

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;

/// One input for every subject: a task, the dialect it is meant in, and a line that says what it is for.
#[derive(Clone, Debug)]
pub struct Case {
    /// Why the case is kept, in one line; empty for a generated one.
    pub purpose: String,
    /// The engine version whose decisions count.
    pub dialect: Dialect,
    /// What is asked.
    pub task: Task,
}

/// What a case asks.
#[derive(Clone, Debug)]
pub enum Task {
    /// Every operation of merge-and-rules.md that the inputs allow.
    Merge(Merge),
}

/// The inputs of the merge and its rules. All values conform to the implied type of the schema.
#[derive(Clone, Debug)]
pub struct Merge {
    /// The schema, valid in the case's dialect.
    pub schema: Arc<Schema>,
    /// The prior state, or null; wholly known.
    pub prior: Value,
    /// The configuration, or null.
    pub config: Value,
    /// What a provider might have planned for these.
    pub planned: Value,
    /// What might have come of that plan.
    pub actual: Value,
}
