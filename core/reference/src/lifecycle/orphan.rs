//! The reasons for deleting or forgetting an orphan (L127, L129).

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{KeyKind, Orphan, Presence, Repetition};
use planfuzz_core::plans::ActionReason;

use super::typed_object::TypedObject;

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

/// L129, LD30 in OpenTofu: the reason for forgetting an object that would be destroyed, if there is one; without a value there is
/// no object to forget (L120). It can come from the existing block or from the flag in the state; the block is checked first.
pub(super) fn forgotten_by_lifecycle(
    dialect: Dialect,
    presence: &Presence,
    object: &TypedObject,
) -> Option<ActionReason> {
    if !dialect.can_keep_on_destroy() || object.value.is_null() {
        return None;
    }
    let block_keeps = match presence {
        Presence::Configured(configured) => configured.lifecycle.keep_on_destroy,
        Presence::Orphan(orphan) => orphan.block && orphan.keep_on_destroy,
        Presence::Removed(_) => false,
    };
    match (block_keeps, object.skip_destroy) {
        (true, _) => Some(ActionReason::ForgotBecauseLifecycleDestroyInConfig),
        (false, true) => Some(ActionReason::ForgotBecauseLifecycleDestroyInState),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::delete_reason;
    use crate::lifecycle::fixture::{fixture, key, object, stored, summaries};
    use planfuzz_core::dialect::Dialect;
    use planfuzz_core::planner::{KeyKind, Orphan, Presence, PreventDestroy, Repetition};
    use planfuzz_core::plans::{Action, Mode};
    use planfuzz_core::state::{Object, Stored};
    use planfuzz_core::value::Value;

    const OLD: &str = r#"{"id":"1","name":"a"}"#;

    #[test]
    fn l127_the_first_reason_that_applies() {
        let block = |key, repetition, declared| Orphan {
            block: true,
            module: true,
            key,
            repetition,
            declared,
            ..Orphan::default()
        };
        let of = |dialect, orphan: &Orphan, moved| delete_reason(dialect, orphan, moved).name();
        for dialect in Dialect::ALL {
            let opentofu = dialect.has_enabled();
            assert_eq!(of(dialect, &Orphan::default(), true), "delete_because_no_move_target");
            assert_eq!(of(dialect, &Orphan::default(), false), "delete_because_no_resource_config");
            let no_module = Orphan { module: false, ..block(KeyKind::Index, Repetition::Single, false) };
            assert_eq!(of(dialect, &no_module, true), "delete_because_no_module");
            for (key, repetition, declared, want) in [
                (KeyKind::None, Repetition::Count, false, "delete_because_wrong_repetition"),
                (KeyKind::None, Repetition::ForEach, false, "delete_because_wrong_repetition"),
                (KeyKind::None, Repetition::Enabled, false, if opentofu { "delete_because_enabled_false" } else { "" }),
                (KeyKind::None, Repetition::Single, false, ""),
                (KeyKind::Index, Repetition::Single, true, "delete_because_wrong_repetition"),
                (KeyKind::Index, Repetition::ForEach, true, "delete_because_wrong_repetition"),
                (KeyKind::Index, Repetition::Count, false, "delete_because_count_index"),
                (KeyKind::Index, Repetition::Count, true, ""),
                (KeyKind::Text, Repetition::Count, true, "delete_because_wrong_repetition"),
                (KeyKind::Text, Repetition::ForEach, false, "delete_because_each_key"),
                (KeyKind::Text, Repetition::ForEach, true, ""),
            ] {
                let orphan = block(key, repetition, declared);
                assert_eq!(of(dialect, &orphan, false), want, "{dialect} {orphan:?}");
            }
        }
    }

    #[test]
    fn l123_terraform_plans_the_orphan_before_it_refreshes_it() {
        let mut fixture = fixture(OLD, "");
        fixture.provider.read = |answer| answer.new_state = object(r#"{"id":"9"}"#);
        let run = fixture.plan();
        assert_eq!(run.calls(), "upgrade plan read");
        assert_eq!(run.changes(), "delete delete_because_no_resource_config");
        assert_eq!(*run.change().change.before.value(), object(OLD));
        assert!(run.answer.working.is_none(), "L126");
        for dialect in [Dialect::OPENTOFU_1_12, Dialect::TERRAFORM_1_17] {
            let mut fixture = self::fixture(OLD, "");
            fixture.dialect = dialect;
            fixture.provider.read = |answer| answer.new_state = object(r#"{"id":"9"}"#);
            let run = fixture.plan();
            assert_eq!(run.calls(), "upgrade read plan", "{dialect}");
            let before = run.change().change.before.value().clone();
            assert_eq!(before, object(r#"{"id":"9"}"#));
        }
    }

    #[test]
    fn l123_an_orphan_that_is_gone_is_not_planned() {
        for (dialect, calls) in
            [(Dialect::TERRAFORM_1_11, "upgrade plan read"), (Dialect::OPENTOFU_1_12, "upgrade read")]
        {
            let mut fixture = fixture(OLD, "");
            fixture.dialect = dialect;
            fixture.provider.read = |answer| answer.new_state = Value::null(answer.new_state.ty().clone());
            let run = fixture.plan();
            assert_eq!((run.calls().as_str(), run.changes().as_str()), (calls, ""));
            assert_eq!(run.answer.drift.clone().expect("drift").action, Action::Delete);
        }
    }

    #[test]
    fn l123_a_refresh_asks_terraform_for_the_destruction_all_the_same() {
        for (dialect, calls) in
            [(Dialect::TERRAFORM_1_11, "upgrade plan read"), (Dialect::OPENTOFU_1_12, "upgrade read")]
        {
            let mut fixture = fixture(OLD, "");
            fixture.dialect = dialect;
            fixture.mode = Mode::RefreshOnly;
            let run = fixture.plan();
            assert_eq!((run.calls().as_str(), run.changes().as_str()), (calls, ""));
        }
    }

    #[test]
    fn l125_prevent_destroy_holds_where_there_is_a_block() {
        for (block, want) in [(true, vec!["E Instance cannot be destroyed"]), (false, vec![])] {
            let mut fixture = fixture(OLD, "");
            let orphan = Orphan { block, module: true, prevent_destroy: PreventDestroy::Yes, ..Orphan::default() };
            fixture.presence = Presence::Orphan(orphan);
            let run = fixture.plan();
            assert_eq!(summaries(&run.answer.diagnostics), want);
            assert_eq!(run.change().change.action, Action::Delete, "it stays recorded");
        }
    }

    #[test]
    fn l129_a_removed_block_forgets_without_a_call() {
        let reason = "forget delete_because_no_resource_config";
        for (dialect, calls, warning) in [
            (Dialect::TERRAFORM_1_11, "upgrade", &[][..]),
            (Dialect::TERRAFORM_1_17, "upgrade", &[]),
            (Dialect::OPENTOFU_1_12, "upgrade read", &["W Resource will be removed from the state"]),
        ] {
            let mut fixture = fixture(OLD, "");
            fixture.dialect = dialect;
            fixture.presence = Presence::Removed(Orphan::default());
            let run = fixture.plan();
            assert_eq!((run.calls().as_str(), run.changes().as_str()), (calls, reason), "{dialect}");
            assert_eq!(summaries(&run.answer.diagnostics), warning);
            let change = run.change();
            assert!(change.private.is_none() && change.change.after.is_null() && !change.change.before.is_null());
        }
    }

    #[test]
    fn l129_a_refresh_takes_no_notice_of_a_removed_block() {
        for (dialect, calls) in [
            (Dialect::TERRAFORM_1_11, "upgrade plan read upgrade read"),
            (Dialect::TERRAFORM_1_17, "upgrade read upgrade read"),
            (Dialect::OPENTOFU_1_12, "upgrade read upgrade read"),
        ] {
            let mut fixture = fixture(OLD, "");
            fixture.dialect = dialect;
            fixture.mode = Mode::RefreshOnly;
            fixture.state.deposed.insert(key("0000000a"), stored(OLD));
            fixture.presence = Presence::Removed(Orphan::default());
            let run = fixture.plan();
            assert_eq!((run.calls().as_str(), run.changes().as_str()), (calls, ""), "{dialect}");
        }
    }

    #[test]
    fn l120_without_a_value_there_is_nothing_to_forget() {
        let mut fixture = fixture("", "");
        let mut object = stored(OLD);
        object.stored = Stored::Value(Value::null(self::object(OLD).ty().clone()));
        object.skip_destroy = true;
        fixture.state.current = Some(object);
        fixture.dialect = Dialect::OPENTOFU_1_12;
        assert_eq!(fixture.plan().changes(), "no_op");
    }

    #[test]
    fn l130_ld30_a_deposed_object_that_is_flagged_is_forgotten_even_where_it_is_gone() {
        for (dialect, is_gone, want) in [
            (Dialect::TERRAFORM_1_11, false, "create, 0000000a:delete"),
            (Dialect::OPENTOFU_1_12, false, "create, 0000000a:forget forgot_because_lifecycle_destroy_in_state"),
            (Dialect::OPENTOFU_1_12, true, "create, 0000000a:forget forgot_because_lifecycle_destroy_in_state"),
        ] {
            let mut fixture = fixture("", r#"{"name":"a"}"#);
            fixture.dialect = dialect;
            fixture.state.deposed.insert(key("0000000a"), Object { skip_destroy: true, ..stored(OLD) });
            if is_gone {
                fixture.provider.read = |answer| answer.new_state = Value::null(answer.new_state.ty().clone());
            }
            assert_eq!(fixture.plan().changes(), want, "{dialect} {is_gone}");
        }
    }

    #[test]
    fn ld08_opentofu_refreshes_deposed_objects_that_it_forgets() {
        for (dialect, calls) in [(Dialect::TERRAFORM_1_11, "upgrade"), (Dialect::OPENTOFU_1_12, "upgrade read")] {
            let mut fixture = fixture("", "");
            fixture.dialect = dialect;
            fixture.state.deposed.insert(key("0000000a"), stored(OLD));
            fixture.presence = Presence::Removed(Orphan::default());
            let run = fixture.plan();
            assert_eq!((run.calls().as_str(), run.changes().as_str()), (calls, "0000000a:forget"), "{dialect}");
        }
    }

    #[test]
    fn l160_a_move_takes_deposed_objects_along() {
        let mut fixture = fixture(OLD, "");
        fixture.state.deposed.insert(key("0000000a"), stored(OLD));
        fixture.options.moved_from = Some("x.old".into());
        for forget in [false, true] {
            fixture.options.forget = forget;
            assert!(fixture.plan().answer.changes.iter().all(|change| change.moved_from == fixture.options.moved_from));
        }
    }

    #[test]
    fn l129_opentofu_forgets_kept_objects() {
        let orphan = |block, keep_on_destroy| {
            Presence::Orphan(Orphan { block, module: true, keep_on_destroy, ..Orphan::default() })
        };
        for (presence, flag, mode, want) in [
            (orphan(true, true), false, Mode::Normal, "forget forgot_because_lifecycle_destroy_in_config"),
            (orphan(true, false), true, Mode::Normal, "forget forgot_because_lifecycle_destroy_in_state"),
            (orphan(true, true), true, Mode::Normal, "forget forgot_because_lifecycle_destroy_in_config"),
            (orphan(false, false), true, Mode::Normal, "forget forgot_because_lifecycle_destroy_in_state"),
            (orphan(false, false), true, Mode::Destroy, "forget forgot_because_lifecycle_destroy_in_state"),
            (orphan(false, false), false, Mode::Destroy, "delete"),
            (
                Presence::Removed(Orphan::default()),
                true,
                Mode::Normal,
                "forget forgot_because_lifecycle_destroy_in_state",
            ),
        ] {
            let mut fixture = fixture("", "");
            let mut object = stored(OLD);
            object.skip_destroy = flag;
            fixture.state.current = Some(object);
            fixture.dialect = Dialect::OPENTOFU_1_12;
            fixture.mode = mode;
            fixture.presence = presence;
            assert_eq!(fixture.plan().changes(), want);
        }
    }
}
