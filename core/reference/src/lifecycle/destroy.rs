//! Deletion at plan time (section 12): the destroy plan, orphans, deposed objects.

use planfuzz_core::planner::{Diagnostic, Orphan, PlanChange, PlanOptions, Presence, PreventDestroy, summary};
use planfuzz_core::plans::{Action, ActionReason, Change, Marked, ResourceInstanceChange};
use planfuzz_core::state::{DeposedKey, Private};
use planfuzz_core::value::{PathSet, Type, Value, WrittenPath};

use super::answer::{Call, Deferral};
use super::orphan::{delete_reason, forgotten_by_lifecycle};
use super::typed_object::TypedObject;
use super::walk::{Step, Walk};

impl Walk<'_, '_> {
    /// L120 to L122.
    pub fn plan_destroy(&mut self, object: Option<&TypedObject>, forget: bool) -> Step<ResourceInstanceChange> {
        self.plan_destroy_or(object, forget, Deferral::Error(summary::DEFERRED))
    }

    /// A50: the same for a deposed object that is about to be destroyed.
    pub fn plan_destroy_again(&mut self, object: &TypedObject) -> Step<ResourceInstanceChange> {
        self.plan_destroy_or(Some(object), false, Deferral::End)
    }

    fn plan_destroy_or(
        &mut self,
        object: Option<&TypedObject>,
        forget: bool,
        deferral: Deferral,
    ) -> Step<ResourceInstanceChange> {
        let Some(object) = object.filter(|object| !object.value.is_null()) else {
            let nothing = Marked::null(Type::Dynamic);
            return Ok(change(Action::NoOp, nothing.clone(), nothing, Private::NONE));
        };
        if forget {
            return Ok(self.forgotten(object));
        }
        let (planned, private) = self.ask_destroy(object, deferral)?;
        // L121
        if !planned.is_null() {
            return Err(self.fail(summary::INVALID_PLAN, "L121"));
        }
        // L122
        Ok(change(Action::Delete, object.value.clone(), Marked::plain(self.null()), private))
    }

    /// The call of L120; without the capability the client answers for the provider.
    fn ask_destroy(&mut self, object: &TypedObject, deferral: Deferral) -> Step<(Value, Private)> {
        if !self.provider.capabilities().plan_destroy {
            return Ok((self.null(), object.private.clone()));
        }
        let request = PlanChange {
            prior: object.value.value().clone(),
            config: self.null(),
            proposed: self.null(),
            private: object.private.clone(),
        };
        let answer = self.ask_plan(request, Call::First, deferral)?;
        Ok((answer.planned, answer.private))
    }

    /// L129: the change of an object that is kept instead of destroyed.
    pub fn forgotten(&self, object: &TypedObject) -> ResourceInstanceChange {
        change(Action::Forget, object.value.clone(), Marked::plain(self.null()), Private::NONE)
    }

    /// L123, L127 to L129: the change of an orphan, after the decision whether it is refreshed first.
    pub fn plan_orphan(
        &mut self,
        object: &TypedObject,
        presence: &Presence,
        options: &PlanOptions,
    ) -> Step<ResourceInstanceChange> {
        if let Some(reason) = forgotten_by_lifecycle(self.dialect(), presence, object) {
            let moved_from = options.moved_from.clone();
            return Ok(ResourceInstanceChange { reason, moved_from, ..self.forgotten(object) });
        }
        let forget = options.forget || matches!(presence, Presence::Removed(_));
        let change = self.plan_destroy(Some(object), forget)?;
        let reason = match (presence, change.change.action) {
            (Presence::Configured(_), _) | (_, Action::NoOp) => ActionReason::None,
            // L129: a forgotten object has the reason of a deletion.
            (Presence::Orphan(orphan) | Presence::Removed(orphan), _) => self.reason(orphan, options),
        };
        Ok(ResourceInstanceChange { reason, moved_from: options.moved_from.clone(), ..change })
    }

    fn reason(&self, orphan: &Orphan, options: &PlanOptions) -> ActionReason {
        delete_reason(self.dialect(), orphan, options.moved_from.is_some())
    }

    /// L111, L125: an error where a change destroys an object with `prevent_destroy`. The change stays.
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

