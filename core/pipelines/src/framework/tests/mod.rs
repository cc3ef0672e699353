//! The framework pipeline by its rules.

mod around;
mod laws;
mod modifiers;
mod plan;
mod validate;

use super::*;
use crate::rules::{Rules, plan_rules_from_json};
use planfuzz_core::json::Json;
use planfuzz_core::value::ValueRef;

/// A provider of a schema's block, rules and resource-level rules, each as text.
struct Provider {
    program: Program,
    ty: Type,
}

fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|problem| panic!("{problem}: {text}"))
}

fn try_provider(block: &str, rules: &str, plan: Option<&str>) -> Result<Provider, Inexpressible> {
    let schema = Schema::parse(&format!(r#"{{"block":{block}}}"#)).expect("a schema");
    let rules = Rules::from_json(&json(rules), &schema.block).expect("rules");
    let plan = plan.map(|plan| plan_rules_from_json(&json(plan), &schema.block).expect("resource-level rules"));
    let ty = schema.implied_type(DIALECT);
    Program::new(&schema, &rules, &[], plan.as_deref()).map(|program| Provider { program, ty })
}

fn provider(block: &str, rules: &str) -> Provider {
    try_provider(block, rules, None).expect("a provider")
}

fn provider_with_plan(block: &str, rules: &str, plan: &str) -> Provider {
    try_provider(block, rules, Some(plan)).expect("a provider")
}

impl Provider {
    fn value(&self, text: &str) -> Value {
        Value::from_json(&json(text), &self.ty).unwrap_or_else(|problem| panic!("{problem}: {text}"))
    }

    fn plan(&self, prior: &str, config: &str, proposed: &str) -> Result<Planned, PlanError> {
        let [prior, config, proposed] = [prior, config, proposed].map(|text| self.value(text));
        self.program.plan(PlanRequest { prior: &prior, config: &config, proposed: &proposed })
    }

    /// What is planned, and the paths that ask for replacement.
    #[track_caller]
    fn plans(&self, prior: &str, config: &str, proposed: &str, want: &str, replace: &[&str]) {
        let planned = self.plan(prior, config, proposed).expect("a plan");
        assert_eq!(planned.planned.to_json(&self.ty).to_compact(), self.value(want).to_json(&self.ty).to_compact());
        let paths: Vec<String> = planned.requires_replace.iter().map(WrittenPath::to_string).collect();
        assert_eq!(paths, replace);
    }

    /// The rule and the path of the first error.
    #[track_caller]
    fn fails(&self, prior: &str, config: &str, proposed: &str, rule: &str, path: &str) {
        match self.plan(prior, config, proposed) {
            Err(PlanError::Diagnostics(errors)) => {
                assert_eq!((errors[0].rule, errors[0].path.to_string().as_str()), (rule, path));
            }
            other => panic!("expected errors, found {other:?}"),
        }
    }
}

/// The member of a value.
fn member<'a>(value: &'a Value, name: &str) -> ValueRef<'a> {
    value.view().member(name).expect("a member")
}
