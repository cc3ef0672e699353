//! Traces: what was asked and answered, in order.

use super::provider::{
    ApplyAnswer, ApplyChange, Capabilities, ImportAnswer, ImportState, PlanAnswer, PlanChange, Provider, ReadAnswer,
    ReadData, ReadDataAnswer, ReadResource, UpgradeAnswer, UpgradeState, ValidateAnswer, ValidateConfig,
};
use super::walk::{Applied, ApplyRequest, Plan, PlanRequest};

/// One call of a provider and its answer.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each is the call of that name and its answer")]
pub enum Exchange {
    Validate(ValidateConfig, ValidateAnswer),
    Upgrade(UpgradeState, UpgradeAnswer),
    Read(ReadResource, ReadAnswer),
    Plan(PlanChange, PlanAnswer),
    Apply(ApplyChange, ApplyAnswer),
    Import(ImportState, ImportAnswer),
    ReadData(ReadData, ReadDataAnswer),
}

/// A provider that keeps what it is asked and what another one answers.
pub struct Recorder<'p> {
    provider: &'p mut dyn Provider,
    exchanges: Vec<Exchange>,
}

impl<'p> Recorder<'p> {
    /// A recorder of what `provider` is asked.
    pub fn new(provider: &'p mut dyn Provider) -> Recorder<'p> {
        Recorder { provider, exchanges: Vec::new() }
    }

    /// What was asked and answered, in order.
    pub fn into_exchanges(self) -> Vec<Exchange> {
        self.exchanges
    }
}

macro_rules! recorded {
    ($($call:ident($request:ty) -> $answer:ty = $exchange:ident;)*) => {
        impl Provider for Recorder<'_> {
            fn capabilities(&self) -> Capabilities {
                self.provider.capabilities()
            }

            $(fn $call(&mut self, request: $request) -> $answer {
                let answer = self.provider.$call(request.clone());
                self.exchanges.push(Exchange::$exchange(request, answer.clone()));
                answer
            })*
        }
    };
}

recorded! {
    validate(ValidateConfig) -> ValidateAnswer = Validate;
    upgrade(UpgradeState) -> UpgradeAnswer = Upgrade;
    read(ReadResource) -> ReadAnswer = Read;
    plan(PlanChange) -> PlanAnswer = Plan;
    apply(ApplyChange) -> ApplyAnswer = Apply;
    import(ImportState) -> ImportAnswer = Import;
    read_data(ReadData) -> ReadDataAnswer = ReadData;
}

/// A plan walk with all that was said in it.
#[derive(Clone, Debug)]
pub struct PlanWalk {
    /// What the planner was asked.
    pub request: PlanRequest,
    /// What it asked the provider.
    pub exchanges: Vec<Exchange>,
    /// What it answered.
    pub plan: Plan,
}

/// An apply walk with all that was said in it.
#[derive(Clone, Debug)]
pub struct ApplyWalk {
    /// What the planner was asked.
    pub request: ApplyRequest,
    /// What it asked the provider.
    pub exchanges: Vec<Exchange>,
    /// What it answered.
    pub applied: Applied,
}

/// One step of a life: a command on one instance.
#[derive(Clone, Debug)]
pub struct StepTrace {
    /// Whether anything about the instance changed since the step before but by these commands: its configuration, the
    /// remote object, the facts around it.
    pub changed_outside: bool,
    /// The plan walk.
    pub plan: PlanWalk,
    /// The apply walk, where the command applies and the plan allows it (A74).
    pub apply: Option<ApplyWalk>,
}
