//! Questions that an engine answers by chance.
//!
//! Problem: an engine visits nodes side by side, and goes through its maps in random order, so that some questions have several right
//! answers. Idea: such a question is known by its content. It is asked alone, and a difference does not count if the engine, asked again,
//! answers as the planner does. Guarantee: nothing else is asked a second time, so a difference that comes and goes is seen.

use planfuzz_core::address::InstanceKey;
use planfuzz_core::json::Json;
use planfuzz_core::plans::{Action, Mode};
use planfuzz_workspace::{Options, Planned};
use planfuzz_workspace_cases::merge::{Likeness, Question};

use crate::live::Live;

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
pub(crate) fn may_race(question: &Question, planned: &Planned) -> bool {
    planned.trace.asks_for_imports_of_nothing()
        || reports_one_of_several(planned)
        || Chance::of(question, planned).is_some()
}

/// Whether one diagnostic stands for several: of provider configurations that calls pass and no module declares, an engine reports only the
/// one that it looks at first (E177).
fn reports_one_of_several(planned: &Planned) -> bool {
    planned.diagnostics.iter().any(|one| one.summary.starts_with("missing provider "))
}

/// A question that an engine may answer in several ways: a difference does not count if the engine later answers as the planner does.
pub(crate) struct Chance {
    /// Why the question has no verdict then.
    pub(crate) reason: &'static str,
    /// How often the question is repeated at most.
    times: usize,
}

impl Chance {
    /// Whether an engine answers as the planner does when the question is repeated, as `differs` finds: with deposed objects visited late
    /// first, and with the current ones late in every second turn.
    pub(crate) fn explains<E>(
        &self,
        live: &mut Live,
        question: &Question,
        mut differs: impl FnMut(&mut Live, &Question) -> Result<bool, E>,
    ) -> bool {
        let again = Question { options: repeated(&question.options), ..question.clone() };
        agrees_at_last((0..self.times).map(|turn| {
            live.late = match turn {
                0 => attributes(question, true),
                _ if turn % 2 == 1 => attributes(question, false),
                _ => Vec::new(),
            };
            let differs = differs(live, &again);
            live.late.clear();
            differs
        }))
    }

    pub(crate) fn of(question: &Question, planned: &Planned) -> Option<Chance> {
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
            return Some(Chance { reason, times: 5 });
        } else if has_last_deleted_by_targets(question, planned) {
            "an instance that targets destroy and others refer to, of which the engine did otherwise when it was asked again"
        } else {
            return None;
        };
        Some(Chance { reason, times: 20 })
    }
}

/// The options with which a question is repeated: with several nodes at a time, so that their order varies. Only with one at a time is it
/// known what had begun when a signal came; and without its signal it would be another question.
fn repeated(options: &Options) -> Options {
    let parallelism = if options.interrupt.is_none() { 10 } else { options.parallelism };
    Options { parallelism, ..options.clone() }
}

/// Whether runs that show differences are followed by one that shows none. A run that failed shows nothing about the answer, and the next
/// may fail as well, after as long a time: it ends the repetition.
fn agrees_at_last<E>(mut runs: impl Iterator<Item = Result<bool, E>>) -> bool {
    matches!(runs.find(|run| !matches!(run, Ok(true))), Some(Ok(false)))
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

#[cfg(test)]
mod tests {
    use planfuzz_workspace::Interrupt;

    use super::*;

    #[test]
    fn a_question_with_a_signal_is_repeated_with_it() {
        let plain = Options { parallelism: 1, ..Options::default() };
        assert_eq!(repeated(&plain).parallelism, 10);
        let with_signal = Options { interrupt: Some(Interrupt::default()), ..plain };
        assert_eq!(repeated(&with_signal), with_signal);
    }

    #[test]
    fn a_run_that_failed_does_not_agree() {
        let (differs, agrees, failed) = (Ok(true), Ok(false), Err("crashed"));
        assert!(agrees_at_last([differs, agrees, failed].into_iter()));
        assert!(!agrees_at_last([differs, failed, agrees].into_iter()));
        assert!(!agrees_at_last([differs, differs].into_iter()));
    }
}
