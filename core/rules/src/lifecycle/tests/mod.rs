//! For each invariant a trace that keeps it and one that breaks it.

mod core_breaks;
mod edges;
mod parts;
mod provider_breaks;
mod runs;

use super::{BrokenInvariant, Checking, Claims, INVARIANTS, Lifecycle, Party, TraceReport};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Diagnostic, Exchange, PlanAnswer, PlanChange, Remark, Severity, StepTrace, summary,
};
use planfuzz_core::plans::Action;
use planfuzz_core::state::{Object, Private};
use planfuzz_core::value::{Value, WrittenPath};
use runs::*;

/// A trace that keeps an invariant, and a change that breaks it.
struct Fixture {
    name: &'static str,
    invariant: &'static str,
    run: fn() -> Vec<StepTrace>,
    spoil: fn(&mut Vec<StepTrace>),
}

const CLAIMS: Claims = Claims { idempotent: true, deterministic: true };

fn held_in(run: &[StepTrace], dialect: Dialect) -> TraceReport {
    Lifecycle::new(&schema(), dialect).check(run, CLAIMS)
}

fn held(run: &[StepTrace]) -> TraceReport {
    held_in(run, Dialect::TERRAFORM_1_11)
}

fn broken<'h>(held: &'h TraceReport, invariant: &str) -> Vec<&'h BrokenInvariant> {
    held.broken.iter().filter(|broken| broken.invariant == invariant).collect()
}

fn count(held: &TraceReport, invariant: &str) -> u64 {
    let index = INVARIANTS.iter().position(|info| info.id == invariant).expect("an invariant");
    held.checks[index]
}

impl Fixture {
    /// The trace as it is keeps the invariant; the changed one breaks it by the fault of one party.
    fn problem(&self, by: Party) -> Option<String> {
        let mut run = (self.run)();
        let good = held(&run);
        let is_wrong = |broken: &BrokenInvariant| broken.is_of_planner() || broken.invariant == self.invariant;
        if good.broken.iter().any(is_wrong) || count(&good, self.invariant) == 0 {
            return Some(format!("{}: good: {} checks, {:?}", self.name, count(&good, self.invariant), good.broken));
        }
        (self.spoil)(&mut run);
        let bad = held(&run);
        let found = broken(&bad, self.invariant);
        if !found.iter().any(|broken| broken.fault == by) {
            return Some(format!("{}: bad: {:?}", self.name, bad.broken));
        }
        if by == Party::Provider { reported_breach(&run, self.invariant).err() } else { None }
    }
}

/// A breach that Core is to report speaks against the planner until it reports it, and then no more.
fn reported_breach(run: &[StepTrace], invariant: &str) -> Result<(), String> {
    let bad = held(run);
    let found = broken(&bad, invariant)[0];
    let Some(summary) = found.reported_as else {
        return if found.is_of_planner() { Err(format!("without a report: {found:?}")) } else { Ok(()) };
    };
    if !found.is_of_planner() && !found.tolerated {
        return Err(format!("unreported, but not of the planner: {found:?}"));
    }
    let mut run = run.to_vec();
    let diagnostic = Diagnostic::error(summary, found.path.clone(), "");
    let step = &mut run[found.step];
    match (&mut step.apply, found.walk) {
        (Some(apply), super::Walk::Apply) => apply.applied.diagnostics.push(diagnostic),
        _ => step.plan.plan.diagnostics.push(diagnostic),
    }
    let again = held(&run);
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
fn right_traces_hold_and_spoiled_ones_break_their_invariant() {
    let problems: Vec<_> = fixtures().filter_map(|(fixture, by)| fixture.problem(by)).collect();
    assert!(problems.is_empty(), "{} of {}:\n{}", problems.len(), fixtures().count(), problems.join("\n"));
}

#[test]
fn every_invariant_that_is_held_has_a_trace_that_breaks_it() {
    let held = INVARIANTS.iter().filter(|info| info.checking == Checking::OverTraces).map(|info| info.id);
    let predicted = ["I56", "I57", "I58", "I59"];
    let has_trace = |id: &str| predicted.contains(&id) || fixtures().any(|(fixture, _)| fixture.invariant == id);
    let never: Vec<_> = held.filter(|id| !has_trace(id)).collect();
    assert!(never.is_empty(), "{never:?}");
}

fn predicted(run: &[StepTrace], dialect: Dialect) -> Vec<&'static str> {
    held_in(run, dialect).predicted.iter().map(|broken| broken.invariant).collect()
}

