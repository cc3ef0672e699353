//! Provider models (provider-model.md): a schema, the rules of its attributes, and the behaviour of the remote system, with their form in
//! JSON.
//!
//! Every enum is closed, and its first variant is the simplest: shrinking goes towards it.

mod json;
mod remote;

use std::sync::Arc;

use crate::rules::{CustomizeOp, PlanRule, ResourceCheck, Rules};
use crate::sdk;
use planfuzz_core::schema::Schema;

pub use remote::{Done, Failure, Fault, FaultName, RemoteCall, Respond, When};

/// A provider as data: a schema, the behaviour of its attributes, and that of the remote system.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The pipeline of the provider, with the schema and the parts that only that pipeline has.
    pub style: Style,
    /// The behaviour of attributes and blocks.
    pub rules: Rules,
    /// Checks on the whole configuration, in order (F140).
    pub validate: Vec<ResourceCheck>,
    /// The object that create and update return.
    pub respond: Respond,
    /// Errors of well-behaved providers.
    pub failures: Vec<Failure>,
    /// The seed of filled values.
    pub seed: u64,
    /// Behaviour that Core does not allow.
    pub faults: Vec<Fault>,
}

/// How the provider is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Style {
    /// With the plugin framework (provider-framework.md).
    Framework {
        /// The schema.
        schema: Arc<Schema>,
        /// Resource-level plan modification (F80); `None` if the provider has none and the step does not run.
        plan: Option<Vec<PlanRule>>,
    },
    /// With the classic SDK (provider-sdk.md).
    Sdk {
        /// The schema.
        schema: Arc<sdk::Schema>,
        /// Plan customisation (Z70), in order.
        customize_diff: Vec<CustomizeOp>,
    },
}

impl Model {
    /// A provider of a style without any behaviour.
    pub fn new(style: Style) -> Model {
        Model {
            style,
            rules: Rules::new(),
            validate: Vec::new(),
            respond: Respond::Plan,
            failures: Vec::new(),
            seed: 0,
            faults: Vec::new(),
        }
    }
}
