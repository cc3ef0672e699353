//! `replace_triggered_by` (section 11).

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Trigger, TriggerChange, summary};
use planfuzz_core::plans::{Action, Marked};
use planfuzz_core::value::{WrittenPath, raw_equals};

use super::follow::follow;
use super::walk::{Step, Walk};

impl Walk<'_, '_> {
    /// L100: whether an entry fires; those after it are not checked. L103: after an error no entry fires, and all are checked.
    pub fn triggered(&mut self, triggers: &[Trigger]) -> Step<bool> {
        let mut stop = None;
        for trigger in triggers {
            if trigger.changes.is_empty() {
                // L103
                stop = Some(self.fail(summary::NO_TRIGGER, "L103"));
            } else if stop.is_none()
                && trigger.changes.iter().any(|change| fires(self.dialect(), change, trigger.attribute.as_ref()))
            {
                return Ok(true);
            }
        }
        stop.map_or(Ok(false), Err)
    }
}

/// L101, L102.
fn fires(dialect: Dialect, change: &TriggerChange, attribute: Option<&WrittenPath>) -> bool {
    let counts = match change.action {
        Action::Update | Action::DeleteThenCreate | Action::CreateThenDelete => true,
        Action::Create | Action::ForgetThenCreate => dialect.is_triggered_by_creation(),
        Action::NoOp | Action::Read | Action::Delete | Action::Forget | Action::CreateThenForget => false,
    };
    counts && attribute.is_none_or(|path| differs(dialect, change, path))
}

/// L102.
fn differs(dialect: Dialect, change: &TriggerChange, path: &WrittenPath) -> bool {
    let is_same = |before: &Marked, after: &Marked| match dialect.triggers_see_marks() {
        true => before.raw_equals(after),
        false => raw_equals(before.value().view(), after.value().view()),
    };
    match (follow(&change.before, path), follow(&change.after, path)) {
        (Some(before), Some(after)) => !is_same(&before, &after),
        (None, None) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use crate::lifecycle::fixture::{Fixture, fixture, marked, path, summaries};
    use planfuzz_core::dialect::Dialect;
    use planfuzz_core::planner::{Trigger, TriggerChange};
    use planfuzz_core::plans::{Action, Marked};
    use planfuzz_core::state::Status;
    use planfuzz_core::value::{Type, Value};

    const OLD: &str = r#"{"id":"1","name":"a"}"#;

    fn trigger(action: Action, before: Marked, after: Marked, attribute: Option<&str>) -> Trigger {
        Trigger { changes: vec![TriggerChange { action, before, after }], attribute: attribute.map(path) }
    }

    fn with(dialect: Dialect, triggers: Vec<Trigger>) -> Fixture {
        let mut fixture = fixture(OLD, r#"{"name":"a"}"#);
        fixture.dialect = dialect;
        fixture.configured().lifecycle.replace_triggered_by = triggers;
        fixture
    }

    fn fires(dialect: Dialect, trigger: Trigger) -> bool {
        match with(dialect, vec![trigger]).plan().changes().as_str() {
            "delete_then_create replace_by_triggers" => true,
            "no_op" => false,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn l101_which_actions_fire() {
        let plain = || marked(OLD, &[]);
        for dialect in Dialect::ALL {
            let fired: Vec<&str> = Action::ALL
                .iter()
                .filter(|action| fires(dialect, trigger(**action, plain(), plain(), None)))
                .map(|action| action.name())
                .collect();
            let want: &[&str] = match dialect.is_triggered_by_creation() {
                true => &["create", "update", "delete_then_create", "create_then_delete", "forget_then_create"],
                false => &["update", "delete_then_create", "create_then_delete"],
            };
            assert_eq!(fired, want, "{dialect}");
        }
    }

    #[test]
    fn l102_an_attribute_must_differ() {
        let terraform = Dialect::TERRAFORM_1_11;
        let attribute = |after: &str, at: &str| {
            fires(terraform, trigger(Action::Update, marked(OLD, &[]), marked(after, &[]), Some(at)))
        };
        assert!(attribute(r#"{"id":"1","name":"b"}"#, ".name"));
        assert!(attribute(r#"{"id":"1","name":{"$unknown":true}}"#, ".name"));
        assert!(!attribute(r#"{"id":"1","name":"b"}"#, ".id"));
        assert!(attribute(r#"{"id":"1","list":[{"x":"a"}]}"#, ".list[0]"));
        assert!(!attribute(r#"{"id":"1","list":[{"x":"a"}]}"#, ".list[1]"));
    }

    #[test]
    fn l102_marks_count_in_terraform_alone() {
        for dialect in Dialect::ALL {
            let marks_only = trigger(Action::Update, marked(OLD, &[]), marked(OLD, &[".name"]), Some(".name"));
            assert_eq!(fires(dialect, marks_only), dialect.triggers_see_marks(), "{dialect}");
        }
    }

    #[test]
    fn l100_l103_the_first_that_fires_ends_the_search_and_one_without_changes_is_an_error() {
        let update = || trigger(Action::Update, marked(OLD, &[]), marked(OLD, &[]), None);
        let none = || Trigger { changes: Vec::new(), attribute: None };
        let run = with(Dialect::default(), vec![update(), none()]).plan();
        assert_eq!(run.changes(), "delete_then_create replace_by_triggers");
        let run = with(Dialect::default(), vec![none(), update()]).plan();
        assert_eq!(summaries(&run.answer.diagnostics), ["E Reference to undeclared resource"]);
        assert_eq!(run.calls(), "validate upgrade read");
        assert!(run.answer.changes.is_empty());
        let run = with(Dialect::default(), vec![none(), update(), none()]).plan();
        assert_eq!(run.answer.diagnostics.len(), 2, "L103: each, and nothing fires in between");
    }

    #[test]
    fn l96_triggers_give_the_reason_of_every_action() {
        let null = || Marked::plain(Value::null(Type::Dynamic));
        let mut tainted = with(Dialect::default(), vec![trigger(Action::Update, null(), null(), None)]);
        tainted.state.current.as_mut().expect("an object").status = Status::Tainted;
        assert_eq!(tainted.plan().changes(), "delete_then_create replace_by_triggers");
        let mut new = with(Dialect::default(), vec![trigger(Action::Update, null(), null(), None)]);
        new.state.current = None;
        assert_eq!(new.plan().changes(), "create replace_by_triggers");
    }
}
