//! What lint found.

use std::collections::BTreeMap;

use super::case::Typed;
use super::check::{Check, Severity};
use super::outcome::{CheckOutcome, Why};
use crate::artifact::Artifact;

/// What is found on one file.
#[derive(Clone, Debug)]
pub struct Report {
    /// What the file is: `plan file of Terraform 1.11.4`.
    pub what: String,
    /// How many changes, objects and outputs were looked at.
    pub objects: usize,
    /// How many checks were made on them.
    pub checks: u64,
    /// How many checks could not be made, by the reason.
    pub unchecked: BTreeMap<Why, u64>,
    /// The schemas that values were read with: which file, and how many objects.
    pub schemas: BTreeMap<String, usize>,
    /// What is wrong.
    pub findings: Vec<LintFinding>,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintFinding {
    /// The check that does not hold.
    pub check: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The object; nothing for the file as a whole.
    pub address: Option<String>,
    /// Where in the document.
    pub place: String,
    /// Where in the value; empty for the whole.
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

    /// Counts a thing that is looked at.
    pub(super) fn count(&mut self, typed: Option<&Typed>) {
        self.objects += 1;
        if let Some(typed) = typed {
            *self.schemas.entry(typed.schema.source.to_string()).or_default() += 1;
        }
    }

    /// Takes in what came of a check.
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
    /// What makes two findings the same, whatever the file: what allowances name.
    pub fn signature(&self) -> String {
        let address = self.address.as_deref().unwrap_or("the whole");
        match self.path.as_str() {
            "" => format!("{} {address}", self.check),
            path => format!("{} {address} {path}", self.check),
        }
    }
}
