//! Scenarios, run side by side: a walk of each, then the next walk of each.

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Applied, ApplyRequest, Exchange};
use planfuzz_core::state::InstanceState;
use planfuzz_engine::{AtOnce, Job, Protocol, WalkOutcome};
use planfuzz_pipelines::remote::ModelProvider;

use super::{Applies, Driven, protocol_of};
use super::{expectations, order};
use crate::case::lifecycle::{ProviderAnswer, ProviderRequest};
use crate::scenario::{Ask, NoAnswer, Player, Scenario, ScenarioProviders};
use crate::subject::{LeftOut, Outcome};

/// A run of a scenario under way.
struct Played<'a> {
    index: usize,
    scenario: &'a Scenario,
    protocol: Protocol,
    remote: ModelProvider,
    /// The provider as it was before the last plan.
    before: ModelProvider,
    player: Player<'a>,
}

/// The outcomes of scenarios, each with the index of its case.
pub(super) fn answer(engine: &mut Driven, scenarios: &[(usize, &Scenario)], dialect: Dialect) -> Vec<(usize, Outcome)> {
    let mut outcomes = Vec::with_capacity(scenarios.len());
    let mut providers = ScenarioProviders::default();
    let mut traces = Vec::with_capacity(scenarios.len());
    for (index, scenario) in scenarios {
        match providers.provider_of(scenario) {
            Ok(remote) => traces.push(Played {
                index: *index,
                scenario,
                protocol: protocol_of(&scenario.model),
                before: remote.clone(),
                remote,
                player: Player::new(scenario),
            }),
            Err(_) => outcomes.push((*index, Outcome::LeftOut(LeftOut::Unplayable))),
        }
    }
    while walk(engine, dialect, &mut traces) {}
    outcomes.extend(traces.into_iter().map(|trace| (trace.index, Outcome::Trace(Arc::new(trace.player.into_trace())))));
    outcomes
}

