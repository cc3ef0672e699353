//! Shortcuts for tests of the pipeline: everything is JSON text.

use std::collections::BTreeMap;

use super::{ApplyRequest, Function, Pipeline, PlanRequest, Schema, SdkError};
use crate::expression::Operation;
use crate::rules::customize_diff_from_json;
use planfuzz_core::json::Json;
use planfuzz_core::value::{Text, Value};

/// A resource with shortcuts for plans, applies and reads.
pub(super) struct Resource {
    pub pipeline: Pipeline,
    customize: String,
}

pub(super) fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The resource of an SDK schema.
pub(super) fn resource(schema: &str) -> Resource {
    let schema = Schema::from_json(&json(schema)).unwrap_or_else(|error| panic!("{error}: {schema}"));
    Resource { pipeline: Pipeline::new(schema), customize: "[]".to_owned() }
}

impl Resource {
    /// The resource with plan customisation.
    pub fn customized(self, ops: &str) -> Resource {
        Resource { customize: ops.to_owned(), ..self }
    }

    pub fn value(&self, text: &str) -> Value {
        Value::from_json(&json(text), self.pipeline.ty()).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// The planned object and the replacement paths, on one line; the proposed object is the configuration.
    pub fn plan(&self, prior: &str, proposed: &str) -> Result<String, SdkError> {
        let block = &self.pipeline.core_schema().block;
        let ops = customize_diff_from_json(&json(&self.customize), block).expect("plan customisation");
        let (prior, proposed) = (self.value(prior), self.value(proposed));
        let request = PlanRequest { prior: &prior, config: &proposed, proposed: &proposed };
        let plan = self.pipeline.plan(&ops, request)?;
        let mut paths: Vec<String> = plan.requires_replace.iter().map(ToString::to_string).collect();
        paths.sort();
        Ok(format!("{} {}", plan.planned.view().to_json_text(self.pipeline.ty()), paths.join(" ")).trim().to_owned())
    }

    /// Checks a plan; `?` stands for unknown.
    pub fn check_plan(&self, prior: &str, proposed: &str, want: &str) {
        let got = self.plan(&known(prior), &known(proposed)).expect("a plan");
        assert_eq!(got.replace(r#"{"$unknown":true}"#, "?"), want, "{prior} -> {proposed}");
    }

    /// Checks the new state of an apply in which the function sets fields and the id `i`.
    pub fn check_apply(&self, prior: &str, planned: &str, sets: &[(&str, &str)], want: &str) {
        let (prior, planned) = (self.value(&known(prior)), self.value(&known(planned)));
        let request = ApplyRequest { prior: &prior, planned: &planned, extra: &BTreeMap::new() };
        let function = self.function(sets);
        let outcome = self.pipeline.apply(request, |_: Operation| function).expect("an outcome");
        assert_eq!(outcome.new_state.view().to_json_text(self.pipeline.ty()), want);
    }

    /// Checks the new state of a read, likewise.
    pub fn check_read(&self, current: &str, sets: &[(&str, &str)], want: &str) {
        let function = self.function(sets);
        let outcome = self.pipeline.read(&self.value(current), || function).expect("an outcome");
        assert_eq!(outcome.new_state.view().to_json_text(self.pipeline.ty()), want);
    }

    pub fn function(&self, sets: &[(&str, &str)]) -> Function {
        let object = self.pipeline.ty().as_object().expect("an object type");
        let set = |(name, value): &(&str, &str)| {
            let ty = object.attribute_type(name).expect("a field");
            (Text::new(name), Value::from_json(&json(value), ty).expect("a value"))
        };
        Function { sets: sets.iter().map(set).collect(), id: Some(Text::new("i")), ..Function::default() }
    }
}

/// Expands `?` to an unknown.
fn known(text: &str) -> String {
    text.replace('?', r#"{"$unknown":true}"#)
}
