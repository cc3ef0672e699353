//! Lives: scenarios played.

use std::sync::Arc;
use std::time::Duration;

use planfuzz_core::planner::{
    ApplyRequest, ApplyWalk, Exchange, PlanAnswer, PlanChange, PlanOptions, PlanRequest, PlanWalk, Presence, Recorder,
    StepTrace,
};
use planfuzz_core::plans::Mode;
use planfuzz_core::state::{DeposedKey, InstanceState, Status};

use super::{Command, Outside, Scenario, Step, Walker, World};
use crate::subject::Panic;

/// What came of a scenario.
#[derive(Clone, Debug, Default)]
pub struct Life {
    /// The steps that were played to their end.
    pub steps: Vec<StepTrace>,
    /// Where it ended early, if it did.
    pub stopped: Option<Box<Stopped>>,
}

/// A walk that came to no answer, so that the life ended in it.
#[derive(Clone, Debug)]
pub struct Stopped {
    /// The walk.
    pub walk: Walk,
    /// The plan walk of the step, where it ended in the apply walk.
    pub plan: Option<PlanWalk>,
    /// What the planner asked before.
    pub exchanges: Vec<Exchange>,
    /// How it ended.
    pub halt: Halt,
}

/// A walk of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Walk {
    /// The plan walk.
    Plan,
    /// The apply walk.
    Apply,
}

/// How a walk ends without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The planner refused, as it should where the engine crashes.
    Refused(String),
    /// It panicked or died.
    Crashed {
        /// Where, without what changes from run to run.
        site: String,
        /// What it said.
        message: String,
    },
    /// It did not answer in time.
    OverBudget {
        /// The limit that was passed.
        limit: Duration,
    },
}

impl From<Panic> for Halt {
    fn from(Panic { site, message }: Panic) -> Halt {
        Halt::Crashed { site, message }
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

impl Life {
    /// Whether every step was played to its end.
    pub fn is_whole(&self) -> bool {
        self.stopped.is_none()
    }

    /// Whether an import came upon deposed objects: what the user names may be one of them, which then is imported and destroyed
    /// in one apply (WS9).
    pub fn imports_beside_deposed(&self) -> bool {
        let imports = |step: &StepTrace| step.plan.request.options.import.is_some();
        self.steps.iter().any(|step| imports(step) && !step.plan.request.state.deposed.is_empty())
    }

    /// Whether the last plan of an apply was the prior object as it is, of a provider of the legacy type system (N15).
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

    /// What is stored after a step: what its apply saved, or what was there before.
    pub fn state_after(step: &StepTrace) -> &InstanceState {
        step.apply.as_ref().map_or(&step.plan.request.state, |apply| &apply.applied.state)
    }
}

/// Plays a scenario. The world is as the scenario has it at the start.
pub fn play(scenario: &Scenario, walker: &mut dyn Walker, world: &mut dyn World) -> Life {
    let mut player =
        Player { scenario, walker, world, state: scenario.state.clone(), seen: None, life: Life::default() };
    for (number, step) in scenario.steps.iter().enumerate() {
        match player.step(number, step) {
            Ok(trace) => player.life.steps.push(trace),
            Err(stopped) => {
                player.life.stopped = Some(stopped);
                break;
            }
        }
    }
    player.life
}

struct Player<'a> {
    scenario: &'a Scenario,
    walker: &'a mut dyn Walker,
    world: &'a mut dyn World,
    state: InstanceState,
    /// What was configured when the planner last looked.
    seen: Option<Arc<Presence>>,
    life: Life,
}

impl Player<'_> {
    fn step(&mut self, number: usize, step: &Step) -> Result<StepTrace, Box<Stopped>> {
        for outside in &step.outside {
            self.happen(outside);
        }
        let changed_outside = !step.outside.is_empty() || self.seen.as_ref().is_none_or(|seen| *seen != step.presence);
        self.seen = Some(step.presence.clone());
        let plan = self.plan(PlanRequest {
            kind: self.scenario.kind,
            mode: step.command.mode(),
            options: self.options(number, step),
            state: self.state.clone(),
            presence: Presence::clone(&step.presence),
        })?;
        // A74: an errored plan is not applied, and nothing of it is saved.
        if !step.command.applies() || plan.plan.is_errored() {
            return Ok(StepTrace { changed_outside, plan, apply: None });
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
        let (plan, apply) = self.apply(plan, request)?;
        self.state = apply.applied.state.clone();
        Ok(StepTrace { changed_outside, plan, apply: Some(apply) })
    }

    fn happen(&mut self, outside: &Outside) {
        let status = match outside {
            Outside::Taint => Status::Tainted,
            Outside::Untaint => Status::Ready,
            Outside::Drift { .. } | Outside::Vanish | Outside::Appear(_) => return self.world.happen(outside),
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

    /// A02: a key that no deposed object has; a function of the scenario, so that all subjects get the same.
    fn fresh_key(&self, number: usize) -> DeposedKey {
        let keys = (number + 1..).filter_map(|number| DeposedKey::new(&format!("{number:08x}")));
        let fresh = |key: &DeposedKey| !self.state.deposed.contains_key(key);
        keys.into_iter().find(fresh).unwrap_or_default()
    }

    fn plan(&mut self, request: PlanRequest) -> Result<PlanWalk, Box<Stopped>> {
        let mut recorder = Recorder::new(&mut *self.world);
        let answer = self.walker.plan(&request, &mut recorder);
        let exchanges = recorder.into_exchanges();
        match answer {
            Ok(plan) => Ok(PlanWalk { request, exchanges, plan }),
            Err(halt) => Err(Box::new(Stopped { walk: Walk::Plan, plan: None, exchanges, halt })),
        }
    }

    fn apply(&mut self, plan: PlanWalk, request: ApplyRequest) -> Result<(PlanWalk, ApplyWalk), Box<Stopped>> {
        let mut recorder = Recorder::new(&mut *self.world);
        let answer = self.walker.apply(&request, &mut recorder);
        let exchanges = recorder.into_exchanges();
        match answer {
            Ok(applied) => Ok((plan, ApplyWalk { request, exchanges, applied })),
            Err(halt) => Err(Box::new(Stopped { walk: Walk::Apply, plan: Some(plan), exchanges, halt })),
        }
    }
}

impl Command {
    /// What the plan is made for.
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
