//! Scenarios, played side by side: a walk of each, then the next walk of each.

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{ApplyRequest, Exchange};
use planfuzz_core::provider::remote::ModelProvider;
use planfuzz_core::state::InstanceState;
use planfuzz_engine::{Came, Job, Protocol};

use super::{Driven, protocol_of};
use super::{omens, order};
use crate::case::lifecycle::{ProviderAnswer, ProviderRequest};
use crate::scenario::{Ask, Halt, Player, Scenario, Stage};
use crate::subject::{LeftOut, Outcome};

/// One life under way.
struct Played<'a> {
    index: usize,
    scenario: &'a Scenario,
    protocol: Protocol,
    world: ModelProvider,
    player: Player<'a>,
}

/// The outcomes of scenarios, each with the number that it came with.
pub(super) fn answer(engine: &mut Driven, scenarios: &[(usize, &Scenario)], dialect: Dialect) -> Vec<(usize, Outcome)> {
    let mut outcomes = Vec::with_capacity(scenarios.len());
    let mut stage = Stage::default();
    let mut lives = Vec::with_capacity(scenarios.len());
    for (index, scenario) in scenarios {
        match stage.set(scenario) {
            Ok(world) => lives.push(Played {
                index: *index,
                scenario,
                protocol: protocol_of(&scenario.model),
                world,
                player: Player::new(scenario),
            }),
            Err(_) => outcomes.push((*index, Outcome::LeftOut(LeftOut::Unplayable))),
        }
    }
    while walk(engine, dialect, &mut lives) {}
    outcomes.extend(lives.into_iter().map(|life| (life.index, Outcome::Life(Arc::new(life.player.into_life())))));
    outcomes
}

/// One walk of each life that is not over; says whether there was any.
fn walk(engine: &mut Driven, dialect: Dialect, lives: &mut [Played<'_>]) -> bool {
    let (mut planned, mut plans) = (Vec::new(), Vec::new());
    let (mut applied, mut applies) = (Vec::new(), Vec::new());
    for (at, life) in lives.iter_mut().enumerate() {
        let ask = life.player.ask(&mut life.world);
        let (schema, protocol) = (life.scenario.schema.clone(), life.protocol);
        match ask {
            Some(Ask::Plan(request)) => {
                let request = request.clone();
                let omen = omens::of_plan((&schema, dialect), &request, life.world.clone());
                planned.push(at);
                plans.push(Job { schema, protocol, request, provider: life.world.clone(), omen });
            }
            Some(Ask::Apply(request)) => {
                let request = request.clone();
                let omen = omens::of_apply((&schema, dialect), &request, life.world.clone());
                applied.push(at);
                applies.push(Job { schema, protocol, request, provider: life.world.clone(), omen });
            }
            None => {}
        }
    }
    let was_any = !planned.is_empty() || !applied.is_empty();
    for (index, (at, came)) in planned.into_iter().zip(engine.plan(&plans)).enumerate() {
        let life = &mut lives[at];
        let (exchanges, answer) = life.take(came);
        let Job { request, provider, .. } = &plans[index];
        let exchanges = order::of_plan(exchanges, request);
        let answer = life.in_order(dialect, &exchanges, (&request.state, provider), answer);
        life.player.planned(exchanges, answer);
    }
    for (index, (at, came)) in applied.into_iter().zip(engine.apply(&applies)).enumerate() {
        let life = &mut lives[at];
        let (exchanges, answer) = life.take(came);
        let Job { request: ApplyRequest { state, changes, .. }, provider, .. } = &applies[index];
        let exchanges = order::of_apply(exchanges, state, changes);
        let answer = life.in_order(dialect, &exchanges, (state, provider), answer);
        life.player.applied(exchanges, answer);
    }
    was_any
}

impl Played<'_> {
    /// Puts the calls to the provider once more, in the order of traces, where an engine may have made them otherwise: those about
    /// several objects side by side, and an upgrade that it repeats not at all. A provider that counts what it is asked may answer
    /// otherwise then, and there is nothing to compare.
    fn in_order<T>(
        &mut self,
        dialect: Dialect,
        exchanges: &[Exchange],
        (state, before): (&InstanceState, &ModelProvider),
        answer: Result<T, Halt>,
    ) -> Result<T, Halt> {
        let upgrades = exchanges.iter().filter(|exchange| matches!(exchange, Exchange::Upgrade(..))).count();
        if state.deposed.is_empty() && upgrades < 2 || answer.is_err() {
            return answer;
        }
        let ty = self.scenario.schema.implied_type(dialect);
        if order::are_alike(state) {
            return Err(Halt::LeftOut("the calls about objects that look alike cannot be told apart".to_owned()));
        }
        let mut world = before.clone();
        for exchange in exchanges {
            let again = ProviderRequest::of(exchange).put_to(&mut world);
            if again.to_form(&ty) != ProviderAnswer::of(exchange).to_form(&ty) {
                return Err(Halt::LeftOut("what the provider answers depends on the order of the calls".to_owned()));
            }
        }
        self.world = world;
        answer
    }

    /// What came of a walk as a player takes it; the world goes on from there.
    fn take<T>(&mut self, came: Came<T, ModelProvider>) -> (Vec<Exchange>, Result<T, Halt>) {
        match came {
            Came::Answer { answer, exchanges, provider } => {
                self.world = provider;
                (exchanges, Ok(answer))
            }
            Came::Crashed { site, message, exchanges } => (exchanges, Err(Halt::Crashed { site, message })),
            Came::OverBudget { limit } => (Vec::new(), Err(Halt::OverBudget { limit })),
            Came::LeftOut(reason) => (Vec::new(), Err(Halt::LeftOut(reason.to_string()))),
        }
    }
}
