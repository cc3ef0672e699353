//! Faults of apply answers (X30 to X44), and the controls among them.

use super::memory::Kind;
use super::perturb::{of_wrong_type, perturbed, with_member, with_one_less, with_one_more};
use super::target::Change;
use super::{Faults, Memory, Planted, error, has_errors, warning};
use crate::expression::{Canon, Operation};
use crate::model::FaultName;
use crate::places::{Place, Three};
use planfuzz_core::planner::{ApplyAnswer, ApplyChange, summary};
use planfuzz_core::state::Private;
use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Node, Type, Value, ValueRef};

/// An apply call with its context.
struct Applying<'a> {
    request: &'a ApplyChange,
    operation: Operation,
    /// The remote object before the call.
    before: Option<&'a Value>,
}

impl Faults {
    /// Applies the faults of an apply answer. `before` is the remote object before the call, `remote` the one after it.
    pub(crate) fn apply(
        &self,
        memory: &mut Memory,
        request: &ApplyChange,
        answer: &mut ApplyAnswer,
        before: Option<&Value>,
        mut remote: Option<&mut Value>,
    ) {
        if self.is_empty() {
            return;
        }
        let operation = match (request.prior.is_null(), request.planned.is_null()) {
            (true, _) => Operation::Create,
            (false, true) => Operation::Destroy,
            (false, false) => Operation::Update,
        };
        let count = memory.count(Kind::Apply, Some(operation));
        if operation != Operation::Destroy {
            memory.applied += 1;
            memory.plans.forget();
        }
        let applying = Applying { request, operation, before };
        for fault in self.faults.iter().filter(|fault| count.is_when(fault.when)) {
            self.apply_fault(fault, &applying, answer, remote.as_deref_mut());
        }
    }

    fn apply_fault(
        &self,
        fault: &Planted,
        applying: &Applying<'_>,
        answer: &mut ApplyAnswer,
        remote: Option<&mut Value>,
    ) {
        let ApplyChange { prior, planned, .. } = applying.request;
        let is_delete = applying.operation == Operation::Destroy;
        let is_update = applying.operation == Operation::Update;
        let has_failed = has_errors(&answer.remarks);
        match fault.name {
            FaultName::ApplyCrash => {
                answer.new_state = None;
                answer.private = Private::NONE;
                answer.remarks = vec![error(summary::NO_ANSWER)];
            }
            FaultName::PrivateLost => answer.private = Private::NONE,
            FaultName::Warnings => answer.remarks.push(warning()),
            FaultName::ApplyKeepOnDelete if is_delete && !has_failed => answer.new_state = Some(prior.clone()),
            _ if is_delete || has_failed => {}
            FaultName::ApplyChangeKnown => self.reapply(fault, applying, answer, &mut |place, at| {
                is_planned(place, at).then(|| perturbed(place, at.plan))?
            }),
            FaultName::ApplyLeaveUnknown => self.reapply(fault, applying, answer, &mut |place, at| {
                let planned = at.prior.filter(|planned| !place.is_block() && planned.is_unknown());
                planned.map(|planned| Value::unknown(planned.ty().clone()))
            }),
            FaultName::ApplyNull => answer.new_state = Some(Value::null(self.ty.clone())),
            FaultName::ApplyWrongType => {
                self.reapply(fault, applying, answer, &mut |place, _| of_wrong_type(&place.ty));
            }
            FaultName::ApplyBlockDrop => self.reapply(fault, applying, answer, &mut |place, at| {
                has_planned_blocks(place, at).then(|| with_one_less(place, at.plan))?
            }),
            FaultName::ApplyBlockAdd => self.reapply(fault, applying, answer, &mut |place, at| {
                has_planned_blocks(place, at).then(|| with_one_more(place, at.plan))?
            }),
            FaultName::ApplyReorder => self.reapply(fault, applying, answer, &mut reversed),
            FaultName::ApplyNormalise => self.reapply(fault, applying, answer, &mut |place, at| {
                is_planned(place, at).then(|| normalised(at.plan))?
            }),
            FaultName::ApplyWriteOnly => self.reapply(fault, applying, answer, &mut |place, at| {
                at.config.filter(|config| place.flags.write_only && !config.is_null()).map(ValueRef::to_value)
            }),
            FaultName::ApplyDynamicType => self.reapply(fault, applying, answer, &mut |place, at| {
                (place.ty.is_dynamic() && is_planned(place, at)).then(|| of_another_type(at.plan))
            }),
            FaultName::ApplyErrorUnknown if !planned.is_wholly_known() => {
                answer.new_state = Some(planned.clone());
                answer.remarks.push(error("Half done"));
            }
            FaultName::ApplyErrorLies if is_update => {
                answer.new_state = Some(prior.clone());
                answer.remarks.push(error("Nothing done, it seems"));
            }
            FaultName::ApplySilentPartial => self.leave_out(fault, applying, remote),
            FaultName::ApplyNullForUnknown => self.make_null(fault, applying, answer, remote),
            FaultName::ApplyErrorNull if is_update => {
                answer.new_state = Some(Value::null(self.ty.clone()));
                answer.remarks.push(error("Nothing done"));
                if let (Some(remote), Some(before)) = (remote, applying.before) {
                    *remote = before.clone();
                }
            }
            FaultName::ApplyErrorPartial if applying.operation == Operation::Create => {
                self.make_null(fault, applying, answer, remote);
                answer.remarks.push(error("Half done"));
            }
            _ => {}
        }
    }

