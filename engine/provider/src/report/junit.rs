//! Promises as JUnit XML: a test case for each promise of each resource type, which passes if it was tried and kept.

use std::io;

use planfuzz_ci_report::junit::{CaseResult, Junit};

use crate::outcome::{CampaignReport, order};

/// The document.
///
/// # Errors
/// None in memory.
pub fn junit(outcome: &CampaignReport) -> io::Result<Vec<u8>> {
    let mut junit = Junit::new("provider");
    for (name, of) in &outcome.types {
        for id in order(&of.tried) {
            let own = outcome.findings.iter().filter(|it| it.case.type_name() == name && it.case.breach.promise == id);
            let purposes: Vec<String> = own.map(|it| it.case.purpose()).collect();
            let result = match purposes.first() {
                None => CaseResult::Passed,
                Some(first) => CaseResult::Failed { message: first.clone(), text: purposes.join("\n") },
            };
            junit.add(name, id, &result)?;
        }
    }
    junit.finish()
}
