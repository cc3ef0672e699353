//! Provider models (provider-model.md): a schema, the rules of its attributes, and what the remote system does, with their form in JSON.
//!
//! Every enum is closed, and its first variant is the simplest: shrinking goes towards it.

mod json;
mod remote;

use std::sync::Arc;

use crate::rules::{CustomizeOp, PlanRule, ResourceCheck, Rules};
use crate::sdk;
use planfuzz_core::schema::Schema;

pub use remote::{Done, Failure, Fault, FaultName, RemoteCall, Respond, When};

/// A provider as data: a schema, what its attributes do, and what the remote system does.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The pipeline that gives it meaning, with the schema and what only that pipeline has.
    pub style: Style,
    /// What attributes and blocks do.
    pub rules: Rules,
    /// Checks on the whole configuration, in order (F140).
    pub validate: Vec<ResourceCheck>,
    /// What create and update return.
    pub respond: Respond,
    /// Errors of well-behaved providers.
    pub failures: Vec<Failure>,
    /// What filled values are made of.
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
        /// Resource-level plan modification (F80); where there is none, the step does not run.
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
    /// A provider of a style that does nothing by itself.
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
