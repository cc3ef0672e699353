//! Whole workspaces: their planners, and the answers to a case.
//!
//! A planner of instances has at most one planner of workspaces with its name ([`PLANNERS`]); a subject that has one answers cases
//! and recorded runs with it. The answer to a case is kept as the planner gave it: rules, laws and other subjects are compared with
//! it.

use std::fmt;

use planfuzz_core::json::Json;
use planfuzz_engine::process::Crash;
use planfuzz_workspace::run::{Recorded, Replay};
use planfuzz_workspace::{Diagnostic, WorkspacePlanner, refused};
use planfuzz_workspace_cases::merge::Question;
use planfuzz_workspace_cases::{Case, CaseError, Played, PlayedStep, outcome_json, play};

use super::outcome::{LeftOut, Outcome};
use crate::case::{RunCall, reported_replay};
use crate::guard::{Panic, guard};

/// The planners of workspaces, by the name of the subject that they belong to.
const PLANNERS: [(&str, &(dyn WorkspacePlanner + Sync)); 2] =
    [("reference", &planfuzz_workspace_reference::Reference), ("optimized", &planfuzz_workspace_optimized::Optimized)];

/// A planner of workspaces.
#[derive(Clone, Copy)]
pub struct PlannerOfWorkspaces(pub &'static (dyn WorkspacePlanner + Sync));

/// The answer to a case of a workspace.
#[derive(Debug)]
pub enum WorkspaceAnswer {
    /// A planner ran it.
    Played {
        /// Which planner.
        planner: PlannerOfWorkspaces,
        /// The result of each step.
        played: Played,
        /// The planner's counts of its own work.
        counted: Vec<(&'static str, u64)>,
    },
    /// An engine was asked each step as a planner had run it: with the state that the planner left.
    Engine {
        /// The planner whose runs it was asked.
        leader: PlannerOfWorkspaces,
        /// What the planner did.
        played: Played,
        /// What the engine did in each step.
        steps: Vec<EngineStep>,
    },
}

/// What an engine did in a step.
#[derive(Debug)]
pub enum EngineStep {
    /// The same as the planner; with what it did, where it was asked alone.
    Agrees(Option<Box<Recorded>>),
    /// Something else, alone in its run.
    Differs(Box<Recorded>),
    /// Something else, but only together with the steps of other cases in the same run.
    Together {
        /// What differs, in words.
        what: String,
        /// A minimal set of these steps that shows it, combined in one case.
        case: Box<Case>,
    },
    /// It crashed.
    Crashed(Crash),
    /// It was not asked, or gave no answer that can be compared: the reason.
    LeftOut(String),
}

impl fmt::Debug for PlannerOfWorkspaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

impl PlannerOfWorkspaces {
    /// The planner of workspaces that belongs to a subject, if it has one.
    pub fn of(subject: &str) -> Option<PlannerOfWorkspaces> {
        #[cfg(feature = "faults")]
        if subject == super::faults::WeakHash::NAME {
            return Some(PlannerOfWorkspaces(&super::faults::WeakHash));
        }
        PLANNERS.iter().find(|(name, _)| *name == subject).map(|(_, planner)| PlannerOfWorkspaces(*planner))
    }

    /// Runs a case.
    pub fn answer(self, case: &Case) -> Outcome {
        let begun = self.0.begin();
        let planner = begun.as_deref().unwrap_or(self.0);
        match guard(|| play(case, planner)) {
            Ok(Ok(played)) if played.steps.iter().any(|step| self.refuses_step(step)) => {
                Outcome::LeftOut(LeftOut::NotCovered)
            }
            Ok(Ok(played)) => {
                let counted = planner.counted();
                Outcome::of_workspace(WorkspaceAnswer::Played { planner: self, played, counted })
            }
            Ok(Err(_)) => Outcome::LeftOut(LeftOut::UnplayableWorkspace),
            Err(panic) => panic.into(),
        }
    }

    fn refuses(self, diagnostics: &[Diagnostic]) -> bool {
        refused(self.0, diagnostics).is_some()
    }

    fn refuses_step(self, step: &PlayedStep) -> bool {
        self.refuses(&step.planned.diagnostics) || self.refuses(step.late_diagnostics())
    }

    fn refuses_replay(self, replay: &Replay) -> bool {
        let applied = replay.applied.as_ref().map_or(&[][..], |applied| &applied.diagnostics);
        [&replay.planned.diagnostics, applied, &replay.refused].into_iter().any(|diagnostics| self.refuses(diagnostics))
    }

    /// Replays a recorded run.
    pub fn replay(self, call: &RunCall) -> Outcome {
        match guard(|| call.recorded.replay(self.0)) {
            Ok(replay) if self.refuses_replay(&replay) => Outcome::LeftOut(LeftOut::NotCovered),
            Ok(replay) => Outcome::Want(reported_replay(&replay)),
            Err(panic) => panic.into(),
        }
    }
}

impl WorkspaceAnswer {
    /// Why a step of an engine has no answer, if one has none.
    pub fn why_unanswered(&self) -> Option<&str> {
        let steps = if let WorkspaceAnswer::Engine { steps, .. } = self { &steps[..] } else { &[] };
        steps.iter().find_map(|step| match step {
            EngineStep::LeftOut(reason) => Some(reason.as_str()),
            _ => None,
        })
    }

    /// The steps of the planner that ran it, or that the engine followed.
    pub fn played(&self) -> &Played {
        match self {
            WorkspaceAnswer::Played { played, .. } | WorkspaceAnswer::Engine { played, .. } => played,
        }
    }

    /// How many steps can be compared.
    pub fn steps(&self) -> u64 {
        match self {
            WorkspaceAnswer::Played { played, .. } => played.steps.len() as u64,
            WorkspaceAnswer::Engine { steps, .. } => {
                steps.iter().filter(|step| !matches!(step, EngineStep::LeftOut(_))).count() as u64
            }
        }
    }

    /// The answer as a document: for each step what a recorded run has.
    pub fn to_json(&self) -> Json {
        let of_planner = |step: &PlayedStep| outcome_json(step).unwrap_or_else(|problem| unwritten(&problem));
        let steps = match self {
            WorkspaceAnswer::Played { played, .. } => played.steps.iter().map(of_planner).collect(),
            WorkspaceAnswer::Engine { played, steps, .. } => {
                let one = |(step, by): (&PlayedStep, &EngineStep)| match by {
                    EngineStep::Agrees(_) => of_planner(step),
                    EngineStep::Differs(recorded) => recorded.want.clone(),
                    EngineStep::Together { case, .. } => Json::object([("together", case.to_json())]),
                    EngineStep::Crashed(crash) => unwritten(&crash.to_string()),
                    EngineStep::LeftOut(text) => unwritten(text),
                };
                played.steps.iter().zip(steps).map(one).collect()
            }
        };
        Json::object([("steps", Json::Array(steps))])
    }
}

fn unwritten(problem: &str) -> Json {
    Json::object([("none", Json::string(problem))])
}

/// The questions for an engine: each step as the planner ran it.
///
/// # Errors
/// The case cannot be run, or the planner panics.
#[cfg_attr(not(feature = "engine"), allow(dead_code, reason = "only engines are asked step by step"))]
pub fn questions(
    case: &Case,
    leader: PlannerOfWorkspaces,
) -> Result<(Played, Vec<Result<Question, CaseError>>), Outcome> {
    let played = match guard(|| play(case, leader.0)) {
        Ok(Ok(played)) => played,
        Ok(Err(_)) => return Err(Outcome::LeftOut(LeftOut::UnplayableWorkspace)),
        Err(Panic { .. }) => return Err(Outcome::LeftOut(LeftOut::LeaderPanics)),
    };
    let asked = played.steps.iter().map(|step| Question::of(case, step)).collect();
    Ok((played, asked))
}
