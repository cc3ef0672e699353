//! The apply call and its checks (20.2, 20.3).

use crate::compatible::violations_of_marked;
use crate::lifecycle::answered::{unknown_paths, without_unknowns};
use crate::lifecycle::typed_object::TypedObject;
use crate::lifecycle::walk::{Step, Walk};
use planfuzz_core::planner::{ApplyChange, summary};
use planfuzz_core::plans::{Action, Marked, ResourceInstanceChange};
use planfuzz_core::state::Private;
use planfuzz_core::value::{PathSet, Tri, Value, WrittenPath, equals};

/// A leg that may call the provider.
pub(super) struct Leg<'l> {
    /// The simplified change.
    pub change: &'l ResourceInstanceChange,
    /// The configuration, unless something is destroyed.
    pub config: Option<&'l Value>,
    /// The object as it was read for the leg.
    pub object: Option<&'l TypedObject>,
}

/// The result of an apply call.
pub(super) struct Called {
    /// Whether there were errors.
    pub failed: bool,
    pub result: Outcome,
}

/// The object to save after a call.
pub(super) enum Outcome {
    /// A value, or null, and its private data; 20.4 decides how it is saved.
    Answered(Marked, Private),
    /// A24: the value with new marks, and everything else as it was.
    Remarked(Marked),
    /// No object at all: it leaves the state (A21, A27, A28).
    NoObject,
    /// The object as it was read (A27, A28 in later versions).
    AsRead,
}

impl Walk<'_, '_> {
    /// A21 to A33.
    pub(super) fn apply_call(&mut self, leg: &Leg<'_>) -> Step<Called> {
        let Leg { change, config, object } = *leg;
        let (before, after) = (&change.change.before, &change.change.after);
        // A21
        if config.is_some_and(|config| !config.is_wholly_known()) {
            self.error(summary::UNKNOWN_CONFIGURATION, WrittenPath::default(), "A21");
            return Ok(Called { failed: true, result: Outcome::NoObject });
        }
        // A24
        if change.change.action == Action::Update
            && object.is_some()
            && before.sensitive() != after.sensitive()
            && equals(before.value().view(), after.value().view()) == Tri::True
        {
            return Ok(Called { failed: false, result: Outcome::Remarked(after.clone()) });
        }
        self.call(change, config)
    }

    fn call(&mut self, change: &ResourceInstanceChange, config: Option<&Value>) -> Step<Called> {
        let destroys = change.change.action == Action::Delete;
        let (before, after) = (&change.change.before, &change.change.after);
        // A25
        let answer = self.provider.apply(ApplyChange {
            prior: before.value().clone(),
            config: config.cloned().unwrap_or_else(|| self.null()),
            planned: after.value().clone(),
            private: change.private.clone(),
        });
        let mut failed = self.hear(answer.remarks);
        // A26
        let (new, private, kept) = match answer.new_state {
            Some(new) => (new, answer.private, PathSet::EMPTY),
            None => {
                if !failed {
                    self.error(summary::INVALID_OBJECT, WrittenPath::default(), "A26");
                    failed = true;
                }
                let new = if after.is_null() { self.null() } else { before.value().clone() };
                (new, Private::NONE, before.sensitive().clone())
            }
        };
        // A28 in OpenTofu
        failed |= self.decode(&new, "A28")?;
        // A27
        if !self.conforms(&new) {
            self.error(summary::INVALID_OBJECT, WrittenPath::default(), "A27");
            return Ok(Called { failed: true, result: self.unusable() });
        }
        // A28
        if !self.dialect().decodes_write_only_strictly() {
            let found = self.write_only_values(&new)?;
            if !found.is_empty() {
                for path in found {
                    self.error(summary::INVALID_OBJECT, path, "A28");
                }
                return Ok(Called { failed: true, result: self.unusable() });
            }
        }
        // A29
        for path in unknown_paths(&new) {
            self.error(summary::INVALID_RESULT, path, "A29");
            failed = true;
        }
        let new = without_unknowns(&new)?;
        // A30
        let marks = after.sensitive().union(&self.sensitive_paths(&new)?).union(&kept);
        let new = Marked::new(new, &marks);
        // A31
        if !destroys && !failed && !answer.legacy_type_system {
            let found = violations_of_marked(self.dialect(), self.schema(), after, &new)?;
            for violation in found {
                self.error(summary::INCONSISTENT_RESULT, WrittenPath::from(&violation.path), "A31");
                failed = true;
            }
        }
        // A32, A33
        if !failed && destroys != new.is_null() {
            self.error(summary::INVALID_RESULT, WrittenPath::default(), if destroys { "A32" } else { "A33" });
            failed = true;
        }
        Ok(Called { failed, result: Outcome::Answered(new, private) })
    }

    /// A27, A28: the outcome where the answer cannot be used.
    fn unusable(&self) -> Outcome {
        if self.dialect().keeps_prior_of_unusable_result() { Outcome::AsRead } else { Outcome::NoObject }
    }
}
