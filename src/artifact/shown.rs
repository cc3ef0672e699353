//! Reads the output of `show -json` as artifacts.
//!
//! The strict reader of these documents comes first. If it refuses one, it gets each entry alone, so that one bad entry does not
//! hide the others; a refused entry becomes a [`Flaw`].

use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;
use planfuzz_core::plans::Action;
use planfuzz_core::plans::json::{
    ChangeJson, DeferredChangeJson, ImportingJson, OutputChangeJson, OutputValueJson, PlanForm, PlanJson, Reason,
    ResourceChangeJson, ResourceJson, ShowError, Shown, StateJson, StateValues,
};

use super::catalogue::Catalogue;
use super::encoded::Encoded;
use super::error::{ArtifactError, describe};
use super::object::ObjectId;
use super::plan::{Import, ObjectChange, OutputChange, Plan};
use super::producer::{Producer, engine_of};
use super::state::{State, StateObject, StateOutput};
use super::state_file::shown_checks;
use super::{Artifact, Content, Flaw, Kind};

/// The source that findings report for the schemas that a plan contains.
const OWN: &str = "the plan's own schemas";

/// Reads a plan or a state.
pub(super) fn read(json: Json, engine: Option<Engine>) -> Result<Artifact, ArtifactError> {
    let mut flaws = Vec::new();
    let shown = match Shown::from_json(json.clone()) {
        Ok(shown) => shown,
        Err(ShowError::Json(_) | ShowError::Entry { .. }) => piecewise(json, &mut flaws)?,
        Err(error) => return Err(frame(&error)),
    };
    let artifact = match shown {
        Shown::Plan(plan) => plan_artifact(*plan, engine, flaws),
        Shown::State(state) => state_artifact(state, engine, flaws),
    };
    Ok(artifact)
}

fn frame(error: &ShowError) -> ArtifactError {
    match error.json() {
        Some(error) => ArtifactError::Frame { kind: "what `show -json` prints", error: error.clone() },
        None => match error {
            ShowError::Version { .. } => ArtifactError::Other("a format version that is neither 0.x nor 1.x"),
            ShowError::TooLarge { .. } => ArtifactError::TooLarge,
            _ => ArtifactError::Other("JSON of something else"),
        },
    }
}

/// Members that have entries of their own.
const LISTS: [&str; 3] = ["resource_changes", "resource_drift", "deferred_changes"];

/// Members that are read whole or not at all.
const PARTS: [&str; 2] = ["planned_values", "prior_state"];

/// Reads the readable parts of a document that is malformed as a whole.
fn piecewise(json: Json, flaws: &mut Vec<Flaw>) -> Result<Shown, ArtifactError> {
    let members = match json {
        Json::Object(members) => members,
        _ => return Err(ArtifactError::Other("JSON of something else")),
    };
    let is_apart = |name: &str| LISTS.contains(&name) || PARTS.contains(&name) || name == "output_changes";
    let (apart, top): (Vec<_>, Vec<_>) = members.into_iter().partition(|(name, _)| is_apart(name));
    let is_rendered = top.iter().any(|(name, _)| **name == *"plan_format_version");
    if apart.is_empty() && !is_rendered {
        // A state: its resources cannot be separated from their modules.
        return Shown::from_json(Json::Object(top)).map_err(|error| frame(&error));
    }
    let mut plan = PlanJson::from_json(Json::Object(top)).map_err(|error| frame(&error))?;
    for (name, member) in apart {
        match &*name {
            "output_changes" => each_output(member, &mut plan, flaws),
            list if LISTS.contains(&list) => each_entry(list, member, &mut plan, flaws),
            part => match alone(part, member) {
                Ok(read) => {
                    plan.planned_values = plan.planned_values.or(read.planned_values);
                    plan.prior_state = plan.prior_state.or(read.prior_state);
                }
                Err(flaw) => flaws.push(flaw),
            },
        }
    }
    Ok(Shown::Plan(Box::new(plan)))
}

