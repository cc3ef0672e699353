//! The behaviour of attributes and resources (section 3 of provider-model.md), and its form in JSON.
//!
//! Every enum is closed, and its first variant is the simplest: shrinking goes towards it. The pipelines implement the behaviour; a model
//! consists of rules, a schema, and the behaviour of the remote system.

mod behaviour;
mod json;

use std::collections::BTreeMap;

use crate::expression::{Canon, Equiv};
use crate::path::SchemaPath;
use planfuzz_core::value::Value;

pub use behaviour::{Check, CustomizeOp, Gen, Mod, NumberRange, PlanRule, ReplacePath, ResourceCheck};
pub(crate) use json::{
    Allowed, push_list, read_plan_rules, read_resource_check, read_rules, write_customize_op, write_plan_rules,
    write_resource_check,
};
pub use json::{customize_diff_from_json, customize_diff_to_json, plan_rules_from_json, plan_rules_to_json};

/// The rules of attributes and blocks, by schema path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules(BTreeMap<SchemaPath, Rule>);

/// The rule of an attribute or block.
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
    /// How an unknown planned attribute is completed; by default a fill without salt.
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

    /// The rule at a path, mutable; a missing one is added.
    pub fn entry(&mut self, path: SchemaPath) -> &mut Rule {
        self.0.entry(path).or_default()
    }

    /// Removes a rule.
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
