//! Diagnostics of planners of instances and of providers, as a workspace reports them.

use planfuzz_core::planner::{self, Remark, summary};
use planfuzz_workspace::{Diagnostic, HALTED};

/// The summary of an engine for a call that had no answer.
const NO_ANSWER: &str = "Plugin error";

/// The diagnostic for a remark of a provider; that of a call without an answer is the engine's own, without address.
pub fn remark(remark: &Remark, about: Option<&str>) -> Diagnostic {
    let address = if &*remark.summary == NO_ANSWER { None } else { about.map(str::to_owned) };
    Diagnostic { severity: remark.severity, summary: remark.summary.to_string(), address }
}

/// The diagnostic for one of a planner of instances. Those of providers have the address; those of Core have none, unless they are about
/// ephemeral values.
pub fn of_instance(found: &planner::Diagnostic, about: Option<&str>) -> Diagnostic {
    let is_unanswered = found.summary == summary::NO_ANSWER;
    let summary = if is_unanswered { NO_ANSWER } else { &*found.summary };
    let is_of_core = !found.rule.is_empty() && !matches!(summary, summary::EPHEMERAL | summary::EPHEMERAL_CONTEXT);
    let is_own = is_unanswered || is_of_core || summary == NO_ANSWER || summary == HALTED;
    let address = if is_own { None } else { about.map(str::to_owned) };
    Diagnostic { severity: found.severity, summary: summary.to_owned(), address }
}

/// Replaces diagnostics with a summary, one after the other, by more precise ones of the workspace.
pub fn replaced(diagnostics: Vec<Diagnostic>, summary: &str, by: Vec<Vec<Diagnostic>>) -> (Vec<Diagnostic>, usize) {
    let mut by = by.into_iter();
    let mut found = Vec::with_capacity(diagnostics.len());
    for one in diagnostics {
        match if one.summary == summary { by.next() } else { None } {
            Some(better) => found.extend(better),
            None => found.push(one),
        }
    }
    (found, by.len())
}
