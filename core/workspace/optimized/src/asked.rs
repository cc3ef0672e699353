//! The calls of planners of instances, as calls of a workspace.

use planfuzz_core::address::{ProviderSource, ResourceMode};
use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Capabilities, ImportAnswer, ImportState, PlanAnswer, PlanChange, Provider, RawState,
    ReadAnswer, ReadData, ReadDataAnswer, ReadResource, Severity, UpgradeAnswer, UpgradeState, ValidateAnswer,
    ValidateConfig,
};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_workspace::{Answer, Call, NodeId, Outcome, Request, halted};

use crate::walk::Calls;

/// The calls before which a signal ends a visit (U70).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ends {
    /// None.
    #[default]
    Never,
    /// Before plan calls and reads of data.
    BeforePlan,
    /// Before apply calls.
    BeforeApply,
}

/// A provider as the planner of one instance sees it.
pub struct Asked<'a, 'p> {
    /// Where calls go.
    pub calls: &'a mut Calls<'p>,
    /// The node that calls.
    pub node: NodeId,
    /// The instance for which it calls.
    pub visit: &'a str,
    /// The source of the provider.
    pub provider: &'a ProviderSource,
    /// The configuration of the provider.
    pub configured: Option<&'a Value>,
    /// The type.
    pub type_name: Text,
    /// Its mode.
    pub mode: ResourceMode,
    /// The implied type of its schema.
    pub ty: &'a Type,
    /// Whether the next validation is skipped: the static one is made once for a block.
    pub is_validated: bool,
    /// The call in place of the upgrade, if the object comes from another type or provider.
    pub handover: Option<Request>,
    /// Facts about the calls so far.
    pub seen: Seen,
    /// The calls before which the visit ends.
    pub ends: Ends,
}

/// The facts about the calls of a visit that a workspace needs.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Whether the configuration was sent.
    pub validated: bool,
    /// Whether the last call was an apply call.
    pub applied: bool,
    /// The error of the last read of a data resource, if it failed.
    pub failed_read: Option<String>,
    /// Whether a signal kept it from a call.
    pub halted: bool,
    /// The diagnostics before the last apply call.
    pub diagnostics_before: Vec<Text>,
    /// The number of diagnostics of an import and of the read after it, which have no address (L21).
    pub of_import: Option<usize>,
    /// The private data that came with an object that was handed over, until it is read.
    pub handed: Option<Private>,
}

impl Asked<'_, '_> {
    /// Makes a call and records it.
    pub fn ask(&mut self, request: Request) -> Answer {
        self.seen.applied = matches!(request, Request::Apply { .. });
        let call = Call {
            provider: self.provider.clone(),
            configured: self.configured.cloned(),
            type_name: Some(self.type_name.clone()),
            request,
        };
        let answer = self.calls.ask(self.node, self.visit, call);
        if !self.seen.applied {
            self.seen.diagnostics_before.extend(answer.remarks.iter().map(|remark| remark.summary.clone()));
        }
        answer
    }

    /// Whether a signal comes before this kind of call.
    fn is_kept(&mut self, before: Ends) -> bool {
        // As a branch: rustc 1.95 drops a comparison of which a copy is taken before it is branched on (`a |= b == c`).
        if self.ends != before {
            return false;
        }
        self.seen.halted = true;
        true
    }

    fn value(&self, outcome: Option<Outcome>) -> (Value, Private) {
        match outcome {
            Some(Outcome::Value(value)) => (value, Private::NONE),
            Some(Outcome::Object { value, private } | Outcome::Planned { planned: value, private, .. }) => {
                (value, private)
            }
            _ => (Value::null(self.ty.clone()), Private::NONE),
        }
    }
}

impl Provider for Asked<'_, '_> {
    fn capabilities(&self) -> Capabilities {
        Capabilities { plan_destroy: true }
    }

