//! Whole workspaces for an engine: the steps of many cases side by side in one run, and recorded runs one by one.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use planfuzz_core::address::ProviderSource;
use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;
use planfuzz_engine::process::{Binary, Crash, Runs};
use planfuzz_engine_workspaces::chance::make_ready;
use planfuzz_engine_workspaces::crash::known_crash;
use planfuzz_engine_workspaces::judge::{BATCH, Verdict, verdicts};
use planfuzz_engine_workspaces::live::{Asked, Live, LiveError};
use planfuzz_engine_workspaces::served::Served;
use planfuzz_workspace_cases::generate::kit;
use planfuzz_workspace_cases::merge::{Likeness, Question};
use planfuzz_workspace_cases::{Case, Played, PlayedStep};

use crate::case::{RunCall, reported_differences};
use crate::subject::Effort;
use crate::subject::outcome::{LeftOut, Outcome};
use crate::subject::workspace::{EngineStep, PlannerOfWorkspaces, WorkspaceAnswer, questions};

/// The longest random delay of answers, so that schedules differ.
const DELAYS: Duration = Duration::from_micros(300);

/// Why a step has no answer if the engine did not get to it.
const NOT_REACHED: &str = "not reached";

/// An engine for workspaces, set up when the first one is asked.
#[derive(Debug)]
pub(super) struct Directories {
    binary: Binary,
    runs: Runs,
    /// Set when answers are no longer waited for.
    stop: &'static AtomicBool,
    live: Option<(Vec<String>, Live)>,
    /// The steps that were asked.
    asked: u64,
    /// Those of them that had a run to themselves, and were answered.
    alone: u64,
    /// The number of runs and the processor time of the engines before the present one.
    before: (u64, Duration),
    /// Why no engine could be made, if none could.
    trouble: Option<String>,
}

/// A step that waits for a run with similar ones.
struct Waiting {
    case: usize,
    step: usize,
    question: Question,
}

impl Directories {
    pub(super) fn new(binary: Binary, runs: Runs, stop: &'static AtomicBool) -> Directories {
        Directories { binary, runs, stop, live: None, asked: 0, alone: 0, before: (0, Duration::ZERO), trouble: None }
    }

    /// Why the engine cannot be asked any more, if it cannot.
    pub(super) fn trouble(&self) -> Option<String> {
        self.trouble.clone().or_else(|| self.live.as_ref().and_then(|(_, live)| live.trouble.clone()))
    }

    /// The number of runs, and their processor time.
    fn spent(&self) -> (u64, Duration) {
        let (runs, time) = self.before;
        self.live.as_ref().map_or(self.before, |(_, live)| (runs + live.runs_made, time + live.engine_time))
    }

    /// The work of the engines.
    pub(super) fn effort(&self) -> Effort {
        let (runs, cpu) = self.spent();
        Effort { runs, asked: self.asked, alone: self.alone, cpu }
    }

    /// The engine, for providers of these addresses.
    fn live(&mut self, sources: &[String]) -> Result<&mut Live, LiveError> {
        let has_all = |known: &[String]| sources.iter().all(|source| known.contains(source));
        if !self.live.as_ref().is_some_and(|(known, _)| has_all(known)) {
            self.before = self.spent();
            let names: Vec<&str> = sources.iter().map(String::as_str).collect();
            let live = Live::new(self.binary.clone(), self.runs.clone(), &names);
            let mut live = live.inspect_err(|problem| {
                self.trouble.get_or_insert(problem.to_string());
            })?;
            live.stop = self.stop;
            self.live = Some((sources.to_vec(), live));
        }
        match &mut self.live {
            Some((_, live)) => Ok(live),
            None => Err(LiveError::Files(std::io::Error::other("no engine"))),
        }
    }

    /// The answers to cases, each with the index of its case.
    pub(super) fn cases(&mut self, cases: &[(usize, &Case)], leader: PlannerOfWorkspaces) -> Vec<(usize, Outcome)> {
        let mut asked: Vec<Result<(Played, Vec<EngineStep>), Outcome>> = Vec::new();
        let mut waiting: BTreeMap<Likeness, Vec<Waiting>> = BTreeMap::new();
        for (place, (_, case)) in cases.iter().enumerate() {
            let (played, all) = match questions(case, leader) {
                Ok(asked) => asked,
                Err(outcome) => {
                    asked.push(Err(outcome));
                    continue;
                }
            };
            let mut steps = Vec::new();
            for (step, question) in all.into_iter().enumerate() {
                steps.push(EngineStep::LeftOut(NOT_REACHED.to_owned()));
                let mut question = match question {
                    Ok(question) => question,
                    Err(problem) => {
                        steps[step] = EngineStep::LeftOut(format!("a state that no file holds: {problem}"));
                        continue;
                    }
                };
                if unserved(&question) {
                    steps[step] = EngineStep::LeftOut("providers of other addresses than cases have".to_owned());
                    continue;
                }
                let PlayedStep { workspace, planned, .. } = &played.steps[step];
                if let Some(reason) = known_crash(workspace, planned) {
                    steps[step] = EngineStep::LeftOut(reason.to_owned());
                    continue;
                }
                self.asked += 1;
                let likeness = make_ready(&mut question, self.asked, planned).filter(|_| cases.len() > 1);
                let of = Waiting { case: place, step, question };
                match likeness {
                    None => {
                        let parts = self.judge(&[&of], leader);
                        steps[step] =
                            parts.into_iter().next().unwrap_or_else(|| EngineStep::LeftOut(NOT_REACHED.to_owned()));
                    }
                    Some(likeness) => waiting.entry(likeness).or_default().push(of),
                }
            }
            asked.push(Ok((played, steps)));
        }
        for group in waiting.values() {
            for batch in group.chunks(BATCH) {
                let parts = self.judge(&batch.iter().collect::<Vec<_>>(), leader);
                for (of, part) in batch.iter().zip(parts) {
                    if let Ok((_, steps)) = &mut asked[of.case] {
                        steps[of.step] = part;
                    }
                }
            }
        }
        let outcome = |asked: Result<(Played, Vec<EngineStep>), Outcome>| match asked {
            Ok((played, steps)) => Outcome::of_workspace(WorkspaceAnswer::Engine { leader, played, steps }),
            Err(outcome) => outcome,
        };
        cases.iter().map(|(index, _)| *index).zip(asked.into_iter().map(outcome)).collect()
    }

