//! Traces: the calls of a provider and their answers, in order.

use super::provider::{
    ApplyAnswer, ApplyChange, Capabilities, ImportAnswer, ImportState, PlanAnswer, PlanChange, Provider, ReadAnswer,
    ReadData, ReadDataAnswer, ReadResource, Remark, UpgradeAnswer, UpgradeState, ValidateAnswer, ValidateConfig,
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

impl Exchange {
    /// The name of the call, as cases have it.
    pub fn name(&self) -> &'static str {
        match self {
            Exchange::Validate(..) => "validate",
            Exchange::Upgrade(..) => "upgrade",
            Exchange::Read(..) => "read",
            Exchange::Plan(..) => "plan",
            Exchange::Apply(..) => "apply",
            Exchange::Import(..) => "import",
            Exchange::ReadData(..) => "read_data",
        }
    }

    /// The provider's diagnostics in the answer.
    pub fn remarks(&self) -> &[Remark] {
        match self {
            Exchange::Validate(_, answer) => &answer.remarks,
            Exchange::Upgrade(_, answer) => &answer.remarks,
            Exchange::Read(_, answer) => &answer.remarks,
            Exchange::Plan(_, answer) => &answer.remarks,
            Exchange::Apply(_, answer) => &answer.remarks,
            Exchange::Import(_, answer) => &answer.remarks,
            Exchange::ReadData(_, answer) => &answer.remarks,
        }
    }
}

/// A provider that records the requests and the answers of another one.
pub struct Recorder<'p> {
    provider: &'p mut dyn Provider,
    exchanges: Vec<Exchange>,
}

impl<'p> Recorder<'p> {
    /// A recorder of the calls to `provider`.
    pub fn new(provider: &'p mut dyn Provider) -> Recorder<'p> {
        Recorder { provider, exchanges: Vec::new() }
    }

    /// The recorded calls and answers, in order.
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

/// A plan walk: the request, the calls of the provider, and the answer.
#[derive(Clone, Debug)]
pub struct PlanWalk {
    /// The request to the planner.
    pub request: PlanRequest,
    /// The planner's calls of the provider.
    pub exchanges: Vec<Exchange>,
    /// The planner's answer.
    pub plan: Plan,
}

/// An apply walk: the request, the calls of the provider, and the answer.
#[derive(Clone, Debug)]
pub struct ApplyWalk {
    /// The request to the planner.
    pub request: ApplyRequest,
    /// The planner's calls of the provider.
    pub exchanges: Vec<Exchange>,
    /// The planner's answer.
    pub applied: Applied,
}

/// One step of a run: a command on one instance.
#[derive(Clone, Debug)]
pub struct StepTrace {
    /// Whether anything but these commands changed the instance since the step before: its configuration, the remote
    /// object, the facts around it.
    pub changed_outside: bool,
    /// The plan walk.
    pub plan: PlanWalk,
    /// The apply walk, where the command applies and the plan allows it (A74).
    pub apply: Option<ApplyWalk>,
}
