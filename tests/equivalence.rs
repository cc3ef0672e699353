//! Tests of another engine, replayed: from their configuration, schema and stored state, the planners here plan what that engine
//! planned, and store what it stored.
//!
//! The data lies beside a checkout, where it does; without it this test says that it was skipped.

#[path = "common/beside.rs"]
mod beside;

use std::collections::BTreeMap;
use std::sync::Arc;

use planfuzz::artifact::{Artifact, Catalogue, Content, ObjectChange, Plan as ArtifactPlan, Typist};
use planfuzz::case::{Call, Case, Task};
use planfuzz::compare::{Answers, Judge, Summary};
use planfuzz::import::config::{Unfit, decode, native_resources};
use planfuzz::import::simplest_model;
use planfuzz::scenario::{Command, Scenario, Stage, Step, StepOptions, play};
use planfuzz::subject::{InProcess, Subject as _};
use planfuzz_core::address::{InstanceKey, ResourceMode};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{Configured, Lifecycle, Orphan, Planner, Presence, ResourceKind};
use planfuzz_core::plans::{Action, Marked};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::file::Snapshot;
use planfuzz_core::state::{InstanceState, Stored};
use planfuzz_core::value::{Node, PathSet, Text, Type, Value, ValueRef, WrittenPath};
use planfuzz_optimized::Optimized;
use planfuzz_pipelines::model::{Mod, Model, SchemaPath};
use planfuzz_reference::Reference;

const DIALECT: Dialect = Dialect::OPENTOFU_1_12;

/// One test of the file.
struct Recorded {
    name: String,
    json: Json,
}

fn tests() -> Option<Vec<Recorded>> {
    let text = beside::text(&["plans", "opentofu-equivalence.jsonl.gz"])?;
    let read = |line: &str| {
        let json = Json::parse(line).expect("a test");
        let name = json.member("name").and_then(|name| name.expect_string().ok()).expect("a name").to_owned();
        Recorded { name, json }
    };
    Some(text.lines().map(read).collect())
}

/// The schemas of a test: its own, and those of the providers that it uses besides.
fn catalogue(test: &Recorded) -> Catalogue {
    let mut catalogue = Catalogue::default();
    let own = test.json.member("resource_schemas").cloned().unwrap_or(Json::Null);
    let provider = Json::object([("resource_schemas", own)]);
    let providers = Json::object([("registry.opentofu.org/hashicorp/tfcoremock", provider)]);
    catalogue.add_providers("own", &providers).expect("the schemas of a test");
    for name in ["tfcoremock.json.gz", "random-3.7.2.json.gz", "local-2.4.0.json.gz", "aws-4.13.0-null-3.1.1.json.gz"] {
        if let Some(text) = beside::text(&["schemas", name]) {
            catalogue.add(name, &Json::parse(&text).expect("schemas")).expect("schemas");
        }
    }
    catalogue
}

/// The provider of the tests: an id that is computed once and cannot be changed, and what a test says that cannot be either.
fn model(test: &Recorded, type_name: &str, schema: &Arc<Schema>) -> Model {
    let mut model = simplest_model(schema, &[WrittenPath::parse(".id").expect("a path")]);
    let definition = test.json.member("dynamic_resources").and_then(|all| all.member(type_name));
    if let Some(attributes) = definition.and_then(|definition| definition.member("attributes")) {
        replacing(attributes, &mut Vec::new(), &mut model);
    }
    model
}

/// Attributes that cannot be changed, at any depth.
fn replacing(attributes: &Json, above: &mut Vec<Text>, model: &mut Model) {
    let Json::Object(attributes) = attributes else { return };
    for (name, definition) in attributes {
        above.push(Text::new(name));
        if definition.member("replace") == Some(&Json::Bool(true)) {
            model.rules.entry(SchemaPath::new(above.clone())).plan.push(Mod::RequiresReplace);
        }
        for kind in ["list", "map", "set"] {
            if let Some(object) = definition.member(kind).and_then(|element| element.member("object")) {
                replacing(object, above, model);
            }
        }
        if let Some(object) = definition.member("object") {
            replacing(object, above, model);
        }
        above.pop();
    }
}

