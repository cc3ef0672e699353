//! A schema, a scripted provider, and requests in short.

#![allow(dead_code, reason = "for lives that no vector has")]

use std::collections::VecDeque;

use crate::dialect::Dialect;
use crate::json::Json;
use crate::optimized::Optimized;
use crate::planner::{
    Applied, ApplyAnswer, ApplyChange, ApplyRequest, Capabilities, Configured, ImportAnswer, ImportState, Lifecycle,
    Plan, PlanAnswer, PlanChange, PlanRequest, Planner, Provider, ReadAnswer, ReadData, ReadDataAnswer, ReadResource,
    Refusal, UpgradeAnswer, UpgradeState, ValidateAnswer, ValidateConfig,
};
use crate::plans::Marked;
use crate::schema::Schema;
use crate::state::Private;
use crate::value::{PathSet, Type, Value};

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

    pub(super) fn value(&self, text: &str) -> Value {
        Value::from_json(&Json::parse(text).expect("JSON"), &self.ty).expect("a value of the schema")
    }

    pub(super) fn plan(&self, request: &PlanRequest, provider: &mut Script) -> Result<Plan, Refusal> {
        Optimized.prepare(&self.schema, self.dialect).plan(request, provider)
    }

    pub(super) fn apply(&self, request: &ApplyRequest, provider: &mut Script) -> Result<Applied, Refusal> {
        Optimized.prepare(&self.schema, self.dialect).apply(request, provider)
    }
}

pub(super) fn configured(config: Value, sensitive: &PathSet) -> Configured {
    Configured {
        config: Marked::new(config, sensitive),
        ephemeral: PathSet::EMPTY,
        at_validation: None,
        lifecycle: Lifecycle::default(),
        preconditions: Vec::new(),
        postconditions: Vec::new(),
        provisioners: Vec::new(),
        dependencies: Vec::new(),
        in_check: false,
    }
}

/// What was asked, for short.
#[derive(Clone, Debug)]
pub(super) enum Asked {
    Validate,
    Upgrade(UpgradeState),
    Read(ReadResource),
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
            Asked::Read(_) => "read",
            Asked::Plan(_) => "plan",
            Asked::Apply(_) => "apply",
            Asked::Import => "import",
            Asked::ReadData => "read_data",
        }
    }
}

/// A provider with answers in stock; without one it accepts and keeps what it is given.
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
    /// The type of what is upgraded from JSON.
    pub(super) ty: Option<Type>,
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
            crate::planner::RawState::Value(value) => value.clone(),
            crate::planner::RawState::Json(json) => {
                Value::from_json(json, self.ty.as_ref().expect("a type to upgrade to")).expect("a stored object")
            }
        };
        self.asked.push(Asked::Upgrade(request));
        self.upgrades.pop_front().unwrap_or(UpgradeAnswer { upgraded: kept, remarks: Vec::new() })
    }

    fn read(&mut self, request: ReadResource) -> ReadAnswer {
        let kept = ReadAnswer {
            new_state: request.current.clone(),
            private: request.private.clone(),
            deferred: false,
            remarks: Vec::new(),
        };
        self.asked.push(Asked::Read(request));
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
