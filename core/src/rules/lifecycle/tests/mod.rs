//! For each invariant a life that holds it and one that breaks it.

mod core_breaks;
mod lives;
mod provider_breaks;

use super::{BrokenInvariant, Claims, Held, HeldLife, INVARIANTS, Lifecycle, Party};
use crate::dialect::Dialect;
use crate::planner::{ApplyAnswer, ApplyChange, Diagnostic, Exchange, PlanAnswer, PlanChange, StepTrace};
use lives::*;

/// A life that holds an invariant, and what makes it break it.
struct Fixture {
    name: &'static str,
    invariant: &'static str,
    life: fn() -> Vec<StepTrace>,
    spoil: fn(&mut Vec<StepTrace>),
}

const CLAIMS: Claims = Claims { idempotent: true, deterministic: true };

fn held_in(life: &[StepTrace], dialect: Dialect) -> HeldLife {
    Lifecycle::new(&schema(), dialect).check(life, CLAIMS)
}

fn held(life: &[StepTrace]) -> HeldLife {
    held_in(life, Dialect::TERRAFORM_1_11)
}

fn broken<'h>(held: &'h HeldLife, invariant: &str) -> Vec<&'h BrokenInvariant> {
    held.broken.iter().filter(|broken| broken.invariant == invariant).collect()
}

fn count(held: &HeldLife, invariant: &str) -> u64 {
    let index = INVARIANTS.iter().position(|info| info.id == invariant).expect("an invariant");
    held.checks[index]
}

impl Fixture {
    /// The life as it is holds the invariant, spoiled it breaks it by the fault of one party.
    fn problem(&self, by: Party) -> Option<String> {
        let mut life = (self.life)();
        let good = held(&life);
        let is_wrong = |broken: &BrokenInvariant| broken.is_of_planner() || broken.invariant == self.invariant;
        if good.broken.iter().any(is_wrong) || count(&good, self.invariant) == 0 {
            return Some(format!("{}: good: {} checks, {:?}", self.name, count(&good, self.invariant), good.broken));
        }
        (self.spoil)(&mut life);
        let bad = held(&life);
        let found = broken(&bad, self.invariant);
        if !found.iter().any(|broken| broken.fault == by) {
            return Some(format!("{}: bad: {:?}", self.name, bad.broken));
        }
        if by == Party::Provider { reported_breach(&life, self.invariant).err() } else { None }
    }
}

/// A breach that Core is to report speaks against the planner until it reports it, and then no more.
fn reported_breach(life: &[StepTrace], invariant: &str) -> Result<(), String> {
    let bad = held(life);
    let found = broken(&bad, invariant)[0];
    let Some(summary) = found.reported_as else {
        return if found.is_of_planner() { Err(format!("of nobody's report: {found:?}")) } else { Ok(()) };
    };
    if !found.is_of_planner() && !found.tolerated {
        return Err(format!("unreported, but not of the planner: {found:?}"));
    }
    let mut life = life.to_vec();
    let diagnostic = Diagnostic::error(summary, found.path.clone(), "");
    let step = &mut life[found.step];
    match (&mut step.apply, found.walk) {
        (Some(apply), super::Walk::Apply) => apply.applied.diagnostics.push(diagnostic),
        _ => step.plan.plan.diagnostics.push(diagnostic),
    }
    let again = held(&life);
    match broken(&again, invariant).first() {
        Some(found) if found.is_reported && found.is_of_planner() == found.tolerated => Ok(()),
        other => Err(format!("reported: {other:?}")),
    }
}

fn plan_call(exchanges: &mut [Exchange], nth: usize) -> (&mut PlanChange, &mut PlanAnswer) {
    let plans = exchanges.iter_mut().filter_map(|exchange| match exchange {
        Exchange::Plan(request, answer) => Some((request, answer)),
        _ => None,
    });
    plans.into_iter().nth(nth).expect("a plan call")
}

fn apply_call(exchanges: &mut [Exchange], nth: usize) -> (&mut ApplyChange, &mut ApplyAnswer) {
    let applies = exchanges.iter_mut().filter_map(|exchange| match exchange {
        Exchange::Apply(request, answer) => Some((request, answer)),
        _ => None,
    });
    applies.into_iter().nth(nth).expect("an apply call")
}

fn fixtures() -> impl Iterator<Item = (&'static Fixture, Party)> {
    let of_core = core_breaks::FIXTURES.iter().map(|fixture| (fixture, Party::Core));
    of_core.chain(provider_breaks::FIXTURES.iter().map(|fixture| (fixture, Party::Provider)))
}

#[test]
fn right_lives_hold_and_spoiled_ones_break_their_invariant() {
    let problems: Vec<_> = fixtures().filter_map(|(fixture, by)| fixture.problem(by)).collect();
    assert!(problems.is_empty(), "{} of {}:\n{}", problems.len(), fixtures().count(), problems.join("\n"));
}

#[test]
fn every_invariant_that_is_held_has_a_life_that_breaks_it() {
    let held = INVARIANTS.iter().filter(|info| info.held == Held::OverTraces).map(|info| info.id);
    let never: Vec<_> = held.filter(|id| !fixtures().any(|(fixture, _)| fixture.invariant == *id)).collect();
    assert!(never.is_empty(), "{never:?}");
}

#[test]
fn both_parties_have_lives_for_what_both_can_break() {
    for info in INVARIANTS.iter().filter(|info| info.fault.contains("core / provider")) {
        for by in [Party::Core, Party::Provider] {
            let has = fixtures().any(|(fixture, of)| fixture.invariant == info.id && of == by);
            assert!(has, "{} by {by:?}", info.id);
        }
    }
}
