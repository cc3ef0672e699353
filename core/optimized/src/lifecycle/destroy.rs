//! Destruction at plan time (section 12): of one object, of orphans, and its reason.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{KeyKind, Orphan, PlanChange, PlanOptions, PreventDestroy, Repetition, summary};
use planfuzz_core::plans::{Action, ActionReason, Change, Marked, ResourceInstanceChange};
use planfuzz_core::state::{DeposedKey, Private};
use planfuzz_core::value::PathSet;

use super::answers::{Warnings, nothing};
use super::typed_object::TypedObject;
use super::walk::{Walk, Walked};

impl Walk<'_> {
    /// L120 to L122: the destruction of an object, or a no-op if there is none. `forget`: the object is forgotten
    /// instead.
    pub(super) fn plan_destruction(
        &mut self,
        held: Option<&TypedObject>,
        deposed: Option<&DeposedKey>,
        options: &PlanOptions,
        forget: bool,
    ) -> Walked<ResourceInstanceChange> {
        let change = |action, before, after, private| ResourceInstanceChange {
            moved_from: options.moved_from.clone(),
            deposed: deposed.cloned(),
            change: Change { action, before, after, importing: None },
            reason: ActionReason::None,
            required_replace: PathSet::EMPTY,
            private,
        };
        let Some(held) = held.filter(|held| !held.object.is_null()) else {
            return Ok(change(Action::NoOp, nothing(), nothing(), Private::NONE));
        };
        let after = Marked::plain(self.null());
        if forget {
            return Ok(change(Action::Forget, held.object.clone(), after, Private::NONE));
        }
        let private = self.planned_private(held)?;
        Ok(change(Action::Delete, held.object.clone(), after, private))
    }

    /// L120, L121: the private data that the provider gets back when the object is destroyed.
    fn planned_private(&mut self, held: &TypedObject) -> Walked<Private> {
        if !self.provider.capabilities().plan_destroy {
            return Ok(held.private.clone());
        }
        let null = self.null();
        let request = PlanChange {
            prior: held.object.value().clone(),
            config: null.clone(),
            proposed: null,
            private: held.private.clone(),
        };
        let answer = self.ask_plan(request, Warnings::Kept)?;
        if !answer.planned.is_null() {
            return self.fail(summary::INVALID_PLAN, "L121");
        }
        Ok(answer.private)
    }

    /// L111.
    pub(super) fn check_prevention(&mut self, action: Action, prevent: PreventDestroy) -> Walked<()> {
        if action != Action::Delete && !action.is_replace() {
            return Ok(());
        }
        let dialect = self.program.dialect;
        match prevent {
            PreventDestroy::Yes => self.fail(dialect.destruction_prevented(), "L111"),
            PreventDestroy::Bad if dialect.evaluates_prevent_destroy() => {
                self.fail(summary::BAD_PREVENT_DESTROY, "L111")
            }
            PreventDestroy::No | PreventDestroy::Bad => Ok(()),
        }
    }
}

/// L127.
pub(super) fn reason_of_deletion(dialect: Dialect, orphan: &Orphan, moved: bool) -> ActionReason {
    if !orphan.block {
        return if moved {
            ActionReason::DeleteBecauseNoMoveTarget
        } else {
            ActionReason::DeleteBecauseNoResourceConfig
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

/// L129, LD30: the reason for forgetting an object, if there is one: its block, or else its own flag.
pub(super) fn reason_to_forget(dialect: Dialect, block_keeps: bool, flagged: bool) -> Option<ActionReason> {
    if !dialect.can_keep_on_destroy() {
        None
    } else if block_keeps {
        Some(ActionReason::ForgotBecauseLifecycleDestroyInConfig)
    } else {
        flagged.then_some(ActionReason::ForgotBecauseLifecycleDestroyInState)
    }
}
