//! Runs of scenarios: [`play`] plays a scenario with a planner, [`Trace`] is the result.

use std::sync::Arc;
use std::time::Duration;

use planfuzz_core::planner::{
    Applied, ApplyRequest, ApplyWalk, Exchange, Plan, PlanAnswer, PlanChange, PlanOptions, PlanRequest, PlanWalk,
    Presence, Recorder, StepTrace,
};
use planfuzz_core::plans::Mode;
use planfuzz_core::state::{DeposedKey, InstanceState, Status};

use super::{Command, Outside, OutsideEvents, Scenario, SimulatedRemote, Step, Walker};
use crate::guard::Panic;

/// The run of a scenario.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The steps that were played to their end.
    pub steps: Vec<StepTrace>,
    /// The walk in which it ended early, if it did.
    pub stopped: Option<Box<Stopped>>,
}

impl Trace {
    /// Whether the subject could not be asked even the first walk.
    pub fn is_unasked(&self) -> bool {
        let is_unasked = |stopped: &Stopped| stopped.plan.is_none() && matches!(stopped.halt, NoAnswer::LeftOut(_));
        self.steps.is_empty() && self.stopped.as_deref().is_some_and(is_unasked)
    }
}

/// A walk that got no answer, which ended the run.
#[derive(Clone, Debug)]
pub struct Stopped {
    /// The walk.
    pub walk: Walk,
    /// The plan walk of the step, if the run ended in the apply walk.
    pub plan: Option<PlanWalk>,
    /// The planner's calls before that.
    pub exchanges: Vec<Exchange>,
    /// How it ended.
    pub halt: NoAnswer,
}

/// A walk of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Walk {
    /// The plan walk.
    Plan,
    /// The apply walk.
    Apply,
}

/// Why a walk got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// The planner refused, as it should if the engine crashes.
    Refused(String),
    /// The planner panicked or died.
    Crashed {
        /// The place of the crash, without parts that change from run to run.
        site: String,
        /// The message of the crash.
        message: String,
    },
    /// The planner did not answer in time.
    OverBudget {
        /// The limit that was exceeded.
        limit: Duration,
    },
    /// The subject cannot be asked this walk; the text is the reason.
    LeftOut(String),
}

impl From<Panic> for NoAnswer {
    fn from(Panic { site, message }: Panic) -> NoAnswer {
        NoAnswer::Crashed { site, message }
    }
}

impl Walk {
    /// The name in messages and files.
    pub fn name(self) -> &'static str {
        match self {
            Walk::Plan => "plan",
            Walk::Apply => "apply",
        }
    }
}

impl Trace {
    /// Whether this run's planner refuses the walk in which another subject crashed.
    pub fn predicts(&self, crashed: &Trace) -> bool {
        let (Some(planned), Some(other)) = (self.stopped.as_deref(), crashed.stopped.as_deref()) else { return false };
        self.steps.len() == crashed.steps.len()
            && planned.walk == other.walk
            && matches!(planned.halt, NoAnswer::Refused(_))
            && matches!(other.halt, NoAnswer::Crashed { .. })
    }

    /// Why the subject could not be asked the walk in which the run ended, if it could not.
    pub fn left_out(&self) -> Option<&str> {
        match &self.stopped.as_deref()?.halt {
            NoAnswer::LeftOut(reason) => Some(reason),
            _ => None,
        }
    }

    /// Whether every step was played to its end.
    pub fn is_whole(&self) -> bool {
        self.stopped.is_none()
    }

    /// Whether an import happens while there are deposed objects: the imported object may be one of them, which then is imported and
    /// destroyed in one apply (WS9).
    pub fn imports_beside_deposed(&self) -> bool {
        let imports = |step: &StepTrace| step.plan.request.options.import.is_some();
        self.steps.iter().any(|step| imports(step) && !step.plan.request.state.deposed.is_empty())
    }

