//! The fixture of the lifecycle tests: one resource type, a provider that behaves well unless a test changes it, and
//! answers in a short form.

use crate::Reference;
use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    Applied, ApplyAnswer, ApplyChange, ApplyRequest, Capabilities, Configured, Dependency, Diagnostic, Exchange,
    ImportAnswer, ImportState, Link, Plan, PlanAnswer, PlanChange, PlanOptions, PlanRequest, Planner, Presence,
    Provider, RawState, ReadAnswer, ReadData, ReadDataAnswer, ReadResource, Recorder, Refusal, Remark, Severity,
    UpgradeAnswer, UpgradeState, ValidateAnswer, ValidateConfig,
};
use planfuzz_core::plans::{Action, Marked, Mode, ResourceInstanceChange};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{DeposedKey, InstanceState, Object, Private, Stored};
use planfuzz_core::value::{PathSet, Type, Value, ValueError, WrittenPath};

const SCHEMA: &str = r#"{"version": 3, "block": {"attributes": {
    "id": {"type": "string", "computed": true},
    "name": {"type": "string", "optional": true},
    "oc": {"type": "string", "optional": true, "computed": true},
    "pass": {"type": "string", "optional": true, "sensitive": true},
    "wo": {"type": "string", "optional": true, "write_only": true}},
    "block_types": {"list": {"nesting_mode": "list", "block": {"attributes": {
        "x": {"type": "string", "optional": true}}}}}}}"#;

/// One instance and its provider.
pub struct Fixture {
    pub dialect: Dialect,
    pub kind: ResourceKind,
    pub mode: Mode,
    pub options: PlanOptions,
    pub state: InstanceState,
    pub presence: Presence,
    pub provider: Behaving,
    pub schema: Schema,
}

/// A provider that returns the proposed object, answers reads with the current object and knows computed values once
/// applied; each answer goes through an edit before it is returned.
pub struct Behaving {
    ty: Type,
    plans: usize,
    pub plan_destroy: bool,
    pub remarks_of_validate: Vec<Remark>,
    pub upgrade: fn(&mut UpgradeAnswer),
    pub read: fn(&mut ReadAnswer),
    pub plan: fn(&PlanChange, &mut PlanAnswer),
    pub apply: fn(&ApplyChange, &mut ApplyAnswer),
    pub import: fn(&mut ImportAnswer),
    pub read_data: fn(&mut ReadDataAnswer),
}

/// An answer of the planner and its calls of the provider.
pub struct Run<T> {
    pub answer: T,
    pub exchanges: Vec<Exchange>,
}

pub fn schema() -> Schema {
    Schema::from_json(&Json::parse(SCHEMA).expect("JSON")).expect("a schema")
}

/// An object of the schema of the tests; members that are not written are null, and there are no blocks.
pub fn object(text: &str) -> Value {
    let schema = schema();
    let ty = schema.implied_type(Dialect::default());
    let json = Json::parse(text).expect("JSON");
    let members = ty.as_object().expect("an object type").attributes().iter().map(|attribute| {
        let default = if attribute.name.as_str() == "list" { Json::Array(Vec::new()) } else { Json::Null };
        (attribute.name.as_str(), json.member(&attribute.name).cloned().unwrap_or(default))
    });
    Value::from_json(&Json::object(members), &ty).expect("an object of the implied type")
}

pub fn marked(text: &str, marks: &[&str]) -> Marked {
    Marked::new(object(text), &PathSet::parse(marks.iter().copied()).expect("paths"))
}

pub fn path(text: &str) -> WrittenPath {
    WrittenPath::parse(text).expect("a path")
}

pub fn remark(severity: Severity, summary: &str) -> Remark {
    Remark { severity, summary: summary.into() }
}

pub fn configured(text: &str) -> Configured {
    Configured::alone(Marked::plain(object(text)))
}

pub fn depends_on(address: &str, kind: ResourceKind, link: Link, actions: &[Action]) -> Dependency {
    Dependency { address: address.into(), kind, link, actions: actions.to_vec() }
}

pub fn key(text: &str) -> DeposedKey {
    DeposedKey::new(text).expect("a key")
}

/// An object of the state as an apply leaves it, with private data `S`.
pub fn stored(text: &str) -> Object {
    let sensitive = PathSet::parse([".pass"]).expect("a path");
    Object { private: Private::from(b"S".as_slice()), sensitive, ..Object::ready(object(text)) }
}

