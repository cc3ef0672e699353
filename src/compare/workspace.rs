//! What came of whole workspaces: held to the rules and the laws, and to what other subjects did.
//!
//! Two planners are compared step by step ([`agree`]): calls, what they send, and of every two which has to wait, plans, states and
//! diagnostics. From the first step on in which they differ the second is put to what the first left, so that one difference explains
//! no other.

use planfuzz_core::json::Json;
use planfuzz_workspace::run::{Difference as Told, Kind};
use planfuzz_workspace_cases::agree::{self, Came};
use planfuzz_workspace_cases::laws::{self, Held};
use planfuzz_workspace_cases::signature::{first_signature, signature};
use planfuzz_workspace_cases::{Case as Workspace, PlayedStep};
use planfuzz_workspace_rules::{RULES, Run};

use super::difference::{Class, Difference, Place};
use super::verdict::Verdict;
use super::{Bench, Speaker};
use crate::case::{Op, first_told};
use crate::subject::{EngineStep, Outcome, Panic, WorkspaceAnswer, Workspaces, guard};

/// How long the place of a signature may be.
const MAX_PLACE: usize = 80;

/// The class of a difference of workspaces.
fn class_of(kind: Kind) -> Class {
    match kind {
        Kind::ExtraCall | Kind::MissingCall => Class::Request,
        Kind::Order => Class::Order,
        Kind::Diagnostics => Class::Diagnostics,
        Kind::Plan => Class::Form,
        Kind::Changes => Class::Changes,
        Kind::Drift => Class::Drift,
        Kind::Outputs => Class::Outputs,
        Kind::Checks => Class::Checks,
        Kind::Flags => Class::Applyable,
        Kind::State | Kind::Raised => Class::State,
        Kind::Exit => Class::Exit,
        Kind::Broken => Class::Answer,
    }
}

/// The class of a kind by its name in answers to recorded runs.
fn class_named(name: &str) -> Class {
    match name {
        "extra_call" | "missing_call" => Class::Request,
        "order" => Class::Order,
        "diagnostics" => Class::Diagnostics,
        "plan" => Class::Form,
        "changes" => Class::Changes,
        "drift" => Class::Drift,
        "outputs" => Class::Outputs,
        "checks" => Class::Checks,
        "flags" => Class::Applyable,
        "state" | "raised" => Class::State,
        "exit" => Class::Exit,
        _ => Class::Answer,
    }
}

/// The difference between two answers to a recorded run, each said by what is other than recorded; nothing where one is none.
pub(super) fn run_difference(first: &Json, second: &Json) -> Option<Difference> {
    let (kind, text) = first_told(second).or_else(|| first_told(first))?;
    Some(Difference { class: class_named(kind), path: Place::Text(text.to_owned()) })
}

/// The place of a signature: what differs, without names, keys and numbers.
fn place_of(text: &str) -> String {
    let mut place = String::new();
    for char in text.chars() {
        match char {
            char if char.is_ascii_alphanumeric() => place.push(char.to_ascii_lowercase()),
            _ if !place.ends_with('_') && !place.is_empty() => place.push('_'),
            _ => {}
        }
        if place.len() >= MAX_PLACE {
            break;
        }
    }
    place.trim_end_matches('_').to_owned()
}

impl Bench<'_, '_> {
    /// What an answer says alone: rules and laws of a planner, and what an engine could not be asked.
    pub(super) fn single_workspace(&mut self, op: Op, who: Speaker<'_>, answer: &WorkspaceAnswer) {
        match answer {
            WorkspaceAnswer::Played { played, .. } => {
                for step in &played.steps {
                    self.rules_of_step(op, who, step);
                }
            }
            WorkspaceAnswer::Engine { steps, .. } => {
                for step in steps {
                    match step {
                        EngineStep::Crashed(message) => self.crash(op, who, "engine", message),
                        EngineStep::LeftOut(reason) => self.summary.leave_out(who.name, reason.clone()),
                        EngineStep::Agrees | EngineStep::Differs(_) | EngineStep::Together(_) => {}
                    }
                }
            }
        }
    }

    fn rules_of_step(&mut self, op: Op, who: Speaker<'_>, step: &PlayedStep) {
        if self.judge.without_rules {
            return;
        }
        self.summary.workspaces.count_step(step);
        let run = match Run::of_planner(&step.workspace, &step.planned, step.applied.as_ref()) {
            Ok(run) => run,
            Err(problem) => {
                let message = format!("the step cannot be shown as engines show it: {problem}");
                return self.rule_broken(op, who, ("shown", &problem), message);
            }
        };
        let held = run.check();
        for (info, count) in RULES.iter().zip(&held.checks) {
            self.summary.workspaces.count_rule(info.id, *count);
            self.summary.checks += count;
        }
        for broken in held.broken {
            let statement = RULES.iter().find(|info| info.id == broken.rule).map_or("", |info| info.statement);
            let message = format!("{}: {statement}: {}", broken.rule, broken.message);
            self.rule_broken(op, who, (broken.rule, "workspace"), message);
        }
    }

