//! Runs many questions at once; if anything differs, divides them until one alone shows it.

use planfuzz_core::address::{AbsResourceInstance, InstanceKey, ProviderConfig, ResourceMode};
use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;
use planfuzz_core::plans::{Action, AddressedChange, Mode};
use planfuzz_core::state::{DeposedKey, InstanceState};
use planfuzz_engine::process::Crash;
use planfuzz_workspace::run::{Difference, Recorded, Replay};
use planfuzz_workspace::{CheckEntry, Planned, State, Workspace, WorkspacePlanner};
use planfuzz_workspace_cases::merge::{AnswerSize, Likeness, Question, merged};
use planfuzz_workspace_cases::signature::first_signature;

use crate::halted;
use crate::live::{Asked, Live, LiveError};
use crate::served::Served;

/// A difference between the planner and the engine, with the smallest set of questions that shows it.
#[derive(Debug)]
pub struct EngineDifference {
    /// What it is, without names.
    pub signature: String,
    /// The question: one, or several that differ only together.
    pub question: Question,
    /// How many questions it holds.
    pub together: usize,
    /// Every difference.
    pub differences: Vec<Difference>,
    /// The engine's run; `None` if it gave no answer.
    pub recorded: Option<Recorded>,
}

/// The result of a question.
#[derive(Debug)]
pub enum Verdict {
    /// Both did the same.
    Agrees {
        /// The engine's run, if the question was alone in it.
        alone: Option<Box<Recorded>>,
    },
    /// They differ.
    Differs(Box<EngineDifference>),
    /// They differ only together with other questions; the first of these has the finding.
    Together,
    /// The engine gave no answer.
    NoAnswer {
        /// The reason, the same text for all such runs.
        reason: String,
        /// More about it.
        text: String,
        /// The crash, if it crashed.
        crash: Option<Crash>,
    },
}

/// How many questions of one likeness share a run.
pub const BATCH: usize = 24;

/// Prepares the question of this number, with one of several parallelism limits in turns. Returns what it must have in common with others
/// in its run; `None` if it must run alone. Some always do, because side by side the diagnostics about a whole workspace cannot be
/// distinguished; so do those that may race, since a difference of a merged run could not be assigned to them.
pub fn make_ready(question: &mut Question, number: u64, planned: &Planned) -> Option<Likeness> {
    const PARALLELISM: [usize; 4] = [10, 1, 2, 5];
    if question.options.interrupt.is_some() {
        // With one node at a time it can be determined what had begun when a signal came.
        question.options.parallelism = 1;
    } else if question.options.parallelism == 10 {
        question.options.parallelism = PARALLELISM[(number % 4) as usize];
    }
    // For a refresh, almost all output is about the whole workspace.
    let alone_every = if question.options.mode == Mode::RefreshOnly { 3 } else { 12 };
    let is_alone = number.is_multiple_of(alone_every) || may_race(question, planned);
    question.likeness().filter(|_| !is_alone)
}

/// Whether an engine's result may depend on its schedule.
fn may_race(question: &Question, planned: &Planned) -> bool {
    planned.trace.asks_for_imports_of_nothing()
        || reports_one_of_several(planned)
        || Chance::of(question, planned).is_some()
}

/// Whether one diagnostic stands for several: of provider configurations that calls pass and no module declares, an engine reports only the
/// one that it looks at first (E177).
fn reports_one_of_several(planned: &Planned) -> bool {
    planned.diagnostics.iter().any(|one| one.summary.starts_with("missing provider "))
}

/// Why a question is left out that an engine is known to crash of (docs/trophies.md), if it is.
pub fn known_crash(workspace: &Workspace, planned: &Planned) -> Option<&'static str> {
    let plan = planned.plan.as_ref().filter(|_| workspace.dialect.engine() == Engine::Terraform)?;
    if plan.checks.0.values().any(is_of_ephemeral) {
        return Some("a plan with conditions of ephemeral resources, which the engine dies of as it shows it");
    }
    let crosses = workspace.state.iter().any(|stored| {
        plan.changes.iter().any(|change| crosses_deposed(stored, change))
            || plan.prior.instances().any(|(address, _, now)| has_other_type(stored, &address, now))
    });
    crosses.then_some("a deposed object alone that comes to another provider, which the engine dies of")
}

/// The format of plans as JSON has no form for the conditions of these.
fn is_of_ephemeral(checked: &CheckEntry) -> bool {
    checked.resource.as_ref().is_some_and(|one| one.mode == ResourceMode::Ephemeral)
}

