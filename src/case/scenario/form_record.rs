//! Runs of scenarios in JSON as vectors record them (formats.md, "Scenarios").
//!
//! The requests of each walk follow from the scenario and from the answers to the walks before, so they are not written: the reader
//! passes the recorded answers to a [`Player`], which makes the requests again.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{Applied, ApplyWalk, Diagnostic, Exchange, Plan, PlanWalk, StepTrace};
use planfuzz_core::value::Type;

use super::form_trace::{put_halt, read_halt, read_walk};
use super::trace::{NoAnswer, Player, Stopped, Trace, Walk};
use super::{Outside, OutsideEvents, Scenario};
use crate::case::lifecycle::{Form, Members};

impl Trace {
    /// The form in which a vector records the run.
    pub fn to_record(&self, ty: &Type) -> Json {
        let Trace { steps, stopped } = self;
        let steps = steps.iter().map(|StepTrace { changed_outside: _, plan, apply }| {
            let mut members = Members::default();
            members.put("plan", plan_record(plan, ty));
            if let Some(ApplyWalk { request: _, exchanges, applied }) = apply {
                let applied = Applied { diagnostics: without_rules(&applied.diagnostics), ..applied.clone() };
                members.put("apply", walk_record(exchanges, ("applied", &applied), ty));
            }
            members.into_json()
        });
        let mut members = Members::default();
        members.put("steps", Json::Array(steps.collect()));
        if let Some(stopped) = stopped {
            let Stopped { walk, plan, exchanges, halt } = &**stopped;
            let mut of_end = Members::default();
            of_end.text("walk", walk.name());
            if let Some(plan) = plan {
                of_end.put("plan", plan_record(plan, ty));
            }
            of_end.forms("exchanges", exchanges, ty);
            put_halt(&mut of_end, halt);
            members.put("stopped", of_end.into_json());
        }
        members.into_json()
    }

    /// Reads the wanted outcome of a vector: a run with its requests, or a record of one.
    ///
    /// # Errors
    /// As [`Trace::from_record`].
    pub fn from_want(json: &Json, scenario: &Scenario, ty: &Type) -> Result<Trace, JsonError> {
        if has_requests(json) { Trace::from_form(json, ty) } else { Trace::from_record(json, scenario, ty) }
    }

    /// Reads a vector's record of a run of this scenario.
    ///
    /// # Errors
    /// Anything that formats.md does not allow, and walks that are not those of the scenario.
    pub fn from_record(json: &Json, scenario: &Scenario, ty: &Type) -> Result<Trace, JsonError> {
        let mut reader = ObjectReader::new(json, "a recorded trace: \"steps\"")?;
        let steps = reader.required("steps", |json| json.read_items(|json| StepRecord::read(json, ty)))?;
        let stopped = reader.optional("stopped", |json| EndRecord::read(json, ty))?;
        reader.finish()?;
        let count = steps.len();
        let mut recorded = RecordedPlayer { player: Player::new(scenario), json };
        for StepRecord { plan, apply } in steps {
            recorded.plan(plan.exchanges, Ok(plan.answer))?;
            if let Some(apply) = apply {
                recorded.apply(apply.exchanges, Ok(apply.answer))?;
            }
        }
        if let Some(EndRecord { walk, plan, exchanges, halt }) = stopped {
            match (walk, plan) {
                (Walk::Plan, _) => recorded.plan(exchanges, Err(halt))?,
                (Walk::Apply, None) => return Err(json.unexpected("the plan of the apply that ended the trace")),
                (Walk::Apply, Some(plan)) => {
                    recorded.plan(plan.exchanges, Ok(plan.answer))?;
                    recorded.apply(exchanges, Err(halt))?;
                }
            }
        }
        let trace = recorded.player.into_trace();
        if trace.steps.len() == count { Ok(trace) } else { Err(json.unexpected("the apply of a plan that is applied")) }
    }
}

/// Whether a run is written with the requests of its walks.
fn has_requests(json: &Json) -> bool {
    let first = json.member("steps").and_then(|steps| steps.expect_array().ok()?.first());
    let step = first.or_else(|| json.member("stopped"));
    step.and_then(|step| step.member("plan")).is_some_and(|plan| plan.member("request").is_some())
}

fn plan_record(PlanWalk { request: _, exchanges, plan }: &PlanWalk, ty: &Type) -> Json {
    let plan = Plan { diagnostics: without_rules(&plan.diagnostics), ..plan.clone() };
    walk_record(exchanges, ("plan", &plan), ty)
}

/// Diagnostics without their rules, which are names of this suite.
fn without_rules(diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    diagnostics.iter().map(|diagnostic| Diagnostic { rule: "", ..diagnostic.clone() }).collect()
}