    /// L130, planned: the change of a deposed object. `keeps` is its own flag (LD30), which has its effect even
    /// without the object.
    pub fn plan_deposed_change(
        &mut self,
        key: &DeposedKey,
        object: Option<&TypedObject>,
        keeps: bool,
        options: &PlanOptions,
        forget: bool,
    ) -> Step<ResourceInstanceChange> {
        let dialect = self.dialect();
        let is_kept = dialect.can_keep_on_destroy() && keeps;
        let change = match object {
            Some(object) if is_kept && !object.value.is_null() => forgotten_in_state(self.forgotten(object)),
            None if is_kept && dialect.forgets_absent_deposed() => {
                let null = Marked::plain(self.null());
                forgotten_in_state(change(Action::Forget, null.clone(), null, Private::NONE))
            }
            _ => self.plan_destroy(object, forget)?,
        };
        self.warn_of_forgetting(&change);
        // L160
        let moved_from = options.moved_from.clone();
        Ok(ResourceInstanceChange { deposed: Some(key.clone()), moved_from, ..change })
    }

    /// L129: warns of an object that leaves the state without being destroyed.
    pub fn warn_of_forgetting(&mut self, change: &ResourceInstanceChange) {
        if change.change.action == Action::Forget && self.dialect().warns_of_forgetting() {
            self.diagnostics.push(Diagnostic::warning(summary::FORGOTTEN, WrittenPath::default(), "L129"));
        }
    }
}

/// LD30: the flag of the state is the reason.
fn forgotten_in_state(change: ResourceInstanceChange) -> ResourceInstanceChange {
    ResourceInstanceChange { reason: ActionReason::ForgotBecauseLifecycleDestroyInState, ..change }
}

/// `prevent_destroy`, if the configuration still has it (L111, L125).
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

#[cfg(test)]
mod tests {
    use crate::lifecycle::fixture::{fixture, key, object, remark, stored, summaries, text_of};
    use planfuzz_core::dialect::Dialect;
    use planfuzz_core::planner::{PreventDestroy, Severity};
    use planfuzz_core::plans::Mode;
    use planfuzz_core::value::{Tri, Type, Value};

    const OLD: &str = r#"{"id":"1","name":"a"}"#;

    #[test]
    fn l120_l122_a_provider_that_does_not_plan_destructions_is_not_asked() {
        for (asked, calls, private) in [(true, "upgrade plan read", "P1"), (false, "upgrade read", "S")] {
            let mut fixture = fixture(OLD, "");
            fixture.provider.plan_destroy = asked;
            let run = fixture.plan();
            assert_eq!(run.calls(), calls);
            let change = run.change();
            assert_eq!(text_of(&change.private), private);
            assert_eq!(change.change.after.value().ty(), object(OLD).ty());
        }
    }

    #[test]
    fn l121_a_destruction_leaves_nothing_legacy_or_not() {
        let mut fixture = fixture(OLD, "");
        fixture.provider.plan = |request, answer| {
            answer.planned = request.prior.clone();
            answer.legacy_type_system = true;
        };
        let run = fixture.plan();
        assert_eq!(summaries(&run.answer.diagnostics), ["E Provider produced invalid plan"]);
        assert_eq!((run.calls().as_str(), run.changes().as_str()), ("upgrade plan", ""));
    }

