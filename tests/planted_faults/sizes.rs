//! The largest size to which each fault is shrunk: nodes of the document of the shrunk case.
//!
//! The smallest documents have five; a resource with one attribute and one value for it has thirteen. If a number is
//! well above those of its neighbours, some seeds find the fault where the type that a value contains is part of what
//! goes wrong.

use planfuzz::subject::faults::Fault;

/// The most nodes of a shrunk case.
pub fn nodes(fault: Fault) -> usize {
    match fault {
        Fault::NumberTextOfFloat => 5,
        Fault::ConformsReversed => 6,
        Fault::NullNeverEqual | Fault::RefinementsDropped | Fault::BoolAsDigit => 7,
        Fault::DynamicNullBare | Fault::TextNumberAsFloat => 8,
        Fault::NullConfigGivesNull | Fault::RefinementsNotEqual | Fault::NotNullForgotten => 9,
        Fault::EqualKeyIsEqual => 10,
        Fault::UnifyNeedsEqualTypes | Fault::LcsFromSecond => 11,
        Fault::LegacyNullGroupKept | Fault::LegacyNullListKept | Fault::NullNotConsumed => 13,
        Fault::DataSourceWithoutUnknowns | Fault::LegacyUnknownBlocksDropped | Fault::LegacyNullElementFilled => 14,
        Fault::SingleBlockKept | Fault::CreateAsDataSource | Fault::VanishedObjectAccepted => 15,
        Fault::NullPlannedAccepted | Fault::UnaskedObjectAccepted | Fault::NullBlockAccepted => 16,
        Fault::EmptyListKeepsPrior
        | Fault::ComputedOnlyBlamed
        | Fault::UnknownBlocksAdmitAny
        | Fault::UnknownPlannedBlocksAccepted
        | Fault::BlocksNotCounted
        | Fault::UnknownBlocksBind
        | Fault::RenamedBlockKeyReported => 17,
        Fault::MapKeepsPriorKeys
        | Fault::RefinementsCompared
        | Fault::RemovedAttributeKept
        | Fault::OptionalComputedBlamed
        | Fault::ComputedMayOverride
        | Fault::UnaskedAttributeAccepted
        | Fault::WriteOnlyNullBlamed
        | Fault::UnknownNestedAccepted
        | Fault::NestedSetNotCounted
        | Fault::NestedListNotCounted
        | Fault::BlockRefinementsIgnored
        | Fault::UnknownSetBlocksAccepted
        | Fault::ExtraBlockKeyAtBlock
        | Fault::SensitiveNotReported
        | Fault::GainedElementsAccepted
        | Fault::LegacyMapUnknown
        | Fault::ComputedBlockBlamed => 18,
        Fault::UnknownElementKept | Fault::RenamedKeyOnce | Fault::UnknownBlockElementAccepted => 19,
        Fault::NullGroupTaken
        | Fault::DataSourceSetUnknown
        | Fault::NumbersAsFloats
        | Fault::KeptPriorRefused
        | Fault::ComputedBlocksNotPrepared => 20,
        Fault::UnknownBlocksCounted
        | Fault::ComputedOnlyIgnoresConfig
        | Fault::SensitiveNotCollapsed
        | Fault::DynamicNullBinds => 21,
        Fault::NullNestedDescended
        | Fault::UnknownConfigGivesPrior
        | Fault::ComputedNestedTaken
        | Fault::UnknownNestedDescended => 22,
        Fault::RemovedNestedKept
        | Fault::RemovedNestedShallow
        | Fault::NullMayBeFilled
        | Fault::ExtraPartAccepted
        | Fault::SetMayGrow
        | Fault::SetsCounted => 23,
        Fault::NullPriorWithElements
        | Fault::WriteOnlyAccepted
        | Fault::UnknownResultAccepted
        | Fault::UnknownSingleMustExist
        | Fault::BlockCountNotCompared
        | Fault::NullComputedBlockAccepted => 24,
        Fault::SetTakesLastMatch
        | Fault::ConfiguredNestedBlamed
        | Fault::LastElementNotValidated
        | Fault::NestedMapNotCounted
        | Fault::NestedMapPathAsKey
        | Fault::BothDirectionsReported => 25,
        Fault::ListBeyondEndTakesLast
        | Fault::NullSetMatches
        | Fault::MissingPartAccepted
        | Fault::LostElementsAccepted => 26,
        Fault::EmptyStringIsNull | Fault::RefinementsDoNotBind => 27,
        Fault::NullPriorStaysNull | Fault::NewMapElementAsIs | Fault::OnlyFirstBlockCompared => 28,
        Fault::EmptyMapNeverMatches => 29,
        Fault::NullPriorNeverMatches | Fault::MapBlockPriorLost | Fault::InnerBlocksNotNormalised => 30,
        Fault::ListLastElementNew | Fault::ShorterConfigMatches => 31,
        Fault::SetUsesPriorTwice
        | Fault::SetChoosesBackwards
        | Fault::NullAlwaysMatches
        | Fault::NestedListPriorLost
        | Fault::ComputedNullNeverMatches => 33,
        Fault::LongerConfigNeverMatches => 34,
        Fault::ComputedAlwaysMatches => 36,
        Fault::UnknownMatches => 37,
        Fault::TypeChangeAccepted => 49,
        Fault::NewMapElementMerged => 53,
        Fault::MissingBlockKeyAccepted => 54,
        // Faults of the lifecycle have sizes of their own.
        _ => super::trace_sizes::MOST.nodes,
    }
}
