//! Faults of plan answers (X01 to X20, X45), and the controls among them.

use super::memory::Kind;
use super::perturb::{of_wrong_type, perturbed, varied, with_one_less, with_one_more};
use super::second::settles;
use super::target::Change;
use super::{Faults, Memory, Planted, has_errors, warning};
use crate::expression::Operation;
use crate::fnv::Fnv;
use crate::model::FaultName;
use crate::places::{Place, Three, fill};
use planfuzz_core::planner::{PlanAnswer, PlanChange};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Text, Type, Value, ValueRef, WrittenPath, WrittenStep};

/// A plan call with its context.
struct Planning<'a> {
    request: &'a PlanChange,
    /// The planned object of the first plan, if this is the second (see `second`).
    first: Option<&'a Value>,
    /// Its number among the plan calls of the run.
    number: u64,
    /// How many creations and updates there were.
    applied: u64,
}

impl Faults {
    /// Applies the faults of a plan answer. An answer with errors is left alone.
    pub(crate) fn plan(&self, memory: &mut Memory, request: &PlanChange, answer: &mut PlanAnswer) {
        if self.is_empty() {
            return;
        }
        let count = memory.count(Kind::Plan, Some(Operation::of(&request.prior, &request.config)));
        if has_errors(&answer.remarks) {
            return;
        }
        let first = memory.plans.first(request).map(|first| first.planned.clone());
        let planning = Planning { request, first: first.as_ref(), number: count.of_kind, applied: memory.applied };
        for fault in self.faults.iter().filter(|fault| count.is_when(fault.when)) {
            self.plan_fault(fault, &planning, answer);
        }
        if first.is_none() {
            memory.plans.remember(request, &answer.planned);
        }
    }

    fn plan_fault(&self, fault: &Planted, planning: &Planning<'_>, answer: &mut PlanAnswer) {
        let PlanChange { prior, config, proposed: _, private: _ } = planning.request;
        let is_second = planning.first.is_some();
        let is_update = !prior.is_null() && !config.is_null();
        let number = planning.number;
        match fault.name {
            FaultName::PlanOverride => self.replan(fault, planning, answer, &mut overridden),
            FaultName::PlanValueForUnset => self.replan(fault, planning, answer, &mut value_for_unset),
            FaultName::PlanUnset => self.replan(fault, planning, answer, &mut |place, at| {
                (is_configured(place, at) && !at.plan.is_null()).then(|| Value::null(at.plan.ty().clone()))
            }),
            FaultName::PlanUnknownConfigured => self.replan(fault, planning, answer, &mut |place, at| {
                (is_configured(place, at) && at.plan.is_wholly_known()).then(|| Value::unknown(at.plan.ty().clone()))
            }),
            FaultName::PlanGuessUnknown => self.replan(fault, planning, answer, &mut guessed),
            FaultName::PlanBlockAdd => {
                self.replan(fault, planning, answer, &mut |place, at| {
                    block(place, at).and_then(|()| with_one_more(place, at.plan))
                });
            }
            FaultName::PlanBlockDrop => {
                self.replan(fault, planning, answer, &mut |place, at| {
                    block(place, at).and_then(|()| with_one_less(place, at.plan))
                });
            }
            FaultName::PlanNull if !config.is_null() => answer.planned = Value::null(self.ty.clone()),
            FaultName::PlanKeepOnDestroy if config.is_null() => answer.planned = prior.clone(),
            FaultName::PlanWrongType => self.replan(fault, planning, answer, &mut |place, _| of_wrong_type(&place.ty)),
            FaultName::PlanWriteOnly => self.replan(fault, planning, answer, &mut |place, at| {
                let config = at.config.filter(|config| place.flags.write_only && !config.is_null());
                config.map(ValueRef::to_value)
            }),
            FaultName::ReplaceBadPath => answer.requires_replace.push(self.bad_path(fault, planning.applied)),
            FaultName::SecondDiffers => self.replan(fault, planning, answer, &mut |place, at| {
                is_made(place, at).then(|| varied(place, at.plan, number))?
            }),
            FaultName::SecondUnknown if is_second => self.replan(fault, planning, answer, &mut |place, at| {
                is_made(place, at).then(|| Value::unknown(at.plan.ty().clone()))
            }),
            FaultName::SecondReplaces if is_second && is_update => {
                self.replace(fault, planning, answer, |prior, planned| prior != planned);
            }
            FaultName::SecondUpdates if !is_second => self.replan(fault, planning, answer, &mut kept_though_unknown),
            FaultName::PerpetualUnknown => self.replan(fault, planning, answer, &mut unknown_always),
            FaultName::PerpetualValue => {
                let applied = planning.applied;
                self.replan(fault, planning, answer, &mut |place, at| {
                    is_free(place, at).then(|| counted(at.plan.ty(), applied))
                });
            }
            FaultName::ReplaceAlways => {
                self.replan(fault, planning, answer, &mut unknown_always);
                if is_update {
                    self.replace(fault, planning, answer, |prior, planned| planned.is_unknown() && prior != planned);
                }
            }
            FaultName::PlanNondeterministic if number.is_multiple_of(2) => {
                self.replan(fault, planning, answer, &mut |place, at| {
                    is_made(place, at).then(|| varied(place, at.plan, number))?
                })
            }
            FaultName::ReplaceUnchanged if is_update => {
                self.replace(fault, planning, answer, |prior, planned| prior == planned && prior.is_wholly_known())
            }
            FaultName::SecondPrior if is_update => {
                if let Some(first) = planning.first.filter(|first| self.may_be_prior(planning.request, first, answer)) {
                    debug_assert!(!first.is_null());
                    answer.planned = prior.clone();
                    answer.requires_replace.clear();
                }
            }
            FaultName::PrivateLost => answer.private = Private::NONE,
            FaultName::PlanDefers => answer.deferred = true,
            FaultName::Warnings => answer.remarks.push(warning()),
            FaultName::ReplaceUnsorted => {
                let again: Vec<_> = answer.requires_replace.iter().rev().cloned().collect();
                answer.requires_replace.splice(0..0, again);
            }
            _ => {}
        }
    }

