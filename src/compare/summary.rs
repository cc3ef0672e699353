//! The counts of a run.

use std::collections::BTreeMap;

use super::signature::Signature;
use super::tally::Tally;
use super::trace::TraceCounts;
use super::workspace_counts::WorkspaceCounts;
use crate::case::Op;

/// The counts of a run. Their size does not depend on its length, except for the reasons and buckets that occur.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Cases that reached every subject.
    pub cases: u64,
    /// Cases that each subject answered, by its name.
    pub answered: BTreeMap<String, u64>,
    /// Operations answered by two subjects and compared; in a scenario, each walk counts.
    pub comparisons: u64,
    /// Steps of scenarios that the first subject played to their end.
    pub steps: u64,
    /// Counts of those runs.
    pub traces: TraceCounts,
    /// Counts of whole workspaces.
    pub workspaces: WorkspaceCounts,
    /// Comparisons of the shared operations with their second implementation, by operation.
    pub calls: BTreeMap<Op, u64>,
    /// Checks of rules and properties.
    pub checks: u64,
    /// How often each oracle checked or compared something, by its name.
    pub oracles: BTreeMap<&'static str, u64>,
    /// How often each verdict was reached.
    pub tally: Tally,
    /// Operations that a subject was not asked, by subject and reason; in a scenario, walks.
    pub left_out: BTreeMap<(String, String), u64>,
    /// Findings that are expected, by the name of the known difference, if any, and the signature.
    pub tolerated: BTreeMap<(Option<String>, Signature), u64>,
}

impl Summary {
    /// Counts a case that a subject answered.
    pub(super) fn count_answered(&mut self, subject: &str) {
        match self.answered.get_mut(subject) {
            Some(count) => *count += 1,
            None => drop(self.answered.insert(subject.to_owned(), 1)),
        }
    }

    /// Counts an operation that a subject was not asked.
    pub fn leave_out(&mut self, subject: &str, reason: impl Into<String>) {
        *self.left_out.entry((subject.to_owned(), reason.into())).or_default() += 1;
    }

    /// Counts how often oracles checked something.
    pub(super) fn count_oracles(&mut self, counts: &[(&'static str, u64)]) {
        for (name, count) in counts {
            *self.oracles.entry(name).or_default() += count;
        }
    }

    /// Counts a finding that is expected.
    pub fn tolerate(&mut self, name: Option<&str>, signature: &Signature) {
        *self.tolerated.entry((name.map(str::to_owned), signature.clone())).or_default() += 1;
    }

    /// The expected findings, in words, with their counts.
    pub fn tolerated(&self) -> impl Iterator<Item = (String, u64)> {
        self.tolerated.iter().map(|((name, signature), count)| match name {
            Some(name) => (format!("{name}: {signature}"), *count),
            None => (signature.to_string(), *count),
        })
    }

    /// Why nothing was compared of what a number of subjects were asked, if nothing was. A single subject is checked against the rules.
    pub fn why_not_compared(&self, subjects: usize) -> Option<String> {
        // An expected crash is a result too.
        if self.comparisons > 0 || self.tally.tolerated > 0 || subjects < 2 && self.checks > 0 {
            return None;
        }
        let reason = self.left_out.keys().next().map(|(subject, reason)| format!("{subject}: {reason}"));
        Some(reason.unwrap_or_else(|| match subjects {
            0 | 1 => "of one subject only rules are checked, and none is about this".to_owned(),
            _ => "no two of the subjects answer this".to_owned(),
        }))
    }

    /// Adds the counts of another run.
    pub fn add(&mut self, other: Summary) {
        let Summary {
            cases,
            answered,
            comparisons,
            steps,
            traces,
            workspaces,
            calls,
            checks,
            oracles,
            tally,
            left_out,
            tolerated,
        } = other;
        self.cases += cases;
        for (subject, count) in answered {
            *self.answered.entry(subject).or_default() += count;
        }
        self.comparisons += comparisons;
        self.steps += steps;
        self.traces.add(&traces);
        self.workspaces.add(&workspaces);
        self.checks += checks;
        for (op, count) in calls {
            *self.calls.entry(op).or_default() += count;
        }
        for (name, count) in oracles {
            *self.oracles.entry(name).or_default() += count;
        }
        self.tally.add(&tally);
        for (key, count) in left_out {
            *self.left_out.entry(key).or_default() += count;
        }
        for (key, count) in tolerated {
            *self.tolerated.entry(key).or_default() += count;
        }
    }
}
