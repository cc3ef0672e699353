//! Resources beside the one that is asked about.

use std::sync::Arc;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Value, WrittenPath};

/// A resource that is there for an instance's sake: the source of an unknown value in its configuration, what triggers its
/// replacement, what it depends on. Its provider says what is written here.
#[derive(Clone, Debug)]
pub struct Helper {
    /// The name of its resource type; the resource itself is named `h`.
    pub type_name: String,
    /// Managed or data.
    pub kind: ResourceKind,
    /// Its schema.
    pub schema: Arc<Schema>,
    /// What is stored of it, if anything.
    pub stored: Option<Value>,
    /// What its provider plans, whatever the configuration. For a data resource, what it reads.
    pub planned: Value,
    /// What its provider says requires replacement.
    pub requires_replace: Vec<WrittenPath>,
    /// What its provider answers when that is applied; wholly known.
    pub applied: Value,
}
