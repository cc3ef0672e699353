//! The legs of an apply (section 20): which calls there have to be, and what they pass on.

use super::breach::Answers;
use super::calls::{Calls, is_nothing, value_of};
use super::findings::Findings;
use super::fits::{is_equal, is_nulled};
use super::id::Id;
use super::requests::{passes_on, planned_private};
use super::show;
use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, ApplyWalk, Exchange, PlanAnswer, PlanChange, Presence, Provisioner, RawState,
};
use planfuzz_core::plans::{Action, ResourceInstanceChange};
use planfuzz_core::state::{DeposedKey, Object, Private, Status};
use planfuzz_core::value::Value;

/// The action of a leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// Makes a new object: a creation, or the second half of a replacement.
    Create,
    Update,
    /// Destroys the current object.
    Destroy,
    /// Destroys a deposed object, which is planned again.
    DestroyDeposed,
    /// Reads a data resource.
    Read,
    /// Checks the existing object, because of its conditions (A10) or before it is forgotten (20.7).
    Keep,
}

/// A leg and its calls.
pub(super) struct Leg<'a> {
    pub(super) does: Does,
    pub(super) change: &'a ResourceInstanceChange,
    /// The key of the deposed object that this leg destroys.
    pub(super) key: Option<&'a DeposedKey>,
    /// The object of the leg at the beginning of the apply.
    pub(super) object: Option<&'a Object>,
    /// The result of upgrading the object (A03), with its call.
    pub(super) upgraded: Option<(usize, &'a Value)>,
    /// Whether the provider gave diagnostics with the upgrade.
    pub(super) warns: bool,
    /// The plan calls.
    pub(super) plans: Vec<(usize, &'a PlanChange, &'a PlanAnswer)>,
    pub(super) apply: Option<(usize, &'a ApplyChange, &'a ApplyAnswer)>,
    has_read: bool,
    /// Whether there was any call.
    pub(super) has_begun: bool,
}

/// The legs of an apply walk, and the first call that is of none.
pub(super) struct Legs<'a> {
    pub(super) legs: Vec<Leg<'a>>,
    stray: Option<usize>,
}

impl<'a> Legs<'a> {
    pub(super) fn of(walk: &'a ApplyWalk, calls_of: &Calls<'_>, answers: &Answers) -> Legs<'a> {
        let mut legs = wanted(walk);
        let mut calls = walk.exchanges.iter().enumerate().peekable();
        let mut is_made = true;
        for index in 0..legs.len() {
            let next = legs.get(index + 1).and_then(|leg| leg.object);
            let leg = &mut legs[index];
            let is_of_next = || calls_for(calls.clone().next(), next);
            if leg.destroys_replaced() && !is_made && is_of_next() {
                continue;
            }
            while calls.next_if(|(index, exchange)| leg.takes(*index, exchange)).is_some() {
                leg.has_begun = true;
            }
            is_made = leg.apply.is_some_and(|(call, ..)| answers.goes_on(call)) && !calls_of.fails_after_making();
        }
        Legs { legs, stray: calls.next().map(|(index, _)| index) }
    }

    /// The leg that makes an object, or updates the existing one.
    pub(super) fn making(&self) -> Option<&Leg<'a>> {
        self.legs.iter().find(|leg| matches!(leg.does, Does::Create | Does::Update))
    }
}

/// Whether a call upgrades this object.
fn calls_for(call: Option<(usize, &Exchange)>, object: Option<&Object>) -> bool {
    let stored = object.and_then(value_of);
    match (call, stored) {
        (Some((_, Exchange::Upgrade(request, _))), Some(stored)) => {
            matches!(&request.state, RawState::Value(sent) if sent == stored)
        }
        _ => false,
    }
}

/// Whether there are conditions to evaluate although nothing has to be done.
fn has_conditions(presence: &Presence) -> bool {
    let Presence::Configured(configured) = presence else { return false };
    !configured.preconditions.is_empty() || !configured.postconditions.is_empty()
}

