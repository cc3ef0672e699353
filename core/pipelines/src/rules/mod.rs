//! What attributes and resources do (section 3 of provider-model.md), and its form in JSON.
//!
//! Every enum is closed, and its first variant is the simplest: shrinking goes towards it. The pipelines give it meaning; a model is rules,
//! a schema, and what the remote system does.

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
