//! The checks of the answer to a plan call (L38 to L41, L47, L56a).

use crate::validity;
use planfuzz_core::planner::{PlanAnswer, PlanChange, Severity, summary};
use planfuzz_core::value::{Value, WrittenPath};

use super::walk::{Step, Stop, Walk, stop_if};

/// The plan calls of a configured instance.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    /// L37.
    First,
    /// L47: warnings would repeat.
    Second,
}

/// The effect of a deferral, which Core did not allow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Deferral {
    /// An error (L56a, A05).
    Error(&'static str),
    /// A54: the operation ends without a diagnostic.
    End,
}

impl Walk<'_, '_> {
    /// Calls plan and takes the remarks of the answer (L38, L56a).
    pub fn ask_plan(&mut self, request: PlanChange, call: Call, deferral: Deferral) -> Step<PlanAnswer> {
        let mut answer = self.provider.plan(request);
        let mut remarks = std::mem::take(&mut answer.remarks);
        if call == Call::Second {
            remarks.retain(|remark| remark.severity == Severity::Error);
        }
        let failed = self.hear(remarks);
        // L39 in OpenTofu
        let undecodable = self.decode(&answer.planned, "L39")?;
        // L38
        stop_if(failed || undecodable)?;
        if answer.deferred && self.dialect().has_deferrals() {
            return Err(match deferral {
                Deferral::Error(summary) => self.fail(summary, "L56a"),
                Deferral::End => Stop::Silently,
            });
        }
        Ok(answer)
    }

    /// L39, L40: a value that does not conform is not searched for write-only values (LD22).
    pub fn check_planned(&mut self, planned: &Value) -> Step<()> {
        match self.conforms(planned) {
            true => self.refuse_write_only(planned, summary::INVALID_PLAN, "L39"),
            false => Err(self.fail(summary::INVALID_PLAN, "L40")),
        }
    }

    /// L41.
    pub fn check_plan_valid(&mut self, prior: &Value, config: &Value, answer: &PlanAnswer) -> Step<()> {
        let values = [prior, config, &answer.planned].map(Value::view);
        let found = validity::violations(self.dialect(), self.schema(), values)?;
        if answer.legacy_type_system {
            return Ok(());
        }
        let paths = found.iter().map(|violation| WrittenPath::from(&violation.path)).collect();
        self.fail_at(summary::INVALID_PLAN, paths, "L41")
    }
}
