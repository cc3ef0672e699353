//! Calls of planners of instances: a provider for one visit of one node, which records calls and answers.

use planfuzz_core::address::{ProviderSource, ResourceMode};
use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Capabilities, ImportAnswer, ImportState, PlanAnswer, PlanChange, Provider, RawState,
    ReadAnswer, ReadData, ReadDataAnswer, ReadResource, UpgradeAnswer, UpgradeState, ValidateAnswer, ValidateConfig,
};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_workspace::{Answer, Call, Made, NodeId, Order, Outcome, Part, Providers, Request, Trace, halted};

/// The calls of a command.
pub struct Calls<'p> {
    /// The providers that answer.
    pub providers: &'p mut dyn Providers,
    /// The calls that were made.
    pub made: Vec<Made>,
    /// The questions to the planner of instances, with its answers.
    pub parts: Vec<Part>,
    /// The seed of the order of visits; `None` for the order of the nodes.
    pub seed: Option<u64>,
}

impl<'p> Calls<'p> {
    /// No calls yet.
    pub fn new(providers: &'p mut dyn Providers) -> Calls<'p> {
        Calls { providers, made: Vec::new(), parts: Vec::new(), seed: None }
    }

    /// No calls yet; nodes are visited in an order drawn from the seed.
    pub fn shuffled(providers: &'p mut dyn Providers, seed: u64) -> Calls<'p> {
        Calls { seed: Some(seed), ..Calls::new(providers) }
    }

    /// Takes the calls, in their order.
    pub fn take_trace(&mut self, order: Order) -> Trace {
        Trace { calls: std::mem::take(&mut self.made), order, parts: std::mem::take(&mut self.parts) }
    }

    /// Makes a call and records it.
    pub fn ask(&mut self, node: NodeId, visit: &str, call: Call) -> Answer {
        let answer = self.providers.call(&call);
        self.made.push(Made { node, visit: visit.to_owned(), call, answer: answer.clone() });
        answer
    }
}

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
    pub visit: String,
    /// The source of the provider.
    pub provider: ProviderSource,
    /// The configuration of the provider.
    pub configured: Option<Value>,
    /// The type.
    pub type_name: Text,
    /// Its mode.
    pub mode: ResourceMode,
    /// The implied type of its schema.
    pub ty: Type,
    /// How many validations are skipped: the static one of a block stands for all its instances.
    pub validated: usize,
    /// The call in place of the upgrade, if the object comes from another type or provider.
    pub handover: Option<Request>,
    /// The private data of the answer to that call, in place of the stored data.
    pub handed: Option<Private>,
    /// The calls before which the visit ends.
    pub ends: Ends,
}

impl Asked<'_, '_> {
    fn ask(&mut self, request: Request) -> Answer {
        let call = Call {
            provider: self.provider.clone(),
            configured: self.configured.clone(),
            type_name: Some(self.type_name.clone()),
            request,
        };
        self.calls.ask(self.node, &self.visit, call)
    }

    fn null(&self) -> Value {
        Value::null(self.ty.clone())
    }

    fn value(&self, outcome: Option<Outcome>) -> (Value, Private) {
        match outcome {
            Some(Outcome::Value(value)) => (value, Private::NONE),
            Some(Outcome::Object { value, private } | Outcome::Planned { planned: value, private, .. }) => {
                (value, private)
            }
            _ => (self.null(), Private::NONE),
        }
    }
}

impl Provider for Asked<'_, '_> {
    fn capabilities(&self) -> Capabilities {
        Capabilities { plan_destroy: true }
    }

    fn validate(&mut self, request: ValidateConfig) -> ValidateAnswer {
        if self.validated > 0 {
            self.validated -= 1;
            return ValidateAnswer::default();
        }
        let answer = self.ask(Request::Validate { mode: self.mode, config: request.config });
        ValidateAnswer { remarks: answer.remarks }
    }

    fn upgrade(&mut self, request: UpgradeState) -> UpgradeAnswer {
        if let Some(handover) = self.handover.take() {
            let answer = self.ask(handover);
            let (upgraded, private) = self.value(answer.outcome);
            self.handed = Some(private);
            return UpgradeAnswer { upgraded, remarks: answer.remarks };
        }
        let raw = match request.state {
            RawState::Json(json) => json,
            RawState::Value(value) => value.view().to_stored_json(&self.ty).unwrap_or(Json::Null).into(),
        };
        let answer = self.ask(Request::Upgrade { version: request.version, raw });
        let (upgraded, _) = self.value(answer.outcome);
        UpgradeAnswer { upgraded, remarks: answer.remarks }
    }

    fn read(&mut self, request: ReadResource) -> ReadAnswer {
        let private = self.handed.take().unwrap_or(request.private);
        let answer = self.ask(Request::Read { current: request.current, private });
        let (new_state, private) = self.value(answer.outcome);
        ReadAnswer { new_state, private, deferred: false, remarks: answer.remarks }
    }

    fn plan(&mut self, request: PlanChange) -> PlanAnswer {
        let PlanChange { prior, config, proposed, private } = request;
        if self.ends == Ends::BeforePlan {
            return PlanAnswer {
                planned: self.null(),
                requires_replace: Vec::new(),
                private,
                legacy_type_system: false,
                deferred: false,
                remarks: halted(),
            };
        }
        let answer = self.ask(Request::Plan { prior, config, proposed, private });
        let requires_replace = match &answer.outcome {
            Some(Outcome::Planned { requires_replace, .. }) => requires_replace.clone(),
            _ => Vec::new(),
        };
        let (planned, private) = self.value(answer.outcome);
        PlanAnswer {
            planned,
            requires_replace,
            private,
            legacy_type_system: false,
            deferred: false,
            remarks: answer.remarks,
        }
    }

    fn apply(&mut self, request: ApplyChange) -> ApplyAnswer {
        let ApplyChange { prior, config, planned, private } = request;
        if self.ends == Ends::BeforeApply {
            return ApplyAnswer { new_state: Some(prior), private, legacy_type_system: false, remarks: halted() };
        }
        let answer = self.ask(Request::Apply { prior, config, planned, private });
        let new_state = answer.outcome.is_some();
        let (value, private) = self.value(answer.outcome);
        ApplyAnswer {
            new_state: new_state.then_some(value),
            private,
            legacy_type_system: false,
            remarks: answer.remarks,
        }
    }

    fn import(&mut self, request: ImportState) -> ImportAnswer {
        let answer = self.ask(Request::Import { id: request.id });
        let imported = match answer.outcome {
            Some(Outcome::Imported(imported)) => imported,
            _ => Vec::new(),
        };
        ImportAnswer { imported, remarks: answer.remarks }
    }

    fn read_data(&mut self, request: ReadData) -> ReadDataAnswer {
        if self.ends == Ends::BeforePlan {
            return ReadDataAnswer { state: self.null(), remarks: halted() };
        }
        let answer = self.ask(Request::ReadData { config: request.config });
        let (state, _) = self.value(answer.outcome);
        ReadDataAnswer { state, remarks: answer.remarks }
    }
}