/// A plan with one member.
fn alone(name: &str, member: Json) -> Result<PlanJson, Flaw> {
    let document = Json::object([("format_version", Json::string("1.0")), (name, member)]);
    PlanJson::from_json(document).map_err(|error| Flaw {
        place: name.to_owned(),
        message: error.json().map_or_else(|| "expected a part of a plan".to_owned(), describe),
    })
}

fn each_entry(list: &str, member: Json, plan: &mut PlanJson, flaws: &mut Vec<Flaw>) {
    let Json::Array(items) = member else {
        flaws.push(Flaw { place: list.to_owned(), message: "expected an array".to_owned() });
        return;
    };
    for (index, item) in items.into_iter().enumerate() {
        match alone(list, Json::Array(vec![item])) {
            Ok(read) => {
                plan.resource_changes.extend(read.resource_changes);
                plan.resource_drift.extend(read.resource_drift);
                plan.deferred_changes.extend(read.deferred_changes);
            }
            Err(flaw) => {
                let frame = format!(".{list}[0]");
                let message = flaw.message.strip_prefix(&frame).unwrap_or(&flaw.message);
                let message = message.strip_prefix(": ").unwrap_or(message).to_owned();
                flaws.push(Flaw { place: format!("{list}[{index}]"), message });
            }
        }
    }
}

fn each_output(member: Json, plan: &mut PlanJson, flaws: &mut Vec<Flaw>) {
    let Json::Object(outputs) = member else {
        flaws.push(Flaw { place: "output_changes".to_owned(), message: "expected an object".to_owned() });
        return;
    };
    for (name, output) in outputs {
        match alone("output_changes", Json::Object(vec![(name, output)])) {
            Ok(read) => plan.output_changes.extend(read.output_changes),
            Err(flaw) => flaws.push(flaw),
        }
    }
}

fn plan_artifact(plan: PlanJson, engine: Option<Engine>, mut flaws: Vec<Flaw>) -> Artifact {
    let providers = plan.all_changes().map(|change| change.provider_name.as_str());
    let engine = engine.or_else(|| engine_of(providers)).unwrap_or(Engine::Terraform);
    let producer = Producer::new(engine, plan.terraform_version.as_deref().unwrap_or_default());
    let mut schemas = Catalogue::default();
    if let Some(own) = &plan.provider_schemas
        && let Err(error) = schemas.add_providers(OWN, own)
    {
        flaws.push(Flaw { place: "provider_schemas".to_owned(), message: describe(&error) });
    }
    let list = |name: &'static str, changes: Vec<ResourceChangeJson>| {
        changes
            .into_iter()
            .enumerate()
            .map(|(index, change)| object_change(change, format!("{name}[{index}]")))
            .collect()
    };
    let deferred = plan.deferred_changes.into_iter().map(|DeferredChangeJson { change, .. }| change).collect();
    let outputs = plan.output_changes.into_iter().map(|(name, change)| output_change(name, change));
    let content = Plan {
        changes: list("resource_changes", plan.resource_changes),
        drift: list("resource_drift", plan.resource_drift),
        deferred: list("deferred_changes", deferred),
        outputs: outputs.collect(),
        prior: plan.prior_state.map(|prior| state(prior, "prior_state.values")),
        previous: None,
        planned: plan.planned_values.map(|planned| values(planned, "planned_values")),
        configuration: plan.configuration,
        mode: None,
        errored: plan.errored,
        complete: plan.complete,
        applyable: plan.applyable,
        targeted: None,
        timestamp: plan.timestamp,
        checks: Vec::new(),
        is_redacted: plan.form == PlanForm::Rendered,
    };
    let schemas = (!schemas.is_empty()).then_some(schemas);
    Artifact { kind: Kind::PlanJson, producer, content: Content::Plan(Box::new(content)), schemas, flaws }
}

