//! Apply (Z130 to Z137).

use std::collections::BTreeMap;

use crate::expression::Operation;
use planfuzz_core::value::{Text, Value};

use super::Pipeline;
use super::error::SdkError;
use super::fill::without_write_only;
use super::flat::FlatMap;
use super::from_cty::from_cty;
use super::normalize::{Mode, normalize};
use super::plan::field_diffs;
use super::read::{DiffReader, Merged, Reader, StateReader};
use super::schema::ID;
use super::state::State;
use super::tree::Tree;
use super::unflatten::unflatten;
use super::write::write;

/// The effect of a provider's function in a call (Z133): the remote system as this pipeline sees it.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// The top-level fields that it sets, in order; of their Core types and wholly known.
    pub sets: Vec<(Text, Value)>,
    /// The id that it sets, empty for none; `None` keeps the old one.
    pub id: Option<Text>,
    /// Whether it ends with an error.
    pub error: bool,
    /// Whether partial mode is on (Z134).
    pub partial: bool,
}

/// The result of an apply or a read.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether the function ended with an error.
    pub error: bool,
    /// The new state; null where the object is gone. After a read with an error Core looks at the error only.
    pub new_state: Value,
}

/// An apply request of Core.
#[derive(Clone, Copy, Debug)]
pub struct ApplyRequest<'a> {
    /// The prior state, or null.
    pub prior: &'a Value,
    /// The planned object, or null.
    pub planned: &'a Value,
    /// The inputs of state functions in the planned private data (Z62).
    pub extra: &'a BTreeMap<String, String>,
}

impl Pipeline {
    /// Applies. `function` is called with the operation, or not at all (Z130).
    ///
    /// # Errors
    /// Upstream would crash.
    pub fn apply(
        &self,
        request: ApplyRequest<'_>,
        function: impl FnOnce(Operation) -> Function,
    ) -> Result<Outcome, SdkError> {
        let ApplyRequest { prior, planned, extra } = request;
        let state = State::shim(self.schema(), prior.view())?;
        let has_id = !state.id.is_empty();
        if planned.is_null() {
            let error = has_id && function(Operation::Destroy).error;
            return Ok(Outcome { error, new_state: planned.clone() });
        }
        // Z131.
        let mut tree = Tree::of_object(planned.view(), &self.core_schema().block);
        tree.withhold_unknowns();
        let mut diff = field_diffs(self.schema(), &state, &tree, false)?;
        for (path, text) in extra {
            diff.entry(path).extra = Some(text.clone());
        }
        diff.retain(|path, entry| !entry.removed || state.flat.get(path).is_some());
        for (_, entry) in diff.entries_mut() {
            entry.requires_new = false;
        }
        let function = function(if has_id { Operation::Update } else { Operation::Create });
        let sets = self.set_values(&function)?;
        let reader = StateReader { flat: &state.flat };
        let planned_level = DiffReader { diff: &diff, below: &reader };
        let set_level = StateReader { flat: &sets };
        let levels: &[&dyn Reader] = if function.partial { &[&reader] } else { &[&reader, &planned_level, &set_level] };
        let new = State::of_levels(self.schema(), &Merged { levels })?;
        let new_state = match self.with_id(new, &state, &function) {
            None => Value::null(self.ty().clone()),
            Some(flat) => self.returned(&flat, planned, Mode::Apply)?,
        };
        Ok(Outcome { error: function.error, new_state })
    }

    /// The values that a function sets, flat (Z137).
    pub(super) fn set_values(&self, function: &Function) -> Result<FlatMap, SdkError> {
        let mut flat = FlatMap::default();
        for (name, value) in &function.sets {
            let field = self.schema().fields().get(name);
            let field = field.ok_or_else(|| SdkError::NoSuchKey { key: name.to_string() })?;
            let value = from_cty(&field.kind, value.view(), name)?;
            write(&mut flat, &field.kind, name, Some(&value));
        }
        Ok(flat)
    }

    /// Z135: the new state with its id; `None` if the id is empty.
    pub(super) fn with_id(&self, new: State, old: &State, function: &Function) -> Option<FlatMap> {
        let id = function.id.as_ref().map_or(old.id.as_str(), Text::as_str);
        let mut flat = new.flat;
        flat.set(ID, id);
        (!id.is_empty()).then_some(flat)
    }