/// What the provider holds, in its own form: each value below the name of its kind.
fn remote(json: &Json) -> Json {
    match json {
        Json::Object(members) if members.len() == 1 => match (&*members[0].0, &members[0].1) {
            ("list" | "set", Json::Array(items)) => Json::Array(items.iter().map(remote).collect()),
            ("map" | "object", Json::Object(entries)) => {
                Json::Object(entries.iter().map(|(name, entry)| (name.clone(), remote(entry))).collect())
            }
            ("number", Json::String(text)) => Json::Number(text.clone()),
            (_, plain) => plain.clone(),
        },
        other => other.clone(),
    }
}

fn remote_object(test: &Recorded, stored: &Value, ty: &Type) -> Option<Value> {
    let id = stored.view().member("id")?.as_text()?.to_string();
    let Json::Object(files) = test.json.member("real_resources")? else { return None };
    let of_id = files.iter().find(|(name, _)| name.ends_with(&format!("/{id}.json")))?;
    let Json::Object(values) = of_id.1.member("values")? else { return None };
    let plain = Json::Object(values.iter().map(|(name, value)| (name.clone(), remote(value))).collect());
    let object = Value::from_stored_json_or_absent(&plain, ty);
    Some(object.unwrap_or_else(|problem| panic!("{}: {problem}", test.name)))
}

/// What one change of a test is held to.
struct Expected<'a> {
    change: Option<&'a ObjectChange>,
    drift: Option<&'a ObjectChange>,
    before: Marked,
    after: Marked,
    stored_after: Option<Value>,
}

/// A change that can be replayed, or why it cannot.
fn replay(test: &Recorded, plan: &ArtifactPlan, change: &ObjectChange, is_drift_only: bool) -> Result<(), String> {
    let catalogue = catalogue(test);
    let artifact = artifact(test);
    let typist = Typist::new(&artifact, &catalogue);
    let fit = typist.read(&change.id, &[&change.before, &change.after], None);
    let fit = fit.map_err(|why| why.reason().to_owned())?;
    let address = change.id.address.as_ref().ok_or("no address")?;
    if address.resource.mode == ResourceMode::Data {
        return Err("a data resource, whose schema is not told".to_owned());
    }
    let schema = Arc::new(fit.schema.schema.clone());
    let [before, after] = <[Marked; 2]>::try_from(fit.values).map_err(|_| "two values")?;
    let ty = schema.implied_type(DIALECT);
    let state = state(test, change, &ty, &schema)?;
    let (presence, at_apply) = presence(test, change, &schema, &after)?;
    let command = if is_drift_only {
        Command::Refresh
    } else if test.name.ends_with("_destroy") {
        Command::Destroy
    } else {
        Command::Apply
    };
    let stored = Scenario::stored_objects(&state);
    let remote = stored.iter().map(|stored| remote_object(test, stored, &ty).unwrap_or_else(|| stored.clone()));
    let options = StepOptions { moved_from: change.previous.as_deref().map(Text::new), ..StepOptions::default() };
    let scenario = Arc::new(Scenario {
        model: Arc::new(model(test, &address.resource.type_name, &schema)),
        schema: schema.clone(),
        kind: ResourceKind::Managed,
        remote: remote.collect(),
        state,
        steps: vec![Step { outside: Vec::new(), command, options, presence, at_apply }],
    });
    let drift = plan.drift.iter().find(|drift| drift.id.written == change.id.written);
    let expected = Expected {
        change: (!is_drift_only).then_some(change),
        drift,
        stored_after: stored_after(test, change, &ty),
        before,
        after,
    };
    for planner in [&Reference as &dyn Planner, &Optimized] {
        hold(test, planner, &scenario, &expected, &ty);
    }
    judge(test, &scenario);
    Ok(())
}

fn artifact(test: &Recorded) -> Artifact {
    let plan = test.json.member("plan").expect("a plan").to_compact();
    Artifact::read(plan.as_bytes(), Some(planfuzz_core::dialect::Engine::OpenTofu)).expect("the recorded plan")
}

/// The stored objects of the instance, perhaps under the address before a move.
fn state(test: &Recorded, change: &ObjectChange, ty: &Type, schema: &Schema) -> Result<InstanceState, String> {
    let Some(state) = test.json.member("prior_state") else { return Ok(InstanceState::ABSENT) };
    if *state == Json::Null {
        return Ok(InstanceState::ABSENT);
    }
    let snapshot = Snapshot::read(state.to_compact().as_bytes()).expect("a state");
    let address = change.previous.clone().unwrap_or_else(|| change.id.written.clone());
    let is_its = |resource: &&planfuzz_core::state::file::StoredResource| {
        format!("{}.{}", resource.type_name, resource.name) == address && resource.module.is_empty()
    };
    match snapshot.resources.iter().find(is_its) {
        None => Ok(InstanceState::ABSENT),
        Some(resource) => resource
            .instance(&InstanceKey::None, ty, schema.version)
            .map_err(|_| "the stored state does not fit".into()),
    }
}