/// Whether a deposed object moves to another provider that is stored without a current one beside it: its resource keeps the old provider
/// (G31). The plan of a destruction begins with what moved before, so that the stored state is asked where it was.
fn crosses_deposed(stored: &State, change: &AddressedChange) -> bool {
    let Some(key) = change.deposed() else { return false };
    alone(stored, key).any(|(address, provider)| address != change.addr && provider.source != change.provider.source)
}

/// The same of a move to another type, for a plan whose errors leave the change out.
fn has_other_type(stored: &State, address: &AbsResourceInstance, now: &InstanceState) -> bool {
    let is_other = |before: &AbsResourceInstance| before.resource.type_name != address.resource.type_name;
    // Few instances have deposed objects, so that this costs little.
    now.deposed.keys().any(|key| alone(stored, key).any(|(before, _)| is_other(&before)))
}

/// The instances that are stored with this deposed object and without a current one, with their providers.
fn alone<'s>(
    stored: &'s State,
    key: &'s DeposedKey,
) -> impl Iterator<Item = (AbsResourceInstance, &'s ProviderConfig)> {
    let alone = stored.instances().filter(move |(_, _, one)| one.current.is_none() && one.deposed.contains_key(key));
    alone.map(|(address, provider, _)| (address, provider))
}

/// Runs questions of one likeness on the engine and compares it with the planner; returns a verdict for each.
pub fn verdicts(live: &mut Live, planner: &dyn WorkspacePlanner, questions: &[Question]) -> Vec<Verdict> {
    let Some(whole) = merged(questions) else { return Vec::new() };
    let (recorded, replay) = match replayed(live, planner, &whole) {
        Ok(both) => both,
        Err(_) if questions.len() > 1 => return halves(live, planner, questions),
        Err(no_answer) => return vec![no_answer],
    };
    let Some(signature) = first_signature(&replay.differences) else {
        return agreeing(live, planner, questions, (recorded, &replay));
    };
    if replay.planned.trace.asks_for_imports_of_nothing() && questions.len() == 1 {
        return vec![no_answer(
            "an import of what is stored and has no block: a race with the visit that plans its deletion",
        )];
    }
    let differences = replay.differences;
    let finding = EngineDifference {
        signature,
        question: whole,
        together: questions.len(),
        differences,
        recorded: Some(recorded),
    };
    if questions.len() == 1 {
        let chance = Chance::of(&questions[0], &replay.planned);
        return vec![match chance.filter(|chance| chance.explains(live, planner, &questions[0])) {
            Some(chance) => no_answer(chance.reason),
            None => Verdict::Differs(Box::new(finding)),
        }];
    }
    let verdicts = halves(live, planner, questions);
    if may_race(&finding.question, &replay.planned) {
        return verdicts;
    }
    unless_explained(live, planner, questions, (finding, verdicts))
}

/// The verdicts on questions that differ in one run, given those on the halves: if none of these differs, the difference is one that shows
/// together alone. Those that got no answer may be what differed, so they are left out of the search.
fn unless_explained(
    live: &mut Live,
    planner: &dyn WorkspacePlanner,
    questions: &[Question],
    (finding, mut verdicts): (EngineDifference, Vec<Verdict>),
) -> Vec<Verdict> {
    if verdicts.iter().any(|verdict| matches!(verdict, Verdict::Differs(_) | Verdict::Together)) {
        return verdicts;
    }
    let is_agreed = |index: &usize| matches!(verdicts[*index], Verdict::Agrees { .. });
    let agreed: Vec<usize> = (0..questions.len()).filter(is_agreed).collect();
    let left: Vec<Question> = agreed.iter().map(|&index| questions[index].clone()).collect();
    let found = if left.len() > 1 { fewest(live, planner, &left) } else { None };
    // If each agrees in a run of its own, the difference beside the others may be a matter of chance.
    let by_chance = || {
        let signature = format!("in one of two runs: {}", finding.signature);
        (agreed.len() == questions.len()).then_some(EngineDifference { signature, ..finding })
    };
    let Some(found) = found.or_else(by_chance) else { return verdicts };
    for &index in &agreed {
        verdicts[index] = Verdict::Together;
    }
    verdicts[agreed[0]] = Verdict::Differs(Box::new(found));
    verdicts
}

