//! Handwritten traces of a right planner with a right provider.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    Applied, ApplyAnswer, ApplyChange, ApplyRequest, ApplyWalk, Configured, Exchange, ImportAnswer, ImportState,
    Orphan, Plan, PlanAnswer, PlanChange, PlanOptions, PlanRequest, PlanWalk, Presence, RawState, ReadAnswer, ReadData,
    ReadDataAnswer, ReadResource, Remark, Severity, StepTrace, UpgradeAnswer, UpgradeState, ValidateAnswer,
    ValidateConfig,
};
use planfuzz_core::plans::{Action, ActionReason, Change, Marked, Mode, ResourceInstanceChange};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{DeposedKey, InstanceState, Object, Private, Stored};
use planfuzz_core::value::{PathSet, Value, WrittenPath};

const SCHEMA: &str = r#"{"block": {"attributes": {
    "id": {"type": "string", "computed": true},
    "name": {"type": "string", "optional": true},
    "oc": {"type": "string", "optional": true, "computed": true},
    "secret": {"type": "string", "optional": true, "sensitive": true},
    "wo": {"type": "string", "optional": true, "write_only": true}},
    "block_types": {"b": {"nesting_mode": "list", "block": {"attributes": {"x": {"type": "string", "optional": true}}}}}}}"#;

pub(super) fn schema() -> Schema {
    Schema::parse(SCHEMA).expect("a schema")
}

/// A value of the schema; members that are not written are null, blocks none.
pub(super) fn value(text: &str) -> Value {
    let ty = schema().implied_type(Dialect::default());
    let json = Json::parse(text).expect("JSON");
    let whole = match &json {
        Json::Object(members) if json.member("$unknown").is_none() => {
            let rest = ["id", "name", "oc", "secret", "wo", "b"].into_iter().filter(|name| json.member(name).is_none());
            let rest = rest.map(|name| (name.into(), if name == "b" { Json::Array(Vec::new()) } else { Json::Null }));
            Json::Object(members.iter().cloned().chain(rest).collect())
        }
        _ => json,
    };
    Value::from_json(&whole, &ty).expect("a value")
}

pub(super) fn null() -> Value {
    Value::null(schema().implied_type(Dialect::default()))
}

pub(super) fn private(text: &str) -> Private {
    Private::from(text.as_bytes())
}

pub(super) fn paths(texts: &[&str]) -> PathSet {
    PathSet::parse(texts.iter().copied()).expect("paths")
}

pub(super) fn marked(value: Value) -> Marked {
    Marked::new(value, &paths(&[".secret"]))
}

pub(super) fn error(summary: &str) -> Remark {
    Remark { severity: Severity::Error, summary: summary.into() }
}

/// The existing object in most traces.
pub(super) const THERE: &str = r#"{"id": "1", "name": "a", "oc": "z"}"#;
/// The object after an update.
pub(super) const UPDATED: &str = r#"{"id": "1", "name": "b", "oc": "z"}"#;
/// The planned object without a prior.
pub(super) const PLANNED: &str = r#"{"id": {"$unknown": true}, "name": "b", "oc": {"$unknown": true}}"#;
/// The object that it becomes.
pub(super) const MADE: &str = r#"{"id": "2", "name": "b", "oc": "y"}"#;
/// The configuration.
pub(super) const CONFIG: &str = r#"{"name": "b", "wo": "w"}"#;
/// The proposed object for the existing one.
pub(super) const PROPOSED: &str = r#"{"id": "1", "name": "b", "oc": "z", "wo": "w"}"#;

pub(super) fn object(text: &str, private_data: &str) -> Object {
    Object { private: private(private_data), sensitive: paths(&[".secret"]), ..Object::ready(value(text)) }
}

pub(super) fn state(current: Option<Object>) -> InstanceState {
    InstanceState { current, ..InstanceState::ABSENT }
}

pub(super) fn configured(config: &str) -> Presence {
    Presence::Configured(Box::new(Configured::alone(Marked::new(value(config), &PathSet::EMPTY))))
}

pub(super) fn settings(presence: &mut Presence) -> &mut Configured {
    match presence {
        Presence::Configured(configured) => configured,
        Presence::Orphan(_) | Presence::Removed(_) => panic!("not configured"),
    }
}

pub(super) fn validate(config: &str) -> Exchange {
    Exchange::Validate(ValidateConfig { config: value(config) }, ValidateAnswer::default())
}

