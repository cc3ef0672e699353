//! Faults of validation (X21, X22).

use super::memory::Kind;
use super::{Faults, Memory, error, warning};
use crate::model::FaultName;
use crate::places::Three;
use planfuzz_core::planner::{ValidateAnswer, ValidateConfig};
use planfuzz_core::value::Value;

impl Faults {
    /// Applies the faults of a validation: errors where there should be none.
    pub(crate) fn validate(&self, memory: &mut Memory, request: &ValidateConfig, answer: &mut ValidateAnswer) {
        if self.is_empty() {
            return;
        }
        let count = memory.count(Kind::Validate, None);
        let config = &request.config;
        let three = Three { config: None, prior: None, plan: config.view() };
        for fault in self.faults.iter().filter(|fault| count.is_when(fault.when)) {
            let found = match fault.name {
                FaultName::ValidateUnknown => fault.target.change(&self.places, three, &mut |place, at| {
                    (!place.is_block() && !at.plan.is_wholly_known()).then(|| Value::null(place.ty.clone()))
                }),
                FaultName::ValidateDefaultMissing => fault.target.change(&self.places, three, &mut |place, at| {
                    (place.flags.optional && place.flags.computed && at.plan.is_null()).then(|| at.plan.to_value())
                }),
                FaultName::Warnings => {
                    answer.remarks.push(warning());
                    None
                }
                _ => None,
            };
            if found.is_some() {
                answer.remarks.push(error("A value is missing"));
            }
        }
    }
}