/// The verdicts on questions that show no difference in one run.
fn agreeing(
    live: &mut Live,
    planner: &dyn WorkspacePlanner,
    questions: &[Question],
    (recorded, replay): (Recorded, &Replay),
) -> Vec<Verdict> {
    if questions.len() == 1 {
        return vec![Verdict::Agrees { alone: Some(Box::new(recorded)) }];
    }
    // One question kept the plan of all from being shown, or what follows from the schedule of one may have excused another.
    if recorded.is_unshown() || !replay.tolerated.is_empty() {
        return halves(live, planner, questions);
    }
    let extent: AnswerSize = questions.iter().map(|question| question.size).sum();
    // Parts that one question hid from another were not compared.
    if AnswerSize::of(&replay.planned, replay.applied.as_ref()).is_less_than(&extent) {
        return halves(live, planner, questions);
    }
    questions.iter().map(|_| Verdict::Agrees { alone: None }).collect()
}

/// A question that an engine may answer in several ways: a difference does not count if the engine later answers as the planner does.
struct Chance {
    /// The reason of [`Verdict::NoAnswer`] then.
    reason: &'static str,
    /// How often the question is repeated at most.
    times: usize,
    /// Whether it is the moment of a signal.
    is_of_signal: bool,
}

impl Chance {
    /// Whether an engine answers as the planner does when the question is repeated: with deposed objects visited late first, and with the
    /// current ones late in every second turn.
    fn explains(&self, live: &mut Live, planner: &dyn WorkspacePlanner, question: &Question) -> bool {
        let again = [self.repeated(question)];
        agrees_at_last((0..self.times).map(|turn| {
            live.late = match turn {
                0 => attributes(question, true),
                _ if turn % 2 == 1 => attributes(question, false),
                _ => Vec::new(),
            };
            let differs = together(live, planner, &again);
            live.late.clear();
            differs
        }))
    }

    /// The question as it is repeated. With one node at a time, as signals need it, an order would always be the same.
    fn repeated(&self, question: &Question) -> Question {
        let mut question = question.clone();
        if !self.is_of_signal {
            question.options.interrupt = None;
            question.options.parallelism = 10;
        }
        question
    }

    fn of(question: &Question, planned: &Planned) -> Option<Chance> {
        let reason = if moves_by_chance(planned) {
            "moves to one address, of which the engine made another one when it was asked again"
        } else if planned.trace.asks_to_take_over() {
            // G31: statements are applied in any order, and each crossing changes the provider of what stays at its source.
            "moves to other types or providers, of which the engine made others when it was asked again"
        } else if has_deposed_by_chance(question) {
            "an instance with a deposed object, of which the engine did otherwise when it was asked again"
        } else if question.options.interrupt.is_some() {
            // On a busy machine an interrupted engine sometimes reports one more halt.
            let reason = "a signal after which the engine did otherwise when it was asked again";
            return Some(Chance { reason, times: 5, is_of_signal: true });
        } else if has_last_deleted_by_targets(question, planned) {
            "an instance that targets destroy and others refer to, of which the engine did otherwise when it was asked again"
        } else {
            return None;
        };
        Some(Chance { reason, times: 20, is_of_signal: false })
    }
}

/// Whether runs that show differences are followed by one that shows none. A run that failed shows nothing about the answer, and the next
/// may fail as well, after as long a time: it ends the repetition.
fn agrees_at_last<T>(mut runs: impl Iterator<Item = Result<Option<T>, Verdict>>) -> bool {
    matches!(runs.find(|run| !matches!(run, Ok(Some(_)))), Some(Ok(None)))
}

/// Whether objects may move to one address from several: before the engine reports that as an error (G39), it chooses one at random.
fn moves_by_chance(planned: &Planned) -> bool {
    planned.diagnostics.iter().any(|one| one.summary == "Ambiguous move statements")
}

/// Whether some instance with a key has deposed objects, or one without has them and no current one, or while some object is found gone: an
/// engine visits the objects of an instance in parallel, and their order decides whether there is one to import (docs/trophies.md), or to be
/// seen.
fn has_deposed_by_chance(question: &Question) -> bool {
    let is_gone = question.events.outside.iter().any(|event| event.set.is_none());
    let is_of_one = |resource: &Json| {
        let (deposed, current): (Vec<&Json>, Vec<&Json>) =
            resource.items_of("instances").iter().partition(|object| object.member("deposed").is_some());
        deposed.iter().any(|old| is_gone || old.member("index_key").is_some() || current.is_empty())
    };
    question.state.items_of("resources").iter().any(is_of_one)
}

/// Whether targets destroy an instance of another key than its block has: an engine does not wait for that before it evaluates a reference
/// to the block, and whether the last object is still stored then decides on the type of the unknown value (E53).
fn has_last_deleted_by_targets(question: &Question, planned: &Planned) -> bool {
    let mut changes = planned.plan.iter().flat_map(|plan| &plan.changes);
    !question.options.targets.is_empty()
        && changes.any(|change| change.planned.change.action == Action::Delete && change.addr.key != InstanceKey::None)
}