pub(super) fn upgrade(stored: &str) -> Exchange {
    let state = RawState::Value(value(stored));
    Exchange::Upgrade(
        UpgradeState { version: 0, state },
        UpgradeAnswer { upgraded: value(stored), remarks: Vec::new() },
    )
}

pub(super) fn read(current: &str, given: &str, found: &str, kept: &str) -> Exchange {
    Exchange::Read(
        ReadResource { current: value(current), private: private(given) },
        ReadAnswer { new_state: value(found), private: private(kept), deferred: false, remarks: Vec::new() },
    )
}

pub(super) fn plan(prior: &str, config: &str, proposed: &str, given: &str, planned: &str, kept: &str) -> Exchange {
    Exchange::Plan(
        PlanChange { prior: value(prior), config: value(config), proposed: value(proposed), private: private(given) },
        PlanAnswer {
            planned: value(planned),
            requires_replace: Vec::new(),
            private: private(kept),
            legacy_type_system: false,
            deferred: false,
            remarks: Vec::new(),
        },
    )
}

pub(super) fn apply(prior: &str, config: &str, planned: &str, given: &str, made: &str, kept: &str) -> Exchange {
    Exchange::Apply(
        ApplyChange { prior: value(prior), config: value(config), planned: value(planned), private: private(given) },
        ApplyAnswer {
            new_state: Some(value(made)),
            private: private(kept),
            legacy_type_system: false,
            remarks: Vec::new(),
        },
    )
}

pub(super) fn change(action: Action, before: &str, after: &str, kept: &str) -> ResourceInstanceChange {
    ResourceInstanceChange {
        moved_from: None,
        deposed: None,
        change: Change { action, before: marked(value(before)), after: marked(value(after)), importing: None },
        reason: ActionReason::None,
        required_replace: PathSet::EMPTY,
        private: private(kept),
    }
}

fn plan_walk(
    presence: Presence,
    before: InstanceState,
    refreshed: InstanceState,
    changes: Vec<ResourceInstanceChange>,
    exchanges: Vec<Exchange>,
) -> PlanWalk {
    let current = changes.iter().find(|change| change.deposed.is_none() && change.change.action != Action::Delete);
    let plan = Plan {
        previous_run: before.clone(),
        refreshed,
        working: current.map(|change| change.change.after.clone()),
        drift: None,
        applyable: true,
        diagnostics: Vec::new(),
        changes,
    };
    let options = PlanOptions { fresh_key: fresh_key(), ..PlanOptions::default() };
    let request = PlanRequest { kind: ResourceKind::Managed, mode: Mode::Normal, options, state: before, presence };
    PlanWalk { request, exchanges, plan }
}

pub(super) fn fresh_key() -> DeposedKey {
    DeposedKey::new("0000000f").expect("a key")
}

pub(super) fn old_key() -> DeposedKey {
    DeposedKey::new("0000000a").expect("a key")
}

/// A step that applies its plan.
fn applied(plan: PlanWalk, exchanges: Vec<Exchange>, state: InstanceState) -> StepTrace {
    let request = ApplyRequest {
        kind: plan.request.kind,
        options: plan.request.options.clone(),
        state: plan.plan.refreshed.clone(),
        changes: plan.plan.changes.clone(),
        presence: plan.request.presence.clone(),
    };
    let apply = ApplyWalk { request, exchanges, applied: Applied { state, diagnostics: Vec::new() } };
    StepTrace { changed_outside: false, plan, apply: Some(apply) }
}

fn planned(plan: PlanWalk) -> StepTrace {
    StepTrace { changed_outside: false, plan, apply: None }
}

pub(super) fn create() -> Vec<StepTrace> {
    let (config, planned) = (CONFIG, PLANNED);
    let changes = vec![change(Action::Create, "null", planned, "P")];
    let calls = |kept| vec![validate(config), plan("null", config, config, "", planned, kept)];
    let walk = plan_walk(configured(config), state(None), state(None), changes, calls("P"));
    let mut exchanges = calls("Q");
    exchanges.push(apply("null", config, planned, "Q", MADE, "S"));
    vec![applied(walk, exchanges, state(Some(object(MADE, "S"))))]
}

