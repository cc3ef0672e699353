//! Resources beside the instance of a walk.

use std::sync::Arc;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Value, WrittenPath};

/// A resource that a walk needs beside its instance: the source of an unknown value in the configuration, the trigger of a replacement, or
/// a dependency. Its provider gives the answers that are listed here.
#[derive(Clone, Debug)]
pub struct Helper {
    /// The name of its resource type; the resource itself is named `h`.
    pub type_name: String,
    /// Managed or data.
    pub kind: ResourceKind,
    /// Its schema.
    pub schema: Arc<Schema>,
    /// Its stored object, if it has one.
    pub stored: Option<Value>,
    /// What its provider plans, for any configuration. For a data resource, what it reads.
    pub planned: Value,
    /// The paths for which its provider requires replacement.
    pub requires_replace: Vec<WrittenPath>,
    /// What its provider answers to the apply; wholly known.
    pub applied: Value,
}