    /// Z136, Z142: the answer for a new state.
    pub(super) fn returned(&self, flat: &FlatMap, src: &Value, mode: Mode) -> Result<Value, SdkError> {
        let value = normalize(&unflatten(flat, self.ty())?, src, mode);
        Ok(without_write_only(&self.core_schema().block, &value))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::sdk::testing::resource;

    #[test]
    fn z133_fields_that_the_function_does_not_set_are_taken_from_the_plan() {
        let resource = resource(
            r#"{"a": {"type": "string", "optional": true}, "c": {"type": "string", "computed": true},
                "s": {"type": "set", "elem": {"type": "string"}, "computed": true}}"#,
        );
        resource.check_apply("null", r#"{"a":"x","c":?,"id":?,"s":?}"#, &[], r#"{"a":"x","c":null,"id":"i","s":[]}"#);
        let sets = [("c", r#""y""#), ("s", r#"["b","a"]"#)];
        resource.check_apply(
            "null",
            r#"{"a":"x","c":?,"id":?,"s":?}"#,
            &sets,
            r#"{"a":"x","c":"y","id":"i","s":["a","b"]}"#,
        );
    }

    #[test]
    fn z100_a_planned_set_wins_at_apply() {
        let resource = resource(r#"{"s": {"type": "set", "elem": {"type": "string"}, "optional": true}}"#);
        let planned = r#"{"id":"i","s":["a","b"]}"#;
        resource.check_apply(r#"{"id":"i","s":["y"]}"#, planned, &[("s", r#"["c"]"#)], planned);
    }

    #[test]
    fn z132_create_runs_for_an_object_without_id() {
        let resource = resource("{}");
        for (prior, operation) in
            [("null", Operation::Create), (r#"{"id":""}"#, Operation::Create), (r#"{"id":"i"}"#, Operation::Update)]
        {
            let (prior, planned) = (resource.value(prior), resource.value(r#"{"id":"i"}"#));
            let request = ApplyRequest { prior: &prior, planned: &planned, extra: &BTreeMap::new() };
            let mut called = None;
            let outcome = resource.pipeline.apply(request, |operation| {
                called = Some(operation);
                resource.function(&[])
            });
            assert!(outcome.is_ok());
            assert_eq!(called, Some(operation));
        }
    }

    #[test]
    fn z130_a_deletion_ends_with_null_whether_it_fails_or_not() {
        let resource = resource("{}");
        let (prior, planned) = (resource.value(r#"{"id":"i"}"#), resource.value("null"));
        let request = ApplyRequest { prior: &prior, planned: &planned, extra: &BTreeMap::new() };
        let failing = Function { error: true, ..Function::default() };
        let outcome = resource.pipeline.apply(request, |_| failing.clone()).expect("an outcome");
        assert!(outcome.error && outcome.new_state.is_null());
        let without_id = resource.value(r#"{"id":""}"#);
        let outcome = resource.pipeline.apply(ApplyRequest { prior: &without_id, ..request }, |_| failing);
        assert!(outcome.is_ok_and(|outcome| !outcome.error), "the function is not called");
    }

    #[test]
    fn z132_the_state_stores_the_form_at_the_top_and_the_configured_value_inside() {
        let resource = resource(
            r#"{"a": {"type": "string", "optional": true, "state_func": "lower"},
                "b": {"type": "list", "optional": true, "elem": {"resource": {
                    "a": {"type": "string", "optional": true, "state_func": "lower"}}}}}"#,
        );
        let (prior, planned) = (resource.value("null"), resource.value(r#"{"a":"x","b":[{"a":"y"}],"id":"i"}"#));
        let extra = [("a", "X"), ("b.0.a", "Y")].map(|(path, text)| (path.to_owned(), text.to_owned()));
        let extra = BTreeMap::from(extra);
        let request = ApplyRequest { prior: &prior, planned: &planned, extra: &extra };
        let outcome = resource.pipeline.apply(request, |_| resource.function(&[])).expect("an outcome");
        let text = outcome.new_state.view().to_json_text(resource.pipeline.ty());
        assert_eq!(text, r#"{"a":"x","b":[{"a":"Y"}],"id":"i"}"#);
    }

    #[test]
    fn z134_partial_mode_keeps_the_prior_state() {
        let resource = resource(r#"{"a": {"type": "string", "optional": true}}"#);
        let (prior, planned) = (resource.value(r#"{"a":"x","id":"i"}"#), resource.value(r#"{"a":"y","id":"i"}"#));
        let request = ApplyRequest { prior: &prior, planned: &planned, extra: &BTreeMap::new() };
        let partial = Function { partial: true, error: true, ..resource.function(&[("a", r#""z""#)]) };
        let outcome = resource.pipeline.apply(request, |_| partial).expect("an outcome");
        assert!(outcome.error && outcome.new_state == prior);
        let failing = Function { error: true, ..resource.function(&[]) };
        let outcome = resource.pipeline.apply(request, |_| failing).expect("an outcome");
        assert!(outcome.error && outcome.new_state == planned);
    }
}
