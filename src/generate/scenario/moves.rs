//! The possible next steps of a scenario.

use planfuzz_core::address::ResourceKind;
use planfuzz_pipelines::model::FaultName;

use super::super::dice::Dice;

/// The kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// The same configuration once more.
    NoOp,
    /// The first configuration, or one after a time without a configuration.
    Create,
    /// Some of the configuration changes.
    Change,
    /// One top-level attribute or block changes.
    ChangeOne,
    /// An optional attribute is removed.
    Unset,
    /// Part of the configuration is unknown in the plan and unchanged in the apply.
    ResolveSame,
    /// Part of the configuration is unknown in the plan and changed in the apply.
    ResolveOther,
    /// The user asks for a replacement.
    Replace,
    /// `replace_triggered_by` fires, or nearly.
    Trigger,
    /// The remote object changes.
    Drift,
    /// The remote object changes, and the user runs a refresh.
    DriftSeen,
    /// The remote object is deleted.
    Vanish,
    /// The user taints the object.
    Taint,
    /// The user untaints it.
    Untaint,
    /// An existing remote object is imported.
    Import,
    /// A refresh.
    Refresh,
    /// A destroy.
    Destroy,
    /// The instance is no longer configured.
    Orphan,
    /// A `removed` block.
    Forget,
    /// A `moved` block.
    Rename,
    /// The facts around the configuration change.
    Facts,
}

impl Move {
    /// The next move. `there` is the walk's guess whether there is an object, `configured` whether the instance was configured in
    /// the step before.
    pub(super) fn draw(dice: &mut Dice<'_, '_>, kind: ResourceKind, there: bool, configured: bool) -> Move {
        use Move as M;
        let table: &[(u8, Move)] = match (kind, there, configured) {
            (ResourceKind::Data, ..) => &[
                (40, M::Change),
                (40, M::ResolveOther),
                (30, M::NoOp),
                (20, M::Facts),
                (16, M::Refresh),
                (14, M::Destroy),
                (10, M::Orphan),
                (5, M::Rename),
            ],
            (_, false, _) => &[
                (100, M::Create),
                (20, M::Import),
                (40, M::ResolveOther),
                (4, M::Trigger),
                (4, M::Replace),
                (4, M::NoOp),
                (3, M::Destroy),
                (3, M::Refresh),
                (2, M::Orphan),
                (2, M::Forget),
            ],
            (_, true, false) => &[(40, M::Create), (12, M::NoOp), (16, M::Destroy), (10, M::Vanish)],
            (_, true, true) => &[
                (24, M::NoOp),
                (24, M::Change),
                (30, M::ChangeOne),
                (14, M::Unset),
                (16, M::ResolveSame),
                (20, M::ResolveOther),
                (12, M::Replace),
                (14, M::Trigger),
                (18, M::Drift),
                (6, M::DriftSeen),
                (9, M::Vanish),
                (14, M::Taint),
                (4, M::Untaint),
                (3, M::Import),
                (6, M::Refresh),
                (14, M::Destroy),
                (22, M::Orphan),
                (8, M::Forget),
                (5, M::Rename),
                (10, M::Facts),
            ],
        };
        let total: usize = table.iter().map(|(weight, _)| usize::from(*weight)).sum();
        let mut rest = dice.below(total);
        for (weight, chosen) in table {
            match rest.checked_sub(usize::from(*weight)) {
                Some(left) => rest = left,
                None => return *chosen,
            }
        }
        table[0].1
    }

    /// The moves in which a fault shows, if a scenario might not contain them by chance.
    pub(super) fn showing(fault: FaultName) -> &'static [Move] {
        use FaultName as F;
        use Move as M;
        match fault {
            F::PlanKeepOnDestroy | F::ApplyKeepOnDelete => &[M::Destroy, M::Orphan],
            F::PlanValueForUnset | F::PlanUnset => &[M::Unset, M::ChangeOne],
            F::PlanGuessUnknown | F::SecondUpdates | F::ValidateUnknown | F::SecondPrior => {
                &[M::ResolveOther, M::ResolveSame]
            }
            F::SecondReplaces | F::ReplaceUnsorted | F::ReplaceBadPath => &[M::ChangeOne, M::Change],
            F::ApplyErrorLies | F::ApplyErrorNull | F::ApplySilentPartial => &[M::ChangeOne, M::NoOp],
            F::ApplyCrash => &[M::ChangeOne, M::Destroy],
            F::PerpetualUnknown | F::PerpetualValue | F::ReplaceAlways | F::PlanNondeterministic => &[M::NoOp],
            F::ReadUnknown | F::ReadWrongType | F::ReadNormalise | F::ReadWriteOnly | F::ReadUnstable => {
                &[M::NoOp, M::Refresh]
            }
            F::ReadNullBlocks => &[M::NoOp, M::Refresh],
            F::ReadForgets | F::UpgradeUnknown | F::UpgradeWrongType => &[M::NoOp, M::Change],
            F::ImportNone | F::ImportMany | F::ImportNull => &[M::Import],
            _ => &[],
        }
    }
}
