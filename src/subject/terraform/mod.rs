//! Real engines as subjects: Terraform and OpenTofu binaries.
//!
//! A batch of cases becomes a few runs of the binary: one walk of each case at a time, all cases side by side.

mod expectations;
mod expressions;
mod instances;
mod merges;
mod order;
mod scenarios;
mod unmarked;
mod workspaces;

use std::sync::atomic::AtomicBool;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Applied, ApplyRequest, Plan, PlanRequest, Provider};
use planfuzz_engine::process::{Binary, Runs};
use planfuzz_engine::{AtOnce, Engine, EngineError, Job, Protocol, WalkOutcome};
use planfuzz_pipelines::model::{Model, Style};

use super::outcome::{LeftOut, Outcome};
use super::workspace::PlannerOfWorkspaces;
use super::{Effort, Subject};
use crate::case::Shown;
use crate::case::{Call, Case, Op, Task};
use workspaces::Directories;

/// How many cases are answered at a time. Each run has a fixed cost, and the walks of some cases share their runs with no
/// others.
const BATCH_SIZE: u64 = 512;

/// The same for whole workspaces: each has several steps, and a run of many takes a second.
const WORKSPACES: u64 = 128;

/// The planner whose steps an engine is asked: the state that it leaves is where the next step begins.
const LEADER: &str = "reference";

/// A real engine.
pub struct Terraform {
    name: String,
    driven: Driven,
    dialect: Dialect,
    /// The operations that it is asked; all if empty.
    ops: Vec<Op>,
    /// The engine for whole workspaces; `None` if they are not asked.
    directories: Option<Directories>,
}

/// How an engine applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Applies {
    /// A plan file written by the suite, with any plan.
    #[default]
    Plans,
    /// The plan that it makes in the same run, without a plan file.
    AtOnce,
}

/// An engine, and the problem because of which it cannot be used any more, if any.
struct Driven {
    engine: Engine,
    applies: Applies,
    trouble: Option<String>,
}

impl Driven {
    fn plan<P: Provider + Clone + Send + 'static>(
        &mut self,
        jobs: &[Job<PlanRequest, P>],
    ) -> Vec<WalkOutcome<Plan, P>> {
        self.ask(jobs, Engine::plan)
    }

    fn apply<P: Provider + Clone + Send + 'static>(
        &mut self,
        jobs: &[Job<ApplyRequest, P>],
    ) -> Vec<WalkOutcome<Applied, P>> {
        self.ask(jobs, Engine::apply)
    }

    fn apply_at_once<P: Provider + Clone + Send + 'static>(
        &mut self,
        jobs: &[Job<AtOnce, P>],
    ) -> Vec<WalkOutcome<Applied, P>> {
        self.ask(jobs, Engine::apply_at_once)
    }

    fn ask<R, T, P>(
        &mut self,
        jobs: &[Job<R, P>],
        walk: impl FnOnce(&mut Engine, &[Job<R, P>]) -> Result<Vec<WalkOutcome<T, P>>, EngineError>,
    ) -> Vec<WalkOutcome<T, P>> {
        if jobs.is_empty() {
            return Vec::new();
        }
        if self.trouble.is_none() {
            match walk(&mut self.engine, jobs) {
                Ok(outcomes) => return outcomes,
                Err(problem) => self.trouble = Some(problem.to_string()),
            }
        }
        jobs.iter().map(|_| WalkOutcome::LeftOut(planfuzz_engine::LeftOut::Interrupted)).collect()
    }
}

impl Terraform {
    /// A subject of an engine that speaks a dialect.
    pub fn new(name: String, engine: Engine, dialect: Dialect) -> Terraform {
        Terraform {
            name,
            driven: Driven { engine, applies: Applies::Plans, trouble: None },
            dialect,
            ops: Vec::new(),
            directories: None,
        }
    }

    /// The subject, answering whole workspaces too, with this binary, until a flag is set.
    #[must_use]
    pub fn with_workspaces(self, binary: Binary, runs: Runs, stop: &'static AtomicBool) -> Terraform {
        Terraform { directories: Some(Directories::new(binary, runs, stop)), ..self }
    }

    /// The subject, applying in this way.
    #[must_use]
    pub fn that_applies(mut self, applies: Applies) -> Terraform {
        self.driven.applies = applies;
        self
    }

