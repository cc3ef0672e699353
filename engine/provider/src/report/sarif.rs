//! Findings as SARIF 2.1.0.

use planfuzz_ci_report::sarif::{self, Rule};
use planfuzz_core::json::Json;

use crate::outcome::BrokenPromise;
use crate::promise::statement;

/// The document: findings with the files that contain them.
pub fn sarif(findings: &[BrokenPromise]) -> Json {
    let mut ids: Vec<&'static str> = findings.iter().map(|finding| finding.case.breach.promise).collect();
    ids.sort_unstable();
    ids.dedup();
    let help =
        |id: &str| format!("A provider promises: {}. docs/provider.md describes how it is tried.", statement(id));
    let helps: Vec<(&str, String)> = ids.into_iter().map(|id| (id, help(id))).collect();
    let rules: Vec<Rule<'_>> =
        helps.iter().map(|(id, help)| Rule { id, text: statement(id), help, level: "error" }).collect();
    let texts: Vec<FindingTexts<'_>> = findings.iter().map(FindingTexts::of).collect();
    let findings: Vec<sarif::SarifResult<'_>> = texts.iter().map(FindingTexts::finding).collect();
    sarif::document(&rules, &findings, &[])
}

/// A finding with its texts.
struct FindingTexts<'f> {
    finding: &'f BrokenPromise,
    message: String,
    name: String,
    fingerprint: String,
}

impl<'f> FindingTexts<'f> {
    fn of(finding: &'f BrokenPromise) -> FindingTexts<'f> {
        let breach = &finding.case.breach;
        let name = format!("{}{}", finding.case.type_name(), breach.place);
        let fingerprint = format!("{}/{name}", breach.promise);
        FindingTexts { finding, message: finding.case.purpose(), name, fingerprint }
    }

    fn finding(&self) -> sarif::SarifResult<'_> {
        sarif::SarifResult {
            rule: self.finding.case.breach.promise,
            level: "error",
            message: &self.message,
            file: &self.finding.file,
            name: &self.name,
            fingerprint: &self.fingerprint,
            allowed: None,
        }
    }
}