pub(super) fn update() -> Vec<StepTrace> {
    let changes = vec![change(Action::Update, THERE, UPDATED, "P")];
    let (before, refreshed) = (state(Some(object(THERE, "A"))), state(Some(object(THERE, "B"))));
    let asked = |kept| [validate(CONFIG), plan(THERE, CONFIG, PROPOSED, "B", UPDATED, kept)];
    let mut calls = vec![upgrade(THERE), read(THERE, "A", THERE, "B")];
    calls.extend(asked("P"));
    let walk = plan_walk(configured(CONFIG), before, refreshed, changes, calls);
    let mut exchanges = vec![upgrade(THERE)];
    exchanges.extend(asked("Q"));
    exchanges.push(apply(THERE, CONFIG, UPDATED, "Q", UPDATED, "S"));
    vec![applied(walk, exchanges, state(Some(object(UPDATED, "S"))))]
}

pub(super) fn no_op() -> Vec<StepTrace> {
    let before = state(Some(object(UPDATED, "S")));
    let config_proposed = r#"{"id": "1", "name": "b", "oc": "z", "wo": "w"}"#;
    let calls = vec![
        upgrade(UPDATED),
        read(UPDATED, "S", UPDATED, "S"),
        validate(CONFIG),
        plan(UPDATED, CONFIG, config_proposed, "S", UPDATED, "P"),
    ];
    let changes = vec![change(Action::NoOp, UPDATED, UPDATED, "P")];
    let walk = plan_walk(configured(CONFIG), before.clone(), before.clone(), changes, calls);
    vec![applied(walk, Vec::new(), before)]
}

/// An update, and a second plan with nothing to do.
pub(super) fn settled() -> Vec<StepTrace> {
    update().into_iter().chain(no_op()).collect()
}

/// The same plan twice.
pub(super) fn planned_twice() -> Vec<StepTrace> {
    let once = || StepTrace { apply: None, ..update().remove(0) };
    vec![once(), once()]
}

fn replacement(action: Action) -> PlanWalk {
    let mut replaced = change(action, THERE, PLANNED, "P2");
    replaced.reason = ActionReason::ReplaceBecauseCannotUpdate;
    replaced.required_replace = paths(&[".name"]);
    let mut first = plan(THERE, CONFIG, PROPOSED, "A", UPDATED, "P1");
    if let Exchange::Plan(_, answer) = &mut first {
        answer.requires_replace = vec![path(".name"), path(".oc")];
    }
    let second = plan("null", CONFIG, CONFIG, "P1", PLANNED, "P2");
    let before = state(Some(object(THERE, "A")));
    let calls = vec![upgrade(THERE), read(THERE, "A", THERE, "A"), validate(CONFIG), first, second];
    plan_walk(configured(CONFIG), before.clone(), before, vec![replaced], calls)
}

pub(super) fn path(text: &str) -> WrittenPath {
    WrittenPath::parse(text).expect("a path")
}

pub(super) fn replace() -> Vec<StepTrace> {
    let exchanges = vec![
        upgrade(THERE),
        apply(THERE, "null", "null", "P2", "null", ""),
        validate(CONFIG),
        plan("null", CONFIG, CONFIG, "", PLANNED, "P3"),
        apply("null", CONFIG, PLANNED, "P3", MADE, "S"),
    ];
    vec![applied(replacement(Action::DeleteThenCreate), exchanges, state(Some(object(MADE, "S"))))]
}

pub(super) fn replace_creating_first() -> Vec<StepTrace> {
    let mut walk = replacement(Action::CreateThenDelete);
    settings(&mut walk.request.presence).lifecycle.create_before_destroy = true;
    let exchanges = vec![
        validate(CONFIG),
        plan("null", CONFIG, CONFIG, "", PLANNED, "P3"),
        apply("null", CONFIG, PLANNED, "P3", MADE, "S"),
        upgrade(THERE),
        plan(THERE, "null", "null", "A", "null", "D"),
        apply(THERE, "null", "null", "D", "null", ""),
    ];
    vec![applied(walk, exchanges, state(Some(object(MADE, "S"))))]
}

/// The creation fails and makes nothing.
pub(super) fn replace_creating_first_in_vain() -> Vec<StepTrace> {
    let mut trace = replace_creating_first();
    let apply = trace[0].apply.as_mut().expect("an apply");
    apply.exchanges.truncate(3);
    if let Some(Exchange::Apply(_, answer)) = apply.exchanges.last_mut() {
        answer.new_state = Some(null());
        answer.remarks.push(error("no"));
    }
    apply.applied = Applied { state: apply.request.state.clone(), diagnostics: vec![error_diagnostic("no")] };
    trace
}

