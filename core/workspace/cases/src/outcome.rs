//! What a planner did in a step, in the form of recorded runs.

use planfuzz_core::json::Json;
use planfuzz_workspace::run::plan_json;
use planfuzz_workspace::{Applied, Diagnostic, Planned, Severity, State};

use crate::play::PlayedStep;

fn state_json(step: &PlayedStep, state: Option<&State>) -> Result<Json, String> {
    let (schemas, dialect) = (&step.workspace.schemas, step.workspace.dialect);
    match state {
        None => Ok(Json::Null),
        Some(state) => state.to_json(schemas, dialect).map_err(|problem| problem.to_string()),
    }
}

/// The outcome of a step as a recorded run expects it, without the serial, which a planner does not have.
///
/// # Errors
/// A plan or state that no engine can show.
pub fn outcome_json(step: &PlayedStep) -> Result<Json, String> {
    let (schemas, dialect) = (&step.workspace.schemas, step.workspace.dialect);
    let plan = match &step.planned.plan {
        None => Json::Null,
        Some(plan) => plan_json(plan, schemas, dialect)?,
    };
    let mut reported = vec![("plan", diagnostics(&step.planned.diagnostics))];
    let mut exit = vec![("plan", Json::int(Planned::exit(&step.planned)))];
    let refusal = (!step.refused.is_empty()).then_some(1);
    if let Some(status) = step.applied.as_ref().map(Applied::exit).or(refusal) {
        reported.push(("apply", diagnostics(step.late_diagnostics())));
        exit.push(("apply", Json::int(status)));
    }
    Ok(Json::object([
        ("plan", plan),
        ("diagnostics", Json::object(reported)),
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
