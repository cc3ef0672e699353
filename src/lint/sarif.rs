//! Writes findings as SARIF 2.1.0, for tools that show them beside the code.

use std::collections::BTreeMap;

use planfuzz_ci_report::sarif::{self, Rule, Unread};
use planfuzz_core::json::Json;

use super::check::Check;
use super::checks::checks;
use super::report::{LintFinding, Report};

/// The result for one file.
#[derive(Clone, Copy, Debug)]
pub struct SarifFile<'a> {
    /// The path as it was given.
    pub path: &'a str,
    /// The report, or why there is none.
    pub report: Result<&'a Report, &'a str>,
    /// The known findings of the report, by their place in it, with the reasons.
    pub allowed: &'a BTreeMap<usize, String>,
}

/// The document of a run over files.
pub fn sarif(files: &[SarifFile<'_>]) -> Json {
    let help = |check: &Check| {
        let (must, spec) = (check.must, check.spec);
        format!("{must} The rule is written in docs/spec/{spec}; docs/lint.md has the list of checks.")
    };
    let helps: Vec<(&'static Check, String)> = checks().map(|check| (check, help(check))).collect();
    let rules: Vec<Rule<'_>> = helps.iter().map(rule).collect();
    let found: Vec<FileFinding<'_>> = files.iter().flat_map(FileFinding::all).collect();
    let findings: Vec<sarif::SarifResult<'_>> = found.iter().map(FileFinding::result).collect();
    let unread = files.iter().filter_map(|file| Some(Unread { file: file.path, problem: file.report.err()? }));
    sarif::document(&rules, &findings, &unread.collect::<Vec<_>>())
}

fn rule<'a>((check, help): &'a (&'static Check, String)) -> Rule<'a> {
    Rule { id: check.id, text: check.must, help, level: check.severity.name() }
}

/// A finding on a file, with its fields in the document.
struct FileFinding<'a> {
    path: &'a str,
    finding: &'a LintFinding,
    name: String,
    fingerprint: String,
    allowed: Option<&'a str>,
}

impl<'a> FileFinding<'a> {
    fn all(file: &'a SarifFile<'_>) -> impl Iterator<Item = FileFinding<'a>> {
        let findings = file.report.map_or(&[][..], |report| report.findings.as_slice());
        findings.iter().enumerate().map(|(index, finding)| FileFinding {
            path: file.path,
            finding,
            name: format!("{}{}", finding.address.as_deref().unwrap_or_default(), finding.path),
            fingerprint: format!("{:016x}", fnv(finding.signature().as_bytes())),
            allowed: file.allowed.get(&index).map(String::as_str),
        })
    }

    fn result(&self) -> sarif::SarifResult<'_> {
        sarif::SarifResult {
            rule: self.finding.check,
            level: self.finding.severity.name(),
            message: &self.finding.message,
            file: self.path,
            name: &self.name,
            fingerprint: &self.fingerprint,
            allowed: self.allowed,
        }
    }
}

/// FNV-1a: the same on every machine.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
