//! What one planner does otherwise than another one, step by step.
//!
//! Problem: two planners are right if they make the same calls in the same order, and come to the same; but a planner tells an order, and
//! an order is no schedule. Idea: what the first did is written as a recorded run ([`as_recorded`]), in a schedule that its order allows, and
//! the second is put to the same calls and answers. So a difference in one step explains no other; and each is held to two schedules of
//! the other that are as unlike as can be.

use planfuzz_core::json::Json;
use planfuzz_workspace::run::{Difference, Exchange, Kind, Recorded, plan_json};
use planfuzz_workspace::{Applied, CallId, Diagnostic, Planned, Severity, State, Trace, WorkspacePlanner};

use crate::case::Command;
use crate::play::PlayedStep;

/// A schedule that the order of a trace allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// The calls as they are in the trace.
    AsMade,
    /// Of the calls that may start, always the last one of the trace.
    LastFirst,
}

/// What a planner did in a step, as a recorded run: another planner can be held to it.
///
/// # Errors
/// What no recorded run can hold.
pub fn as_recorded(step: &PlayedStep, schedule: Schedule) -> Result<Recorded, String> {
    let nothing = Trace::default();
    let traces = [&step.planned.trace, step.applied.as_ref().map_or(&nothing, |applied| &applied.trace)];
    let workspace = &step.workspace;
    let exchanges = traces.map(|trace| {
        let mut exchanges: Vec<Exchange> = schedule
            .places(trace)
            .into_iter()
            .zip(&trace.calls)
            .map(|(place, made)| {
                let times = (2 * place + 1, 2 * place + 2);
                Exchange::of(&made.call, &made.answer, times, &workspace.schemas, workspace.dialect)
            })
            .collect();
        exchanges.sort_by_key(|exchange| exchange.start);
        exchanges
    });
    Ok(Recorded {
        id: "step".to_owned(),
        workspace: workspace.clone(),
        applies: step.command == Command::Apply,
        exchanges,
        want: told(step)?,
        state: state_json(step, workspace.state.as_ref())?,
    })
}

impl Schedule {
    /// The place of each call.
    fn places(self, trace: &Trace) -> Vec<u64> {
        let count = trace.calls.len();
        if self == Schedule::AsMade {
            return (0..count as u64).collect();
        }
        let mut places = vec![0; count];
        let mut left: Vec<usize> = (0..count).collect();
        for place in 0..count as u64 {
            let is_free = |call: usize, left: &[usize]| {
                !left.iter().any(|other| *other != call && trace.must_precede(CallId(*other), CallId(call)))
            };
            let at = (0..left.len()).rev().find(|at| is_free(left[*at], &left)).unwrap_or(0);
            places[left.remove(at)] = place;
        }
        places
    }
}

fn state_json(step: &PlayedStep, state: Option<&State>) -> Result<Json, String> {
    let (schemas, dialect) = (&step.workspace.schemas, step.workspace.dialect);
    match state {
        None => Ok(Json::Null),
        Some(state) => state.to_json(schemas, dialect).map_err(|problem| problem.to_string()),
    }
}

/// What a recorded run wants of a step, but for the serial, which a planner has none of.
///
/// # Errors
/// What no engine can show.
pub fn told(step: &PlayedStep) -> Result<Json, String> {
    let (schemas, dialect) = (&step.workspace.schemas, step.workspace.dialect);
    let plan = match &step.planned.plan {
        None => Json::Null,
        Some(plan) => plan_json(plan, schemas, dialect)?,
    };
    let mut said = vec![("plan", diagnostics(&step.planned.diagnostics))];
    let mut exit = vec![("plan", Json::int(Planned::exit(&step.planned)))];
    if let Some(applied) = &step.applied {
        said.push(("apply", diagnostics(&applied.diagnostics)));
        exit.push(("apply", Json::int(Applied::exit(applied))));
    }
    Ok(Json::object([
        ("plan", plan),
        ("diagnostics", Json::object(said)),
        ("state", state_json(step, step.after())?),
        ("exit", Json::object(exit)),
    ]))
}

fn diagnostics(all: &[Diagnostic]) -> Json {
    let one = |diagnostic: &Diagnostic| {
        let severity = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
        let mut members = vec![("severity", Json::string(severity)), ("summary", Json::string(&diagnostic.summary))];
        members.extend(diagnostic.address.as_ref().map(|address| ("address", Json::string(address))));
        Json::object(members)
    };
    let mut all: Vec<&Diagnostic> = all.iter().collect();
    all.sort();
    Json::Array(all.into_iter().map(one).collect())
}

/// What a planner does otherwise than another one in a step.
pub fn between(
    first: (&dyn WorkspacePlanner, &PlayedStep),
    other: (&dyn WorkspacePlanner, &PlayedStep),
) -> Vec<Difference> {
    let unshown = |problem: String| vec![Difference { kind: Kind::Broken, text: problem }];
    let of = |step: &PlayedStep, schedule| as_recorded(step, schedule);
    let recorded = match of(first.1, Schedule::AsMade) {
        Ok(recorded) => recorded,
        Err(problem) => return unshown(problem),
    };
    let differences = recorded.replay(other.0).differences;
    if !differences.is_empty() {
        return differences;
    }
    let orders = |recorded: Recorded, planner: &dyn WorkspacePlanner| {
        let differences = recorded.replay(planner).differences;
        differences.into_iter().filter(|difference| difference.kind == Kind::Order).collect::<Vec<_>>()
    };
    let unlike = match of(first.1, Schedule::LastFirst) {
        Ok(recorded) => orders(recorded, other.0),
        Err(problem) => return unshown(problem),
    };
    if !unlike.is_empty() {
        return unlike;
    }
    match of(other.1, Schedule::LastFirst) {
        Ok(recorded) => orders(recorded, first.0),
        Err(problem) => unshown(problem),
    }
}
