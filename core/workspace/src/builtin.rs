//! The provider that is part of the engine, with its managed type `terraform_data` (section 14 of workspace-language.md, E190 to E195).
//!
//! Problem: it runs inside of the engine, so that its calls cannot be recorded, and it draws ids at random. Idea: it is a function of the
//! request like every other provider, except for the ids, which the caller supplies ([`answer`]). For a recorded run of an engine they are
//! taken from the state that it left ([`Ids`]), matched by the other attributes of the objects.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use planfuzz_core::address::ProviderSource;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{Remark, Severity};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Node, Refiner, Text, Type, Value, ValueRef, WrittenPath, WrittenStep, raw_equals};

use crate::call::{Answer, Call, Outcome, Request};
use crate::canonical::canonical;

/// The type.
pub const TYPE: &str = "terraform_data";

/// Its schema, as `providers schema -json` has it.
pub const SCHEMA: &str = r#"{"version": 0, "block": {"attributes": {
    "id": {"type": "string", "computed": true},
    "input": {"type": "dynamic", "optional": true},
    "output": {"type": "dynamic", "computed": true},
    "triggers_replace": {"type": "dynamic", "optional": true}}}}"#;

/// The error for the other types of this provider, and for a stored `null_resource` that is none.
const NOT_MODELLED: &str = "Only terraform_data is modelled of the provider that is part of the engine";

/// Whether a call goes to this provider.
pub fn is_asked(call: &Call) -> bool {
    is_source(&call.provider)
}

/// Whether an address is that of this provider.
pub fn is_source(source: &ProviderSource) -> bool {
    // Compares the parts without building a text, since this runs for every call.
    (source.host.as_str(), source.namespace.as_str(), source.type_name.as_str())
        == ("terraform.io", "builtin", "terraform")
}

/// The answer to a call. `ty` is the type of the objects, and `id` returns the id of a new one.
pub fn answer(call: &Call, ty: &Type, id: &mut dyn FnMut(&Value) -> Text) -> Answer {
    let outcome = match &call.request {
        Request::ValidateProvider { .. } | Request::Configure { .. } | Request::Validate { .. } => Some(Outcome::Done),
        _ if call.type_name.as_ref().is_none_or(|name| name.as_str() != TYPE) => None,
        Request::Upgrade { raw, .. } => upgraded(raw, ty).map(Outcome::Value),
        Request::Read { current, .. } => Some(object(current.clone())),
        Request::Plan { prior, proposed, .. } => Some(planned(prior, proposed)),
        Request::Apply { planned, .. } => Some(object(made(planned, id))),
        Request::Import { id } => Some(Outcome::Imported(vec![(imported(id), Private::NONE)])),
        Request::Move { source_type, source_provider, raw, .. } => match unmoved(source_type, source_provider) {
            Some(problem) => return refused(problem),
            None => moved(raw).map(object),
        },
        _ => None,
    };
    match outcome {
        Some(outcome) => Answer { outcome: Some(outcome), remarks: Vec::new() },
        None => refused(NOT_MODELLED),
    }
}

fn refused(problem: &str) -> Answer {
    let remark = Remark { severity: Severity::Error, summary: Text::new(problem) };
    Answer { outcome: None, remarks: vec![remark] }
}

/// E196: only a `null_resource` can become a `terraform_data`. The host of its provider does not matter.
fn unmoved(source_type: &str, source_provider: &str) -> Option<&'static str> {
    if !source_provider.ends_with("/hashicorp/null") {
        Some("Unsupported source provider for move operation")
    } else if source_type != "null_resource" {
        Some("Unsupported source resource type for move operation")
    } else {
        None
    }
}

/// E196: the triggers, a map of strings, become an object.
fn moved(raw: &Json) -> Option<Value> {
    let attribute = |name: &str, ty: Type| (Text::new(name), ty);
    let triggers = Type::map(Type::String);
    let ty = Type::object(vec![attribute("id", Type::String), attribute("triggers", triggers)]);
    let stored = Value::from_stored_json_or_absent(raw, &ty).ok()?;
    let triggers = part(&stored, "triggers");
    let elements = triggers.view().entries().map(|(key, value)| (key.clone(), value.to_value()));
    let replaced = match triggers.is_null() {
        true => Value::null(Type::Dynamic),
        false => Value::object(elements.collect()),
    };
    let null = |name: &str| (Text::new(name), Value::null(Type::Dynamic));
    let id = (Text::new("id"), part(&stored, "id"));
    Some(Value::object(vec![id, null("input"), null("output"), (Text::new("triggers_replace"), replaced)]))
}

fn object(value: Value) -> Outcome {
    Outcome::Object { value, private: Private::NONE }
}

