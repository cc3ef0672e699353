//! The apply call, its checks (20.3) and the object that is saved (20.4).

use planfuzz_core::planner::{ApplyAnswer, ApplyChange, summary};
use planfuzz_core::plans::{Action, Marked, ResourceInstanceChange};
use planfuzz_core::state::{Private, Status};
use planfuzz_core::value::{PathSet, Tri, Value, equals};

use super::typed_object::TypedObject;
use super::unknowns::{unknown_paths, without_unknowns};
use super::walk::{Stop, Walk, Walked};

/// The input of an apply call.
pub(super) struct Leg<'r> {
    /// A creation, an update or a deletion.
    pub(super) change: &'r ResourceInstanceChange,
    /// The configuration, unmarked; null for a deletion.
    pub(super) config: Value,
    /// The object as it was read from the state (A03).
    pub(super) held: Option<&'r TypedObject>,
    /// The flag of the saved object (A36).
    pub(super) create_before_destroy: bool,
    /// The flag by which the saved object is later forgotten (LD30).
    pub(super) skip_destroy: bool,
}

/// The result of the provider's apply.
struct Outcome {
    value: Value,
    private: Private,
    /// Marks of the prior value that is kept without an answer (A30).
    kept: PathSet,
    legacy: bool,
    failed: bool,
}

impl Leg<'_> {
    fn is_deletion(&self) -> bool {
        self.change.change.action == Action::Delete
    }
}

impl Walk<'_> {
    /// Applies a change; returns the object to be saved, or `None` if there is none.
    pub(super) fn apply_leg(&mut self, leg: &Leg<'_>) -> Walked<Option<TypedObject>> {
        let change = &leg.change.change;
        if !leg.config.is_wholly_known() {
            self.error(summary::UNKNOWN_CONFIGURATION, "A21");
            return Ok(None);
        }
        if let Some(held) = leg.held
            && change.action == Action::Update
            && change.before.sensitive() != change.after.sensitive()
            && equals(change.before.value().view(), change.after.value().view()) == Tri::True
        {
            // A24, L202.
            return Ok(Some(held.with(change.after.clone(), held.private.clone())));
        }
        let answer = self.provider.apply(ApplyChange {
            prior: change.before.value().clone(),
            config: leg.config.clone(),
            planned: change.after.value().clone(),
            private: leg.change.private.clone(),
        });
        let start = self.diagnostic_count();
        let mut outcome = self.outcome(leg, answer)?;
        if !self.program.conforms(outcome.value.ty()) {
            self.error(summary::INVALID_OBJECT, "A27");
            return Ok(self.unusable(leg));
        }
        outcome.value = self.adopted(outcome.value);
        match self.without_write_only(&outcome.value, summary::INVALID_OBJECT, "A28") {
            Err(Stop::Error) => return Ok(self.unusable(leg)),
            other => other?,
        }
        for path in unknown_paths(&outcome.value) {
            self.error_at(summary::INVALID_RESULT, path, "A29");
        }
        outcome.failed = self.failed_since(start);
        outcome.value = without_unknowns(outcome.value);
        self.checked(leg, outcome, start)
    }

    /// A26: the result of the call, or the one that stands in for a failed call.
    fn outcome(&mut self, leg: &Leg<'_>, answer: ApplyAnswer) -> Walked<Outcome> {
        let failed = self.remark(&answer.remarks);
        let legacy = answer.legacy_type_system;
        if let Some(value) = answer.new_state {
            let failed = failed | self.decoded(&value, "A28")?;
            return Ok(Outcome { value, private: answer.private, kept: PathSet::EMPTY, legacy, failed });
        }
        if !failed {
            self.error(summary::INVALID_OBJECT, "A26");
        }
        let change = &leg.change.change;
        let value = if change.after.is_null() { self.null() } else { change.before.value().clone() };
        Ok(Outcome { value, private: Private::NONE, kept: change.before.sensitive().clone(), legacy, failed: true })
    }

    /// A27, A28: the saved object where the answer cannot be used.
    fn unusable(&self, leg: &Leg<'_>) -> Option<TypedObject> {
        leg.held.filter(|_| self.program.dialect.keeps_prior_of_unusable_result()).cloned()
    }

    /// A30 to A33.
    fn checked(&mut self, leg: &Leg<'_>, outcome: Outcome, start: usize) -> Walked<Option<TypedObject>> {
        let Outcome { value, private, kept, legacy, failed } = outcome;
        let after = &leg.change.change.after;
        let object = self.marked(value, &after.sensitive().union(&kept))?;
        if !leg.is_deletion() && !failed {
            let violations = self.program.assert_object_compatible(after.value(), object.value())?;
            if !legacy && !violations.is_empty() {
                self.report_incompatible(&violations, [after, &object], summary::INCONSISTENT_RESULT, "A31");
            }
        }
        if !self.failed_since(start) {
            if leg.is_deletion() && !object.is_null() {
                self.error(summary::INVALID_RESULT, "A32");
            } else if !leg.is_deletion() && object.is_null() {
                self.error(summary::INVALID_RESULT, "A33");
            }
        }
        Ok(saved(leg, object, private, self.failed_since(start)))
    }
}

/// A34 to A37.
fn saved(leg: &Leg<'_>, object: Marked, private: Private, failed: bool) -> Option<TypedObject> {
    if object.is_null() {
        return leg.held.filter(|_| failed).cloned();
    }
    let mut saved = TypedObject::new(object, private);
    saved.create_before_destroy = leg.create_before_destroy;
    saved.skip_destroy = leg.skip_destroy;
    if let Some(old) = leg.held {
        saved.dependencies.clone_from(&old.dependencies);
        saved.status = if failed { old.status } else { Status::Ready };
    }
    Some(saved)
}
