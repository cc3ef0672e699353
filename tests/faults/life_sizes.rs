//! The size to which each fault of the lifecycle is shrunk at most, whichever seed found it.

use planfuzz::subject::faults::Fault;

/// The size of a scenario.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Nodes of its document.
    pub nodes: usize,
    /// Members of its schema, without the `id` that every resource of the SDK has.
    pub members: usize,
    /// Steps.
    pub steps: usize,
}

impl Size {
    /// Whether this is no bigger than another size.
    pub fn fits(self, most: Size) -> bool {
        self.nodes <= most.nodes && self.members <= most.members && self.steps <= most.steps
    }
}

/// The most that a shrunk scenario has: three members and two steps are enough.
pub fn most(fault: Fault) -> Size {
    Size { nodes: nodes(fault), members: 3, steps: 2 }
}

/// The most nodes, rounded up to tens: which scenario is found first is a matter of the generator.
fn nodes(fault: Fault) -> usize {
    match fault {
        Fault::DeleteUntyped
        | Fault::DataOrphanVisible
        | Fault::EmptySetBlockVanishes
        | Fault::ReferenceNotWaitedFor
        | Fault::CheckNestedUnsaid
        | Fault::OrphanMayBeDestroyed
        | Fault::UnknownConditionFails
        | Fault::PostconditionsUnheld
        | Fault::ContinueIgnored
        | Fault::RefreshNotSkipped
        | Fault::ReadKeepsPrivate
        | Fault::LegacyPlanRefused
        | Fault::DeposedNotPlannedAgain
        | Fault::DeposedStoredPrivate
        | Fault::AppliedWithPlanPrivate
        | Fault::ImportTakesFirst
        | Fault::ImportNotRead
        | Fault::PreconditionAfterValidate
        | Fault::ImportOfExisting
        | Fault::DeposedGoneDropped
        | Fault::DeletePrivateOfObject
        | Fault::MovedOrphanUnsaid
        | Fault::ProvisionerDoesNotTaint
        | Fault::FailedCreateReady
        | Fault::PostconditionTaints
        | Fault::NoOpSavesPlannedPrivate
        | Fault::FlagLost => 20,
        Fault::IgnoredUnknownKept
        | Fault::IgnoreAllUnsetsComputed
        | Fault::EveryPathReplaces
        | Fault::RefreshThrownAway
        | Fault::FirstPlanRecorded
        | Fault::MarkUpdateUnsaved
        | Fault::FailureClearsTaint
        | Fault::NoOpIsInconsistent
        | Fault::IndirectDependencyRead
        | Fault::ComputedValuesKept
        | Fault::NullElementsFilled
        | Fault::EmptyTextNulled
        | Fault::IgnoreKeyNeedsMap
        | Fault::RemovedDestroyed
        | Fault::NoOpConditionsSkipped
        | Fault::TaintedProvisioned
        | Fault::VanishedKept
        | Fault::TaintKeepsPrivate
        | Fault::TaintPlannedTwice
        | Fault::SecondCallOwnPrivate
        | Fault::InvalidPlanTolerated
        | Fault::InconsistentResultTolerated
        | Fault::LegacyFinalPlanTolerated
        | Fault::MissingPathIgnored
        | Fault::DestroyLegStoredPrivate
        | Fault::UpdatePlannedWithPlanPrivate
        | Fault::MarkUpdateApplied
        | Fault::MarksAloneNoUpdate
        | Fault::TaintLosesToRequest
        | Fault::DeleteBecauseTainted
        | Fault::SecondCallSchemaMarks
        | Fault::RefreshClearsTaint
        | Fault::RefreshForgetsDependencies
        | Fault::ImportUnsaid
        | Fault::ImportNotPrevious
        | Fault::WrongRepetitionAsIndex
        | Fault::OrphanOfOtherEngine
        | Fault::ForgetKeepsPrivate
        | Fault::PreventedUnrecorded
        | Fault::ImportNotApplyable
        | Fault::MarksNoDrift
        | Fault::DataBeforePrior
        | Fault::UnknownConfigUnsaid
        | Fault::UpdateTaints
        | Fault::ErrorRenewsPrivate
        | Fault::OneUnknownReported
        | Fault::FailedDeleteForgets => 30,
        Fault::UnknownIsNoChange
        | Fault::MarksCounted
        | Fault::PlannedMarksOnly
        | Fault::OrderDecidedAnew
        | Fault::IgnoredMarksSurvive
        | Fault::IgnoreAbsentKeyKept
        | Fault::IgnoreIndexDropped
        | Fault::SecondCallIgnores
        | Fault::SecondCallMergesPrior
        | Fault::LegacyResultRefused
        | Fault::FinalPlanNotCompared
        | Fault::LegacyNotReverted
        | Fault::WriteOnlyPathMustChange
        | Fault::ApplyGetsIgnored
        | Fault::SchemaMarksForgotten
        | Fault::RequestPathsUnrecorded
        | Fault::ResultComparedAfterError
        | Fault::UnfitResultKeepsPrior
        | Fault::DependenciesNotRenewed => 40,
        Fault::WriteOnlyChanges
        | Fault::TriggerOnCreate
        | Fault::UnknownPathNotKept
        | Fault::OneSidedPathDropped
        | Fault::ReplacementNotPrevented
        | Fault::ErroredApplyable
        | Fault::PartialUpdateDropped
        | Fault::LostAnswerKeepsPrivate => 50,
        Fault::DeposedRestoredTooSoon
        | Fault::TriggerUpdateOnly
        | Fault::RequestEndsTriggers
        | Fault::TaintWinsOverTrigger
        | Fault::SecondCallChecked
        | Fault::DeposedNotRestored => 60,
        Fault::TriggerAttributeIgnored | Fault::TriggerMarksIgnored => 70,
        // What no seed has found yet has no size.
        _ => 0,
    }
}