    /// Holds the laws to what a planner makes of a case.
    pub(super) fn laws(&mut self, op: Op, who: Speaker<'_>, planner: Workspaces, case: &Workspace) {
        if self.judge.without_rules {
            return;
        }
        let held = match guard(|| laws::hold(case, planner.0)) {
            Ok(Ok(held)) => held,
            // It says nothing of the laws either.
            Ok(Err(_)) => return,
            Err(Panic { site, message }) => return self.crash(op, who, &site, &message),
        };
        for (law, held) in held {
            self.summary.workspaces.count_law(law.id(), held != Held::Silent);
            if let Held::Broken(why) = held {
                let message = format!("{}: {}: {why}", law.id(), law.statement());
                self.rule_broken(op, who, (law.id(), "workspace"), message);
            } else {
                self.summary.checks += u64::from(held == Held::Holds);
            }
        }
    }

    fn rule_broken(&mut self, op: Op, who: Speaker<'_>, (rule, place): (&str, &str), message: String) {
        let kind = format!("rule_broken:{rule}");
        let place = Place::Text(place_of(place));
        let signature = self.signature(op, kind, Some(&place), who.name.to_owned());
        self.report_of(who.is_engine(), op, Verdict::RuleBroken { signature, message });
    }

    /// Compares what two subjects did, step by step.
    pub(super) fn pair_of_workspaces(
        &mut self,
        op: Op,
        first: (&str, &WorkspaceAnswer),
        (who, other): (Speaker<'_>, &WorkspaceAnswer),
    ) {
        // Between two engines a planner stands.
        let (planned, answer) = match (first.1, other) {
            (WorkspaceAnswer::Engine { .. }, WorkspaceAnswer::Played { .. }) => (other, first.1),
            _ => (first.1, other),
        };
        let names = (first.0, who.name);
        let is_engine = matches!(answer, WorkspaceAnswer::Engine { .. });
        let (Some(planner), mine) = (planner_of(planned), planned.played()) else {
            return self.summary.leave_out(who.name, "an engine beside an engine: a planner has to stand first");
        };
        let theirs = answer.played();
        let mut differs = false;
        for (index, (mine, theirs)) in mine.steps.iter().zip(&theirs.steps).enumerate() {
            let found = match answer {
                // What both began with is the same until they differ.
                WorkspaceAnswer::Played { .. } if !differs => Ok(agree::differences(mine, theirs)),
                WorkspaceAnswer::Played { planner: other, .. } => guard(|| of_step(mine, *other)),
                WorkspaceAnswer::Engine { leader, steps, .. } => match steps.get(index) {
                    None | Some(EngineStep::LeftOut(_) | EngineStep::Crashed(_)) => continue,
                    Some(EngineStep::Agrees) if leader.0.name() == planner.0.name() => Ok(Vec::new()),
                    Some(EngineStep::Agrees) => guard(|| of_step(theirs, planner)),
                    Some(EngineStep::Differs(recorded)) => guard(|| recorded.replay(planner.0).differences),
                    Some(EngineStep::Together(text)) => {
                        let text = format!("only together with other cases: {text}");
                        Ok(vec![Told { kind: Kind::Broken, text }])
                    }
                },
            };
            self.summary.comparisons += 1;
            differs |= !matches!(&found, Ok(found) if found.is_empty());
            match found {
                Ok(found) => self.told(op, names, is_engine, &found),
                Err(Panic { site, message }) => self.crash(op, who, &site, &message),
            }
        }
        match other {
            WorkspaceAnswer::Played { .. } => {}
            WorkspaceAnswer::Engine { .. } => self.single_workspace(op, who, other),
        }
    }

    /// Reports what differs between two: the first in the order in which one difference explains another.
    fn told(&mut self, op: Op, (first, other): (&str, &str), is_engine: bool, found: &[Told]) {
        let Some(general) = first_signature(found) else { return self.report(op, Verdict::Agree) };
        let leading = found.iter().find(|difference| signature(difference) == general).or(found.first());
        let Some(leading) = leading else { return };
        let class = class_of(leading.kind);
        let text = match is_engine {
            true => leading.text.clone(),
            false => leading.text.replace(agree::FIRST, first).replace(agree::SECOND, other),
        };
        let subjects = format!("{first}/{other}");
        let plain = general.split_once(": ").map_or(general.as_str(), |(_, rest)| rest);
        let place = Place::Text(place_of(plain));
        let signature = self.signature(op, format!("diverge:{}", class.name()), Some(&place), subjects);
        let difference = Difference { class, path: Place::Text(text) };
        self.report_of(is_engine, op, Verdict::Diverge { signature, difference });
    }
}

/// What a planner does otherwise in a step that another one played.
fn of_step(step: &PlayedStep, planner: Workspaces) -> Vec<Told> {
    match agree::step_of(step, planner.0) {
        Came::Different(found) => found,
        Came::Same | Came::Refused(_) => Vec::new(),
    }
}

fn planner_of(answer: &WorkspaceAnswer) -> Option<Workspaces> {
    match answer {
        WorkspaceAnswer::Played { planner, .. } => Some(*planner),
        WorkspaceAnswer::Engine { .. } => None,
    }
}

/// Whether an engine was asked any step of a case.
pub(super) fn was_asked(outcome: &Outcome) -> Option<bool> {
    match outcome {
        Outcome::Workspace(answer) => Some(answer.steps() > 0),
        _ => None,
    }
}
