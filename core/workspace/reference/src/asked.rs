//! What planners of instances ask: a provider for one visit of one node, which keeps what is asked and answered.

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
    /// Who answers.
    pub providers: &'p mut dyn Providers,
    /// What was asked.
    pub made: Vec<Made>,
    /// What the planner of instances was asked and answered.
    pub parts: Vec<Part>,
    /// What draws the order of visits; nothing where it is that of the nodes.
    pub seed: Option<u64>,
}

impl<'p> Calls<'p> {
    /// Nothing asked yet.
    pub fn new(providers: &'p mut dyn Providers) -> Calls<'p> {
        Calls { providers, made: Vec::new(), parts: Vec::new(), seed: None }
    }

    /// Nothing asked yet; nodes are visited in an order that is drawn.
    pub fn shuffled(providers: &'p mut dyn Providers, seed: u64) -> Calls<'p> {
        Calls { seed: Some(seed), ..Calls::new(providers) }
    }

    /// What was asked, in its order.
    pub fn take_trace(&mut self, order: Order) -> Trace {
        Trace { calls: std::mem::take(&mut self.made), order, parts: std::mem::take(&mut self.parts) }
    }

    /// Asks.
    pub fn ask(&mut self, node: NodeId, visit: &str, call: Call) -> Answer {
        let answer = self.providers.call(&call);
        self.made.push(Made { node, visit: visit.to_owned(), call, answer: answer.clone() });
        answer
    }
}

/// Before which calls a signal ends a visit (U70).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ends {
    /// None.
    #[default]
    Never,
    /// Before a plan is asked for, or data are read.
    BeforePlan,
    /// Before anything is applied.
    BeforeApply,
}

/// A provider as the planner of one instance sees it.
pub struct Asked<'a, 'p> {
    /// Where calls go.
    pub calls: &'a mut Calls<'p>,
    /// Who asks.
    pub node: NodeId,
    /// For which instance.
    pub visit: String,
    /// Whose provider.
    pub provider: ProviderSource,
    /// What it was configured with.
    pub configured: Option<Value>,
    /// The type.
    pub type_name: Text,
    /// Its mode.
    pub mode: ResourceMode,
    /// The implied type of its schema.
    pub ty: Type,
    /// How many validations are made elsewhere: the static one of a block stands for all its instances.
    pub validated: usize,
    /// What is asked in the place of the upgrade: the object comes from another type or provider.
    pub handover: Option<Request>,
    /// The private data that came with it, in the place of what is stored.
    pub handed: Option<Private>,
    /// Before which calls the visit ends.
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