    /// Whether the last plan of an apply, by a provider of the legacy type system, left the prior object as it is (N15).
    pub fn dissolves(step: &StepTrace) -> bool {
        let exchanges = step.apply.iter().flat_map(|apply| &apply.exchanges);
        let mut plans = exchanges.filter_map(|exchange| match exchange {
            Exchange::Plan(request, answer) if !request.config.is_null() => Some((request, answer)),
            _ => None,
        });
        let is_prior = |(request, answer): (&PlanChange, &PlanAnswer)| {
            answer.legacy_type_system && !request.prior.is_null() && request.prior == answer.planned
        };
        plans.next_back().is_some_and(is_prior)
    }
}

/// Plays a scenario. The remote objects are those that the scenario has at the start.
pub fn play(scenario: &Scenario, walker: &mut dyn Walker, remote: &mut dyn SimulatedRemote) -> Trace {
    let mut player = Player::new(scenario);
    while let Some(ask) = player.ask(remote) {
        let mut recorder = Recorder::new(remote);
        match ask {
            Ask::Plan(request) => {
                let answer = walker.plan(request, &mut recorder);
                player.planned(recorder.into_exchanges(), answer);
            }
            Ask::Apply(request) => {
                let answer = walker.apply(request, &mut recorder);
                player.applied(recorder.into_exchanges(), answer);
            }
        }
    }
    player.into_trace()
}

/// The next request to a planner.
#[derive(Clone, Copy, Debug)]
pub enum Ask<'a> {
    /// A plan walk; [`Player::planned`] takes the answer.
    Plan(&'a PlanRequest),
    /// An apply walk; [`Player::applied`] takes the answer.
    Apply(&'a ApplyRequest),
}

/// Plays a scenario one walk at a time: [`Player::ask`] gives the next request, and the caller passes the answer in before it asks
/// again.
#[derive(Debug)]
pub struct Player<'a> {
    scenario: &'a Scenario,
    state: InstanceState,
    /// The configuration that the planner last got.
    seen: Option<Arc<Presence>>,
    pending: Option<Pending>,
    trace: Trace,
}

/// A walk that has no answer yet.
#[derive(Debug)]
enum Pending {
    Plan { changed_outside: bool, request: PlanRequest },
    Apply { changed_outside: bool, plan: Box<PlanWalk>, request: ApplyRequest },
}

impl<'a> Player<'a> {
    /// A player at the start of a scenario.
    pub fn new(scenario: &'a Scenario) -> Player<'a> {
        Player { scenario, state: scenario.state.clone(), seen: None, pending: None, trace: Trace::default() }
    }

    /// The next request, after the outside events before it; `None` when the run is over.
    pub fn ask(&mut self, remote: &mut (impl OutsideEvents + ?Sized)) -> Option<Ask<'_>> {
        if self.pending.is_none() {
            if self.trace.stopped.is_some() {
                return None;
            }
            let number = self.trace.steps.len();
            let step = self.scenario.steps.get(number)?;
            self.pending = Some(self.begin(number, step, remote));
        }
        self.pending.as_ref().map(|pending| match pending {
            Pending::Plan { request, .. } => Ask::Plan(request),
            Pending::Apply { request, .. } => Ask::Apply(request),
        })
    }

    /// The plan whose apply is the next request.
    pub fn plan(&self) -> Option<&PlanWalk> {
        match self.pending.as_ref()? {
            Pending::Apply { plan, .. } => Some(plan),
            Pending::Plan { .. } => None,
        }
    }

