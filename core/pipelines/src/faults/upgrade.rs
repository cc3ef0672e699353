//! Faults of upgrades (X60, X61).

use super::memory::Kind;
use super::perturb::of_wrong_type;
use super::{Faults, Memory, has_errors, warning};
use crate::model::FaultName;
use crate::places::{Place, Three};
use planfuzz_core::planner::UpgradeAnswer;
use planfuzz_core::value::Value;

impl Faults {
    /// Applies the faults of an upgrade.
    pub(crate) fn upgrade(&self, memory: &mut Memory, answer: &mut UpgradeAnswer) {
        if self.is_empty() {
            return;
        }
        let count = memory.count(Kind::Upgrade, None);
        if has_errors(&answer.remarks) {
            return;
        }
        for fault in self.faults.iter().filter(|fault| count.is_when(fault.when)) {
            if fault.name == FaultName::Warnings {
                answer.remarks.push(warning());
            }
            let three = Three { config: None, prior: None, plan: answer.upgraded.view() };
            let change: &mut dyn FnMut(&Place, Three<'_>) -> Option<Value> = match fault.name {
                FaultName::UpgradeUnknown => &mut |place, _| {
                    (!place.is_block() && !place.flags.write_only).then(|| Value::unknown(place.ty.clone()))
                },
                FaultName::UpgradeWrongType => &mut |place, _| of_wrong_type(&place.ty),
                _ => continue,
            };
            if let Some(upgraded) = fault.target.change(&self.places, three, change) {
                answer.upgraded = upgraded;
            }
        }
    }
}