    /// Changes the new state at the fault's place, where `at.plan` is the answer's value and `at.prior` the planned one.
    fn reapply(&self, fault: &Planted, applying: &Applying<'_>, answer: &mut ApplyAnswer, change: Change<'_>) {
        let ApplyChange { planned, config, .. } = applying.request;
        let Some(state) = &answer.new_state else { return };
        let three = Three { config: Some(config.view()), prior: Some(planned.view()), plan: state.view() };
        if let Some(state) = fault.target.change(&self.places, three, change) {
            answer.new_state = Some(state);
        }
    }

    /// Lets one change not reach the remote object, which keeps its old value.
    fn leave_out(&self, fault: &Planted, applying: &Applying<'_>, remote: Option<&mut Value>) {
        let Some(remote) = remote else { return };
        let before = |place: &Place, now: ValueRef<'_>| match applying.before {
            Some(before) => before.view().member(&place.name).map(ValueRef::to_value),
            None => Some(Value::null(now.ty().clone())),
        };
        let change = |place: &Place| {
            let now = remote.view().member(&place.name)?;
            let changed = before(place, now).filter(|before| *before != now.to_value() && !place.is_block())?;
            Some((place.name.clone(), changed))
        };
        let mut found = None;
        fault.target.outermost(&self.places, &mut |place| {
            let configured = applying.request.config.view().member(&place.name).is_some_and(|config| !config.is_null());
            found = change(place).filter(|_| configured && !place.flags.write_only);
            found.is_some()
        });
        if let Some((name, value)) = found {
            *remote = with_member(remote.view(), &name, value);
        }
    }

    /// Makes a computed attribute null that was unknown in the plan, in the answer and in the remote object.
    fn make_null(
        &self,
        fault: &Planted,
        applying: &Applying<'_>,
        answer: &mut ApplyAnswer,
        remote: Option<&mut Value>,
    ) {
        let null = &mut |place: &Place, at: Three<'_>| {
            let was_open = !place.is_block() && *place.name != *"id" && at.prior.is_some_and(ValueRef::is_unknown);
            was_open.then(|| Value::null(place.ty.clone()))
        };
        self.reapply(fault, applying, answer, null);
        let Some(remote) = remote else { return };
        let ApplyChange { planned, config, .. } = applying.request;
        let three = Three { config: Some(config.view()), prior: Some(planned.view()), plan: remote.view() };
        if let Some(value) = fault.target.change(&self.places, three, null) {
            *remote = value;
        }
    }
}

/// Whether a known value other than null was planned; `at.prior` is the planned one.
fn is_planned(place: &Place, at: Three<'_>) -> bool {
    let planned = at.prior.filter(|planned| !planned.is_null() && planned.is_wholly_known());
    !place.is_block() && !place.flags.write_only && planned.is_some() && !at.plan.is_null()
}

fn has_planned_blocks(place: &Place, at: Three<'_>) -> bool {
    place.is_block() && at.prior.is_some_and(|planned| !planned.is_unknown())
}

fn reversed(place: &Place, at: Three<'_>) -> Option<Value> {
    let (Type::List(_), Node::Seq(seq)) = (at.plan.ty(), at.plan.node()) else { return None };
    let reversed = Value::from_parts(at.plan.ty().clone(), Node::seq(seq.as_slice().iter().rev().cloned().collect()));
    (is_planned(place, at) && reversed != at.plan.to_value()).then_some(reversed)
}

/// The text in lower case; `None` if it already is.
pub(super) fn normalised(value: ValueRef<'_>) -> Option<Value> {
    let text = value.as_text()?;
    let form = Canon::Lower.text(text);
    (*form != **text).then(|| Value::string(&form))
}

/// A value of another type: `1` as `"1"`, and a value without a text as a tuple.
fn of_another_type(value: ValueRef<'_>) -> Value {
    let text = match value.ty() {
        Type::String => None,
        _ => convert(&value.to_value(), &Type::String).ok(),
    };
    text.unwrap_or_else(|| Value::tuple(vec![value.to_value()]))
}