    fn judge(&mut self, batch: &[&Waiting], leader: PlannerOfWorkspaces) -> Vec<EngineStep> {
        let asked: Vec<Question> = batch.iter().map(|waiting| waiting.question.clone()).collect();
        let engine = asked.first().map_or(Engine::Terraform, |question| question.dialect.engine());
        let sources = kit::sources(engine);
        let steps: Vec<EngineStep> = match self.live(&sources) {
            Err(problem) => batch.iter().map(|_| EngineStep::LeftOut(problem.to_string())).collect(),
            Ok(live) => {
                live.delays = DELAYS;
                verdicts(live, leader.0, &asked).into_iter().map(of_verdict).collect()
            }
        };
        let is_alone = |step: &&EngineStep| matches!(step, EngineStep::Agrees(Some(_)) | EngineStep::Differs(_));
        self.alone += steps.iter().filter(is_alone).count() as u64;
        steps
    }

    /// The answer to a recorded run.
    pub(super) fn run(&mut self, call: &RunCall) -> Outcome {
        let recorded = &call.recorded;
        let schemas = &recorded.workspace.schemas;
        let sources: Vec<String> = schemas.sources().map(str::to_owned).collect();
        if sources.iter().any(|source| ProviderSource::parse(source).is_none()) {
            return Outcome::LeftOut(LeftOut::Unaskable("a provider without a whole address"));
        }
        let Some(files) = call.member("files").expect_object().ok() else {
            return Outcome::LeftOut(LeftOut::Unaskable("a configuration without files"));
        };
        let files: BTreeMap<String, Json> = files.iter().map(|(path, file)| (path.to_string(), file.clone())).collect();
        let command = recorded.command.clone();
        let asked = Asked { files, state: recorded.state.clone(), workspace: recorded.workspace.clone(), command };
        let served = Served::recorded(recorded.exchanges.clone(), schemas.clone(), recorded.workspace.dialect);
        self.asked += 1;
        let seen = match self.live(&sources) {
            Ok(live) => live.ask(&recorded.id, &asked, served),
            Err(problem) => Err(problem),
        };
        let left_out = |reason| Outcome::LeftOut(LeftOut::Unaskable(reason));
        match seen {
            Ok(seen) => Outcome::Want(reported_differences(&recorded.differences(&seen))),
            Err(LiveError::Crashed(Crash { site, message })) => Outcome::Crashed { site, message, predicted: false },
            Err(LiveError::Strange { what, .. }) => left_out(what),
            Err(LiveError::Run(_)) => left_out("a run whose binary cannot be started"),
            Err(LiveError::Files(_)) => left_out("a run whose files cannot be written or read"),
            Err(LiveError::Directory(_)) => left_out("a run without a directory"),
        }
    }
}

/// Whether a question needs other providers than those of generated cases.
fn unserved(question: &Question) -> bool {
    let served = kit::sources(question.dialect.engine());
    let names = question.providers.expect_object().unwrap_or_default();
    // E190: the engine serves its built-in provider itself.
    let own = planfuzz_core::address::ProviderSource::builtin().to_string();
    names.iter().any(|(name, _)| **name != *own && !served.iter().any(|source| **source == **name))
}

fn of_verdict(verdict: Verdict) -> EngineStep {
    match verdict {
        Verdict::Agrees { alone } => EngineStep::Agrees(alone),
        Verdict::Differs(finding) => match (finding.together, finding.recorded) {
            (1, Some(recorded)) => EngineStep::Differs(Box::new(recorded)),
            _ => EngineStep::Together { what: finding.signature, case: Box::new(finding.question.case()) },
        },
        // The finding is with the first of the steps.
        Verdict::Together => EngineStep::Agrees(None),
        Verdict::NoAnswer { crash: Some(crash), .. } => EngineStep::Crashed(crash),
        Verdict::NoAnswer { reason, .. } => EngineStep::LeftOut(reason),
    }
}