/// The legs that the changes split into, in order (I40).
fn wanted(walk: &ApplyWalk) -> Vec<Leg<'_>> {
    let state = &walk.request.state;
    let mut legs = Vec::new();
    for change in &walk.request.changes {
        let mut leg = |does, key, object| {
            legs.push(Leg {
                does,
                change,
                key,
                object,
                upgraded: None,
                warns: false,
                plans: Vec::new(),
                apply: None,
                has_read: false,
                has_begun: false,
            });
        };
        let current = state.current.as_ref();
        match (change.change.action, &change.deposed) {
            (Action::Delete, Some(key)) => leg(Does::DestroyDeposed, Some(key), state.deposed.get(key)),
            (Action::Forget, Some(key)) => leg(Does::Keep, Some(key), state.deposed.get(key)),
            (_, Some(_)) => {}
            // A67: a data resource is dropped without a call.
            (Action::Delete, None) if walk.request.kind == ResourceKind::Data => {}
            (Action::Delete, None) => leg(Does::Destroy, None, current),
            (Action::DeleteThenCreate, None) => {
                leg(Does::Destroy, None, current);
                leg(Does::Create, None, None);
            }
            (Action::CreateThenDelete, None) => {
                leg(Does::Create, None, None);
                leg(Does::DestroyDeposed, Some(&walk.request.options.fresh_key), current);
            }
            (Action::Create | Action::CreateThenForget | Action::ForgetThenCreate, None) => {
                // An object with a null value exists, but counts as none.
                let is_nothing = |object: &&Object| value_of(object).is_some_and(Value::is_null);
                leg(Does::Create, None, current.filter(is_nothing));
            }
            (Action::Update, None) => leg(Does::Update, None, current),
            (Action::Read, None) => leg(Does::Read, None, None),
            (Action::NoOp, None) if has_conditions(&walk.request.presence) => leg(Does::Keep, None, current),
            (Action::Forget, None) => leg(Does::Keep, None, current),
            (Action::NoOp, None) => {}
        }
    }
    legs
}

impl<'a> Leg<'a> {
    /// Whether this is the second half of a replacement that creates first.
    fn destroys_replaced(&self) -> bool {
        self.does == Does::DestroyDeposed && self.change.deposed.is_none()
    }

    /// Whether an upgrade left no object; the specification leaves open what happens to it.
    pub(super) fn is_upgraded_to_nothing(&self) -> bool {
        self.upgraded.is_some_and(|(_, value)| is_nothing(value))
    }

    /// Takes a call that is this leg's next one.
    fn takes(&mut self, index: usize, exchange: &'a Exchange) -> bool {
        let makes = matches!(self.does, Does::Create | Does::Update);
        match exchange {
            _ if self.apply.is_some() || self.has_read => false,
            Exchange::Upgrade(_, answer) => {
                let is_next = self.object.is_some() && self.upgraded.is_none() && self.plans.is_empty();
                if is_next {
                    self.upgraded = Some((index, &answer.upgraded));
                    self.warns = !answer.remarks.is_empty();
                }
                is_next
            }
            Exchange::Validate(..) => (makes && self.plans.is_empty()) || self.does == Does::Read,
            Exchange::Plan(request, answer) => {
                let is_ours = match self.does {
                    Does::Create | Does::Update => !request.config.is_null(),
                    Does::DestroyDeposed => request.config.is_null() && self.plans.is_empty(),
                    Does::Destroy | Does::Read | Does::Keep => false,
                };
                if is_ours {
                    self.plans.push((index, request, answer));
                }
                is_ours
            }
            Exchange::Apply(request, answer) => {
                let is_ours = !matches!(self.does, Does::Read | Does::Keep) && request.config.is_null() != makes;
                if is_ours {
                    self.apply = Some((index, request, answer));
                }
                is_ours
            }
            Exchange::ReadData(..) => {
                self.has_read = self.does == Does::Read;
                self.has_read
            }
            Exchange::Read(..) | Exchange::Import(..) => false,
        }
    }
}