    fn replan(&self, fault: &Planted, planning: &Planning<'_>, answer: &mut PlanAnswer, change: Change<'_>) {
        let PlanChange { prior, config, .. } = planning.request;
        let three = Three { config: Some(config.view()), prior: Some(prior.view()), plan: answer.planned.view() };
        if let Some(planned) = fault.target.change(&self.places, three, change) {
            answer.planned = planned;
        }
    }

    /// Asks for replacement at the first attribute or block whose prior and planned values satisfy `holds`.
    fn replace(
        &self,
        fault: &Planted,
        planning: &Planning<'_>,
        answer: &mut PlanAnswer,
        holds: impl Fn(&Value, &Value) -> bool,
    ) {
        let member = |object: &Value, place: &Place| object.view().member(&place.name).map(ValueRef::to_value);
        let found = fault.target.outermost(&self.places, &mut |place| {
            let prior = member(&planning.request.prior, place);
            let planned = member(&answer.planned, place);
            matches!((prior, planned), (Some(prior), Some(planned)) if holds(&prior, &planned))
        });
        if let Some(place) = found {
            answer.requires_replace.push([WrittenStep::Attribute(place.name.clone())].into_iter().collect());
        }
    }

    /// A path that leads nowhere: below the named place if the fault has one, else to an attribute that the schema does not have. The kind
    /// of step depends on the number of creations and updates, so that repeated plans give the same path.
    fn bad_path(&self, fault: &Planted, applied: u64) -> WrittenPath {
        let place = fault.target.is_named().then(|| fault.target.outermost(&self.places, &mut |_| true)).flatten();
        let Some(place) = place else {
            let mut name = String::from("nope");
            while self.places.iter().any(|place| *place.name == *name) {
                name.push('_');
            }
            return [WrittenStep::Attribute(Text::new(&name))].into_iter().collect();
        };
        let name = || WrittenStep::Attribute(Text::new("~nope"));
        let key = || WrittenStep::Key(Text::new("~nope"));
        // Cycles through the kinds of steps that lead nowhere (L81).
        let below = match (&place.ty, applied % 3) {
            (Type::List(_) | Type::Tuple(_), 0) | (Type::Object(_), 1) => WrittenStep::Index(999),
            (Type::List(_) | Type::Tuple(_) | Type::Object(_) | Type::Map(_), 2) => key(),
            (Type::Map(_), 0) => WrittenStep::Index(999),
            (Type::Set(_) | Type::Bool | Type::Number | Type::String, 1) => WrittenStep::Index(0),
            (Type::Set(_) | Type::Bool | Type::Number | Type::String, 2) => key(),
            _ => name(),
        };
        [WrittenStep::Attribute(place.name.clone()), below].into_iter().collect()
    }

