//! Checks the laws of section 10 of workspace-apply.md: a case is played, and then something is done that must not matter.
//!
//! A law is checked only where its conditions hold: nothing fails, nothing happens outside, no condition and no cycle stands in the way.
//! Otherwise the result is [`LawResult::Silent`], so that a law that was never checked does not count as one that holds.
//!
//! | file | laws |
//! | --- | --- |
//! | `played_case` | shared by all: a step after the last one, and what is compared |
//! | `plans` | of plans: twice, without refresh, saved, refreshed |
//! | `commands` | several commands in a row: destruction, parts, loss |
//! | `failures` | of applies that end early: what is left to do |
//! | `edits` | of edits that change nothing in the end: out and back, other keys, forgotten and imported |
//! | `texts` | of other texts of one configuration: names, order, locals, moves, outputs, other workspaces beside it |

mod commands;
mod edits;
mod failures;
mod plans;
mod played_case;
mod texts;

use std::cell::OnceCell;

use planfuzz_workspace::order::Made;
use planfuzz_workspace::{Request, WorkspacePlanner};

use crate::case::{Case, CaseError};
use crate::play::{Played, play};
use played_case::{PlayedCase, mutates};

/// A law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// UL01: after an apply the next plan is empty.
    Idempotent,
    /// UL02: a destruction leaves nothing.
    DestroyedWhole,
    /// UL03: what is made after a destruction is made as from nothing.
    MadeAgain,
    /// UL04, UL33: another order of visits makes the same calls and leaves the same.
    AnyOrder,
    /// UL05: so does another limit of parallelism.
    AnyParallelism,
    /// UL06, UL30: a saved plan is applied like one that is applied at once.
    SavedPlan,
    /// UL07: applies of single targets, followed by one of everything, end as one apply does.
    SplitByTargets,
    /// UL08: renaming with moved blocks touches no remote object, and leaves nothing to do.
    MovedTouchesNothing,
    /// UL09: keys in the place of numbers, with moved blocks, touch no remote object.
    CountedByKeys,
    /// UL10: what is imported as it is configured is not changed, by the command and by a block.
    Imported,
    /// UL11: an apply repeated after a failure ends as one that does not fail.
    Retried,
    /// UL12: an apply repeated after a signal ends as one without a signal.
    Interrupted,
    /// UL13: a failure adds no call.
    FailureAddsNothing,
    /// UL14: a second refresh changes nothing.
    RefreshedTwice,
    /// UL15: without refresh, the same is planned.
    Unrefreshed,
    /// UL16: a tainted object is replaced, as with `-replace`.
    TaintReplaces,
    /// UL17: a block that goes and comes back is made as before, and changes nothing else.
    OutAndBack,
    /// UL18: an object that is forgotten and imported is as before.
    ForgottenAndImported,
    /// UL19: the order of what is written, and in which files, does not matter.
    AnyText,
    /// UL20: a local in the place of an argument changes nothing that is stored.
    LocalBetween,
    /// UL21: an output more makes no mutating call, and taking it out restores the state.
    OutputMore,
    /// UL22: planning twice gives the same plan.
    PlannedTwice,
    /// UL23: one more dependency is nothing to do, but is stored and obeyed.
    DependsOnMore,
    /// UL24: of two workspaces side by side each is as if it were alone.
    SideBySide,
    /// UL25: destruction in parts destroys everything.
    DestroyedByParts,
    /// UL26: a change and its undoing leave nothing.
    ChangeAndBack,
    /// UL27: an empty configuration destroys.
    EmptyDestroys,
    /// UL28: what is lost outside is created again, and all is as it was.
    LostIsMade,
    /// UL29: drift of a configured value is undone.
    DriftUndone,
    /// UL32: what exists is stored, and what is stored exists.
    RemoteIsStored,
    /// UL34: after a failure the next plan has what was not done, and nothing else.
    RestIsPlanned,
    /// UL35: other names change nothing but names.
    OtherNames,
    /// I175: a plan makes no mutating call.
    PlanTouchesNothing,
    /// I127: what is stored is whole: dependencies are sorted, without repetition.
    StoredWhole,
}

/// The result of checking a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LawResult {
    /// It holds.
    Holds,
    /// Its conditions do not hold.
    Silent,
    /// It does not hold.
    Broken(String),
}

impl LawResult {
    /// Holds if both are equal; else broken, with this text.
    fn if_same<T: PartialEq>(one: &T, other: &T, broken: &str) -> LawResult {
        match one == other {
            true => LawResult::Holds,
            false => LawResult::Broken(broken.to_owned()),
        }
    }
}