/// An instance in a normal plan: stored as the first text says and configured as the second, where it is not empty.
pub fn fixture(stored_as: &str, config: &str) -> Fixture {
    let presence = match config {
        "" => Presence::Orphan(Default::default()),
        config => Presence::Configured(Box::new(configured(config))),
    };
    let schema = schema();
    Fixture {
        dialect: Dialect::default(),
        kind: ResourceKind::Managed,
        mode: Mode::Normal,
        options: PlanOptions::default(),
        state: InstanceState {
            current: (!stored_as.is_empty()).then(|| stored(stored_as)),
            ..InstanceState::default()
        },
        presence,
        provider: Behaving {
            ty: schema.implied_type(Dialect::default()),
            plans: 0,
            plan_destroy: true,
            remarks_of_validate: Vec::new(),
            upgrade: |_| {},
            read: |_| {},
            plan: |_, _| {},
            apply: |_, _| {},
            import: |_| {},
            read_data: |_| {},
        },
        schema,
    }
}

impl Fixture {
    pub fn configured(&mut self) -> &mut Configured {
        match &mut self.presence {
            Presence::Configured(configured) => configured,
            other => panic!("expected a configuration, found {other:?}"),
        }
    }

    pub fn plan(&mut self) -> Run<Plan> {
        let request = PlanRequest {
            kind: self.kind,
            mode: self.mode,
            options: self.options.clone(),
            state: self.state.clone(),
            presence: self.presence.clone(),
        };
        let mut recorder = Recorder::new(&mut self.provider);
        let plan = Reference.prepare(&self.schema, self.dialect).plan(&request, &mut recorder);
        Run { answer: plan.expect("no refusal"), exchanges: recorder.into_exchanges() }
    }

    /// Applies changes to the state as it is.
    pub fn apply(&mut self, changes: Vec<ResourceInstanceChange>) -> Run<Applied> {
        self.try_apply(changes).expect("no refusal")
    }

    /// Applies changes that may be refused.
    pub fn try_apply(&mut self, changes: Vec<ResourceInstanceChange>) -> Result<Run<Applied>, Refusal> {
        let request = ApplyRequest {
            kind: self.kind,
            options: self.options.clone(),
            state: self.state.clone(),
            changes,
            presence: self.presence.clone(),
        };
        let mut recorder = Recorder::new(&mut self.provider);
        let applied = Reference.prepare(&self.schema, self.dialect).apply(&request, &mut recorder);
        Ok(Run { answer: applied?, exchanges: recorder.into_exchanges() })
    }

    /// Plans without errors, and applies the plan.
    pub fn plan_and_apply(&mut self) -> Run<Applied> {
        let plan = self.plan().answer;
        assert!(!plan.is_errored(), "{:?}", plan.diagnostics);
        self.state = plan.refreshed;
        self.apply(plan.changes)
    }
}

impl<T> Run<T> {
    /// The names of the calls, in order.
    pub fn calls(&self) -> String {
        self.exchanges.iter().map(Exchange::name).collect::<Vec<_>>().join(" ")
    }

    pub fn plan_requests(&self) -> Vec<&PlanChange> {
        let requests = self.exchanges.iter().filter_map(|exchange| match exchange {
            Exchange::Plan(request, _) => Some(request),
            _ => None,
        });
        requests.collect()
    }

    pub fn apply_requests(&self) -> Vec<&ApplyChange> {
        let requests = self.exchanges.iter().filter_map(|exchange| match exchange {
            Exchange::Apply(request, _) => Some(request),
            _ => None,
        });
        requests.collect()
    }
}

impl Run<Plan> {
    /// `action reason` of each change, deposed ones with their keys.
    pub fn changes(&self) -> String {
        let text = |change: &ResourceInstanceChange| {
            let key = change.deposed.as_ref().map_or(String::new(), |key| format!("{}:", key.as_str()));
            format!("{key}{} {}", change.change.action.name(), change.reason.name()).trim_end().to_owned()
        };
        self.answer.changes.iter().map(text).collect::<Vec<_>>().join(", ")
    }

    /// The one change.
    #[track_caller]
    pub fn change(&self) -> &ResourceInstanceChange {
        match self.answer.changes.as_slice() {
            [change] => change,
            other => panic!("expected one change, found {other:?}"),
        }
    }
}

