//! The types that a server serves.

use std::sync::{Arc, Mutex};

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::Provider;
use planfuzz_core::schema::Schema;
use planfuzz_core::state::InstanceState;

use crate::helper::Helper;
use crate::provider_address::ProviderAddress;

/// The resource types of one run of an engine.
#[derive(Debug)]
pub struct ServedTypes {
    /// The engine's dialect.
    pub dialect: Dialect,
    /// The types. [`Log`](super::Log)s come in their order.
    pub served: Vec<Served>,
}

/// A resource type, with those of its helpers.
pub struct Served {
    /// Its name, which begins with the provider's.
    pub type_name: String,
    /// The provider that it belongs to.
    pub provider_address: ProviderAddress,
    /// Managed or data.
    pub kind: ResourceKind,
    /// Its schema, one that is [`servable`](crate::servable).
    pub schema: Arc<Schema>,
    /// The provider that answers. It is called under the lock, one call at a time.
    pub provider: Arc<Mutex<dyn Provider + Send>>,
    /// What the engine has stored of the instance when the run begins.
    pub state: InstanceState,
    /// Whether the validated block declares no instance: then the validation is answered without asking the provider.
    pub validates_block: bool,
    /// The resources beside it.
    pub helpers: Vec<Helper>,
}

impl std::fmt::Debug for Served {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Served { type_name, provider_address, kind, .. } = self;
        f.debug_struct("Served")
            .field("type_name", type_name)
            .field("provider_address", provider_address)
            .field("kind", kind)
            .finish()
    }
}
