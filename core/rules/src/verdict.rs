//! The findings of the checks on a value. A check states its place, its rule and whether that holds; or that the engine crashes there; or
//! that the specification leaves the outcome open.

use super::id::Id;
use super::place::Place;
use super::{Broken, Checked};
use planfuzz_core::value::{ValueRef, raw_equals};

/// The most findings on one answer; for a wholly wrong answer the first ones are enough.
pub(super) const MOST_BROKEN: usize = 50;

/// The longest value that a message shows, in parts.
const SHOWN_PARTS: usize = 60;

/// The most element comparisons for one answer: sets within sets multiply theirs.
pub(super) const MOST_COMPARISONS: u64 = 1 << 21;

/// The findings on one answer that is a value or a refusal.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    checks: u64,
    broken: Vec<Broken>,
    /// Whether a rule states that the engine crashes.
    crashes: bool,
    /// Whether the specification leaves an outcome open.
    open: bool,
    /// The number of element comparisons in sets.
    comparisons: u64,
    /// Within [`Verdict::quietly`]: whether something failed.
    quiet: Option<bool>,
}

impl Verdict {
    /// Checks a rule on the answer. Returns whether it holds.
    pub(super) fn hold(&mut self, rule: Id, place: &Place<'_>, holds: bool, message: impl FnOnce() -> String) -> bool {
        self.checks += 1;
        if holds {
            return true;
        }
        match &mut self.quiet {
            Some(failed) => *failed = true,
            None if self.broken.len() < MOST_BROKEN => {
                self.broken.push(Broken { rule: rule.info().id, path: place.to_path(), message: message() });
            }
            None => {}
        }
        false
    }

    /// Checks that the answer, if there is one, is exactly this value (V30).
    pub(super) fn same(
        &mut self,
        rule: Id,
        place: &Place<'_>,
        found: Option<ValueRef<'_>>,
        want: ValueRef<'_>,
    ) -> bool {
        let Some(found) = found else { return true };
        let holds = raw_equals(found, want);
        self.hold(rule, place, holds, || format!("expected {}, found {}", show(want), show(found)))
    }

    /// Notes that the engine crashes here; an answer with a value breaks that.
    pub(super) fn crash(&mut self, rule: Id, place: &Place<'_>, answered: bool, why: &'static str) {
        if self.quiet.is_none() {
            self.crashes = true;
        }
        self.hold(rule, place, !answered, || format!("expected a refusal, found a value: {why}"));
    }

    /// Takes over the crashes that a walk without an answer found, for example on the elements of a set.
    pub(super) fn take_crashes(&mut self, found: Verdict, rule: Id, place: &Place<'_>, answered: bool) {
        self.open |= found.open;
        if found.crashes {
            self.crash(rule, place, answered, "merging an element crashes the engine");
        }
    }

    /// Notes that the specification leaves the outcome open here.
    pub(super) fn leave_open(&mut self) {
        self.open = true;
    }

    /// Whether there were so many comparisons that the set at hand is not judged.
    pub(super) fn is_exhausted(&self) -> bool {
        self.comparisons > MOST_COMPARISONS
    }

    /// Whether checks hold, without adding findings. Always true after [`Verdict::is_exhausted`].
    pub(super) fn quietly(&mut self, checks: impl FnOnce(&mut Verdict)) -> bool {
        self.comparisons += 1;
        if self.is_exhausted() {
            return true;
        }
        let before = self.quiet.replace(false);
        checks(self);
        let failed = std::mem::replace(&mut self.quiet, before) == Some(true);
        !failed
    }

    /// Whether a quiet check has already failed, so that further checks can stop.
    pub(super) fn is_settled(&self) -> bool {
        self.quiet == Some(true)
    }

    /// The number of findings.
    pub(super) fn found(&self) -> usize {
        self.broken.len()
    }

    /// Removes all findings after the first `all_but`.
    pub(super) fn forget(&mut self, all_but: usize) {
        self.broken.truncate(all_but);
    }

    /// Whether findings are not recorded.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet.is_some()
    }

    /// The result, for an answer or a refusal.
    pub(super) fn finish(mut self, refused: bool, must_answer: Id) -> Checked {
        if refused {
            let excused = self.crashes || self.open;
            self.hold(must_answer, &Place::ROOT, excused, || {
                "expected a value, found a refusal: no rule states that the engine crashes on this input".to_owned()
            });
        }
        Checked { checks: self.checks, broken: self.broken }
    }
}

/// A value for a message: in full if it is small.
pub(super) fn show(value: ValueRef<'_>) -> String {
    if parts_up_to(value, SHOWN_PARTS) < SHOWN_PARTS {
        return format!("{} of type {}", value.to_json_text(value.ty()), value.ty().to_v05_text());
    }
    format!("a value of {} parts", value.len())
}

fn parts_up_to(value: ValueRef<'_>, limit: usize) -> usize {
    let mut count = value.as_text().map_or(1, |text| 1 + text.len() / 20);
    for (_, child) in value.children() {
        if count >= limit {
            break;
        }
        count += parts_up_to(child, limit - count);
    }
    count
}