fn walk_record(exchanges: &[Exchange], (name, answer): (&'static str, &impl Form), ty: &Type) -> Json {
    let mut members = Members::default();
    members.forms("exchanges", exchanges, ty);
    members.put(name, answer.to_form(ty));
    members.into_json()
}

/// A walk without its request.
struct WalkRecord<T> {
    exchanges: Vec<Exchange>,
    answer: T,
}

impl<T: Form> WalkRecord<T> {
    fn read(json: &Json, name: &'static str, ty: &Type) -> Result<WalkRecord<T>, JsonError> {
        let mut reader = ObjectReader::new(json, "a recorded walk")?;
        let exchanges = reader.optional("exchanges", |json| Vec::from_form(json, ty))?.unwrap_or_default();
        let answer = reader.required(name, |json| T::from_form(json, ty))?;
        reader.finish()?;
        Ok(WalkRecord { exchanges, answer })
    }
}

/// A step without its requests.
struct StepRecord {
    plan: WalkRecord<Plan>,
    apply: Option<WalkRecord<Applied>>,
}

impl StepRecord {
    fn read(json: &Json, ty: &Type) -> Result<StepRecord, JsonError> {
        let mut reader = ObjectReader::new(json, "a step of a recorded trace")?;
        let plan = reader.required("plan", |json| WalkRecord::read(json, "plan", ty))?;
        let apply = reader.optional("apply", |json| WalkRecord::read(json, "applied", ty))?;
        reader.finish()?;
        Ok(StepRecord { plan, apply })
    }
}

/// The walk that ended a run, without its request.
struct EndRecord {
    walk: Walk,
    plan: Option<WalkRecord<Plan>>,
    exchanges: Vec<Exchange>,
    halt: NoAnswer,
}

impl EndRecord {
    fn read(json: &Json, ty: &Type) -> Result<EndRecord, JsonError> {
        let mut reader = ObjectReader::new(json, "the end of a recorded trace")?;
        let end = EndRecord {
            walk: reader.required("walk", read_walk)?,
            plan: reader.optional("plan", |json| WalkRecord::read(json, "plan", ty))?,
            exchanges: reader.optional("exchanges", |json| Vec::from_form(json, ty))?.unwrap_or_default(),
            halt: read_halt(&mut reader)?,
        };
        reader.finish()?;
        Ok(end)
    }
}

/// A player that gets the recorded answers.
struct RecordedPlayer<'a> {
    player: Player<'a>,
    json: &'a Json,
}

impl RecordedPlayer<'_> {
    fn plan(&mut self, exchanges: Vec<Exchange>, answer: Result<Plan, NoAnswer>) -> Result<(), JsonError> {
        match self.player.ask(&mut Elsewhere) {
            Some(super::Ask::Plan(_)) => self.player.planned(exchanges, answer),
            Some(super::Ask::Apply(_)) => return Err(self.json.unexpected("the apply of a plan that is applied")),
            None => return Err(self.json.unexpected("no more steps than the scenario has")),
        }
        Ok(())
    }

    fn apply(&mut self, exchanges: Vec<Exchange>, answer: Result<Applied, NoAnswer>) -> Result<(), JsonError> {
        match self.player.ask(&mut Elsewhere) {
            Some(super::Ask::Apply(_)) => self.player.applied(exchanges, answer),
            Some(super::Ask::Plan(_)) | None => return Err(self.json.unexpected("no apply of a plan that is not")),
        }
        Ok(())
    }
}

/// Ignores outside events: they happened when the run was recorded.
struct Elsewhere;

impl OutsideEvents for Elsewhere {
    fn happen(&mut self, _: &Outside) {}
}

#[cfg(test)]
mod tests {
    use planfuzz_core::dialect::Dialect;
    use planfuzz_core::planner::Planner;
    use planfuzz_reference::Reference;

    use super::*;
    use crate::case::{Call, Task};
    use crate::generate::{Generator, Scenarios, Settings};
    use crate::scenario::{ScenarioProviders, play};

    fn played(number: u64) -> (std::sync::Arc<Scenario>, Type, Trace) {
        let case = Scenarios::new(Generator::new(Settings::TINY).in_dialects(&[Dialect::default()]), 5).case(number);
        let Task::Call(Call::Scenario(scenario)) = case.task else { unreachable!("a scenario") };
        let mut remote = ScenarioProviders::default().provider_of(&scenario).expect("a model that can be played");
        let trace = {
            let planner = Reference.prepare(&scenario.schema, case.dialect);
            play(&scenario, &mut &*planner, &mut remote)
        };
        let ty = scenario.schema.implied_type(case.dialect);
        (scenario, ty, trace)
    }

    #[test]
    fn a_recorded_trace_is_read_with_all_that_was_asked_in_it() {
        let mut applies = 0;
        for number in 0..200 {
            let (scenario, ty, trace) = played(number);
            applies += trace.steps.iter().filter(|step| step.apply.is_some()).count();
            let record = trace.to_record(&ty);
            let read = Trace::from_want(&record, &scenario, &ty).expect("a record");
            assert_eq!(read.to_record(&ty), record, "scenario {number}");
            let whole = Trace::from_want(&trace.to_form(&ty), &scenario, &ty).expect("a trace");
            assert_eq!(read.to_form(&ty), whole.to_form(&ty), "scenario {number}");
        }
        assert!(applies > 100, "found only {applies} applies");
    }

    #[test]
    fn a_record_has_the_walks_of_its_scenario() {
        let (scenario, ty, trace) =
            (0..).map(played).find(|(_, _, trace)| applied(trace)).expect("a trace with an apply");
        let is_error = |trace: &Trace| Trace::from_record(&trace.to_record(&ty), &scenario, &ty).is_err();
        let mut without = trace.clone();
        without.steps.iter_mut().for_each(|step| step.apply = None);
        assert!(is_error(&without), "a plan that is applied is applied");
        let mut longer = trace.clone();
        longer.steps.extend(trace.steps.clone());
        assert!(is_error(&longer), "there are no more steps than the scenario has");
        assert!(!is_error(&trace));
    }

    fn applied(trace: &Trace) -> bool {
        trace.steps.len() == 1 && trace.steps[0].apply.is_some()
    }
}
