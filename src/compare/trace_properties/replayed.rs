//! LP01: playing the same scenario twice gives the same run.

use super::{PropertyResult, Subject, same_trace};

pub(super) fn check(subject: &Subject<'_>) -> PropertyResult {
    let again = subject.trace_of("played again", subject.scenario)?;
    Some(again.and_then(|again| same_trace("played again", &subject.trace, &again)))
}
