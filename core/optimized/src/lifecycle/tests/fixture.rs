//! A schema, a scripted provider, and requests in short.

use std::collections::VecDeque;

use crate::Optimized;
use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    Applied, ApplyAnswer, ApplyChange, ApplyRequest, Capabilities, Configured, Diagnostic, ImportAnswer, ImportState,
    Plan, PlanAnswer, PlanChange, PlanOptions, PlanRequest, Planner, Presence, Provider, RawState, ReadAnswer,
    ReadData, ReadDataAnswer, ReadResource, Refusal, Remark, Severity, UpgradeAnswer, UpgradeState, ValidateAnswer,
    ValidateConfig,
};
use planfuzz_core::plans::{Action, ActionReason, Marked, Mode, ResourceInstanceChange};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{InstanceState, Object, Private, Stored};
use planfuzz_core::value::{PathSet, Type, Value};

const USUAL: &str = r#"{"version": 3, "block": {
    "attributes": {
        "id": {"type": "string", "computed": true},
        "name": {"type": "string", "optional": true},
        "oc": {"type": "string", "optional": true, "computed": true},
        "tags": {"type": ["map", "string"], "optional": true},
        "secret": {"type": "string", "optional": true, "sensitive": true},
        "w": {"type": "string", "optional": true, "write_only": true},
        "n": {"optional": true, "nested_type": {"nesting_mode": "list", "attributes": {
            "x": {"type": "string", "optional": true},
            "c": {"type": "string", "computed": true},
            "s": {"type": "string", "optional": true, "sensitive": true}}}}},
    "block_types": {"blk": {"nesting_mode": "list", "block": {"attributes": {
        "a": {"type": "string", "optional": true},
        "s": {"type": "string", "optional": true, "sensitive": true}}}}}}}"#;

/// A schema in a dialect.
pub(super) struct Fixture {
    pub(super) schema: Schema,
    pub(super) dialect: Dialect,
    pub(super) ty: Type,
}

impl Fixture {
    pub(super) fn new(schema: Schema, dialect: Dialect) -> Fixture {
        let ty = schema.implied_type(dialect);
        Fixture { schema, dialect, ty }
    }

    /// A schema of an attribute of each kind and a list of blocks, whose block has a sensitive attribute:
    /// `id` computed, `name` optional, `oc` both, `tags` a map, `secret` sensitive, `w` write-only, `n` nested.
    pub(super) fn usual(dialect: Dialect) -> Fixture {
        Fixture::new(Schema::parse(USUAL).expect("a schema"), dialect)
    }

    /// A value of the usual schema: these members, all else null, no blocks.
    pub(super) fn usual_value(&self, members: &str) -> Value {
        let Json::Object(given) = Json::parse(members).expect("JSON") else { panic!("an object") };
        let names = ["id", "name", "oc", "tags", "secret", "w", "n"];
        let null = |name: &&str| given.iter().all(|(given, _)| **given != **name);
        let nulls: Vec<_> = names.iter().filter(|name| null(name)).map(|name| ((*name).into(), Json::Null)).collect();
        let blocks = (!given.iter().any(|(name, _)| **name == *"blk")).then(|| ("blk".into(), Json::Array(Vec::new())));
        let all = given.into_iter().chain(nulls).chain(blocks).collect();
        Value::from_json(&Json::Object(all), &self.ty).expect("a value of the schema")
    }

    pub(super) fn null(&self) -> Value {
        Value::null(self.ty.clone())
    }

    pub(super) fn plan(&self, request: &PlanRequest, provider: &mut Script) -> Result<Plan, Refusal> {
        Optimized.prepare(&self.schema, self.dialect).plan(request, provider)
    }

    pub(super) fn apply(&self, request: &ApplyRequest, provider: &mut Script) -> Result<Applied, Refusal> {
        Optimized.prepare(&self.schema, self.dialect).apply(request, provider)
    }
}

/// A request for a plan of a managed resource in the normal mode.
pub(super) fn request(current: Option<Object>, presence: Presence) -> PlanRequest {
    PlanRequest {
        kind: ResourceKind::Managed,
        mode: Mode::Normal,
        options: PlanOptions::default(),
        state: InstanceState { current, ..InstanceState::ABSENT },
        presence,
    }
}

/// Errors and warnings, sorted: `error Summary .path`.
pub(super) fn summaries(diagnostics: &[Diagnostic]) -> Vec<String> {
    let mut lines: Vec<String> = diagnostics
        .iter()
        .map(|diagnostic| {
            let severity = if diagnostic.is_error() { "error" } else { "warning" };
            format!("{severity} {} {}", diagnostic.summary, diagnostic.path).trim_end().to_owned()
        })
        .collect();
    lines.sort();
    lines
}

/// Action and reason of each change.
pub(super) fn actions(changes: &[ResourceInstanceChange]) -> Vec<(Action, ActionReason)> {
    changes.iter().map(|change| (change.change.action, change.reason)).collect()
}