/// Does one walk of each run that is not over; returns whether there was any.
fn walk(engine: &mut Driven, dialect: Dialect, traces: &mut [Played<'_>]) -> bool {
    let (mut plans, mut applies, mut at_once) = (Asked::new(), Asked::new(), Asked::new());
    for (at, trace) in traces.iter_mut().enumerate() {
        let ask = trace.player.ask(&mut trace.remote);
        let (schema, protocol) = (trace.scenario.schema.clone(), trace.protocol);
        match ask {
            Some(Ask::Plan(request)) => {
                let request = request.clone();
                let expectation = expectations::of_plan((&schema, dialect), &request, trace.remote.clone());
                trace.before = trace.remote.clone();
                plans.add(at, Job { schema, protocol, request, provider: trace.remote.clone(), expectation });
            }
            Some(Ask::Apply(request)) => {
                let request = request.clone();
                let expectation = expectations::of_apply((&schema, dialect), &request, trace.remote.clone());
                match trace.player.plan().filter(|_| engine.applies == Applies::AtOnce) {
                    None => {
                        applies.add(at, Job { schema, protocol, request, provider: trace.remote.clone(), expectation })
                    }
                    Some(walk) => {
                        let (plan, asked) = (walk.request.clone(), walk.exchanges.clone());
                        let request =
                            AtOnce { plan, asked, diagnostics: walk.plan.diagnostics.clone(), apply: request };
                        at_once.add(at, Job { schema, protocol, request, provider: trace.before.clone(), expectation });
                    }
                }
            }
            None => {}
        }
    }
    let was_any = !(plans.jobs.is_empty() && applies.jobs.is_empty() && at_once.jobs.is_empty());
    for (at, job, walk_outcome) in plans.put(|jobs| engine.plan(jobs)) {
        let trace = &mut traces[at];
        let (exchanges, answer) = trace.take(walk_outcome);
        let exchanges = order::of_plan(exchanges, &job.request);
        let answer = trace.in_order(dialect, &exchanges, (&job.request.state, &job.provider), answer);
        trace.player.planned(exchanges, answer);
    }
    for (at, job, walk_outcome) in applies.put(|jobs| engine.apply(jobs)) {
        traces[at].applied(dialect, &job.request, job.provider, walk_outcome);
    }
    for (at, job, walk_outcome) in at_once.put(|jobs| engine.apply_at_once(jobs)) {
        let planned = traces[at].remote.clone();
        traces[at].applied(dialect, &job.request.apply, planned, walk_outcome);
    }
    was_any
}

/// The jobs of several runs, each with the index of its run.
struct Asked<R> {
    traces: Vec<usize>,
    jobs: Vec<Job<R, ModelProvider>>,
}

impl<R> Asked<R> {
    fn new() -> Asked<R> {
        Asked { traces: Vec::new(), jobs: Vec::new() }
    }

    fn add(&mut self, trace: usize, job: Job<R, ModelProvider>) {
        self.traces.push(trace);
        self.jobs.push(job);
    }

    /// Gives the jobs to the engine; returns each with its run and its outcome.
    fn put<T>(
        self,
        ask: impl FnOnce(&[Job<R, ModelProvider>]) -> Vec<WalkOutcome<T, ModelProvider>>,
    ) -> impl Iterator<Item = (usize, Job<R, ModelProvider>, WalkOutcome<T, ModelProvider>)> {
        let walk_outcome = ask(&self.jobs);
        self.traces
            .into_iter()
            .zip(self.jobs)
            .zip(walk_outcome)
            .map(|((trace, job), walk_outcome)| (trace, job, walk_outcome))
    }
}

impl Played<'_> {
    /// Records the end of an apply walk; `provider` is the one that the plan left.
    fn applied(
        &mut self,
        dialect: Dialect,
        request: &ApplyRequest,
        provider: ModelProvider,
        walk_outcome: WalkOutcome<Applied, ModelProvider>,
    ) {
        let (exchanges, answer) = self.take(walk_outcome);
        let exchanges = order::of_apply(exchanges, &request.state, &request.changes);
        let answer = self.in_order(dialect, &exchanges, (&request.state, &provider), answer);
        self.player.applied(exchanges, answer);
    }

    /// Makes the calls to the provider once more, in the order of traces, if the engine may have made them in another order: calls
    /// about several objects run side by side, and a repeated upgrade may be omitted. If the answers of the provider differ then,
    /// they depend on the order, and the run is left out.
    fn in_order<T>(
        &mut self,
        dialect: Dialect,
        exchanges: &[Exchange],
        (state, before): (&InstanceState, &ModelProvider),
        answer: Result<T, NoAnswer>,
    ) -> Result<T, NoAnswer> {
        let upgrades = exchanges.iter().filter(|exchange| matches!(exchange, Exchange::Upgrade(..))).count();
        if state.deposed.is_empty() && upgrades < 2 || answer.is_err() {
            return answer;
        }
        let ty = self.scenario.schema.implied_type(dialect);
        if order::are_alike(state) {
            return Err(NoAnswer::LeftOut("the calls about objects that look alike cannot be told apart".to_owned()));
        }
        let mut remote = before.clone();
        for exchange in exchanges {
            let again = ProviderRequest::of(exchange).put_to(&mut remote);
            if again.to_form(&ty) != ProviderAnswer::of(exchange).to_form(&ty) {
                return Err(NoAnswer::LeftOut(
                    "what the provider answers depends on the order of the calls".to_owned(),
                ));
            }
        }
        self.remote = remote;
        answer
    }

    /// The result of a walk for the player; sets the provider to the one that the walk left.
    fn take<T>(&mut self, walk_outcome: WalkOutcome<T, ModelProvider>) -> (Vec<Exchange>, Result<T, NoAnswer>) {
        match walk_outcome {
            WalkOutcome::Answer { answer, exchanges, provider } => {
                self.remote = provider;
                (exchanges, Ok(answer))
            }
            WalkOutcome::Crashed { site, message, exchanges } => (exchanges, Err(NoAnswer::Crashed { site, message })),
            WalkOutcome::OverBudget { limit } => (Vec::new(), Err(NoAnswer::OverBudget { limit })),
            WalkOutcome::LeftOut(reason) => (Vec::new(), Err(NoAnswer::LeftOut(reason.to_string()))),
        }
    }
}