    fn validate(&mut self, request: ValidateConfig) -> ValidateAnswer {
        if std::mem::replace(&mut self.is_validated, false) {
            return ValidateAnswer::default();
        }
        self.seen.validated = true;
        let answer = self.ask(Request::Validate { mode: self.mode, config: request.config });
        ValidateAnswer { remarks: answer.remarks }
    }

    fn upgrade(&mut self, request: UpgradeState) -> UpgradeAnswer {
        if let Some(handover) = self.handover.take() {
            let answer = self.ask(handover);
            let (upgraded, private) = self.value(answer.outcome);
            self.seen.handed = Some(private);
            return UpgradeAnswer { upgraded, remarks: answer.remarks };
        }
        let raw = match request.state {
            RawState::Json(json) => json,
            RawState::Value(value) => value.view().to_stored_json(self.ty).unwrap_or(Json::Null).into(),
        };
        let answer = self.ask(Request::Upgrade { version: request.version, raw });
        UpgradeAnswer { upgraded: self.value(answer.outcome).0, remarks: answer.remarks }
    }

    fn read(&mut self, request: ReadResource) -> ReadAnswer {
        let private = self.seen.handed.take().unwrap_or(request.private);
        let answer = self.ask(Request::Read { current: request.current, private });
        if let Some(count) = &mut self.seen.of_import {
            *count += answer.remarks.len();
        }
        let (new_state, private) = self.value(answer.outcome);
        ReadAnswer { new_state, private, deferred: false, remarks: answer.remarks }
    }

    fn plan(&mut self, request: PlanChange) -> PlanAnswer {
        let PlanChange { prior, config, proposed, private } = request;
        if self.is_kept(Ends::BeforePlan) {
            let (planned, requires_replace) = (Value::null(self.ty.clone()), Vec::new());
            let (legacy_type_system, deferred, remarks) = (false, false, halted());
            return PlanAnswer { planned, requires_replace, private, legacy_type_system, deferred, remarks };
        }
        let mut answer = self.ask(Request::Plan { prior, config, proposed, private });
        let requires_replace = match &mut answer.outcome {
            Some(Outcome::Planned { requires_replace, .. }) => std::mem::take(requires_replace),
            _ => Vec::new(),
        };
        let (planned, private) = self.value(answer.outcome);
        let remarks = answer.remarks;
        PlanAnswer { planned, requires_replace, private, legacy_type_system: false, deferred: false, remarks }
    }

    fn apply(&mut self, request: ApplyChange) -> ApplyAnswer {
        let ApplyChange { prior, config, planned, private } = request;
        if self.is_kept(Ends::BeforeApply) {
            return ApplyAnswer { new_state: Some(prior), private, legacy_type_system: false, remarks: halted() };
        }
        let answer = self.ask(Request::Apply { prior, config, planned, private });
        let has_state = answer.outcome.is_some();
        let (value, private) = self.value(answer.outcome);
        let new_state = has_state.then_some(value);
        ApplyAnswer { new_state, private, legacy_type_system: false, remarks: answer.remarks }
    }

    fn import(&mut self, request: ImportState) -> ImportAnswer {
        let answer = self.ask(Request::Import { id: request.id });
        self.seen.of_import = Some(answer.remarks.len());
        let imported = match answer.outcome {
            Some(Outcome::Imported(imported)) => imported,
            _ => Vec::new(),
        };
        ImportAnswer { imported, remarks: answer.remarks }
    }

    fn read_data(&mut self, request: ReadData) -> ReadDataAnswer {
        if self.is_kept(Ends::BeforePlan) {
            return ReadDataAnswer { state: Value::null(self.ty.clone()), remarks: halted() };
        }
        let answer = self.ask(Request::ReadData { config: request.config });
        let failed = answer.remarks.iter().find(|remark| remark.severity == Severity::Error);
        self.seen.failed_read = failed.map(|remark| remark.summary.to_string());
        ReadDataAnswer { state: self.value(answer.outcome).0, remarks: answer.remarks }
    }
}