/// I23, I40, I41.
pub(super) fn check(
    findings: &mut Findings,
    calls: &Calls<'_>,
    legs: &Legs<'_>,
    answers: &Answers,
    sends_planned_private: bool,
) {
    findings.hold(Id::I40, legs.stray.is_none(), || {
        format!(
            "expected the calls of the changes' legs, found another one at place {}",
            legs.stray.unwrap_or_default()
        )
    });
    let mut check = LegCheck { findings, calls, answers, sends_planned_private };
    let keeps = |leg: &Leg<'_>| leg.does == Does::Keep && leg.change.change.action == Action::NoOp;
    let is_held_up = legs.making().is_some_and(|leg| check.has_failed(leg))
        || (legs.legs.iter().any(keeps) && check.calls.fails_its_postconditions());
    for leg in legs.legs.iter().filter(|leg| leg.does == Does::DestroyDeposed && leg.change.deposed.is_some()) {
        // A62.
        check.findings.hold(Id::I40, !(is_held_up && leg.has_begun), || {
            "expected no call for a deposed object after an error of the current one, found one".to_owned()
        });
    }
    for leg in &legs.legs {
        match leg.does {
            Does::Create | Does::Update => check.making(leg),
            Does::Destroy => check.destroying(leg),
            Does::DestroyDeposed => check.destroying_deposed(leg),
            Does::Read | Does::Keep => {}
        }
    }
}

struct LegCheck<'c, 'a> {
    findings: &'c mut Findings,
    calls: &'c Calls<'a>,
    answers: &'c Answers,
    sends_planned_private: bool,
}

impl LegCheck<'_, '_> {
    /// A04, A24 and section 20.2.
    fn making(&mut self, leg: &Leg<'_>) {
        let Some((_, first, of_first)) = leg.plans.first().copied() else {
            self.findings.hold(Id::I40, leg.apply.is_none(), || "expected a plan call before an apply call".to_owned());
            return;
        };
        self.prior_private(leg, first);
        let Some((_, _, planned)) = leg.plans.last().copied() else { return };
        let goes_on = leg.plans.iter().all(|(call, ..)| self.answers.goes_on(*call));
        self.is_called(leg, first, of_first, goes_on);
        let Some((_, request, _)) = leg.apply else { return };
        let is_reverted = self.calls.ignores() && planned.legacy_type_system;
        let is_planned = is_reverted || request.planned == planned.planned;
        self.findings.hold(Id::I23, is_planned, || {
            format!("expected {} as planned last, found {}", show(&planned.planned), show(&request.planned))
        });
        let prior_holds = match leg.does {
            Does::Create => request.prior.is_null(),
            _ => request.prior == first.prior,
        };
        self.findings.hold(Id::I23, prior_holds, || {
            format!("expected the prior of the plan call, {}, found {}", show(&first.prior), show(&request.prior))
        });
        passes_on(self.findings, "the private data planned last", &planned.private, &request.private);
    }

    /// A04.
    fn prior_private(&mut self, leg: &Leg<'_>, first: &PlanChange) {
        if leg.is_upgraded_to_nothing() {
            return;
        }
        let given = match (leg.does, leg.object) {
            // If planned private data are sent at all, it is open what is sent for a creation.
            (Does::Create, _) if self.sends_planned_private => return,
            (Does::Update, _) if self.sends_planned_private => leg.change.private.clone(),
            (Does::Update, Some(object)) => object.private.clone(),
            _ => Private::NONE,
        };
        passes_on(self.findings, "the object's private data", &given, &first.private);
    }