    /// Takes the answer to the plan request, with the calls to the provider.
    pub fn planned(&mut self, exchanges: Vec<Exchange>, answer: Result<Plan, NoAnswer>) {
        let Some(Pending::Plan { changed_outside, request }) = self.pending.take() else { return };
        let plan = match answer {
            Ok(plan) => PlanWalk { request, exchanges, plan },
            Err(halt) => return self.stop(Stopped { walk: Walk::Plan, plan: None, exchanges, halt }),
        };
        let Some(step) = self.scenario.steps.get(self.trace.steps.len()) else { return };
        // A74: an errored plan is not applied, and nothing of it is saved.
        if !step.command.applies() || plan.plan.is_errored() {
            self.trace.steps.push(StepTrace { changed_outside, plan, apply: None });
            return;
        }
        let presence = step.at_apply.as_ref().unwrap_or(&step.presence);
        self.seen = Some(presence.clone());
        let request = ApplyRequest {
            kind: self.scenario.kind,
            options: plan.request.options.clone(),
            state: plan.plan.refreshed.clone(),
            changes: plan.plan.changes.clone(),
            presence: Presence::clone(presence),
        };
        self.pending = Some(Pending::Apply { changed_outside, plan: Box::new(plan), request });
    }

    /// Takes the answer to the apply request, with the calls to the provider.
    pub fn applied(&mut self, exchanges: Vec<Exchange>, answer: Result<Applied, NoAnswer>) {
        let Some(Pending::Apply { changed_outside, plan, request }) = self.pending.take() else { return };
        match answer {
            Ok(applied) => {
                self.state = applied.state.clone();
                let apply = Some(ApplyWalk { request, exchanges, applied });
                self.trace.steps.push(StepTrace { changed_outside, plan: *plan, apply });
            }
            Err(halt) => self.stop(Stopped { walk: Walk::Apply, plan: Some(*plan), exchanges, halt }),
        }
    }

    /// The run so far.
    pub fn into_trace(self) -> Trace {
        self.trace
    }

    fn stop(&mut self, stopped: Stopped) {
        self.trace.stopped = Some(Box::new(stopped));
    }

    fn begin(&mut self, number: usize, step: &Step, remote: &mut (impl OutsideEvents + ?Sized)) -> Pending {
        for outside in &step.outside {
            self.happen(outside, remote);
        }
        let changed_outside = !step.outside.is_empty() || self.seen.as_ref().is_none_or(|seen| *seen != step.presence);
        self.seen = Some(step.presence.clone());
        let request = PlanRequest {
            kind: self.scenario.kind,
            mode: step.command.mode(),
            options: self.options(number, step),
            state: self.state.clone(),
            presence: Presence::clone(&step.presence),
        };
        Pending::Plan { changed_outside, request }
    }

    fn happen(&mut self, outside: &Outside, remote: &mut (impl OutsideEvents + ?Sized)) {
        let status = match outside {
            Outside::Taint => Status::Tainted,
            Outside::Untaint => Status::Ready,
            Outside::Drift { .. } | Outside::Vanish | Outside::Appear(_) => return remote.happen(outside),
        };
        if let Some(current) = &mut self.state.current {
            current.status = status;
        }
    }

    fn options(&self, number: usize, step: &Step) -> PlanOptions {
        let import = match &step.command {
            Command::Import { id } => Some(id.clone()),
            _ => None,
        };
        let super::StepOptions { skip_refresh, replace, moved_from, forget } = step.options.clone();
        PlanOptions { skip_refresh, replace, import, moved_from, forget, fresh_key: self.fresh_key(number) }
    }

    /// A02: a key that no deposed object has. It depends on the scenario alone, so all subjects get the same.
    fn fresh_key(&self, number: usize) -> DeposedKey {
        let keys = (number + 1..).filter_map(|number| DeposedKey::new(&format!("{number:08x}")));
        let fresh = |key: &DeposedKey| !self.state.deposed.contains_key(key);
        keys.into_iter().find(fresh).unwrap_or_default()
    }
}

impl Command {
    /// The mode of the plan.
    pub fn mode(&self) -> Mode {
        match self {
            Command::Plan | Command::Apply | Command::Import { .. } => Mode::Normal,
            Command::Refresh => Mode::RefreshOnly,
            Command::Destroy => Mode::Destroy,
        }
    }

    /// Whether the plan is applied.
    pub fn applies(&self) -> bool {
        *self != Command::Plan
    }
}