impl Law {
    /// All of them.
    pub const ALL: [Law; 34] = [
        Law::Idempotent,
        Law::DestroyedWhole,
        Law::MadeAgain,
        Law::AnyOrder,
        Law::AnyParallelism,
        Law::SavedPlan,
        Law::SplitByTargets,
        Law::MovedTouchesNothing,
        Law::CountedByKeys,
        Law::Imported,
        Law::Retried,
        Law::Interrupted,
        Law::FailureAddsNothing,
        Law::RefreshedTwice,
        Law::Unrefreshed,
        Law::TaintReplaces,
        Law::OutAndBack,
        Law::ForgottenAndImported,
        Law::AnyText,
        Law::LocalBetween,
        Law::OutputMore,
        Law::PlannedTwice,
        Law::DependsOnMore,
        Law::SideBySide,
        Law::DestroyedByParts,
        Law::ChangeAndBack,
        Law::EmptyDestroys,
        Law::LostIsMade,
        Law::DriftUndone,
        Law::RemoteIsStored,
        Law::RestIsPlanned,
        Law::OtherNames,
        Law::PlanTouchesNothing,
        Law::StoredWhole,
    ];

    /// Its id.
    pub fn id(self) -> &'static str {
        match self {
            Law::Idempotent => "UL01",
            Law::DestroyedWhole => "UL02",
            Law::MadeAgain => "UL03",
            Law::AnyOrder => "UL04",
            Law::AnyParallelism => "UL05",
            Law::SavedPlan => "UL06",
            Law::SplitByTargets => "UL07",
            Law::MovedTouchesNothing => "UL08",
            Law::CountedByKeys => "UL09",
            Law::Imported => "UL10",
            Law::Retried => "UL11",
            Law::Interrupted => "UL12",
            Law::FailureAddsNothing => "UL13",
            Law::RefreshedTwice => "UL14",
            Law::Unrefreshed => "UL15",
            Law::TaintReplaces => "UL16",
            Law::OutAndBack => "UL17",
            Law::ForgottenAndImported => "UL18",
            Law::AnyText => "UL19",
            Law::LocalBetween => "UL20",
            Law::OutputMore => "UL21",
            Law::PlannedTwice => "UL22",
            Law::DependsOnMore => "UL23",
            Law::SideBySide => "UL24",
            Law::DestroyedByParts => "UL25",
            Law::ChangeAndBack => "UL26",
            Law::EmptyDestroys => "UL27",
            Law::LostIsMade => "UL28",
            Law::DriftUndone => "UL29",
            Law::RemoteIsStored => "UL32",
            Law::RestIsPlanned => "UL34",
            Law::OtherNames => "UL35",
            Law::PlanTouchesNothing => "I175",
            Law::StoredWhole => "I127",
        }
    }

    /// Its statement, in one line.
    pub fn statement(self) -> &'static str {
        match self {
            Law::Idempotent => "after an apply the next plan is empty",
            Law::DestroyedWhole => "a destruction leaves nothing",
            Law::MadeAgain => "what is made after a destruction is made as from nothing",
            Law::AnyOrder => "another order of visits makes the same calls and leaves the same",
            Law::AnyParallelism => "another parallelism makes the same calls and leaves the same",
            Law::SavedPlan => "a plan that was kept is applied as at once",
            Law::SplitByTargets => "applies by target, and one of the rest, end as one apply",
            Law::MovedTouchesNothing => "renaming with moved blocks touches no remote object",
            Law::CountedByKeys => "keys in the place of numbers, with moved blocks, touch no remote object",
            Law::Imported => "what is imported as it is configured is not changed, by the command and by a block",
            Law::Retried => "an apply that failed, and one that does not, end as one",
            Law::Interrupted => "an apply that a signal ended, and another one, end as one",
            Law::FailureAddsNothing => "what fails makes no call that is not made otherwise",
            Law::RefreshedTwice => "a second refresh changes nothing",
            Law::Unrefreshed => "where nothing happened outside, a plan without refresh is the same",
            Law::TaintReplaces => "what is tainted is replaced, as if the user asked for it",
            Law::OutAndBack => "a block that goes and comes back is made as before, and changes nothing else",
            Law::ForgottenAndImported => "what is forgotten and imported is as before",
            Law::AnyText => "the order of what is written, and in which files, does not matter",
            Law::LocalBetween => "a local in the place of an argument changes nothing that is stored",
            Law::OutputMore => "an output more makes no mutating call, and taking it out restores the state",
            Law::PlannedTwice => "two plans of one workspace are the same",
            Law::DependsOnMore => "a dependency more is nothing to do, is stored all the same, and obeyed",
            Law::SideBySide => "of two workspaces side by side each is as if it were alone",
            Law::DestroyedByParts => "what is destroyed by parts is destroyed",
            Law::ChangeAndBack => "a change and its undoing leave nothing",
            Law::EmptyDestroys => "an empty configuration destroys",
            Law::LostIsMade => "what is lost outside is created again, and all is as it was",
            Law::DriftUndone => "drift of a configured value is undone",
            Law::RemoteIsStored => "what exists is stored, and what is stored exists",
            Law::RestIsPlanned => "after a failure the next plan has what was not done, and nothing else",
            Law::OtherNames => "other names change nothing but names",
            Law::PlanTouchesNothing => "a plan makes no mutating call",
            Law::StoredWhole => "stored dependencies are a sorted set without the object itself",
        }
    }
}