/// An update with an unusable answer, and the saved object after it.
fn update_answered(new_state: Option<Value>, spoil: impl FnOnce(&mut Option<Object>)) -> Vec<StepTrace> {
    let mut run = update();
    let apply = run[0].apply.as_mut().expect("an apply");
    apply_call(&mut apply.exchanges, 0).1.new_state = new_state;
    apply.applied.diagnostics.push(Diagnostic::error(summary::INVALID_OBJECT, WrittenPath::default(), ""));
    apply.applied.state.current = apply.request.state.current.clone();
    spoil(&mut apply.applied.state.current);
    run
}

#[test]
fn i56_is_predicted_where_the_engine_loses_the_object_and_broken_where_it_keeps_it() {
    let lost = update_answered(Some(Value::string("x")), |current| *current = None);
    assert_eq!(predicted(&lost, Dialect::TERRAFORM_1_11), ["I56"]);
    assert!(broken(&held(&lost), "I56").is_empty());
    assert!(predicted(&lost, Dialect::TERRAFORM_1_17).is_empty());
    assert_eq!(broken(&held_in(&lost, Dialect::TERRAFORM_1_17), "I56").len(), 1);
    let kept = update_answered(Some(Value::string("x")), |_| {});
    assert!(predicted(&kept, Dialect::TERRAFORM_1_11).is_empty());
    assert_eq!(count(&held(&kept), "I56"), 1);
}

#[test]
fn i57_is_predicted_where_a_failed_call_takes_the_private_data_along() {
    let lost = update_answered(None, |current| current.as_mut().expect("an object").private = Private::NONE);
    assert_eq!(predicted(&lost, Dialect::TERRAFORM_1_11), ["I57"]);
    let kept = update_answered(None, |_| {});
    assert!(predicted(&kept, Dialect::TERRAFORM_1_11).is_empty());
    assert_eq!(count(&held(&kept), "I57"), 1);
}

#[test]
fn i58_is_predicted_where_a_planned_read_holds_write_only_values() {
    let planned = |after: &str| {
        let mut run = data();
        run[0].plan.plan.changes.push(change(Action::Read, "null", after, ""));
        run
    };
    assert_eq!(predicted(&planned(CONFIG), Dialect::TERRAFORM_1_11), ["I58"]);
    assert!(predicted(&planned(MADE), Dialect::TERRAFORM_1_11).is_empty());
    assert_eq!(count(&held(&planned(MADE)), "I58"), 1);
}

#[test]
fn both_parties_have_traces_for_invariants_that_both_can_break() {
    for info in INVARIANTS.iter().filter(|info| info.fault.contains("core / provider")) {
        for by in [Party::Core, Party::Provider] {
            let has = fixtures().any(|(fixture, of)| fixture.invariant == info.id && of == by);
            assert!(has, "{} by {by:?}", info.id);
        }
    }
}

#[test]
fn i59_is_predicted_where_a_warning_keeps_a_deposed_object() {
    let warned = |is_destroyed: bool| {
        let mut run = deposed();
        let apply = run[0].apply.as_mut().expect("an apply");
        let Exchange::Upgrade(_, answer) = &mut apply.exchanges[0] else { panic!("an upgrade") };
        answer.remarks = vec![Remark { severity: Severity::Warning, summary: "odd".into() }];
        apply.applied.diagnostics.push(Diagnostic::warning("odd", WrittenPath::default(), ""));
        if !is_destroyed {
            apply.exchanges.truncate(1);
            apply.applied.state.deposed = apply.request.state.deposed.clone();
        }
        run
    };
    assert_eq!(predicted(&warned(false), Dialect::TERRAFORM_1_11), ["I59"]);
    assert!(predicted(&warned(true), Dialect::TERRAFORM_1_11).is_empty());
    assert_eq!(count(&held(&warned(true)), "I59"), 1);
    assert_eq!(count(&held(&deposed()), "I59"), 0);
}