/// The attributes of all deposed objects, or of all current ones.
fn attributes(question: &Question, deposed: bool) -> Vec<Json> {
    let objects = question.state.items_of("resources").iter().flat_map(|resource| resource.items_of("instances"));
    let wanted = objects.filter(|object| object.member("deposed").is_some() == deposed);
    wanted.map(|object| object.member("attributes").cloned().unwrap_or(Json::Null)).collect()
}

fn no_answer(reason: &str) -> Verdict {
    Verdict::NoAnswer { reason: reason.to_owned(), text: reason.to_owned(), crash: None }
}

/// As few of the questions as show a difference together that none of them shows alone; `None` if all of them do not show it again.
fn fewest(live: &mut Live, planner: &dyn WorkspacePlanner, questions: &[Question]) -> Option<EngineDifference> {
    let mut kept = questions.to_vec();
    let mut finding = together(live, planner, &kept).ok()??;
    let mut size = kept.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < kept.len() {
            let rest: Vec<Question> = kept.iter().take(at).chain(kept.iter().skip(at + size)).cloned().collect();
            match together(live, planner, &rest) {
                Ok(Some(smaller)) => (kept, finding) = (rest, smaller),
                Ok(None) | Err(_) => at += size,
            }
        }
        size /= 2;
    }
    Some(finding)
}

/// The difference that questions show in one run, if any; an error if the engine gave no answer.
fn together(
    live: &mut Live,
    planner: &dyn WorkspacePlanner,
    questions: &[Question],
) -> Result<Option<EngineDifference>, Verdict> {
    let Some(question) = merged(questions) else { return Ok(None) };
    let (recorded, replay) = replayed(live, planner, &question)?;
    let differences = replay.differences;
    let Some(signature) = first_signature(&differences) else { return Ok(None) };
    let (together, recorded) = (questions.len(), Some(recorded));
    Ok(Some(EngineDifference { signature, question, together, differences, recorded }))
}

/// The engine's run of a question, and the planner's replay of it.
fn replayed(live: &mut Live, planner: &dyn WorkspacePlanner, whole: &Question) -> Result<(Recorded, Replay), Verdict> {
    let recorded = asked(live, planner, whole)?;
    let replay = recorded.replay(planner);
    Ok((recorded, replay))
}

fn halves(live: &mut Live, planner: &dyn WorkspacePlanner, questions: &[Question]) -> Vec<Verdict> {
    let (one, other) = questions.split_at(questions.len() / 2);
    let mut verdicts = self::verdicts(live, planner, one);
    verdicts.extend(self::verdicts(live, planner, other));
    verdicts
}

/// The engine's run of a question.
fn asked(live: &mut Live, planner: &dyn WorkspacePlanner, whole: &Question) -> Result<Recorded, Verdict> {
    let no_answer = |reason: String, text: String| Verdict::NoAnswer { reason, text, crash: None };
    let (workspace, providers) = whole.workspace().map_err(|error| {
        let text = format!("cannot be used: {error}");
        no_answer(text.clone(), text)
    })?;
    let asked =
        Asked { files: whole.files.clone(), state: whole.state.clone(), workspace, command: whole.command.clone() };
    let mut recorded = live.ask("live", &asked, Served::simulated(providers.clone())).map_err(|error| {
        let text = error.to_string();
        match error {
            LiveError::Crashed(crash) => Verdict::NoAnswer { reason: "crashed".to_owned(), text, crash: Some(crash) },
            LiveError::Strange { what, .. } => no_answer(what.to_owned(), text),
            _ => no_answer(text.clone(), text),
        }
    })?;
    if recorded.workspace.options.interrupt.is_some() {
        let seen = halted::interrupt(planner, &recorded, &mut &providers);
        let text = || "nodes whose calls look alike or are not seen, and a signal between them".to_owned();
        recorded.workspace.options.interrupt = Some(seen.ok_or_else(|| no_answer(text(), text()))?);
    }
    Ok(recorded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_failed_does_not_agree() {
        let failed = || Err(no_answer("crashed"));
        assert!(agrees_at_last([Ok(Some(1)), Ok(None), failed()].into_iter()));
        assert!(!agrees_at_last([Ok(Some(1)), failed(), Ok(None)].into_iter()));
        assert!(!agrees_at_last([Ok(Some(1)), Ok(Some(2))].into_iter()));
    }
}
