//! The result of an apply: the saved objects after each leg (sections 20.1, 20.4 to 20.6).

use super::breach::Answers;
use super::calls::{Calls, has_errors, value_of};
use super::findings::Findings;
use super::fits::{is_equal, is_nulled};
use super::id::Id;
use super::legs::{Does, Leg, Legs};
use super::requests::passes_on;
use super::{Lifecycle, saved, show};
use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{ApplyAnswer, ApplyWalk};
use planfuzz_core::plans::Action;
use planfuzz_core::state::{InstanceState, Object, Private, Status};
use planfuzz_core::value::Value;

/// Checks the saved objects against the legs.
pub(super) fn check(
    of: &Lifecycle<'_>,
    findings: &mut Findings,
    calls: &Calls<'_>,
    walk: &ApplyWalk,
    legs: &Legs<'_>,
    answers: &Answers,
) {
    saved::check(of, findings, calls, walk);
    if calls.kind != ResourceKind::Managed {
        return;
    }
    let (state, before) = (&walk.applied.state, &walk.request.state);
    let mut check = LegOutcome { of, findings, calls, answers, state, before };
    check.untouched(walk);
    check.new_keys(walk);
    for leg in &legs.legs {
        match leg.does {
            Does::Destroy => check.destroyed(leg, state.current.as_ref(), legs),
            Does::DestroyDeposed if leg.change.deposed.is_some() => {
                let saved = leg.key.and_then(|key| state.deposed.get(key));
                check.destroyed(leg, saved, legs);
            }
            Does::Create if leg.change.change.action == Action::CreateThenDelete => check.replaced(leg, legs),
            Does::Create | Does::Update => check.made(leg, state.current.as_ref()),
            Does::DestroyDeposed | Does::Read | Does::Keep => {}
        }
    }
}

/// The object that remains after an answer.
enum Left<'a> {
    /// The old object, unchanged (A34).
    AsBefore,
    /// The old object, without its private data (A26).
    AsBeforeWithoutPrivate,
    /// This object.
    Object(&'a Value),
    /// None: it was destroyed, or the answer is unusable (A27, A28, A37).
    Nothing,
}

struct LegOutcome<'c, 's, 'a> {
    of: &'c Lifecycle<'s>,
    findings: &'c mut Findings,
    calls: &'c Calls<'a>,
    answers: &'c Answers,
    state: &'a InstanceState,
    before: &'a InstanceState,
}