/// Checks every law at the end of a case. A planner that remembers earlier plans begins anew for each law, and makes all plans of a law one
/// from another.
///
/// # Errors
/// The case cannot be played.
pub fn hold(case: &Case, planner: &dyn WorkspacePlanner) -> Result<Vec<(Law, LawResult)>, CaseError> {
    let played = play(case, planner)?;
    Ok(Law::ALL.map(|law| (law, held(law, case, &played, planner))).to_vec())
}

/// Checks one law at the end of a case.
///
/// # Errors
/// The case cannot be played.
pub fn hold_only(case: &Case, planner: &dyn WorkspacePlanner, law: Law) -> Result<LawResult, CaseError> {
    Ok(held(law, case, &play(case, planner)?, planner))
}

fn held(law: Law, case: &Case, played: &Played, planner: &dyn WorkspacePlanner) -> LawResult {
    let (Some(first), Some(last)) = (played.steps.first(), played.steps.last()) else { return LawResult::Silent };
    let begun = planner.begin();
    let planner = begun.as_deref().unwrap_or(planner);
    let played_case = PlayedCase { case, first, last, planner, unwritten: OnceCell::new() };
    let held = held_by(law, &played_case, played);
    match played_case.unwritten.into_inner() {
        Some(problem) => LawResult::Broken(format!("what a step planned or left cannot be written: {problem}")),
        None => held,
    }
}

fn held_by(law: Law, played_case: &PlayedCase<'_>, played: &Played) -> LawResult {
    match law {
        Law::Idempotent => played_case.idempotent(),
        Law::DestroyedWhole => played_case.destroyed(),
        Law::MadeAgain => played_case.made_again(),
        Law::AnyOrder => played_case.any_order(),
        Law::AnyParallelism => played_case.any_parallelism(),
        Law::SavedPlan => played_case.saved_plan(),
        Law::SplitByTargets => played_case.split_by_targets(),
        Law::MovedTouchesNothing => played_case.moved(),
        Law::CountedByKeys => played_case.counted_by_keys(),
        Law::Imported => played_case.imported(),
        Law::Retried => played_case.retried(),
        Law::Interrupted => played_case.interrupted(),
        Law::FailureAddsNothing => played_case.failure_adds_nothing(),
        Law::RefreshedTwice => played_case.refreshed_twice(),
        Law::Unrefreshed => played_case.unrefreshed(),
        Law::TaintReplaces => played_case.taint_replaces(),
        Law::OutAndBack => played_case.out_and_back(),
        Law::ForgottenAndImported => played_case.forgotten_and_imported(),
        Law::AnyText => played_case.any_text(),
        Law::LocalBetween => played_case.local_between(),
        Law::OutputMore => played_case.output_more(),
        Law::PlannedTwice => played_case.planned_twice(),
        Law::DependsOnMore => played_case.depends_on_more(),
        Law::SideBySide => played_case.side_by_side(),
        Law::DestroyedByParts => played_case.destroyed_by_parts(),
        Law::ChangeAndBack => played_case.change_and_back(),
        Law::EmptyDestroys => played_case.empty_destroys(),
        Law::LostIsMade => played_case.lost_is_made(),
        Law::DriftUndone => played_case.drift_undone(),
        Law::RemoteIsStored => commands::remote_is_stored(played),
        Law::RestIsPlanned => played_case.rest_is_planned(),
        Law::OtherNames => played_case.other_names(),
        Law::PlanTouchesNothing => touches_nothing(played),
        Law::StoredWhole => stored_whole(played),
    }
}

fn touches_nothing(played: &Played) -> LawResult {
    match played.steps.iter().any(|step| mutates(&step.planned.trace)) {
        false => LawResult::Holds,
        true => LawResult::Broken("a plan made a mutating call".into()),
    }
}

fn stored_whole(played: &Played) -> LawResult {
    let mut held = LawResult::Silent;
    for step in played.steps.iter().filter_map(|step| step.applied.as_ref()) {
        held = LawResult::Holds;
        for (address, _, instance) in step.state.instances() {
            for object in instance.current.iter().chain(instance.deposed.values()) {
                let names: Vec<&str> = object.dependencies.iter().map(|name| name.as_str()).collect();
                if !names.is_sorted() || names.windows(2).any(|pair| pair[0] == pair[1]) {
                    return LawResult::Broken("stored dependencies are not a sorted set".into());
                }
                let own = address.config_resource().to_string();
                // A moved object may list its old address among its dependencies until it is applied.
                let visit = address.to_string();
                let is_made = |made: &Made| made.visit == visit && matches!(made.call.request, Request::Apply { .. });
                if names.contains(&own.as_str()) && step.trace.calls.iter().any(is_made) {
                    return LawResult::Broken("an object depends on itself".into());
                }
            }
        }
    }
    held
}