    /// Whether the second plan may plan the prior state: the first plan has no known value that contradicts it, and where prior and plan
    /// differ, both the configuration and the prior have a value, or the configuration has none and the attribute is computed (I06).
    fn may_be_prior(&self, request: &PlanChange, first: &Value, answer: &PlanAnswer) -> bool {
        let PlanChange { prior, config, .. } = request;
        let member = |object: &Value, place: &Place| object.view().member(&place.name).map(ValueRef::to_value);
        settles(first.view(), prior.view())
            && self.places.iter().all(|place| {
                let (old, new) = (member(prior, place), member(&answer.planned, place));
                let config = member(config, place).is_some_and(|config| !config.is_null());
                let given = config && old.as_ref().is_some_and(|old| !old.is_null());
                old == new || !place.is_block() && (given || !config && place.flags.computed)
            })
    }
}

/// Whether an attribute is configured with a known value.
fn is_configured(place: &Place, at: Three<'_>) -> bool {
    let config = at.config.filter(|config| !config.is_null() && config.is_wholly_known());
    !place.is_block() && !place.flags.write_only && config.is_some()
}

/// Whether the provider may choose the planned value: the attribute is computed and not configured.
fn is_free(place: &Place, at: Three<'_>) -> bool {
    !place.is_block() && place.flags.computed && at.config.is_some_and(ValueRef::is_null)
}

/// Whether the provider chose a known planned value.
fn is_made(place: &Place, at: Three<'_>) -> bool {
    is_free(place, at) && !at.plan.is_null() && at.plan.is_wholly_known()
}

/// Whether a block is configured with a known number of elements.
fn block(place: &Place, at: Three<'_>) -> Option<()> {
    (place.is_block() && at.config.is_some_and(|config| !config.is_unknown()) && !at.plan.is_unknown()).then_some(())
}

/// A planned value that is neither the configured nor the prior one.
fn overridden(place: &Place, at: Three<'_>) -> Option<Value> {
    if !is_configured(place, at) || at.plan.is_null() || !at.plan.is_wholly_known() {
        return None;
    }
    other_than_before(place, at, at.plan.to_value())
}

fn other_than_before(place: &Place, at: Three<'_>, value: Value) -> Option<Value> {
    let is_one = |value: &Value, of: Option<ValueRef<'_>>| of.is_some_and(|of| of.to_value() == *value);
    let mut value = perturbed(place, value.view())?;
    if is_one(&value, at.config) || is_one(&value, at.prior) {
        value = perturbed(place, value.view())?;
    }
    (!is_one(&value, at.config) && !is_one(&value, at.prior)).then_some(value)
}

fn value_for_unset(place: &Place, at: Three<'_>) -> Option<Value> {
    let is_unset = at.config.is_some_and(ValueRef::is_null) && at.plan.is_null();
    let applies = is_unset && !place.is_block() && !place.flags.computed && !place.flags.write_only;
    applies.then(|| fill(&place.ty, Fnv::EMPTY.then("~")))
}

fn guessed(place: &Place, at: Three<'_>) -> Option<Value> {
    let is_open = at.config.is_some_and(ValueRef::is_unknown) && at.plan.is_unknown();
    if !is_open || place.is_block() || place.flags.write_only {
        return None;
    }
    let guess = fill(at.plan.ty(), Fnv::EMPTY.then("~"));
    match at.prior {
        Some(prior) if prior.to_value() == guess => perturbed(place, guess.view()),
        _ => Some(guess),
    }
}

fn kept_though_unknown(place: &Place, at: Three<'_>) -> Option<Value> {
    let is_open = !place.is_block() && !place.flags.write_only && at.config.is_some_and(ValueRef::is_unknown);
    at.prior.filter(|prior| is_open && !prior.is_null()).map(ValueRef::to_value)
}

fn unknown_always(place: &Place, at: Three<'_>) -> Option<Value> {
    (is_free(place, at) && !place.flags.write_only).then(|| Value::unknown(place.ty.clone()))
}

/// A value of the type that depends on a count.
fn counted(ty: &Type, count: u64) -> Value {
    match ty {
        Type::Number => Value::number(count),
        Type::Bool => Value::bool(count % 2 == 1),
        Type::String | Type::Dynamic => Value::string(&format!("n{count}")),
        _ => fill(ty, Fnv::EMPTY.then("n").then_number(count)),
    }
}
