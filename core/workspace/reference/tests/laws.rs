//! Every law of section 10 of workspace-apply.md is broken by a mistake that was planted for it, and holds without one.
//!
//! `cargo test -p planfuzz-workspace-reference --features faults --test laws -- --nocapture` prints how many cases each law needs.

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace_cases::Case;
use planfuzz_workspace_cases::generate::{Choices, Settings, case};
use planfuzz_workspace_cases::laws::{Law, LawResult, hold_only};
use planfuzz_workspace_reference::Reference;
use planfuzz_workspace_reference::faults::Fault;

/// How many cases may be needed.
const MOST: u64 = 6_000;

fn made(dialect: Dialect, seed: u64, number: u64) -> Case {
    case(Settings::SMALL, dialect, &mut Choices::seeded(seed, number)).case
}

/// The mistake that breaks a law.
fn planted(law: Law) -> Fault {
    match law {
        Law::Idempotent => Fault::LateOutputNotStored,
        Law::DestroyedWhole => Fault::DataOutliveDestruction,
        Law::MadeAgain => Fault::DestroyKeepsOutputs,
        Law::AnyOrder => Fault::OutputWaitsForNothing,
        Law::AnyParallelism => Fault::FailureForgottenAlone,
        Law::SavedPlan => Fault::OutputSensitiveAtTimes,
        Law::SplitByTargets => Fault::TargetMeansSingle,
        Law::MovedTouchesNothing => Fault::MovesNotRead,
        Law::CountedByKeys => Fault::MovesNotRead,
        Law::Imported => Fault::ImportsForgotten,
        Law::Retried => Fault::DeposedMissed,
        Law::Interrupted => Fault::DeposedMissed,
        Law::FailureAddsNothing => Fault::FailedCreationUndone,
        Law::RefreshedTwice => Fault::OutputTurnsSensitive,
        Law::Unrefreshed => Fault::OrphansWantRefresh,
        Law::TaintReplaces => Fault::ReplaceIgnored,
        Law::OutAndBack => Fault::OrphansMissed,
        Law::ForgottenAndImported => Fault::ForgottenDestroyed,
        Law::AnyText => Fault::ReferencesGoBack,
        Law::LocalBetween => Fault::LocalsWaitForNothing,
        Law::OutputMore => Fault::OutputsAreNothing,
        Law::PlannedTwice => Fault::CompleteAtTimes,
        Law::DependsOnMore => Fault::DependsOnForgotten,
        Law::SideBySide => Fault::FailureStopsAll,
        Law::DestroyedByParts => Fault::TargetedDestroyForgets,
        Law::ChangeAndBack => Fault::AllIgnored,
        Law::EmptyDestroys => Fault::OrphansOfModulesMissed,
        Law::LostIsMade => Fault::NothingRead,
        Law::DriftUndone => Fault::AllIgnored,
        Law::RemoteIsStored => Fault::FailedNotStored,
        Law::RestIsPlanned => Fault::DeposedMissed,
        Law::OtherNames => Fault::LateNamesNoOrphans,
        Law::PlanTouchesNothing => Fault::PlanApplies,
        Law::StoredWhole => Fault::DependsOnItself,
    }
}

/// The number of the first case in which a law does not hold for a planner with a mistake.
fn first_broken(law: Law, fault: Fault) -> Option<(u64, String)> {
    (0..MOST).find_map(|number| match hold_only(&made(Dialect::TERRAFORM_1_11, 5, number), fault.planner(), law) {
        Ok(LawResult::Broken(why)) => Some((number, why)),
        _ => None,
    })
}

#[test]
fn every_law_is_broken_by_a_planted_mistake() {
    let mut missed = Vec::new();
    for law in Law::ALL {
        let fault = planted(law);
        match first_broken(law, fault) {
            Some((number, why)) => println!("{} {:<40} case {number}: {why}", law.id(), fault.name()),
            None => missed.push(format!("{law:?}: {} is not found", fault.name())),
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn no_law_is_broken_without_one() {
    for (number, dialect) in (0..70).zip(Dialect::ALL.into_iter().cycle()) {
        for law in Law::ALL {
            let held = hold_only(&made(dialect, 6, number), &Reference, law).expect("a case");
            assert!(!matches!(held, LawResult::Broken(_)), "case {number} of {dialect}: {law:?}: {held:?}");
        }
    }
}
