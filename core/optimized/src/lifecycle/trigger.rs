//! `replace_triggered_by` (section 11).

use planfuzz_core::planner::{Trigger, TriggerChange, summary};
use planfuzz_core::plans::Action;
use planfuzz_core::value::{WrittenPath, raw_equals};

use super::marks::marks_at;
use super::steps::follow;
use super::walk::{Walk, Walked};

impl Walk<'_> {
    /// L100: whether an entry fires. The first one that does ends the search.
    pub(super) fn is_triggered(&mut self, triggers: &[Trigger]) -> Walked<bool> {
        let mut result = Ok(false);
        for trigger in triggers {
            if trigger.changes.is_empty() {
                // L103: each is reported, and no further entry fires.
                result = self.fail(summary::NO_TRIGGER, "L103");
            }
            if result.is_ok() && trigger.changes.iter().any(|change| self.fires(change, trigger.attribute.as_ref())) {
                return Ok(true);
            }
        }
        result
    }

    /// L101.
    fn fires(&self, change: &TriggerChange, attribute: Option<&WrittenPath>) -> bool {
        let acts = match change.action {
            Action::Update | Action::DeleteThenCreate | Action::CreateThenDelete => true,
            Action::Create | Action::ForgetThenCreate => self.program.dialect.is_triggered_by_creation(),
            _ => false,
        };
        acts && attribute.is_none_or(|attribute| self.differs(change, attribute))
    }

    /// L102.
    fn differs(&self, change: &TriggerChange, attribute: &WrittenPath) -> bool {
        let at = attribute.steps();
        match (follow(change.before.value().view(), at), follow(change.after.value().view(), at)) {
            (None, None) => false,
            (Some(before), Some(after)) => {
                let marks = |marked: &planfuzz_core::plans::Marked| marks_at(marked.sensitive(), at);
                !raw_equals(before, after)
                    || (self.program.dialect.triggers_see_marks() && marks(&change.before) != marks(&change.after))
            }
            _ => true,
        }
    }
}
