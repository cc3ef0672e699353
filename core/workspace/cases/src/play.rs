//! Plays a case with a planner: each step begins with the state that the one before it left.

use std::collections::BTreeMap;

use planfuzz_core::json::Json;
use planfuzz_core::state::file::Snapshot;
use planfuzz_core::state::{Object, Status};
use planfuzz_workspace::{Applied, Diagnostic, Done, Planned, State, Workspace, WorkspacePlanner, Written, completed};

use crate::case::{Case, CaseError, Command, edited, sources};
use crate::model::Simulated;

/// A played case.
#[derive(Debug)]
pub struct Played {
    /// The played steps.
    pub steps: Vec<PlayedStep>,
}

/// A played step.
#[derive(Debug)]
pub struct PlayedStep {
    /// The configuration as it was then.
    pub files: BTreeMap<String, Json>,
    /// The planner's input.
    pub workspace: Workspace,
    /// The providers that answered.
    pub providers: Simulated,
    /// The command.
    pub command: Command,
    /// What was planned.
    pub planned: Planned,
    /// The apply, if there was anything to apply.
    pub applied: Option<Applied>,
    /// Why a saved plan was not applied.
    pub refused: Vec<Diagnostic>,
    /// The state that a command wrote without a plan.
    pub written: Option<State>,
}

impl PlayedStep {
    /// The state that the step leaves.
    pub fn after(&self) -> Option<&State> {
        let applied = self.applied.as_ref().map(|applied| &applied.state);
        applied.or(self.written.as_ref()).or(self.workspace.state.as_ref())
    }

    /// What the planner did for the command.
    pub fn done(&self) -> Done<'_> {
        Done {
            command: &self.command,
            planned: &self.planned,
            applied: self.applied.as_ref(),
            written: self.written.as_ref(),
        }
    }

    /// The diagnostics after the plan: those of the apply, or the refusal of a saved plan.
    pub fn late_diagnostics(&self) -> &[Diagnostic] {
        self.applied.as_ref().map_or(&self.refused, |applied| &applied.diagnostics)
    }
}

/// Plays a case.
///
/// # Errors
/// The case's files or state cannot be used.
pub fn play(case: &Case, planner: &dyn WorkspacePlanner) -> Result<Played, CaseError> {
    let schemas = case.schemas()?;
    let mut state = match &case.state {
        None => None,
        Some(json) => Some(state_of(json)?),
    };
    let mut files = case.files.clone();
    let mut steps = Vec::new();
    for step in &case.steps {
        edited(&mut files, step);
        if let Some(state) = &mut state {
            taint(state, &step.taint);
        }
        let workspace = Workspace {
            dialect: case.dialect,
            sources: sources(&files)?,
            schemas: schemas.clone(),
            state: state.clone(),
            options: step.options.clone(),
        };
        let providers = case.simulated(&schemas, &step.events);
        let played = step_of(files.clone(), workspace, providers, step.command.clone(), planner);
        state = played.after().cloned();
        steps.push(played);
    }
    Ok(Played { steps })
}

/// Plays one step.
pub fn step_of(
    files: BTreeMap<String, Json>,
    workspace: Workspace,
    providers: Simulated,
    command: Command,
    planner: &dyn WorkspacePlanner,
) -> PlayedStep {
    let written = match &command {
        Command::Refresh => Some(planner.refresh(&workspace, &mut &providers)),
        Command::Import(asked) => Some(planner.import(&workspace, asked, &mut &providers)),
        Command::Plan | Command::Apply | Command::ApplySaved(_) => None,
    };
    if let Some(Written { state: written, diagnostics, trace }) = written {
        let planned = Planned { plan: None, diagnostics, trace };
        let (applied, refused) = (None, Vec::new());
        return PlayedStep { files, workspace, providers, command, planned, applied, refused, written };
    }
    let planned = planner.plan(&workspace, &mut &providers);
    let plan = command.applied_plan(&planned);
    let refused = match (&command, plan) {
        (Command::ApplySaved(saved), Some(plan)) => planner.refuses(&workspace, plan, saved),
        _ => Vec::new(),
    };
    let plan = plan.filter(|_| refused.is_empty());
    let applied = plan.map(|plan| planner.apply(&workspace.of_apply(&command), plan, &mut &providers));
    PlayedStep { files, workspace, providers, command, planned, applied, refused, written: None }
}

/// Reads a state file.
///
/// # Errors
/// The document is not a state file.
pub fn state_of(json: &Json) -> Result<State, CaseError> {
    let file = completed(json, "0.0.0", "case")?.to_compact();
    Ok(State::of_file(&Snapshot::read(file.as_bytes())?)?)
}

/// Taints instances; those without a current object stay as they are.
fn taint(state: &mut State, addresses: &[String]) {
    for (resource, stored) in &mut state.resources {
        for (key, instance) in stored.instances.iter_mut() {
            let address = format!("{resource}{key}");
            if let (true, Some(object)) = (addresses.contains(&address), &mut instance.current) {
                *object = Object { status: Status::Tainted, ..object.clone() };
            }
        }
    }
}