    #[test]
    fn l130_deposed_objects_are_refreshed_planned_and_recorded_by_key() {
        let mut fixture = fixture("", r#"{"name":"a"}"#);
        fixture.state.deposed.insert(key("0000000b"), stored(r#"{"id":"2"}"#));
        fixture.state.deposed.insert(key("0000000a"), stored(r#"{"id":"1"}"#));
        fixture.configured().lifecycle.prevent_destroy = PreventDestroy::Yes;
        fixture.provider.read = |answer| {
            if answer.new_state == object(r#"{"id":"1"}"#) {
                answer.new_state = Value::null(answer.new_state.ty().clone());
            }
        };
        let run = fixture.plan();
        assert_eq!(run.calls(), "validate validate plan upgrade read upgrade read plan");
        assert_eq!(run.changes(), "create, 0000000a:no_op, 0000000b:delete");
        let gone = &run.answer.changes[1].change;
        assert_eq!((gone.before.value().ty(), gone.after.value().ty()), (&Type::Dynamic, &Type::Dynamic));
        assert!(run.answer.diagnostics.is_empty(), "prevent_destroy is not tested");
        assert_eq!(run.answer.refreshed.deposed.len(), 1);
    }

    #[test]
    fn l130_an_error_of_the_current_object_leaves_deposed_ones_alone() {
        let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
        fixture.state.deposed.insert(key("0000000a"), stored(r#"{"id":"2"}"#));
        fixture.configured().preconditions = vec![Tri::False];
        let run = fixture.plan();
        assert_eq!(run.changes(), "0000000a:delete");
        assert!(run.answer.is_errored() && !run.answer.applyable && run.answer.working.is_none());
    }

    #[test]
    fn l120_in_a_forget_context_nothing_is_asked() {
        let mut fixture = fixture(OLD, "");
        fixture.options.forget = true;
        fixture.mode = Mode::Destroy;
        fixture.options.skip_refresh = true;
        fixture.state.deposed.insert(key("0000000a"), stored(r#"{"id":"2"}"#));
        let run = fixture.plan();
        assert_eq!((run.calls().as_str(), run.changes().as_str()), ("upgrade upgrade", "forget, 0000000a:forget"));
    }

    #[test]
    fn l152_a_destroy_plan_is_a_plan_and_then_a_walk_of_deletions() {
        let mut fixture = fixture(OLD, r#"{"name":"b"}"#);
        fixture.mode = Mode::Destroy;
        fixture.configured().preconditions = vec![Tri::False];
        fixture.provider.read = |answer| answer.new_state = object(r#"{"id":"1","name":"x"}"#);
        let run = fixture.plan();
        assert_eq!(run.calls(), "validate upgrade read validate plan upgrade plan");
        assert_eq!(run.changes(), "delete", "L128: no reason");
        assert_eq!(*run.change().change.before.value(), object(r#"{"id":"1","name":"x"}"#));
        assert_eq!(text_of(&run.change().private), "P2");
        assert!(run.answer.diagnostics.is_empty(), "LD09: {:?}", summaries(&run.answer.diagnostics));
        assert!(run.answer.drift.is_none(), "L170");
        assert!(run.answer.working.is_some(), "L182: it stays visible");
    }

    #[test]
    fn l152_without_a_refresh_there_is_one_walk() {
        let mut fixture = fixture(OLD, r#"{"name":"b"}"#);
        fixture.mode = Mode::Destroy;
        fixture.options.skip_refresh = true;
        let run = fixture.plan();
        assert_eq!((run.calls().as_str(), run.changes().as_str()), ("validate upgrade plan", "delete"));
        assert!(run.answer.refreshed.current.is_some() && run.answer.drift.is_none());
    }

    #[test]
    fn l152_errors_of_the_refresh_end_a_destroy_plan() {
        let mut fixture = fixture(OLD, r#"{"name":"b"}"#);
        fixture.mode = Mode::Destroy;
        fixture.provider.plan = |_, answer| answer.remarks.push(remark(Severity::Error, "no"));
        let run = fixture.plan();
        assert_eq!((run.calls().as_str(), run.changes().as_str()), ("validate upgrade read validate plan", ""));
        assert!(run.answer.refreshed.is_absent() && run.answer.working.is_none(), "LD09");
    }

    #[test]
    fn l152_an_object_that_the_refresh_does_not_find_is_not_destroyed() {
        let mut fixture = fixture(OLD, "");
        fixture.mode = Mode::Destroy;
        fixture.provider.read = |answer| answer.new_state = Value::null(answer.new_state.ty().clone());
        let run = fixture.plan();
        assert_eq!((run.calls().as_str(), run.changes().as_str()), ("upgrade plan read", ""));
        assert!(!run.answer.applyable);
    }

    #[test]
    fn l111_prevent_destroy_is_an_error_and_the_change_stays() {
        let (terraform, opentofu) = (Dialect::TERRAFORM_1_11, Dialect::OPENTOFU_1_12);
        for (dialect, prevent, want) in [
            (terraform, PreventDestroy::Yes, "E Instance cannot be destroyed"),
            (opentofu, PreventDestroy::Yes, "E Resource instance cannot be destroyed"),
            (opentofu, PreventDestroy::Bad, "E Invalid value for prevent_destroy"),
        ] {
            let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
            fixture.dialect = dialect;
            fixture.options.replace = true;
            fixture.configured().lifecycle.prevent_destroy = prevent;
            let run = fixture.plan();
            assert_eq!(summaries(&run.answer.diagnostics), [want]);
            assert_eq!(run.changes(), "delete_then_create replace_by_request");
            assert!(run.answer.working.is_some());
        }
    }

    #[test]
    fn l160_without_a_refresh_a_destroyed_object_has_its_previous_address() {
        for skip_refresh in [false, true] {
            let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
            fixture.mode = Mode::Destroy;
            fixture.state.deposed.insert(key("0000000a"), stored(OLD));
            fixture.options.skip_refresh = skip_refresh;
            fixture.options.moved_from = Some("x.old".into());
            let want = fixture.options.moved_from.clone().filter(|_| skip_refresh);
            let changes = fixture.plan().answer.changes;
            assert_eq!(changes.len(), 2);
            assert!(changes.iter().all(|change| change.moved_from == want), "{skip_refresh}");
        }
    }
}
