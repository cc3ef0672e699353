//! Faults of read answers (X50 to X56), and the controls among them, of managed and of data resources.

use super::apply::normalised;
use super::memory::Kind;
use super::perturb::{of_wrong_type, perturbed, varied};
use super::{Faults, Memory, Planted, has_errors, warning};
use crate::model::FaultName;
use crate::places::{Place, Three};
use planfuzz_core::planner::{ReadAnswer, ReadData, ReadDataAnswer, ReadResource};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Type, Value, ValueRef};

impl Faults {
    /// Applies the faults of a read.
    pub(crate) fn read(&self, memory: &mut Memory, request: &ReadResource, answer: &mut ReadAnswer) {
        if self.is_empty() {
            return;
        }
        let count = memory.count(Kind::Read, None);
        if has_errors(&answer.remarks) {
            return;
        }
        for fault in self.faults.iter().filter(|fault| count.is_when(fault.when)) {
            match fault.name {
                FaultName::PrivateLost => answer.private = Private::NONE,
                FaultName::ReadDefers => answer.deferred = true,
                FaultName::Warnings => answer.remarks.push(warning()),
                _ => {}
            }
            if let Some(state) = self.misread(fault, &answer.new_state, Some(&request.current), count.of_kind) {
                answer.new_state = state;
            }
        }
    }

    /// Applies the faults of a data source.
    pub(crate) fn read_data(&self, memory: &mut Memory, request: &ReadData, answer: &mut ReadDataAnswer) {
        if self.is_empty() {
            return;
        }
        let count = memory.count(Kind::ReadData, None);
        if has_errors(&answer.remarks) {
            return;
        }
        for fault in self.faults.iter().filter(|fault| count.is_when(fault.when)) {
            if fault.name == FaultName::Warnings {
                answer.remarks.push(warning());
            }
            if let Some(state) = self.misread(fault, &answer.state, Some(&request.config), count.of_kind) {
                answer.state = state;
            }
        }
    }

    /// The state after a fault; `known` is the state before the read.
    fn misread(&self, fault: &Planted, state: &Value, known: Option<&Value>, number: u64) -> Option<Value> {
        let three = Three { config: None, prior: known.map(Value::view), plan: state.view() };
        let change: &mut dyn FnMut(&Place, Three<'_>) -> Option<Value> = match fault.name {
            FaultName::ReadUnknown => &mut |place, _| is_attribute(place).then(|| Value::unknown(place.ty.clone())),
            FaultName::ReadWrongType => &mut |place, _| of_wrong_type(&place.ty),
            FaultName::ReadNormalise => &mut |place, at| can_be_set(place).then(|| normalised(at.plan))?,
            FaultName::ReadWriteOnly => &mut |place, at| (place.flags.write_only).then(|| perturbed(place, at.plan))?,
            FaultName::ReadUnstable => &mut |place, at| {
                (is_attribute(place) && place.flags.computed && !at.plan.is_null())
                    .then(|| varied(place, at.plan, number))?
            },
            FaultName::ReadForgets => {
                &mut |place, at| (can_be_set(place) && !at.plan.is_null()).then(|| Value::null(place.ty.clone()))
            }
            FaultName::ReadNullBlocks => {
                &mut |place, at| (place.is_block() && holds_none(at.plan)).then(|| Value::null(place.ty.clone()))
            }
            _ => return None,
        };
        fault.target.change(&self.places, three, change)
    }
}

fn is_attribute(place: &Place) -> bool {
    !place.is_block() && !place.flags.write_only
}

/// Whether the value is an empty collection.
fn holds_none(blocks: ValueRef<'_>) -> bool {
    blocks.is_present() && !matches!(blocks.ty(), Type::Object(_)) && blocks.is_empty()
}

/// Whether a configuration may set the attribute.
fn can_be_set(place: &Place) -> bool {
    is_attribute(place) && (place.flags.required || place.flags.optional)
}
