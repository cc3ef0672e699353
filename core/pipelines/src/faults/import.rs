//! Faults of imports (X62).

use super::memory::Kind;
use super::{Faults, Memory, warning};
use crate::model::FaultName;
use planfuzz_core::planner::ImportAnswer;
use planfuzz_core::state::Private;
use planfuzz_core::value::Value;

impl Faults {
    /// Applies the faults of an import.
    pub(crate) fn import(&self, memory: &mut Memory, answer: &mut ImportAnswer) {
        if self.is_empty() {
            return;
        }
        let count = memory.count(Kind::Import, None);
        for fault in self.faults.iter().filter(|fault| count.is_when(fault.when)) {
            match fault.name {
                FaultName::ImportNone => answer.imported.clear(),
                FaultName::ImportMany => answer.imported.extend_from_within(..),
                FaultName::ImportNull => {
                    answer.imported.iter_mut().for_each(|(value, _)| *value = Value::null(self.ty.clone()));
                }
                FaultName::PrivateLost => {
                    answer.imported.iter_mut().for_each(|(_, private)| *private = Private::NONE);
                }
                FaultName::Warnings => answer.remarks.push(warning()),
                _ => {}
            }
        }
    }
}
