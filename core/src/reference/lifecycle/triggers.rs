//! `replace_triggered_by` (section 11).

use crate::dialect::Dialect;
use crate::planner::{Trigger, TriggerChange, summary};
use crate::plans::{Action, Marked};
use crate::value::{WrittenPath, raw_equals};

use super::follow::follow;
use super::walk::{Step, Walk};

impl Walk<'_, '_> {
    /// L100: whether an entry fires; those after it are not looked at.
    pub fn triggered(&mut self, triggers: &[Trigger]) -> Step<bool> {
        for trigger in triggers {
            // L103
            if trigger.changes.is_empty() {
                return Err(self.fail(summary::NO_TRIGGER, "L103"));
            }
            if trigger.changes.iter().any(|change| fires(self.dialect(), change, trigger.attribute.as_ref())) {
                return Ok(true);
            }
        }
        Ok(false)
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