pub(super) fn value_of(object: &Object) -> &Value {
    match &object.stored {
        Stored::Value(value) => value,
        Stored::Raw { .. } => panic!("a value is stored"),
    }
}

pub(super) fn error(summary: &str) -> Vec<Remark> {
    vec![Remark { severity: Severity::Error, summary: summary.into() }]
}

pub(super) fn present(configured: Configured) -> Presence {
    Presence::Configured(Box::new(configured))
}

pub(super) fn configured(config: Value, sensitive: &PathSet) -> Configured {
    Configured::alone(Marked::new(config, sensitive))
}

/// A call of the provider, in short.
#[derive(Clone, Debug)]
pub(super) enum Asked {
    Validate,
    Upgrade(UpgradeState),
    Read,
    Plan(PlanChange),
    Apply(ApplyChange),
    Import,
    ReadData,
}

impl Asked {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Asked::Validate => "validate",
            Asked::Upgrade(_) => "upgrade",
            Asked::Read => "read",
            Asked::Plan(_) => "plan",
            Asked::Apply(_) => "apply",
            Asked::Import => "import",
            Asked::ReadData => "read_data",
        }
    }
}

/// A provider with prepared answers; without one it accepts and returns what it is given.
#[derive(Default)]
pub(super) struct Script {
    pub(super) plan_destroy: bool,
    pub(super) validates: VecDeque<ValidateAnswer>,
    pub(super) upgrades: VecDeque<UpgradeAnswer>,
    pub(super) reads: VecDeque<ReadAnswer>,
    pub(super) plans: VecDeque<PlanAnswer>,
    pub(super) applies: VecDeque<ApplyAnswer>,
    pub(super) imports: VecDeque<ImportAnswer>,
    pub(super) data: VecDeque<ReadDataAnswer>,
    pub(super) asked: Vec<Asked>,
}

impl Script {
    /// The calls in order.
    pub(super) fn calls(&self) -> Vec<&'static str> {
        self.asked.iter().map(Asked::name).collect()
    }
}

pub(super) fn planned(planned: Value) -> PlanAnswer {
    PlanAnswer {
        planned,
        requires_replace: Vec::new(),
        private: Private::from(b"planned".as_slice()),
        legacy_type_system: false,
        deferred: false,
        remarks: Vec::new(),
    }
}

pub(super) fn read(new_state: Value) -> ReadAnswer {
    ReadAnswer { new_state, private: Private::from(b"read".as_slice()), deferred: false, remarks: Vec::new() }
}

pub(super) fn applied(new_state: Value) -> ApplyAnswer {
    ApplyAnswer {
        new_state: Some(new_state),
        private: Private::from(b"applied".as_slice()),
        legacy_type_system: false,
        remarks: Vec::new(),
    }
}

impl Provider for Script {
    fn capabilities(&self) -> Capabilities {
        Capabilities { plan_destroy: self.plan_destroy }
    }

    fn validate(&mut self, _: ValidateConfig) -> ValidateAnswer {
        self.asked.push(Asked::Validate);
        self.validates.pop_front().unwrap_or_default()
    }

    fn upgrade(&mut self, request: UpgradeState) -> UpgradeAnswer {
        let kept = match &request.state {
            RawState::Value(value) => Some(value.clone()),
            RawState::Json(_) => None,
        };
        self.asked.push(Asked::Upgrade(request));
        let kept = kept.map(|upgraded| UpgradeAnswer { upgraded, remarks: Vec::new() });
        self.upgrades.pop_front().or(kept).expect("an answer for what only a provider can read")
    }

    fn read(&mut self, request: ReadResource) -> ReadAnswer {
        let kept =
            ReadAnswer { new_state: request.current, private: request.private, deferred: false, remarks: Vec::new() };
        self.asked.push(Asked::Read);
        self.reads.pop_front().unwrap_or(kept)
    }

    fn plan(&mut self, request: PlanChange) -> PlanAnswer {
        let kept = planned(request.proposed.clone());
        self.asked.push(Asked::Plan(request));
        self.plans.pop_front().unwrap_or(kept)
    }

    fn apply(&mut self, request: ApplyChange) -> ApplyAnswer {
        let kept = applied(request.planned.clone());
        self.asked.push(Asked::Apply(request));
        self.applies.pop_front().unwrap_or(kept)
    }

    fn import(&mut self, _: ImportState) -> ImportAnswer {
        self.asked.push(Asked::Import);
        self.imports.pop_front().unwrap_or(ImportAnswer { imported: Vec::new(), remarks: Vec::new() })
    }

    fn read_data(&mut self, request: ReadData) -> ReadDataAnswer {
        self.asked.push(Asked::ReadData);
        self.data.pop_front().unwrap_or(ReadDataAnswer { state: request.config, remarks: Vec::new() })
    }
}
