//! Deletion at plan time (section 12): the destroy plan, orphans, deposed objects.

use crate::planner::{Orphan, PlanChange, PlanOptions, Presence, PreventDestroy, summary};
use crate::plans::{Action, ActionReason, Change, Marked, ResourceInstanceChange};
use crate::state::{DeposedKey, Private};
use crate::value::{PathSet, Type, Value};

use super::answer::Call;
use super::held::Held;
use super::orphan::{delete_reason, forgotten_by_lifecycle};
use super::walk::{Step, Walk};

impl Walk<'_, '_> {
    /// L120 to L122.
    pub fn plan_destroy(&mut self, object: Option<&Held>, forget: bool) -> Step<ResourceInstanceChange> {
        let Some(object) = object.filter(|object| !object.value.is_null()) else {
            let nothing = Marked::null(Type::Dynamic);
            return Ok(change(Action::NoOp, nothing.clone(), nothing, Private::NONE));
        };
        if forget {
            return Ok(self.forgotten(object));
        }
        let (planned, private) = self.ask_destroy(object)?;
        // L121
        if !planned.is_null() {
            return Err(self.fail(summary::INVALID_PLAN, "L121"));
        }
        // L122
        Ok(change(Action::Delete, object.value.clone(), Marked::plain(self.null()), private))
    }

    /// The call of L120; without the capability the client answers.
    fn ask_destroy(&mut self, object: &Held) -> Step<(Value, Private)> {
        if !self.provider.capabilities().plan_destroy {
            return Ok((self.null(), object.private.clone()));
        }
        let request = PlanChange {
            prior: object.value.value().clone(),
            config: self.null(),
            proposed: self.null(),
            private: object.private.clone(),
        };
        let answer = self.ask_plan(request, Call::First, summary::DEFERRED)?;
        Ok((answer.planned, answer.private))
    }

    /// L129: what is done to an object that lives on.
    pub fn forgotten(&self, object: &Held) -> ResourceInstanceChange {
        change(Action::Forget, object.value.clone(), Marked::plain(self.null()), Private::NONE)
    }

    /// L123, L127 to L129 once the object is the one to be planned: what is done to an orphan.
    pub fn plan_orphan(
        &mut self,
        object: &Held,
        presence: &Presence,
        options: &PlanOptions,
    ) -> Step<ResourceInstanceChange> {
        if let Some(reason) = forgotten_by_lifecycle(self.dialect(), presence, object) {
            return Ok(ResourceInstanceChange { reason, ..self.forgotten(object) });
        }
        let forget = options.forget || matches!(presence, Presence::Removed(_));
        let change = self.plan_destroy(Some(object), forget)?;
        let reason = match (presence, change.change.action) {
            (Presence::Configured(_), _) | (_, Action::NoOp) => ActionReason::None,
            // L129: Terraform gives the reason of a deletion to what it forgets.
            (_, Action::Forget) if self.dialect().can_keep_on_destroy() => ActionReason::None,
            (Presence::Orphan(orphan) | Presence::Removed(orphan), _) => self.reason(orphan, options),
        };
        Ok(ResourceInstanceChange { reason, moved_from: options.moved_from.clone(), ..change })
    }

    fn reason(&self, orphan: &Orphan, options: &PlanOptions) -> ActionReason {
        delete_reason(self.dialect(), orphan, options.moved_from.is_some())
    }

    /// L111, L125: an error where a change destroys what must not be destroyed. The change stays.
    pub fn check_prevent_destroy(&mut self, change: &ResourceInstanceChange, prevent: PreventDestroy) -> Step<()> {
        let action = change.change.action;
        if action != Action::Delete && !action.is_replace() {
            return Ok(());
        }
        match prevent {
            PreventDestroy::Yes => Err(self.fail(self.dialect().destruction_prevented(), "L111")),
            PreventDestroy::Bad if self.dialect().evaluates_prevent_destroy() => {
                Err(self.fail(summary::BAD_PREVENT_DESTROY, "L111"))
            }
            PreventDestroy::No | PreventDestroy::Bad => Ok(()),
        }
    }

    /// L130, planned: the change of a deposed object.
    pub fn plan_deposed_change(
        &mut self,
        key: &DeposedKey,
        object: Option<&Held>,
        forget: bool,
    ) -> Step<ResourceInstanceChange> {
        let change = self.plan_destroy(object, forget)?;
        Ok(ResourceInstanceChange { deposed: Some(key.clone()), ..change })
    }
}

/// `prevent_destroy`, wherever the configuration still says it (L111, L125).
pub(super) fn prevent_destroy(presence: &Presence) -> PreventDestroy {
    match presence {
        Presence::Configured(configured) => configured.lifecycle.prevent_destroy,
        Presence::Orphan(orphan) if orphan.block => orphan.prevent_destroy,
        Presence::Orphan(_) | Presence::Removed(_) => PreventDestroy::No,
    }
}

fn change(action: Action, before: Marked, after: Marked, private: Private) -> ResourceInstanceChange {
    ResourceInstanceChange {
        moved_from: None,
        deposed: None,
        change: Change { action, before, after, importing: None },
        reason: ActionReason::None,
        required_replace: PathSet::EMPTY,
        private,
    }
}
