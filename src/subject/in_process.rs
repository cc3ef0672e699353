//! Planners of this process as subjects.

use std::sync::Arc;
use std::time::{Duration, Instant};

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Planner, Prepared, Refusal, Request};
use planfuzz_language::expression::notation::{ExpressionOutcome, write_outcome};
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

use super::Subject;
use super::instance::answer_instance;
use super::language::{self, Language};
use super::outcome::{LeftOut, Outcome};
use super::vocabulary::answer_value_or_schema;
use super::workspace::PlannerOfWorkspaces;
use crate::case::{Call, Case, Op, Task};
use crate::guard::guard;
use crate::scenario::{Scenario, ScenarioProviders, play};

/// The time limit of one operation. A planner of this process cannot be stopped, so the limit is checked afterwards.
const LIMIT: Duration = Duration::from_secs(10);

/// A planner of this process.
pub struct InProcess {
    planner: Box<dyn Planner>,
    /// Whether operations are left out that all planners share.
    only_plans: bool,
    /// The evaluator of expressions that goes with it, if there is one.
    language: Option<Language>,
    /// The planner of workspaces that goes with it, if there is one.
    workspaces: Option<PlannerOfWorkspaces>,
}

impl InProcess {
    /// A subject of a planner.
    pub fn new(planner: impl Planner + 'static) -> InProcess {
        InProcess { planner: Box::new(planner), only_plans: false, language: None, workspaces: None }
    }

    /// The reference planner, with the expressions and workspaces that go with it.
    pub fn reference() -> InProcess {
        InProcess::new(Reference).with_language(language::walked).with_workspaces()
    }

    /// The optimized planner, with the expressions and workspaces that go with it.
    pub fn optimized() -> InProcess {
        InProcess::new(Optimized).with_language(language::compiled).with_workspaces()
    }

    /// The subject, asked only what each planner answers in its own way: shared operations are left to
    /// [`super::Shared`].
    #[must_use]
    pub fn only_plans(self) -> InProcess {
        InProcess { only_plans: true, ..self }
    }

    /// The subject, answering expressions too.
    #[must_use]
    pub fn with_language(self, language: Language) -> InProcess {
        InProcess { language: Some(language), ..self }
    }

    /// The subject, answering whole workspaces too if a planner of workspaces has its name.
    #[must_use]
    pub fn with_workspaces(self) -> InProcess {
        InProcess { workspaces: PlannerOfWorkspaces::of(self.planner.name()), ..self }
    }

    /// Answers cases that are prepared alike: the planner reads their schema once.
    fn answer_alike(&self, cases: &[Case]) -> Vec<Vec<Outcome>> {
        let Some((schema, dialect)) = cases.first().and_then(|case| Some((case.schema()?, case.dialect))) else {
            return cases.iter().map(|case| self.answer_apart(case)).collect();
        };
        match guard(|| self.planner.prepare(schema, dialect)) {
            Ok(prepared) => {
                let mut providers = ScenarioProviders::default();
                cases.iter().map(|case| answer_prepared(&*prepared, case, &mut providers)).collect()
            }
            Err(panic) => cases.iter().map(|case| vec![panic.clone().into(); case.ops().len()]).collect(),
        }
    }

    /// Answers operations that need no planner.
    fn answer_apart(&self, case: &Case) -> Vec<Outcome> {
        match &case.task {
            Task::Call(Call::Expression(call)) => vec![match self.language {
                Some(language) => Watch::start().hold(|| Ok(expression_outcome(language(call, case.dialect)))),
                None => Outcome::LeftOut(LeftOut::UnknownOp),
            }],
            Task::Call(Call::Workspace(case)) => vec![match self.workspaces {
                Some(workspaces) => Watch::start().hold(|| Ok(workspaces.answer(case))),
                None => self.not_offered(),
            }],
            Task::Call(Call::WorkspaceRun(call)) => vec![match self.workspaces {
                Some(workspaces) => Watch::start().hold(|| Ok(workspaces.replay(call))),
                None => self.not_offered(),
            }],
            Task::Call(_) if self.only_plans => vec![Outcome::LeftOut(LeftOut::NotAsked)],
            Task::Call(call) => {
                vec![guard(|| answer_value_or_schema(call, case.dialect)).unwrap_or_else(Outcome::from)]
            }
            Task::Merge(_) => Vec::new(),
        }
    }
}

