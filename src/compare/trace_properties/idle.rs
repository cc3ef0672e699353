//! LP02: a step that changes nothing outside is idempotent.
//!
//! Two idle steps follow the last step: without outside events, the same configuration is planned and then planned and applied. The
//! second plan must equal the first. If it has nothing to do, its apply must not call the provider to apply and must leave the state.

use planfuzz_core::planner::{Exchange, PlanWalk, Presence, StepTrace};
use planfuzz_core::plans::Action;
use planfuzz_core::value::Type;
use planfuzz_pipelines::well_behaved::is_deterministic;

use super::{PropertyResult, Subject, same_trace};
use crate::case::lifecycle::Form;
use crate::case::scenario::{Command, Scenario, Step, StepOptions, Trace};

pub(super) fn check(subject: &Subject<'_>) -> PropertyResult {
    let last = subject.scenario.steps.last()?;
    // The answers of the provider may depend on earlier requests.
    if !subject.trace.is_whole() || !is_deterministic(&subject.scenario.model) {
        return None;
    }
    let presence = last.at_apply.as_ref().unwrap_or(&last.presence);
    if !matches!(**presence, Presence::Configured(_)) {
        return None;
    }
    let idle = |command| Step {
        outside: Vec::new(),
        command,
        options: StepOptions::default(),
        presence: presence.clone(),
        at_apply: None,
    };
    let mut scenario: Scenario = subject.scenario.clone();
    scenario.steps.extend([idle(Command::Plan), idle(Command::Apply)]);
    let trace = match subject.trace_of("with idle steps at its end", &scenario)? {
        Ok(trace) => trace,
        Err(breach) => return Some(Err(breach)),
    };
    let [.., planned, applied] = trace.steps.as_slice() else { return None };
    if trace.steps.len() != scenario.steps.len() {
        return None;
    }
    let ty = subject.scenario.schema.implied_type(subject.case.dialect);
    if !answers_alike(&planned.plan.exchanges, &applied.plan.exchanges, &ty) {
        return None;
    }
    Some(same_plan(&planned.plan, &applied.plan).and_then(|()| nothing_done(applied)))
}

/// Whether a provider answers equal requests of two walks equally; it may number its answers.
fn answers_alike(first: &[Exchange], second: &[Exchange], ty: &Type) -> bool {
    let documents = |exchange: &Exchange| {
        let document = exchange.to_form(ty);
        (document.member("request").cloned(), document.member("answer").cloned())
    };
    first
        .iter()
        .map(documents)
        .zip(second.iter().map(documents))
        .all(|(one, other)| one.0 != other.0 || one.1 == other.1)
}

/// Expects two plans to be the same.
fn same_plan(first: &PlanWalk, second: &PlanWalk) -> Result<(), String> {
    let alone = |walk: &PlanWalk| StepTrace { changed_outside: false, plan: walk.clone(), apply: None };
    same("planned twice with nothing in between", alone(first), alone(second))
}

/// Expects two steps to have the same result.
fn same(what: &str, first: StepTrace, second: StepTrace) -> Result<(), String> {
    let alone = |step| Trace { steps: vec![step], stopped: None };
    same_trace(what, &alone(first), &alone(second))
}

/// Expects an apply to do nothing if its plan has nothing to do.
fn nothing_done(step: &StepTrace) -> Result<(), String> {
    let Some(apply) = &step.apply else { return Ok(()) };
    let plan = &step.plan.plan;
    let is_idle = plan.drift.is_none() && plan.changes.iter().all(|change| change.change.action == Action::NoOp);
    if !is_idle {
        return Ok(());
    }
    if apply.exchanges.iter().any(|exchange| matches!(exchange, Exchange::Apply(..))) {
        return Err("nothing is planned, and the provider is asked to apply something".to_owned());
    }
    let mut unchanged = step.clone();
    if let Some(apply) = &mut unchanged.apply {
        apply.applied.state = plan.refreshed.clone();
    }
    same("nothing is planned, and after the apply", unchanged, step.clone())
}