fn state_artifact(shown: StateJson, engine: Option<Engine>, flaws: Vec<Flaw>) -> Artifact {
    let providers = shown.values.iter().flat_map(StateValues::resources).map(|it| it.provider_name.as_str());
    let engine = engine.or_else(|| engine_of(providers)).unwrap_or(Engine::Terraform);
    let producer = Producer::new(engine, shown.terraform_version.as_deref().unwrap_or_default());
    let content = Content::State(Box::new(state(shown, "values")));
    Artifact { kind: Kind::StateJson, producer, content, schemas: None, flaws }
}

fn object_change(change: ResourceChangeJson, place: String) -> ObjectChange {
    let ResourceChangeJson { address, previous_address, provider_name, deposed, change, reason } = change;
    let ChangeJson {
        action,
        before,
        after,
        after_unknown,
        before_sensitive,
        after_sensitive,
        replace_paths,
        importing,
        ..
    } = change;
    ObjectChange {
        id: ObjectId::of_text(
            address.text(),
            address.instance().clone(),
            deposed,
            Some(provider_name).filter(|name| !name.is_empty()),
        ),
        place,
        previous: previous_address.map(|address| address.text().to_owned()),
        action,
        reason: match reason {
            Reason::Known(reason) => Some(reason),
            Reason::Other(_) => None,
        },
        before: shown(before, None, before_sensitive),
        after: shown(after, after_unknown, after_sensitive),
        replace: replace_paths,
        importing: importing.map(import),
        private: None,
    }
}

fn import(importing: ImportingJson) -> Import {
    match importing {
        ImportingJson { unknown: true, .. } => Import::Unknown,
        ImportingJson { id: Some(id), .. } => Import::Id(id),
        ImportingJson { identity: Some(_), .. } => Import::Identity,
        ImportingJson { .. } => Import::Id(String::new()),
    }
}

/// One value with its unknown and sensitive parts, in the form in which it is read with a type.
fn shown(value: Option<Json>, unknown: Option<Json>, sensitive: Option<Json>) -> Encoded {
    Encoded::Shown(Box::new(ChangeJson {
        action: Action::NoOp,
        before: None,
        after: value,
        after_unknown: unknown,
        before_sensitive: None,
        after_sensitive: sensitive,
        replace_paths: Vec::new(),
        importing: None,
        generated_config: None,
        before_identity: None,
        after_identity: None,
    }))
}

fn output_change(name: String, change: OutputChangeJson) -> OutputChange {
    let ChangeJson { action, before, after, after_unknown, before_sensitive, after_sensitive, .. } = change;
    OutputChange {
        place: format!("output_changes.{name}"),
        sensitive: match &after_sensitive {
            Some(Json::Bool(sensitive)) => Some(*sensitive),
            _ => None,
        },
        name,
        action,
        before: shown(before, None, before_sensitive),
        after: shown(after, after_unknown, after_sensitive),
    }
}

fn state(shown: StateJson, member: &str) -> State {
    let checks = shown.checks.as_ref().map_or(Vec::new(), shown_checks);
    let state = shown.values.map_or_else(State::default, |values| self::values(values, member));
    State { checks, ..state }
}

fn values(shown: StateValues, member: &str) -> State {
    let objects = shown.resources().enumerate();
    let objects = objects.map(|(index, it)| object(it.clone(), format!("{member}, resource {index}"))).collect();
    State { objects, outputs: shown.outputs.into_iter().map(output).collect(), ..State::default() }
}

fn object(resource: ResourceJson, place: String) -> StateObject {
    let address = &resource.address;
    StateObject {
        id: ObjectId::of_text(
            address.text(),
            address.instance().clone(),
            resource.deposed,
            Some(resource.provider_name),
        ),
        place,
        value: shown(resource.values, None, resource.sensitive_values),
        schema_version: Some(resource.schema_version),
        tainted: resource.tainted,
        private: None,
        dependencies: resource.depends_on,
        is_flat: false,
    }
}

fn output((name, output): (String, OutputValueJson)) -> StateOutput {
    StateOutput { name, value: output.value, ty: output.ty, sensitive: output.sensitive }
}
