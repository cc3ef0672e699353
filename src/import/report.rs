//! Counts of the cases that were made, and of what was left out.

use std::collections::BTreeMap;

use planfuzz_core::record;

/// Counts of an import.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Objects that files have: changes, drift, objects of states.
    pub objects: u64,
    /// Objects of which there is a case.
    pub imported: u64,
    /// Cases by operation.
    pub cases: BTreeMap<String, u64>,
    /// Cases that had been made already.
    pub repeated: u64,
    /// Configurations by where they are from.
    pub configurations: BTreeMap<String, u64>,
    /// What was left out, by reason.
    pub left_out: BTreeMap<String, u64>,
}

record!(Report, "counts of an import": objects, imported, cases, repeated, configurations, left_out);

impl Report {
    /// Counts something that was left out.
    pub fn leave_out(&mut self, reason: impl Into<String>) {
        *self.left_out.entry(reason.into()).or_default() += 1;
    }

    /// Counts a workspace, of which all objects are imported.
    pub fn workspace(&mut self, objects: u64) {
        self.objects += objects;
        self.imported += objects;
        *self.cases.entry("workspace".to_owned()).or_default() += 1;
    }

    /// How many cases were made.
    pub fn total(&self) -> u64 {
        self.cases.values().sum()
    }

    /// Adds the counts of another import.
    pub fn add(&mut self, other: Report) {
        let Report { objects, imported, cases, repeated, configurations, left_out } = other;
        self.objects += objects;
        self.imported += imported;
        self.repeated += repeated;
        for (name, count) in cases {
            *self.cases.entry(name).or_default() += count;
        }
        for (name, count) in configurations {
            *self.configurations.entry(name).or_default() += count;
        }
        for (reason, count) in left_out {
            *self.left_out.entry(reason).or_default() += count;
        }
    }
}