/// E191: attributes that are not stored are null, attributes that the type does not have are dropped.
fn upgraded(raw: &Json, ty: &Type) -> Option<Value> {
    let known = ty.as_object()?;
    let members = raw.expect_object().ok()?.iter().filter(|(name, _)| known.index_of(name).is_some());
    Value::from_stored_json_or_absent(&Json::Object(members.cloned().collect()), ty).ok()
}

/// E192, E193.
fn planned(prior: &Value, proposed: &Value) -> Outcome {
    let plan = |planned, requires_replace| Outcome::Planned { planned, requires_replace, private: Private::NONE };
    if proposed.is_null() {
        return plan(proposed.clone(), Vec::new());
    }
    let input = part(proposed, "input");
    let unknown_output = || ("output", Value::unknown(input.ty().clone()));
    if prior.is_null() {
        let id = ("id", unknown_id());
        let output = if input.is_null() { ("output", input.clone()) } else { unknown_output() };
        return plan(with(proposed, vec![id, output]), Vec::new());
    }
    let is_other = |name: &str| differs(prior.view().member(name), proposed.view().member(name));
    let output = is_other("input").then(unknown_output);
    let replaced = is_other("triggers_replace")
        .then(|| WrittenPath::new(vec![WrittenStep::Attribute(Text::new("triggers_replace"))]));
    plan(with(proposed, output.into_iter().collect()), replaced.into_iter().collect())
}

/// An id that is not drawn yet: unknown, but not null.
fn unknown_id() -> Value {
    let mut refiner = Refiner::new(&Type::String);
    let node = refiner.not_null().and_then(|()| refiner.finish());
    Value::from_parts(Type::String, node.unwrap_or(Node::UNKNOWN))
}

/// Whether two values differ, in their types too: a list is not the tuple of the same elements.
fn differs(one: Option<ValueRef<'_>>, other: Option<ValueRef<'_>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.ty() != other.ty() || !raw_equals(one, other),
        (one, other) => one.is_some() != other.is_some(),
    }
}

/// E194: what was unknown becomes known, and a new object gets an id.
fn made(planned: &Value, id: &mut dyn FnMut(&Value) -> Text) -> Value {
    if planned.is_null() {
        return planned.clone();
    }
    let mut parts = Vec::new();
    if part(planned, "id").is_unknown() {
        parts.push(("id", Value::string(id(planned).as_str())));
    }
    if part(planned, "output").is_unknown() {
        parts.push(("output", part(planned, "input")));
    }
    with(planned, parts)
}

/// E195: the id alone.
fn imported(id: &Text) -> Value {
    let null = |name: &str| (Text::new(name), Value::null(Type::Dynamic));
    let id = (Text::new("id"), Value::string(id.as_str()));
    Value::object(vec![id, null("input"), null("output"), null("triggers_replace")])
}

fn part(object: &Value, name: &str) -> Value {
    object.view().member(name).map_or_else(|| Value::null(Type::Dynamic), ValueRef::to_value)
}

/// The object with some parts replaced; a new part keeps its own type.
fn with(object: &Value, parts: Vec<(&str, Value)>) -> Value {
    let attributes = object.ty().as_object().map_or(&[][..], |ty| ty.attributes());
    let members = attributes.iter().map(|attribute| {
        let name = attribute.name.as_str();
        let new = parts.iter().find(|(of, _)| *of == name).map(|(_, value)| value.clone());
        (attribute.name.clone(), new.unwrap_or_else(|| part(object, name)))
    });
    Value::object(members.collect())
}

/// Ids that an engine drew, by the other attributes that the objects had when they were made.
#[derive(Clone, Debug, Default)]
pub struct Ids(BTreeMap<String, VecDeque<Text>>);

impl Ids {
    /// The ids of objects of the state `after` that the state `before` does not have.
    pub fn drawn(before: &Json, after: &Json) -> Ids {
        let old: BTreeSet<&str> = attributes(before).filter_map(id_of).collect();
        let mut ids = Ids::default();
        for object in attributes(after) {
            if let Some(id) = id_of(object).filter(|id| !old.contains(id)) {
                ids.0.entry(key(object)).or_default().push_back(Text::new(id));
            }
        }
        ids
    }

    /// The id of a planned object; a text that no state has if the engine drew none.
    pub fn take(&mut self, planned: &Value) -> Text {
        let stored = |name| part(planned, name).view().to_stored_json(&Type::Dynamic).unwrap_or(Json::Null);
        let attributes = ["input", "triggers_replace"].map(|name| (name, stored(name)));
        let found = self.0.get_mut(&key(&Json::object(attributes))).and_then(VecDeque::pop_front);
        found.unwrap_or_else(|| Text::new("no object with this input was made"))
    }
}

/// The attributes of all objects of the type.
fn attributes(state: &Json) -> impl Iterator<Item = &Json> {
    let resources = state.items_of("resources").iter();
    let own = resources.filter(|resource| resource.member("type") == Some(&Json::string(TYPE)));
    own.flat_map(|resource| resource.items_of("instances")).filter_map(|instance| instance.member("attributes"))
}

