//! What an engine did with a whole workspace, as recorded runs: a vector for each step of a case.
//!
//! A step is recorded as observed, whether the leading planner agrees or not; a step without an answer is left out with
//! a reason. Planners are not recorded: they have an order but no clock, and no serial that rises.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Field, Json, Record};
use planfuzz_workspace::run::Recorded as Run;
use planfuzz_workspace_cases::Case;
use planfuzz_workspace_cases::merge::Question;

use crate::case::{Call, Recorded, Vector};
use crate::subject::{EngineStep, WorkspaceAnswer};

/// A step that is recorded.
pub(super) struct RecordedStep {
    /// Its line.
    pub(super) vector: Vector,
    /// The question, with the providers' answers.
    pub(super) call: Call,
    /// The question alone, without the providers' answers: steps with the same inputs are the same.
    pub(super) inputs: Vec<String>,
    /// How it ended, for people.
    pub(super) ended: String,
}

/// The vectors of a case, one for each step; or why a step has none.
pub(super) fn of_case(
    id: &str,
    case: &Case,
    answer: &WorkspaceAnswer,
    recorded: &Recorded,
) -> Vec<Result<RecordedStep, String>> {
    let WorkspaceAnswer::Engine { played, steps, .. } = answer else {
        return vec![Err("a planner of workspaces has no clock: engines are recorded".to_owned())];
    };
    let one = |(number, step): (usize, &EngineStep)| {
        let run = run_of(step)?;
        let question =
            Question::of(case, &played.steps[number]).map_err(|_| "a state that no file holds".to_owned())?;
        step_of(document(&format!("{id}/{}", number + 1), &question, run, recorded), case.dialect)
    };
    steps.iter().enumerate().take(played.steps.len()).map(one).collect()
}

fn run_of(step: &EngineStep) -> Result<&Run, String> {
    match step {
        EngineStep::Agrees(Some(run)) | EngineStep::Differs(run) => Ok(run),
        EngineStep::Agrees(None) | EngineStep::Together { .. } => Err("asked together with others".to_owned()),
        EngineStep::Crashed(_) => Err("it crashed".to_owned()),
        EngineStep::LeftOut(reason) => Err(reason.clone()),
    }
}

/// A line of formats.md, "Recorded runs of workspaces".
fn document(id: &str, question: &Question, run: &Run, recorded: &Recorded) -> Json {
    let mut options = question.options.clone();
    options.interrupt.clone_from(&run.workspace.options.interrupt);
    let exchanges = ["plan", "apply"].into_iter().zip(&run.exchanges);
    let exchanges =
        exchanges.map(|(phase, all)| (phase, Json::Array(all.iter().map(|one| one.json.clone()).collect())));
    let files = question.files.iter().map(|(path, file)| (path.as_str(), file.clone()));
    let mut members = vec![
        ("id", Json::string(id)),
        ("op", Json::string("workspace_run")),
        ("dialect", Json::string(&question.dialect.to_string())),
        ("recorded", recorded.to_json()),
        ("files", Json::object(files)),
        ("schemas", question.providers.clone()),
        ("state", question.state.clone()),
    ];
    members.extend(question.command.members());
    members.push(("options", options.write()));
    members.push(("exchanges", Json::object(exchanges)));
    members.push(("want", run.want.clone()));
    Json::object(members)
}

/// The step of a document, which must read back.
fn step_of(document: Json, dialect: Dialect) -> Result<RecordedStep, String> {
    let unwritten = |_| "a run that formats.md cannot write".to_owned();
    let vector = Vector::from_json(document).map_err(unwritten)?;
    let (call, want) = vector.read(dialect).map_err(unwritten)?;
    let ended = ended(want);
    let inputs = call.members(dialect).into_iter().filter(|(name, _)| *name != "exchanges");
    let inputs = inputs.map(|(_, json)| json.to_compact()).collect();
    Ok(RecordedStep { vector, call, inputs, ended })
}

/// The statuses of the plan and of the apply.
fn ended(want: &Json) -> String {
    let status = |phase: &str| want.member("exit").and_then(|exit| exit.member(phase)).map(Json::to_compact);
    match (status("plan"), status("apply")) {
        (plan, None) => format!("plan ended with {}", plan.unwrap_or_default()),
        (plan, Some(apply)) => format!("plan ended with {}, apply with {apply}", plan.unwrap_or_default()),
    }
}
