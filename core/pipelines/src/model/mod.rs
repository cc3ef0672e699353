//! The vocabulary of provider models (provider-model.md).
//!
//! Every enum is closed, and its first variant is the simplest: shrinking goes towards it.

mod behaviour;
mod expression;
mod json;
mod path;
mod remote;
mod scope;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::sdk;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;

pub use behaviour::{Canon, Check, CustomizeOp, Equiv, Mod, NumberRange, PlanRule, ReplacePath, ResourceCheck};
pub use expression::{Changed, Cond, Expr, MAX_DEPTH, Operation, Ref, Source};
pub use json::{customize_diff_from_json, customize_diff_to_json, plan_rules_from_json, plan_rules_to_json};
pub use path::{Place, SchemaPart, SchemaPath};
pub use remote::{Done, Failure, Fault, FaultName, Gen, RemoteCall, Respond, When};
pub use scope::Scope;

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

/// What attributes and blocks do, by schema path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules(BTreeMap<SchemaPath, Rule>);

/// What an attribute or block does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rule {
    /// The default (F20), perhaps null (F26).
    pub default: Option<Value>,
    /// Semantic equality (F120).
    pub equal: Option<Equiv>,
    /// Plan modifiers, in order (F52).
    pub plan: Vec<Mod>,
    /// Plan modifiers of the element objects of nested attributes and blocks (F57).
    pub element_plan: Vec<Mod>,
    /// Checks on the configured value (F142).
    pub validate: Vec<Check>,
    /// What an unknown planned attribute becomes; where nothing is said, a fill without salt.
    pub computed: Option<Gen>,
    /// The form in which the remote system stores the value.
    pub remote_form: Option<Canon>,
    /// Whether read keeps the state's value.
    pub unreadable: bool,
}

impl Rules {
    /// No rules.
    pub fn new() -> Rules {
        Rules::default()
    }

    /// The rule at a path.
    pub fn get(&self, path: &SchemaPath) -> Option<&Rule> {
        self.0.get(path)
    }

    /// The rule at a path, to change; an empty one is put there first where there is none.
    pub fn entry(&mut self, path: SchemaPath) -> &mut Rule {
        self.0.entry(path).or_default()
    }

    /// Takes a rule away.
    pub fn remove(&mut self, path: &SchemaPath) -> Option<Rule> {
        self.0.remove(path)
    }

    /// The rules by path, in the order of the paths.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&SchemaPath, &Rule)> {
        self.0.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(SchemaPath, Rule)> for Rules {
    fn from_iter<I: IntoIterator<Item = (SchemaPath, Rule)>>(rules: I) -> Rules {
        Rules(rules.into_iter().collect())
    }
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