/// `E` or `W`, summary and path of each diagnostic, sorted.
pub fn summaries(diagnostics: &[Diagnostic]) -> Vec<String> {
    let line = |diagnostic: &Diagnostic| {
        let severity = if diagnostic.is_error() { "E" } else { "W" };
        format!("{severity} {} {}", diagnostic.summary, diagnostic.path).trim_end().to_owned()
    };
    let mut lines: Vec<String> = diagnostics.iter().map(line).collect();
    lines.sort();
    lines
}

/// The value of a stored object.
#[track_caller]
pub fn value_of(object: &Option<Object>) -> Value {
    match object {
        Some(Object { stored: Stored::Value(value), .. }) => value.clone(),
        other => panic!("expected an object with a value, found {other:?}"),
    }
}

/// The private data as text.
pub fn text_of(private: &Private) -> &str {
    std::str::from_utf8(private.as_bytes()).expect("text")
}

/// Every null of `id` and `oc` becomes what `value` makes.
fn with_computed(object: &Value, is_open: fn(&Value) -> bool, value: fn() -> Value) -> Value {
    let changed = object.view().transform(&mut |at, part| {
        let computed = matches!(at.to_string().as_str(), ".id" | ".oc");
        Ok::<_, ValueError>(if computed && is_open(&part) { value() } else { part })
    });
    changed.expect("types stay")
}

fn without_write_only(object: &Value) -> Value {
    let changed = object.view().transform(&mut |at, part| {
        Ok::<_, ValueError>(if at.to_string() == ".wo" { Value::null(Type::String) } else { part })
    });
    changed.expect("types stay")
}

impl Provider for Behaving {
    fn capabilities(&self) -> Capabilities {
        Capabilities { plan_destroy: self.plan_destroy }
    }

    fn validate(&mut self, _: ValidateConfig) -> ValidateAnswer {
        ValidateAnswer { remarks: self.remarks_of_validate.clone() }
    }

    fn upgrade(&mut self, request: UpgradeState) -> UpgradeAnswer {
        let upgraded = match request.state {
            RawState::Value(value) => value,
            RawState::Json(_) => object("{}"),
        };
        let mut answer = UpgradeAnswer { upgraded, remarks: Vec::new() };
        (self.upgrade)(&mut answer);
        answer
    }

    fn read(&mut self, request: ReadResource) -> ReadAnswer {
        let private = Private::from(b"R".as_slice());
        let mut answer = ReadAnswer { new_state: request.current, private, deferred: false, remarks: Vec::new() };
        (self.read)(&mut answer);
        answer
    }

    fn plan(&mut self, request: PlanChange) -> PlanAnswer {
        self.plans += 1;
        let planned = match request.prior.is_null() && !request.proposed.is_null() {
            true => with_computed(&request.proposed, Value::is_null, || Value::unknown(Type::String)),
            false => request.proposed.clone(),
        };
        let planned = if planned.is_null() { planned } else { without_write_only(&planned) };
        let mut answer = PlanAnswer {
            planned,
            requires_replace: Vec::new(),
            private: Private::from(format!("P{}", self.plans).as_bytes()),
            legacy_type_system: false,
            deferred: false,
            remarks: Vec::new(),
        };
        (self.plan)(&request, &mut answer);
        answer
    }

    fn apply(&mut self, request: ApplyChange) -> ApplyAnswer {
        let new_state = match request.planned.is_null() {
            true => request.planned.clone(),
            false => with_computed(&request.planned, Value::is_unknown, || Value::string("NEW")),
        };
        let mut answer = ApplyAnswer {
            new_state: Some(new_state),
            private: Private::from(b"A".as_slice()),
            legacy_type_system: false,
            remarks: Vec::new(),
        };
        (self.apply)(&request, &mut answer);
        answer
    }

    fn import(&mut self, request: ImportState) -> ImportAnswer {
        let found = object(&format!(r#"{{"id": "{}"}}"#, request.id.as_str()));
        let mut answer = ImportAnswer { imported: vec![(found, Private::from(b"I".as_slice()))], remarks: Vec::new() };
        (self.import)(&mut answer);
        answer
    }

    fn read_data(&mut self, request: ReadData) -> ReadDataAnswer {
        assert_eq!(*request.config.ty(), self.ty);
        let state = with_computed(&request.config, Value::is_null, || Value::string("D"));
        let mut answer = ReadDataAnswer { state, remarks: Vec::new() };
        (self.read_data)(&mut answer);
        answer
    }
}