type Presences = (Arc<Presence>, Option<Arc<Presence>>);

fn presence(test: &Recorded, change: &ObjectChange, schema: &Schema, after: &Marked) -> Result<Presences, String> {
    let address = change.id.address.as_ref().ok_or("no address")?;
    let names: Vec<String> = address.module.0.iter().map(|step| format!("{}/", step.name)).collect();
    let files = test.json.member("config").expect("a configuration").expect_object().expect("files");
    // The module of a call is in the folder of its name.
    let is_of_module = |name: &str| name.rfind('/').map_or("", |at| &name[..=at]) == names.concat();
    let of_module = files.iter().filter(|(name, _)| is_of_module(name));
    let mut resources = of_module.flat_map(|(_, text)| {
        native_resources(text.expect_string().expect("a file").as_bytes()).expect("configuration")
    });
    let found = resources.find(|resource| {
        !resource.is_data && resource.type_name == address.resource.type_name && resource.name == address.resource.name
    });
    let Some(found) = found else { return Ok((Arc::new(Presence::Orphan(Orphan::default())), None)) };
    let config = match decode(&found.body, schema, None, DIALECT) {
        Ok(decoded) => decoded.value,
        Err(Unfit::Open { .. }) => {
            let planned = (!after.is_null()).then(|| after.value().view());
            decode(&found.body, schema, planned, DIALECT).map_err(|why| why.to_string())?.value
        }
        Err(why) => return Err(format!("the configuration is not literal: {why}")),
    };
    let presence = Presence::Configured(Box::new(Configured {
        config: Marked::plain(config),
        ephemeral: PathSet::EMPTY,
        at_validation: None,
        lifecycle: Lifecycle::default(),
        preconditions: Vec::new(),
        postconditions: Vec::new(),
        provisioners: Vec::new(),
        dependencies: Vec::new(),
        in_check: false,
    }));
    Ok((Arc::new(presence), None))
}

/// What is stored of the instance in the end.
fn stored_after(test: &Recorded, change: &ObjectChange, ty: &Type) -> Option<Value> {
    let root = test.json.member("state_after")?.member("values")?.member("root_module")?;
    let resources = root.member("resources")?.expect_array().ok()?;
    let of = |json: &Json| json.member("address").and_then(|address| address.expect_string().ok().map(str::to_owned));
    let children = root.member("child_modules").and_then(|children| children.expect_array().ok()).unwrap_or(&[]);
    let in_children = children.iter().filter_map(|child| child.member("resources")?.expect_array().ok()).flatten();
    let found = resources.iter().chain(in_children).find(|found| of(found).as_deref() == Some(&*change.id.written))?;
    let values = found.member("values")?;
    Some(Value::from_stored_json_or_absent(values, ty).unwrap_or_else(|problem| panic!("{}: {problem}", test.name)))
}

