//! Why an orphan is deleted, and what is forgotten instead (L127, L129).

use crate::dialect::Dialect;
use crate::planner::{KeyKind, Orphan, Presence, Repetition};
use crate::plans::ActionReason;

use super::held::Held;

/// L127.
pub(super) fn delete_reason(dialect: Dialect, orphan: &Orphan, moved: bool) -> ActionReason {
    if !orphan.block {
        return match moved {
            true => ActionReason::DeleteBecauseNoMoveTarget,
            false => ActionReason::DeleteBecauseNoResourceConfig,
        };
    }
    if !orphan.module {
        return ActionReason::DeleteBecauseNoModule;
    }
    match (orphan.key, orphan.repetition) {
        (KeyKind::None, Repetition::Count | Repetition::ForEach) => ActionReason::DeleteBecauseWrongRepetition,
        (KeyKind::None, Repetition::Enabled) if dialect.has_enabled() => ActionReason::DeleteBecauseEnabledFalse,
        (KeyKind::None, _) => ActionReason::None,
        (KeyKind::Index, Repetition::Count) if orphan.declared => ActionReason::None,
        (KeyKind::Index, Repetition::Count) => ActionReason::DeleteBecauseCountIndex,
        (KeyKind::Text, Repetition::ForEach) if orphan.declared => ActionReason::None,
        (KeyKind::Text, Repetition::ForEach) => ActionReason::DeleteBecauseEachKey,
        (KeyKind::Index | KeyKind::Text, _) => ActionReason::DeleteBecauseWrongRepetition,
    }
}

/// L129 in OpenTofu: why the object is forgotten where it would be destroyed, if it is. A block that is there has the last
/// word; the flag of the state stands in for one that is gone.
pub(super) fn forgotten_by_lifecycle(dialect: Dialect, presence: &Presence, object: &Held) -> Option<ActionReason> {
    if !dialect.can_keep_on_destroy() {
        return None;
    }
    let by_config = |keeps: bool| keeps.then_some(ActionReason::ForgotBecauseLifecycleDestroyInConfig);
    match presence {
        Presence::Configured(configured) => by_config(configured.lifecycle.keep_on_destroy),
        Presence::Orphan(orphan) if orphan.block => by_config(orphan.keep_on_destroy),
        Presence::Orphan(_) => object.skip_destroy.then_some(ActionReason::ForgotBecauseLifecycleDestroyInState),
        Presence::Removed(_) => None,
    }
}