impl LegOutcome<'_, '_, '_> {
    fn is_error(&self, call: usize, answer: &ApplyAnswer) -> bool {
        has_errors(&answer.remarks) || !self.answers.goes_on(call)
    }

    /// A26 to A37.
    fn left<'a>(&self, leg: &Leg<'a>) -> Option<Left<'a>> {
        let (call, request, answer) = leg.apply?;
        let Some(value) = &answer.new_state else {
            return Some(match leg.does {
                Does::Update if !request.planned.is_null() => Left::AsBeforeWithoutPrivate,
                _ => Left::AsBefore,
            });
        };
        let is_unusable = self.is_unusable(call);
        // A29 turns unknown into null.
        let is_null = value.is_null() || value.is_unknown();
        Some(match self.is_error(call, answer) {
            _ if is_unusable && self.of.dialect.keeps_prior_of_unusable_result() => return None,
            _ if is_unusable => Left::Nothing,
            true if is_null => Left::AsBefore,
            false if is_null => Left::Nothing,
            _ => Left::Object(value),
        })
    }

    /// A27, A28: whether an answer is unusable, so that nothing of it can be saved.
    fn is_unusable(&self, call: usize) -> bool {
        self.answers.breaks(call, Id::I26)
            || (!self.of.dialect.decodes_write_only_strictly() && self.answers.breaks(call, Id::I11))
    }

    /// I56: an unusable answer must not remove an existing object.
    fn outlives(&mut self, leg: &Leg<'_>, call: usize, answer: &ApplyAnswer, saved: Option<&Object>) {
        if leg.object.is_none() || answer.new_state.is_none() || !self.is_unusable(call) {
            return;
        }
        let message = || "expected the object to stay where what is answered cannot be used, found none".to_owned();
        match self.of.dialect.keeps_prior_of_unusable_result() {
            true => _ = self.findings.hold(Id::I56, saved.is_some(), message),
            false => self.findings.hold_though_predicted(Id::I56, saved.is_some(), message),
        }
    }

    /// I29, I30 for a creation or an update.
    fn made(&mut self, leg: &Leg<'_>, saved: Option<&Object>) {
        let Some((call, _, answer)) = leg.apply else { return self.unmade(leg, saved) };
        self.outlives(leg, call, answer, saved);
        let Some(left) = self.left(leg) else { return };
        let fails = self.is_error(call, answer);
        match left {
            Left::Nothing => self.is_gone(saved),
            Left::AsBefore | Left::AsBeforeWithoutPrivate if leg.does == Does::Create => {
                let is_nothing = saved.is_none() || leg.object.is_some();
                self.findings.hold(Id::I29, is_nothing, || "expected nothing, found an object".to_owned());
            }
            Left::AsBefore => self.is_as_before(leg, saved, None),
            Left::AsBeforeWithoutPrivate => {
                let private = leg.object.map(|object| &object.private);
                let is_kept = private.is_none() || private == saved.map(|saved| &saved.private);
                self.findings.hold_though_predicted(Id::I57, is_kept, || {
                    format!(
                        "expected the private data {private:?} to stay, found {:?}",
                        saved.map(|saved| &saved.private)
                    )
                });
                self.is_as_before(leg, saved, Some(&Private::NONE));
            }
            Left::Object(value) => {
                let taints = leg.does == Does::Create && (fails || self.calls.fails_to_provision());
                let status = match (taints, fails, leg.object) {
                    (true, ..) => Status::Tainted,
                    (false, true, Some(object)) => object.status,
                    _ => Status::Ready,
                };
                self.is_saved(value, answer, status, saved);
            }
        }
    }

    /// I29 for a leg without an apply call (A08, A10): an update may have changed only marks (A24).
    fn unmade(&mut self, leg: &Leg<'_>, saved: Option<&Object>) {
        let is_refused = self.calls.configured().is_none_or(|configured| !configured.config.value().is_wholly_known());
        match (leg.object, saved) {
            // A21: Core may keep the object or remove it.
            _ if is_refused => {}
            (None, saved) if leg.change.change.action != Action::DeleteThenCreate || leg.has_begun => {
                self.is_gone(saved)
            }
            (None, _) => {}
            (Some(object), saved) => {
                let holds = saved.is_some_and(|saved| {
                    saved.status == object.status
                        && (value_of(saved) == value_of(object) || self.has_kept_value(leg, saved))
                });
                self.findings.hold(Id::I29, holds, || "expected the object to stay as it was".to_owned());
            }
        }
    }

    /// I27, I29, I30 for a destruction.
    fn destroyed(&mut self, leg: &Leg<'_>, saved: Option<&Object>, legs: &Legs<'_>) {
        let Some((call, _, answer)) = leg.apply else {
            let is_kept = saved.is_some() || leg.object.is_none() || leg.is_upgraded_to_nothing();
            self.findings.hold(Id::I29, is_kept, || "expected an object that was not destroyed to stay".to_owned());
            return;
        };
        let fails = self.is_error(call, answer);
        let is_current = leg.does == Does::Destroy;
        if let Some(next) = is_current.then(|| legs.making()).flatten() {
            self.findings.hold(Id::I40, !fails || !next.has_begun, || {
                "expected no creation after a destruction that failed, found calls".to_owned()
            });
            if !fails {
                // The current object is that of the creation.
                return;
            }
        }
        self.outlives(leg, call, answer, saved);
        match self.left(leg) {
            None => {}
            Some(Left::Nothing) => self.is_gone(saved),
            Some(Left::AsBefore | Left::AsBeforeWithoutPrivate) => self.is_as_before(leg, saved, None),
            Some(Left::Object(value)) => {
                let status = leg.object.map(|object| object.status).unwrap_or_default();
                self.is_saved(value, answer, status, saved);
            }
        }
    }

    /// I31, I32: the creation of a CreateThenDelete, and what happens to the old object.
    fn replaced(&mut self, leg: &Leg<'_>, legs: &Legs<'_>) {
        let Some(old) = &self.before.current else { return };
        if leg.apply.is_none() && self.refuses_configuration() {
            // A21 ends the leg at its call; whether A16 counts the object as made is left open.
            return;
        }
        let deposed_leg = legs.legs.iter().find(|leg| leg.does == Does::DestroyDeposed && leg.change.deposed.is_none());
        let deposed = deposed_leg.and_then(|leg| leg.key).and_then(|key| self.state.deposed.get(key));
        let fails =
            leg.apply.is_some_and(|(call, _, answer)| self.is_error(call, answer)) || self.calls.fails_after_making();
        let makes_none = match self.left(leg) {
            Some(Left::Object(_)) => false,
            Some(_) => true,
            None => leg.apply.is_some(),
        };
        let was_destroyed = deposed_leg.is_some_and(|leg| leg.apply.is_some());
        self.findings.hold(Id::I31, !was_destroyed || (leg.apply.is_some() && !fails), || {
            "expected the old object to stay where creating the new one failed, found a call".to_owned()
        });
        if makes_none {
            let current = self.state.current.as_ref();
            let is_restored = current.is_some_and(|current| is_same(old, current)) && deposed.is_none();
            self.findings.hold(Id::I32, is_restored, || {
                "expected the old object to be current again and not deposed".to_owned()
            });
            return;
        }
        if leg.apply.is_some() {
            self.made(leg, self.state.current.as_ref());
        }
        if deposed_leg.is_some_and(Leg::is_upgraded_to_nothing) {
            return;
        }
        match deposed_leg.filter(|_| was_destroyed) {
            Some(deposed_leg) => self.destroyed(deposed_leg, deposed, legs),
            None => {
                let is_kept = deposed.is_some_and(|deposed| is_same(old, deposed));
                self.findings.hold(Id::I31, is_kept, || "expected the old object to be deposed as it was".to_owned());
            }
        }
    }

    /// A21: whether Core refuses to apply the configuration because it is not known.
    fn refuses_configuration(&self) -> bool {
        self.calls.configured().is_some_and(|configured| !configured.config.value().is_wholly_known())
    }

    /// The value at the beginning of a leg (A03).
    fn began_with<'a>(&self, leg: &Leg<'a>) -> Option<&'a Value> {
        let upgraded = leg.upgraded.filter(|(call, _)| self.answers.goes_on(*call)).map(|(_, value)| value);
        upgraded.or(leg.object.and_then(value_of))
    }

    /// Whether an object has the value that its leg began with, or one equal to it (A24).
    fn has_kept_value(&self, leg: &Leg<'_>, saved: &Object) -> bool {
        match (self.began_with(leg), value_of(saved)) {
            (Some(before), Some(saved)) => is_equal(before, saved) || is_nulled(before.view(), saved.view()),
            _ => true,
        }
    }

    fn is_gone(&mut self, saved: Option<&Object>) {
        self.findings.hold(Id::I30, saved.is_none(), || "expected no object to be saved, found one".to_owned());
    }

    /// I29.
    fn is_as_before(&mut self, leg: &Leg<'_>, saved: Option<&Object>, private: Option<&Private>) {
        let Some(object) = leg.object else { return };
        let Some(saved) = saved else {
            self.findings.hold(Id::I29, false, || "expected the object as it was, found none".to_owned());
            return;
        };
        let value = self.began_with(leg);
        let is_value = self.has_kept_value(leg, saved);
        let private = private.unwrap_or(&object.private);
        let holds = is_value && saved.private == *private && saved.status == object.status;
        self.findings.hold(Id::I29, holds, || {
            let found = value_of(saved).map_or_else(|| "raw attributes".to_owned(), show);
            let wanted = value.map_or_else(|| "raw attributes".to_owned(), show);
            format!("expected {wanted}, {private:?}, {:?}, found {found}, {:?}, {:?}", object.status, saved.private, {
                saved.status
            })
        });
    }

    /// I30, I41.
    fn is_saved(&mut self, value: &Value, answer: &ApplyAnswer, status: Status, saved: Option<&Object>) {
        let Some(saved) = saved else {
            self.findings.hold(Id::I30, false, || format!("expected {} to be saved, found nothing", show(value)));
            return;
        };
        let holds = value_of(saved).is_some_and(|saved| is_nulled(value.view(), saved.view()));
        self.findings.hold(Id::I30, holds, || {
            let found = value_of(saved).map_or_else(|| "raw attributes".to_owned(), show);
            format!("expected {} to be saved, found {found}", show(value))
        });
        self.findings.hold(Id::I30, saved.status == status, || {
            format!("expected the object to be {status:?}, found {:?}", saved.status)
        });
        passes_on(self.findings, "the private data of the apply", &answer.private, &saved.private);
    }

    /// I29: objects without a change stay as they are.
    fn untouched(&mut self, walk: &ApplyWalk) {
        for change in walk.request.changes.iter().filter(|change| change.change.action == Action::NoOp) {
            let of = |state: &InstanceState| match &change.deposed {
                None => state.current.clone(),
                Some(key) => state.deposed.get(key).cloned(),
            };
            let holds = match (of(self.before), of(self.state)) {
                (None, None) => true,
                (Some(before), Some(after)) => is_same(&before, &after),
                _ => false,
            };
            self.findings.hold(Id::I29, holds, || "expected a no-op to leave the object as it was".to_owned());
        }
    }

    /// I31: at most the one fresh key is new.
    fn new_keys(&mut self, walk: &ApplyWalk) {
        let may_depose = self.calls.applies.is_some_and(|change| change.change.action == Action::CreateThenDelete);
        let fresh = &walk.request.options.fresh_key;
        let mut new = self.state.deposed.keys().filter(|key| !self.before.deposed.contains_key(*key));
        let stranger = new.find(|key| !may_depose || *key != fresh);
        self.findings.hold(Id::I31, stranger.is_none(), || {
            format!("expected no new deposed object but under {}, found {stranger:?}", fresh.as_str())
        });
    }
}

/// Whether an object is unchanged.
fn is_same(before: &Object, after: &Object) -> bool {
    let is_value = match (value_of(before), value_of(after)) {
        (Some(before), Some(after)) => before == after,
        _ => true,
    };
    is_value && before.private == after.private && before.status == after.status
}
