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
    let help = |id: &str| format!("A provider promises: {}. docs/provider.md says how it is tried.", statement(id));
    let helps: Vec<(&str, String)> = ids.into_iter().map(|id| (id, help(id))).collect();
    let rules: Vec<Rule<'_>> =
        helps.iter().map(|(id, help)| Rule { id, text: statement(id), help, level: "error" }).collect();
    let told: Vec<Told<'_>> = findings.iter().map(Told::of).collect();
    let findings: Vec<sarif::SarifResult<'_>> = told.iter().map(Told::finding).collect();
    sarif::document(&rules, &findings, &[])
}

/// A finding with its texts.
struct Told<'f> {
    finding: &'f BrokenPromise,
    message: String,
    name: String,
    fingerprint: String,
}

impl<'f> Told<'f> {
    fn of(finding: &'f BrokenPromise) -> Told<'f> {
        let breach = &finding.case.breach;
        let name = format!("{}{}", finding.case.type_name(), breach.place);
        let fingerprint = format!("{}/{name}", breach.promise);
        Told { finding, message: finding.case.purpose(), name, fingerprint }
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