pub(super) fn error_diagnostic(summary: &'static str) -> planfuzz_core::planner::Diagnostic {
    planfuzz_core::planner::Diagnostic::error(summary, WrittenPath::default(), "")
}

pub(super) fn tainted() -> Vec<StepTrace> {
    let mut object = object(THERE, "A");
    object.status = planfuzz_core::state::Status::Tainted;
    let mut replaced = change(Action::DeleteThenCreate, THERE, PLANNED, "P");
    replaced.reason = ActionReason::ReplaceBecauseTainted;
    let before = state(Some(object));
    let calls = vec![
        upgrade(THERE),
        read(THERE, "A", THERE, "A"),
        validate(CONFIG),
        plan("null", CONFIG, CONFIG, "", PLANNED, "P"),
    ];
    vec![planned(plan_walk(configured(CONFIG), before.clone(), before, vec![replaced], calls))]
}

pub(super) fn delete() -> Vec<StepTrace> {
    let before = state(Some(object(THERE, "A")));
    let calls = vec![upgrade(THERE), plan(THERE, "null", "null", "A", "null", "P"), read(THERE, "A", THERE, "A")];
    let orphan = Presence::Orphan(Orphan { module: true, ..Orphan::default() });
    let changes = vec![change(Action::Delete, THERE, "null", "P")];
    let walk = plan_walk(orphan, before.clone(), before, changes, calls);
    let exchanges = vec![upgrade(THERE), apply(THERE, "null", "null", "P", "null", "")];
    vec![applied(walk, exchanges, state(None))]
}

/// A no-op beside a deposed object.
pub(super) fn deposed() -> Vec<StepTrace> {
    let mut trace = no_op();
    let walk = &mut trace[0].plan;
    let old = || [(old_key(), object(THERE, "A"))].into();
    (walk.request.state.deposed, walk.plan.previous_run.deposed, walk.plan.refreshed.deposed) = (old(), old(), old());
    walk.exchanges.extend([
        upgrade(THERE),
        read(THERE, "A", THERE, "A"),
        plan(THERE, "null", "null", "A", "null", "D"),
    ]);
    let mut deleted = change(Action::Delete, THERE, "null", "D");
    deleted.deposed = Some(old_key());
    walk.plan.changes.push(deleted);
    let exchanges = vec![
        upgrade(THERE),
        plan(THERE, "null", "null", "A", "null", "E"),
        apply(THERE, "null", "null", "E", "null", ""),
    ];
    let after = state(walk.plan.refreshed.current.clone());
    let walk = trace.remove(0).plan;
    vec![applied(walk, exchanges, after)]
}

pub(super) fn refresh_only() -> Vec<StepTrace> {
    let mut walk = update().remove(0).plan;
    walk.request.mode = Mode::RefreshOnly;
    walk.exchanges.truncate(2);
    walk.plan.changes.clear();
    walk.plan.working = None;
    vec![planned(walk)]
}

pub(super) fn import() -> Vec<StepTrace> {
    let mut walk = update().remove(0).plan;
    walk.request.state = state(None);
    walk.request.options.import = Some("i".into());
    let imported = Exchange::Import(
        ImportState { id: "i".into() },
        ImportAnswer { imported: vec![(value(THERE), private("A"))], remarks: Vec::new() },
    );
    walk.exchanges[0] = imported;
    vec![planned(walk)]
}

pub(super) fn data() -> Vec<StepTrace> {
    let mut found = object(MADE, "");
    found.sensitive = paths(&[".secret"]);
    let question = ReadData { config: value(CONFIG) };
    let calls = vec![
        validate(CONFIG),
        Exchange::ReadData(question, ReadDataAnswer { state: value(MADE), remarks: Vec::new() }),
    ];
    let mut walk = plan_walk(configured(CONFIG), state(None), state(Some(found)), Vec::new(), calls);
    walk.request.kind = ResourceKind::Data;
    vec![planned(walk)]
}

/// Two validations: the second knows what the first does not.
pub(super) fn validated_twice() -> Vec<StepTrace> {
    let mut trace = create();
    let unknown = r#"{"name": {"$unknown": true}, "wo": "w"}"#;
    settings(&mut trace[0].plan.request.presence).at_validation = Some(value(unknown));
    trace[0].plan.exchanges.insert(0, validate(unknown));
    trace
}

/// The value of a stored object.
pub(super) fn store(object: &mut Object, text: &str) {
    object.stored = Stored::Value(value(text));
}