fn hold(test: &Recorded, planner: &dyn Planner, scenario: &Scenario, expected: &Expected<'_>, ty: &Type) {
    let who = format!("{} ({})", test.name, planner.name());
    let prepared = planner.prepare(&scenario.schema, DIALECT);
    let mut world = Stage::default().set(scenario).expect("a model that can be played");
    let mut walker = &*prepared;
    let life = play(scenario, &mut walker, &mut world);
    assert!(life.is_whole(), "{who}: {:?}", life.stopped);
    let step = &life.steps[0];
    let plan = &step.plan.plan;
    assert!(!plan.is_errored(), "{who}: {:?}", plan.diagnostics);
    let change = plan.changes.iter().find(|change| change.deposed.is_none());
    if let Some(recorded) = expected.change {
        let change = change.unwrap_or_else(|| panic!("{who}: no change"));
        assert_eq!(change.change.action, recorded.action, "{who}");
        assert_eq!(Some(change.reason), recorded.reason, "{who}");
        assert_eq!(change.change.before.value(), expected.before.value(), "{who}: before");
        assert_eq!(change.change.after.value(), expected.after.value(), "{who}: after");
        let items = recorded.replace.iter().map(|path| path.len()).collect::<Vec<_>>();
        let ours = change.required_replace.iter().map(|path| path.steps().len()).collect::<Vec<_>>();
        assert_eq!(ours, items, "{who}: {:?} for {:?}", change.required_replace.texts(), recorded.replace);
    }
    // What only moved is told as drift in refresh-only plans alone.
    let is_told = |action: Action| action != Action::NoOp || expected.change.is_none();
    let drift = plan.drift.as_ref().filter(|drift| is_told(drift.action));
    assert_eq!(drift.is_some(), expected.drift.is_some(), "{who}: drift");
    if let (Some(drift), Some(recorded)) = (drift, expected.drift) {
        assert_eq!(drift.action, recorded.action, "{who}: drift");
        for (ours, encoded) in [(&drift.before, &recorded.before), (&drift.after, &recorded.after)] {
            let recorded = encoded.decode(ty).unwrap_or_else(|problem| panic!("{who}: {problem:?}"));
            assert_eq!(ours.value(), recorded.value(), "{who}: drift");
        }
    }
    let Some(applied) = &step.apply else { return };
    assert!(!applied.applied.is_errored(), "{who}: {:?}", applied.applied.diagnostics);
    let ours = applied.applied.state.current.as_ref().map(|object| match &object.stored {
        Stored::Value(value) => value.clone(),
        Stored::Raw { .. } => panic!("{who}: raw"),
    });
    if matches!(test.json.member("state_after"), None | Some(Json::Null)) {
        return;
    }
    match (&ours, &expected.stored_after) {
        (None, None) => {}
        (Some(ours), Some(theirs)) => {
            let planned = if expected.change.is_some() { expected.after.value() } else { theirs };
            assert!(agree(planned.view(), ours.view(), theirs.view()), "{who}: {ours:?} for {theirs:?}");
        }
        other => panic!("{who}: {other:?}"),
    }
}

/// Whether two results of a plan are the same where it knew them.
fn agree(planned: ValueRef<'_>, a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    match planned.node() {
        Node::Unknown(_) => true,
        Node::Seq(_) if !matches!(planned.ty(), Type::Set(_)) => {
            let mut parts = planned.children().zip(a.children()).zip(b.children());
            a.len() == b.len() && parts.all(|(((_, planned), (_, a)), (_, b))| agree(planned, a, b))
        }
        _ => a.to_value() == b.to_value(),
    }
}

/// And nothing is found in it.
fn judge(test: &Recorded, scenario: &Arc<Scenario>) {
    let case = Case::new(DIALECT, Task::Call(Call::Scenario(scenario.clone())));
    let mut subjects = [InProcess::new(Reference), InProcess::new(Optimized)];
    let outcomes: Vec<_> =
        subjects.iter_mut().map(|subject| subject.answer(std::slice::from_ref(&case)).remove(0)).collect();
    let answers: Vec<Answers<'_>> =
        subjects.iter().zip(&outcomes).map(|(subject, outcomes)| Answers::of(subject, outcomes)).collect();
    let found = Judge::default().judge(&case, &answers, &mut Summary::default());
    assert!(found.is_empty(), "{}: {found:?}", test.name);
}

#[test]
fn what_another_engine_planned_is_planned_here() {
    let Some(tests) = tests() else { return };
    let (mut replayed, mut left) = (0_u64, BTreeMap::<String, Vec<String>>::new());
    for test in &tests {
        let artifact = artifact(test);
        let Content::Plan(plan) = &artifact.content else { panic!("{}: no plan", test.name) };
        let only_drift =
            plan.drift.iter().filter(|drift| !plan.changes.iter().any(|change| change.id.written == drift.id.written));
        let all = plan.changes.iter().map(|change| (change, false)).chain(only_drift.map(|drift| (drift, true)));
        let mut any = false;
        for (change, is_drift_only) in all {
            any = true;
            match replay(test, plan, change, is_drift_only) {
                Ok(()) => replayed += 1,
                Err(why) => left.entry(why).or_default().push(format!("{} {}", test.name, change.id)),
            }
        }
        if !any {
            left.entry("no resource in it".to_owned()).or_default().push(test.name.clone());
        }
        assert!(plan.changes.iter().all(|change| change.action != Action::Forget));
    }
    println!("{replayed} changes of {} tests", tests.len());
    for (why, which) in &left {
        println!("left out {}: {why}: {}", which.len(), which.join(", "));
    }
    let left: usize = left.values().map(Vec::len).sum();
    assert!(replayed >= 40 && left <= 12, "{replayed} replayed, {left} left out");
}