    /// The subject, answering these operations only. Operations of one merge still share their walks.
    #[must_use]
    pub fn narrowed_to(self, ops: &[Op]) -> Terraform {
        Terraform { ops: ops.to_vec(), ..self }
    }
}

impl Subject for Terraform {
    fn name(&self) -> &str {
        &self.name
    }

    fn signed(&self) -> String {
        self.driven.engine.version().to_string()
    }

    fn can(&self, op: Op, dialect: Dialect) -> bool {
        let is_walk = match op {
            Op::Scenario | Op::PlanInstance | Op::Expression => true,
            Op::Workspace | Op::WorkspaceRun => self.directories.is_some(),
            // Such a case does not have the plan that it follows.
            Op::ApplyInstance => self.driven.applies == Applies::Plans,
            _ => false,
        };
        let is_wanted = self.ops.is_empty() || self.ops.contains(&op);
        dialect == self.dialect && is_wanted && (is_walk || merges::can(op))
    }

    fn shows(&self) -> Shown {
        Shown::Observed
    }

    fn trouble(&self) -> Option<String> {
        self.driven.trouble.clone().or_else(|| self.directories.as_ref()?.trouble())
    }

    /// A few runs' worth of each kind of walk.
    fn batch_size(&self) -> u64 {
        match !self.ops.is_empty() && self.ops.iter().all(|op| op.is_of_workspaces()) {
            true => WORKSPACES,
            false => BATCH_SIZE,
        }
    }

    fn effort(&self) -> Effort {
        let planfuzz_engine::Effort { runs, asked, cpu } = self.driven.engine.effort();
        let mut effort = Effort { runs, asked, alone: 0, cpu };
        if let Some(directories) = &self.directories {
            effort.add(directories.effort());
        }
        effort
    }

    fn answer(&mut self, cases: &[Case]) -> Vec<Vec<Outcome>> {
        let mut outcomes: Vec<Vec<Outcome>> =
            cases.iter().map(|case| vec![self.left_out(case); case.ops().len()]).collect();
        let (mut traces, mut instances, mut merges) = (Vec::new(), Vec::new(), Vec::new());
        let (mut expressions, mut whole, mut recorded) = (Vec::new(), Vec::new(), Vec::new());
        let is_asked = |case: &Case| case.ops().into_iter().any(|op| self.can(op, case.dialect));
        for (index, case) in cases.iter().enumerate().filter(|(_, case)| is_asked(case)) {
            match &case.task {
                Task::Call(Call::Scenario(scenario)) => traces.push((index, &**scenario)),
                Task::Call(Call::Instance(call)) => instances.push((index, &**call)),
                Task::Merge(_) | Task::Call(Call::Merge(_)) => merges.push((index, case)),
                Task::Call(Call::Expression(call)) => expressions.push((index, call)),
                Task::Call(Call::Workspace(case)) => whole.push((index, &**case)),
                Task::Call(Call::WorkspaceRun(call)) => recorded.push((index, call)),
                Task::Call(_) => {}
            }
        }
        for (index, outcome) in scenarios::answer(&mut self.driven, &traces, self.dialect) {
            outcomes[index] = vec![outcome];
        }
        for (index, outcome) in instances::answer(&mut self.driven, &instances, self.dialect) {
            outcomes[index] = vec![outcome];
        }
        for (index, outcome) in expressions::answer(&mut self.driven, &expressions) {
            outcomes[index] = vec![outcome];
        }
        if let (Some(directories), Some(leader)) = (&mut self.directories, PlannerOfWorkspaces::of(LEADER)) {
            for (index, outcome) in directories.cases(&whole, leader) {
                outcomes[index] = vec![outcome];
            }
            for (index, call) in recorded {
                outcomes[index] = vec![directories.run(call)];
            }
        }
        for (index, answers) in merges::answer(&mut self.driven, &merges, (self.dialect, &self.ops)) {
            outcomes[index] = answers;
        }
        outcomes
    }
}

impl Terraform {
    fn left_out(&self, case: &Case) -> Outcome {
        let is_ours = case.dialect == self.dialect;
        Outcome::LeftOut(if is_ours { LeftOut::UnknownOp } else { LeftOut::OtherDialect })
    }
}

/// The protocol version of a model's provider: 5 for the classic SDK, 6 for the framework.
fn protocol_of(model: &Model) -> Protocol {
    match model.style {
        Style::Framework { .. } => Protocol::Six,
        Style::Sdk { .. } => Protocol::Five,
    }
}
