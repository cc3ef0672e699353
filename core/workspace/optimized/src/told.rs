//! Diagnostics of planners of instances and of providers, as a workspace tells them.

use planfuzz_core::planner::{self, Remark, summary};
use planfuzz_workspace::{Diagnostic, HALTED};

/// What an engine tells of a call that had no answer.
const NO_ANSWER: &str = "Plugin error";

/// What a provider says; a call without an answer is the engine's own and about nothing.
pub fn remark(remark: &Remark, about: Option<&str>) -> Diagnostic {
    let address = if &*remark.summary == NO_ANSWER { None } else { about.map(str::to_owned) };
    Diagnostic { severity: remark.severity, summary: remark.summary.to_string(), address }
}

/// What a planner of instances tells: what providers say has the address, what Core says has none where it is not about ephemeral values.
pub fn of_instance(found: &planner::Diagnostic, about: Option<&str>) -> Diagnostic {
    let is_unanswered = found.summary == summary::NO_ANSWER;
    let summary = if is_unanswered { NO_ANSWER } else { &*found.summary };
    let is_of_core = !found.rule.is_empty() && !matches!(summary, summary::EPHEMERAL | summary::EPHEMERAL_CONTEXT);
    let is_own = is_unanswered || is_of_core || summary == NO_ANSWER || summary == HALTED;
    let address = if is_own { None } else { about.map(str::to_owned) };
    Diagnostic { severity: found.severity, summary: summary.to_owned(), address }
}

/// What a planner of instances tells, where the workspace knows better what to say in the place of a summary, one after the other.
pub fn replaced(told: Vec<Diagnostic>, summary: &str, by: Vec<Vec<Diagnostic>>) -> (Vec<Diagnostic>, usize) {
    let mut by = by.into_iter();
    let mut found = Vec::with_capacity(told.len());
    for one in told {
        match if one.summary == summary { by.next() } else { None } {
            Some(better) => found.extend(better),
            None => found.push(one),
        }
    }
    (found, by.len())
}
