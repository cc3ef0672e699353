//! The properties of scenario runs: relations that must hold between the runs of related scenarios.
//!
//! A scenario is played, and so is one that is derived from it: the same once more, one with idle steps at its end, one with an
//! unused attribute, one in which everything has another name. The parts that both runs have in common must be equal. So a
//! property needs no second planner, and finds mistakes that two planners share. It applies only if the derived scenario can be made
//! and its provider answers equal requests equally; only then it counts as a check. A planner that answers the scenario and crashes or
//! takes too long in the derived one breaks the property. The derived scenario is a function of the case alone.

mod idle;
mod related;
mod renamed;
mod replayed;
mod unused;

use std::cell::OnceCell;

use planfuzz_core::json::Json;
use planfuzz_core::planner::Planner;

use crate::case::scenario::{NoAnswer, Scenario, ScenarioProviders, Trace, Walker, play};
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
    check: fn(&Subject<'_>) -> PropertyResult,
}

/// The result of a property: `None` if it does not apply to the case, an error that describes how it is broken.
type PropertyResult = Option<Result<(), String>>;

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
    // A crash or timeout here is a finding of another oracle.
    let Some(trace) = trace_of(&mut &*prepared, scenario).filter(|trace| unanswered(trace).is_none()) else {
        return checked;
    };
    let subject = Subject { planner, case, scenario, trace, document: OnceCell::new() };
    for TracePropertyInfo { id, check, .. } in ALL {
        let Some(held) = check(&subject) else { continue };
        checked.applied.push(id);
        checked.broken.extend(held.err().map(|message| (id, message)));
    }
    checked
}

/// The run of a scenario, however it ends.
fn trace_of(walker: &mut dyn Walker, scenario: &Scenario) -> Option<Trace> {
    let mut provider = ScenarioProviders::default().provider_of(scenario).ok()?;
    Some(play(scenario, walker, &mut provider))
}

/// How a run ended without an answer; `None` if the planner answered or refused.
fn unanswered(trace: &Trace) -> Option<&NoAnswer> {
    let halt = trace.stopped.as_deref().map(|stopped| &stopped.halt);
    halt.filter(|halt| !matches!(halt, NoAnswer::Refused(_)))
}

/// The run of a derived scenario, which `what` names; the error is a breach, as the planner answered the scenario itself. `None` if the
/// subject could not be asked.
fn answered(what: &str, trace: Trace) -> Option<Result<Trace, String>> {
    match unanswered(&trace) {
        None => Some(Ok(trace)),
        Some(NoAnswer::Crashed { site, message }) => Some(Err(format!("{what}, it crashes at {site}: {message}"))),
        Some(NoAnswer::OverBudget { limit }) => Some(Err(format!("{what}, it gives no answer within {limit:?}"))),
        Some(NoAnswer::LeftOut(_) | NoAnswer::Refused(_)) => None,
    }
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
    /// The run of a derived scenario with the same planner, which reads the schema anew; see [`answered`].
    fn trace_of(&self, what: &str, scenario: &Scenario) -> Option<Result<Trace, String>> {
        let prepared = self.planner.prepare(&scenario.schema, self.case.dialect);
        answered(what, trace_of(&mut &*prepared, scenario)?)
    }
}

/// The operation of every property of runs.
pub const OP: Op = Op::Scenario;

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use planfuzz_core::dialect::Dialect;
    use planfuzz_core::planner::{Applied, ApplyRequest, Plan, PlanRequest, Prepared, Provider, Refusal, Violation};
    use planfuzz_core::schema::Schema;
    use planfuzz_core::value::Value;
    use planfuzz_reference::Reference;

    use super::*;
    use crate::case::CaseFile;

    /// The reference planner, which crashes in every run after the first.
    #[derive(Default)]
    struct Tired(AtomicBool);

    impl Planner for Tired {
        fn name(&self) -> &str {
            "tired"
        }

        fn prepare<'s>(&self, schema: &'s Schema, dialect: Dialect) -> Box<dyn Prepared + 's> {
            let is_tired = self.0.swap(true, Ordering::Relaxed);
            if is_tired { Box::new(Crashing) } else { Reference.prepare(schema, dialect) }
        }
    }

    struct Crashing;

    impl Prepared for Crashing {
        fn proposed_new(&self, _: &Value, _: &Value) -> Result<Value, Refusal> {
            panic!("tired")
        }

        fn planned_data_resource(&self, _: &Value) -> Result<Value, Refusal> {
            panic!("tired")
        }

        fn assert_plan_valid(&self, _: &Value, _: &Value, _: &Value) -> Result<Vec<Violation>, Refusal> {
            panic!("tired")
        }

        fn assert_object_compatible(&self, _: &Value, _: &Value) -> Result<Vec<Violation>, Refusal> {
            panic!("tired")
        }

        fn normalize_legacy(&self, _: &Value) -> Result<Value, Refusal> {
            panic!("tired")
        }

        fn prepare_computed_blocks(&self, _: &Value) -> Result<Value, Refusal> {
            panic!("tired")
        }

        fn plan(&self, _: &PlanRequest, _: &mut dyn Provider) -> Result<Plan, Refusal> {
            panic!("tired")
        }

        fn apply(&self, _: &ApplyRequest, _: &mut dyn Provider) -> Result<Applied, Refusal> {
            panic!("tired")
        }
    }

    #[test]
    fn a_crash_in_a_derived_run_breaks_every_property() {
        let text = r#"{"format":1,"dialect":"terraform-1.11","op":"scenario","schema":{"block":{"attributes":{
            "id":{"type":"string","computed":true},"a":{"type":"string","optional":true}}}},
            "model":{"style":"framework"},
            "steps":[{"command":"apply","presence":{"config":{"id":null,"a":"1"}}}]}"#;
        let case = CaseFile::from_json(&Json::parse(text).expect("a document")).expect("a case").case;
        let held = check(&Reference, &case);
        assert!(held.broken.is_empty(), "{:?}", held.broken);
        let broken = check(&Tired::default(), &case).broken;
        assert!(broken.iter().map(|(property, _)| *property).eq(ALL.iter().map(|property| property.id)), "{broken:?}");
        assert!(broken.iter().all(|(_, message)| message.contains("it crashes at ")), "{broken:?}");
    }
}
