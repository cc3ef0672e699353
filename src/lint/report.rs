//! The report of lint on a file.

use std::collections::BTreeMap;

use super::case::Typed;
use super::check::{Check, Severity};
use super::outcome::{CheckOutcome, Why};
use crate::artifact::Artifact;

/// The findings on one file.
#[derive(Clone, Debug)]
pub struct Report {
    /// The kind and producer of the file: `plan file of Terraform 1.11.4`.
    pub what: String,
    /// How many changes, objects and outputs were checked.
    pub objects: usize,
    /// How many checks were made on them.
    pub checks: u64,
    /// How many checks could not be made, by the reason.
    pub unchecked: BTreeMap<Why, u64>,
    /// The sources of the schemas that values were read with, and the number of objects of each.
    pub schemas: BTreeMap<String, usize>,
    /// The findings.
    pub findings: Vec<LintFinding>,
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintFinding {
    /// The check that does not hold.
    pub check: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// The object; `None` for the file as a whole.
    pub address: Option<String>,
    /// The place in the document.
    pub place: String,
    /// The path in the value; empty for the whole.
    pub path: String,
    /// What is wrong and what was expected.
    pub message: String,
}

impl Report {
    /// A report on a file, without findings yet.
    pub(super) fn of(artifact: &Artifact) -> Report {
        Report {
            what: format!("{} of {}", artifact.kind.name(), artifact.producer),
            objects: 0,
            checks: 0,
            unchecked: BTreeMap::new(),
            schemas: BTreeMap::new(),
            findings: Vec::new(),
        }
    }

    /// Counts a subject that is checked.
    pub(super) fn count(&mut self, typed: Option<&Typed>) {
        self.objects += 1;
        if let Some(typed) = typed {
            *self.schemas.entry(typed.schema.source.to_string()).or_default() += 1;
        }
    }

    /// Adds the outcome of a check.
    pub(super) fn add(&mut self, check: &Check, address: Option<&str>, place: &str, outcome: CheckOutcome) {
        match outcome {
            CheckOutcome::DoesNotApply => {}
            CheckOutcome::Held => self.checks += 1,
            CheckOutcome::Cannot(why) => *self.unchecked.entry(why).or_default() += 1,
            CheckOutcome::Broken(faults) => {
                self.checks += 1;
                self.findings.extend(faults.into_iter().map(|fault| LintFinding {
                    check: check.id,
                    severity: check.severity,
                    address: fault.address.or_else(|| address.map(str::to_owned)),
                    place: place.to_owned(),
                    path: fault.path,
                    message: fault.message,
                }));
            }
        }
    }
}

impl LintFinding {
    /// The signature of a finding, the same in all files: allowances name it.
    pub fn signature(&self) -> String {
        let address = self.address.as_deref().unwrap_or("the whole");
        match self.path.as_str() {
            "" => format!("{} {address}", self.check),
            path => format!("{} {address} {path}", self.check),
        }
    }
}
