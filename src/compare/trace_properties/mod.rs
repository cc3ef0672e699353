//! The properties of scenario runs: relations that must hold between the runs of related scenarios.
//!
//! A scenario is played, and so is one that is derived from it: the same once more, one with idle steps at its end, one with an
//! unused attribute, one in which everything has another name. The parts that both runs have in common must be equal. So a
//! property needs no second planner, and finds mistakes that two planners share. It applies only if the derived scenario can be made
//! and its provider answers equal requests equally; only then it counts as a check. The derived scenario is a function of the case
//! alone.

mod idle;
mod related;
mod renamed;
mod replayed;
mod unused;

use std::cell::OnceCell;

use planfuzz_core::json::Json;
use planfuzz_core::planner::{Planner, Prepared};

use crate::case::scenario::{NoAnswer, Scenario, Stage, Trace, Walker, play};
use crate::case::{Case, Op};
use crate::compare::difference::Difference;
use crate::compare::trace::{View, compare_traces};

/// A property of runs, as listed to users.
#[derive(Clone, Copy)]
pub struct TracePropertyInfo {
    /// The id, such as `LP01`.
    pub id: &'static str,
    /// Its statement, in one line.
    pub summary: &'static str,
    check: fn(&Subject<'_>) -> Held,
}

/// The result of a property: `None` if it does not apply to the case, an error that describes how it is broken.
type Held = Option<Result<(), String>>;

/// All of them, in the order of their ids.
pub const ALL: [TracePropertyInfo; 4] = [
    TracePropertyInfo { id: "LP01", summary: "the same run planned twice is the same", check: replayed::check },
    TracePropertyInfo { id: "LP02", summary: "a step that changes nothing outside is idempotent", check: idle::check },
    TracePropertyInfo { id: "LP03", summary: "an attribute without references can be taken out", check: unused::check },
    TracePropertyInfo { id: "LP04", summary: "renaming everything changes nothing but names", check: renamed::check },
];

/// The result of checking the properties on a case.
#[derive(Clone, Debug, Default)]
pub struct CheckedTrace {
    /// The properties that applied to the case.
    pub applied: Vec<&'static str>,
    /// Those that are broken, each with the expected and the found.
    pub broken: Vec<(&'static str, String)>,
}

/// A scenario, a planner, and its run of the scenario.
struct Subject<'a> {
    planner: &'a dyn Planner,
    case: &'a Case,
    scenario: &'a Scenario,
    trace: Trace,
    /// See [`Subject::document`].
    document: OnceCell<Option<Json>>,
}

/// Checks every property that applies to a scenario, with one planner. Checks nothing if the case is not a scenario or cannot be
/// played.
pub fn check(planner: &dyn Planner, case: &Case) -> CheckedTrace {
    let mut checked = CheckedTrace::default();
    let Some(scenario) = case.scenario() else { return checked };
    let prepared = planner.prepare(&scenario.schema, case.dialect);
    let Some(trace) = played(&*prepared, scenario) else { return checked };
    let subject = Subject { planner, case, scenario, trace, document: OnceCell::new() };
    for TracePropertyInfo { id, check, .. } in ALL {
        let Some(held) = check(&subject) else { continue };
        checked.applied.push(id);
        checked.broken.extend(held.err().map(|message| (id, message)));
    }
    checked
}

/// The run of a scenario; `None` if it crashed or took too long, which is a finding of its own.
fn played(mut prepared: &dyn Prepared, scenario: &Scenario) -> Option<Trace> {
    trace_of(&mut prepared, scenario).filter(is_answered)
}

/// The run of a scenario, however it ends.
fn trace_of(walker: &mut dyn Walker, scenario: &Scenario) -> Option<Trace> {
    let mut provider = Stage::default().set(scenario).ok()?;
    Some(play(scenario, walker, &mut provider))
}

fn is_answered(trace: &Trace) -> bool {
    trace.stopped.as_deref().is_none_or(|stopped| matches!(stopped.halt, NoAnswer::Refused(_)))
}

/// Expects two runs to be the same, call by call.
fn same_trace(what: &str, expected: &Trace, found: &Trace) -> Result<(), String> {
    match compare_traces(expected, found, View::default()).difference {
        None => Ok(()),
        Some(Difference { class, path }) => {
            Err(format!("{what}, it differs at {path}: {}", class.name().replace('_', " ")))
        }
    }
}

impl Subject<'_> {
    /// The run of another scenario with the same planner, which reads the schema anew.
    fn trace_of(&self, scenario: &Scenario) -> Option<Trace> {
        played(&*self.planner.prepare(&scenario.schema, self.case.dialect), scenario)
    }
}

/// The operation of every property of runs.
pub const OP: Op = Op::Scenario;