impl InProcess {
    /// The outcome of an operation that the subject does not offer. With `only_plans`, other subjects answer it.
    fn not_offered(&self) -> Outcome {
        Outcome::LeftOut(if self.only_plans { LeftOut::NotAsked } else { LeftOut::UnknownOp })
    }
}

fn answer_prepared(prepared: &dyn Prepared, case: &Case, providers: &mut ScenarioProviders) -> Vec<Outcome> {
    match &case.task {
        Task::Call(Call::Instance(call)) => vec![Watch::start().hold(|| answer_instance(prepared, call, case.dialect))],
        Task::Call(Call::Scenario(scenario)) => vec![answer_scenario(prepared, scenario, providers)],
        Task::Merge(_) | Task::Call(_) => {
            let requests = case.ops().into_iter().filter_map(|op| case.request(op));
            let mut watch = Watch::start();
            requests.map(|request| watch.hold(|| prepared.answer(request).map(Outcome::of_answer))).collect()
        }
    }
}

fn answer_scenario(mut prepared: &dyn Prepared, scenario: &Scenario, providers: &mut ScenarioProviders) -> Outcome {
    match providers.provider_of(scenario) {
        Ok(mut provider) => Outcome::Trace(Arc::new(play(scenario, &mut prepared, &mut provider))),
        Err(_) => Outcome::LeftOut(LeftOut::Unplayable),
    }
}

impl Subject for InProcess {
    fn name(&self) -> &str {
        self.planner.name()
    }

    fn can(&self, op: Op, _: Dialect) -> bool {
        match op {
            Op::Expression => self.language.is_some(),
            Op::Workspace | Op::WorkspaceRun => self.workspaces.is_some(),
            op if self.only_plans => !op.is_shared(),
            op => !op.is_provider(),
        }
    }

    fn answers_with_shared_code(&self) -> bool {
        true
    }

    fn answer(&mut self, cases: &[Case]) -> Vec<Vec<Outcome>> {
        cases.chunk_by(Case::is_prepared_like).flat_map(|alike| self.answer_alike(alike)).collect()
    }

    fn planner(&self) -> Option<&dyn Planner> {
        Some(&*self.planner)
    }

    fn workspaces(&self) -> Option<PlannerOfWorkspaces> {
        self.workspaces
    }
}

/// Asks a prepared planner, with panics and an exceeded time limit as outcomes.
pub fn answer_request(prepared: &dyn Prepared, request: Request<'_>) -> Outcome {
    Watch::start().hold(|| prepared.answer(request).map(Outcome::of_answer))
}

/// Measures the time of each of several operations in a row, reading the clock once for each.
struct Watch(Instant);

impl Watch {
    fn start() -> Watch {
        Watch(Instant::now())
    }

    /// Runs `ask`. A panic, a refusal and an exceeded time limit are outcomes too; the time counts from the operation
    /// before.
    fn hold(&mut self, ask: impl FnOnce() -> Result<Outcome, Refusal>) -> Outcome {
        let outcome = match guard(ask) {
            Ok(answer) => answer.unwrap_or_else(|refusal| Outcome::Refused(refusal.to_string())),
            Err(panic) => Outcome::from(panic),
        };
        let now = Instant::now();
        let taken = now.duration_since(std::mem::replace(&mut self.0, now));
        if taken > LIMIT { Outcome::OverBudget { limit: LIMIT } } else { outcome }
    }
}

/// The outcome of an expression; one that is too large for the evaluator is left out.
fn expression_outcome(result: ExpressionOutcome) -> Outcome {
    match result {
        Err(summaries) if summaries.iter().any(|summary| summary == planfuzz_language_compiled::TOO_LARGE) => {
            Outcome::LeftOut(LeftOut::TooLarge)
        }
        result => Outcome::Want(write_outcome(&result)),
    }
}
