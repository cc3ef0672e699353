//! Diagnostics of planners of instances and of providers, as a workspace reports them.

use planfuzz_core::planner::{self, Remark, summary};
use planfuzz_workspace::{Diagnostic, HALTED};

/// The summary of an engine for a call that had no answer.
const NO_ANSWER: &str = "Plugin error";

/// The diagnostic for a remark of a provider; that of a call without an answer is the engine's own, without address.
pub fn remark(remark: &Remark, about: Option<&str>) -> Diagnostic {
    let address = about.filter(|_| &*remark.summary != NO_ANSWER).map(str::to_owned);
    Diagnostic { severity: remark.severity, summary: remark.summary.to_string(), address }
}

/// The diagnostic for one of a planner of instances. Those of providers have the address; those of Core have none, except for ephemeral
/// values (section 12).
pub fn of_instance(found: &planner::Diagnostic, about: Option<&str>) -> Diagnostic {
    let is_about_values = [summary::EPHEMERAL, summary::EPHEMERAL_CONTEXT].contains(&&*found.summary);
    let is_own = !found.rule.is_empty() && !is_about_values
        || [NO_ANSWER, summary::NO_ANSWER, HALTED].contains(&&*found.summary);
    let address = about.filter(|_| !is_own).map(str::to_owned);
    let text = if found.summary == summary::NO_ANSWER { NO_ANSWER.to_owned() } else { found.summary.to_string() };
    Diagnostic { severity: found.severity, summary: text, address }
}