fn id_of(attributes: &Json) -> Option<&str> {
    attributes.member("id")?.expect_string().ok()
}

fn key(attributes: &Json) -> String {
    let member = |name: &str| attributes.member(name).unwrap_or(&Json::Null);
    let parts = ["input", "triggers_replace"].map(|name| (name, member(name).clone()));
    canonical(&Json::object(parts)).to_compact()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(input: Value, output: Value, triggers: Value) -> Value {
        let members =
            [("id", Value::string("i")), ("input", input), ("output", output), ("triggers_replace", triggers)];
        Value::object(members.into_iter().map(|(name, value)| (Text::new(name), value)).collect())
    }

    fn null() -> Value {
        Value::null(Type::Dynamic)
    }

    fn plan(prior: &Value, proposed: &Value) -> (Value, usize) {
        match planned(prior, proposed) {
            Outcome::Planned { planned, requires_replace, .. } => (planned, requires_replace.len()),
            other => panic!("no plan: {other:?}"),
        }
    }

    #[test]
    fn e192_an_output_that_will_be_there_has_the_type_of_the_input() {
        let prior = Value::null(Type::Dynamic);
        let (created, _) = plan(&prior, &of(Value::string("x"), null(), null()));
        assert!(part(&created, "output").is_unknown() && *part(&created, "output").ty() == Type::String);
        assert!(part(&created, "id").is_unknown());
        let (created, _) = plan(&prior, &of(null(), null(), null()));
        assert!(part(&created, "output").is_null());
    }

    #[test]
    fn e193_another_input_is_an_update_and_other_triggers_a_replacement() {
        let prior = of(Value::string("x"), Value::string("x"), null());
        assert_eq!(plan(&prior, &prior), (prior.clone(), 0));
        let (updated, replaced) = plan(&prior, &of(null(), Value::string("x"), null()));
        assert!(part(&updated, "output").is_unknown() && replaced == 0);
        assert_eq!(plan(&prior, &of(Value::string("x"), Value::string("x"), Value::string("t"))).1, 1);
    }

    #[test]
    fn e194_the_output_becomes_the_input_and_an_id_is_kept() {
        let made = made(&of(Value::string("x"), Value::unknown(Type::String), null()), &mut |_| Text::new("new"));
        assert_eq!(made, of(Value::string("x"), Value::string("x"), null()));
    }

    #[test]
    fn e196_only_a_null_resource_becomes_one_with_its_triggers_as_an_object() {
        let ask = |source_type: &str, source_provider: &str, raw: &str| {
            let raw = Json::parse(raw).expect("JSON").into();
            let (source_type, source_provider) = (Text::new(source_type), Text::new(source_provider));
            let request =
                Request::Move { source_type, source_provider, source_version: 0, raw, private: Private::NONE };
            let (provider, type_name) = (ProviderSource::builtin(), Some(Text::new(TYPE)));
            let call = Call { provider, configured: None, type_name, request };
            let answer = answer(&call, &Type::Dynamic, &mut |_| Text::new("new"));
            match (answer.outcome, answer.remarks.first()) {
                (Some(Outcome::Object { value, .. }), None) => Ok(value),
                (None, Some(remark)) => Err(remark.summary.to_string()),
                other => panic!("neither an object nor an error: {other:?}"),
            }
        };
        const NULL: &str = "registry.terraform.io/hashicorp/null";
        let triggers = Value::object(vec![(Text::new("k"), Value::string("v"))]);
        let moved = ask("null_resource", NULL, r#"{"id": "i", "triggers": {"k": "v"}}"#);
        assert_eq!(moved, Ok(of(null(), null(), triggers)));
        let moved = ask("null_resource", "example.com/hashicorp/null", r#"{"id": "i"}"#);
        assert_eq!(moved, Ok(of(null(), null(), null())));
        let refused = ask("null_data_source", NULL, "{}");
        assert_eq!(refused, Err("Unsupported source resource type for move operation".into()));
        let refused = ask("null_resource", "registry.terraform.io/example/null", "{}");
        assert_eq!(refused, Err("Unsupported source provider for move operation".into()));
    }

    #[test]
    fn ids_are_those_that_the_state_did_not_have() {
        let state = |id: &str| {
            let text = format!(
                r#"{{"resources":[{{"type":"terraform_data","instances":[{{"attributes":
                {{"id":"{id}","input":{{"value":"x","type":"string"}},"output":null,"triggers_replace":null}}}}]}}]}}"#
            );
            Json::parse(&text).expect("JSON")
        };
        let mut ids = Ids::drawn(&state("old"), &state("new"));
        let planned = of(Value::string("x"), Value::unknown(Type::String), null());
        assert_eq!(ids.take(&planned).as_str(), "new");
        assert_eq!(ids.take(&planned).as_str(), "no object with this input was made");
    }
}