    /// I40: whether the leg comes to its call.
    fn is_called(&mut self, leg: &Leg<'_>, first: &PlanChange, of_first: &PlanAnswer, goes_on: bool) {
        let is_known = self.calls.configured().is_some_and(|configured| configured.config.value().is_wholly_known());
        let is_reverted = self.calls.ignores() && of_first.legacy_type_system;
        if !is_known || is_reverted {
            return;
        }
        let is_empty = leg.does == Does::Update && is_equal(&first.prior, &of_first.planned);
        let wanted = goes_on && !is_empty;
        self.findings.hold(Id::I40, leg.apply.is_some() == wanted, || {
            let (wanted, found) = (usize::from(wanted), usize::from(leg.apply.is_some()));
            format!("expected {wanted} apply calls for {}, found {found}", leg.change.change.action)
        });
    }

    /// A43.
    fn destroying(&mut self, leg: &Leg<'_>) {
        let is_blocked = leg.object.is_some_and(|object| self.fails_to_let_go(object));
        let is_read = leg.upgraded.is_none_or(|(call, _)| self.answers.goes_on(call));
        let wanted = leg.object.is_some() && !is_blocked && is_read;
        let is_open = leg.is_upgraded_to_nothing();
        self.findings.hold(Id::I40, is_open || leg.apply.is_some() == wanted, || {
            format!("expected {} apply calls to destroy, found {}", u8::from(wanted), u8::from(leg.apply.is_some()))
        });
        let Some((_, request, _)) = leg.apply else { return };
        let before = leg.change.change.before.value();
        self.findings.hold(Id::I23, request.prior == *before, || {
            format!("expected {} of the plan to be destroyed, found {}", show(before), show(&request.prior))
        });
        passes_on(self.findings, "the planned private data", &leg.change.private, &request.private);
    }

    /// A50.
    fn destroying_deposed(&mut self, leg: &Leg<'_>) {
        if let Some((_, request, _)) = leg.plans.first() {
            let private = leg.object.map_or(Private::NONE, |object| object.private.clone());
            passes_on(self.findings, "the deposed object's private data", &private, &request.private);
        }
        let goes_on = leg.plans.iter().all(|(call, ..)| self.answers.goes_on(*call))
            && leg.upgraded.is_none_or(|(call, _)| self.answers.goes_on(call));
        self.findings.hold(Id::I40, goes_on || leg.apply.is_none(), || {
            "expected no apply call after an error, found one".to_owned()
        });
        // A55
        let is_deferred = leg.plans.iter().any(|(_, _, answer)| answer.deferred);
        if goes_on && leg.warns && !is_deferred && !leg.is_upgraded_to_nothing() {
            self.findings.hold_though_predicted(Id::I59, leg.apply.is_some(), || {
                "expected the deposed object to be destroyed, found a warning that ends it".to_owned()
            });
        }
        let Some((_, request, _)) = leg.apply else { return };
        let stored = leg.upgraded.map(|(_, value)| value).or(leg.object.and_then(value_of));
        let holds = stored.is_some_and(|stored| is_nulled(stored.view(), request.prior.view()));
        self.findings.hold(Id::I23, holds, || {
            format!("expected the deposed object to be destroyed, found {}", show(&request.prior))
        });
        let private = planned_private(leg.plans.first().map(|(_, _, answer)| *answer), leg.object);
        passes_on(self.findings, "the planned private data", &private, &request.private);
    }

    /// Whether a leg that makes or changes an object is known to have come to an error.
    fn has_failed(&self, leg: &Leg<'_>) -> bool {
        let is_bad = |call: usize| !self.answers.goes_on(call);
        let fails_later = match leg.does {
            Does::Create => self.calls.fails_after_making(),
            _ => self.calls.fails_its_postconditions(),
        };
        leg.upgraded.is_some_and(|(call, _)| is_bad(call))
            || leg.plans.iter().any(|(call, ..)| is_bad(*call))
            || leg.apply.is_some_and(|(call, ..)| is_bad(call) || fails_later)
    }

    /// A42.
    fn fails_to_let_go(&self, object: &Object) -> bool {
        let fails = |of: &Provisioner| of.on_destroy && of.fails && !of.on_failure_continue;
        let provisioners = self.calls.configured().map_or(&[][..], |configured| &configured.provisioners);
        object.status != Status::Tainted && provisioners.iter().any(fails)
    }
}
