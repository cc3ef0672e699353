//! Findings as SARIF 2.1.0, for what shows them beside the code.

use std::collections::BTreeMap;

use planfuzz_core::json::Json;

use super::check::Check;
use super::checks::checks;
use super::report::{Finding, Report};

/// What was found on one file.
#[derive(Clone, Copy, Debug)]
pub struct SarifFile<'a> {
    /// The path as it was given.
    pub path: &'a str,
    /// The report, or why there is none.
    pub report: Result<&'a Report, &'a str>,
    /// The known findings of the report, by their place in it, with the reasons.
    pub allowed: &'a BTreeMap<usize, String>,
}

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The document of a run over files.
pub fn sarif(files: &[SarifFile<'_>]) -> Json {
    let rules: Vec<&Check> = checks().collect();
    let driver = Json::object([
        ("name", Json::string("planfuzz")),
        ("version", Json::string(env!("CARGO_PKG_VERSION"))),
        ("rules", Json::Array(rules.iter().map(|check| rule(check)).collect())),
    ]);
    let results = files.iter().flat_map(|file| results(file, &rules));
    let unread: Vec<Json> = files.iter().filter_map(notification).collect();
    let invocation = Json::object([
        ("executionSuccessful", Json::Bool(unread.is_empty())),
        ("toolExecutionNotifications", Json::Array(unread)),
    ]);
    let run = Json::object([
        ("tool", Json::object([("driver", driver)])),
        ("invocations", Json::Array(vec![invocation])),
        ("results", Json::Array(results.collect())),
    ]);
    Json::object([
        ("$schema", Json::string(SCHEMA)),
        ("version", Json::string("2.1.0")),
        ("runs", Json::Array(vec![run])),
    ])
}

fn text(text: &str) -> Json {
    Json::object([("text", Json::string(text))])
}

fn rule(check: &Check) -> Json {
    let help =
        format!("{} The rule is written in docs/spec/{}; docs/lint.md has the list of checks.", check.must, check.spec);
    Json::object([
        ("id", Json::string(check.id)),
        ("shortDescription", text(check.must)),
        ("help", text(&help)),
        ("defaultConfiguration", Json::object([("level", Json::string(check.severity.name()))])),
    ])
}

fn results<'a>(file: &SarifFile<'a>, rules: &'a [&Check]) -> impl Iterator<Item = Json> + use<'a> {
    let (path, allowed) = (file.path, file.allowed);
    let findings = file.report.map_or(&[][..], |report| report.findings.as_slice());
    findings.iter().enumerate().map(move |(index, finding)| {
        let reason = allowed.get(&index).map(String::as_str);
        result(path, finding, rules, reason)
    })
}

fn result(path: &str, finding: &Finding, rules: &[&Check], allowed: Option<&str>) -> Json {
    let index = rules.iter().position(|check| check.id == finding.check).unwrap_or_default();
    let physical = Json::object([("artifactLocation", Json::object([("uri", Json::string(&uri(path)))]))]);
    let name = format!("{}{}", finding.address.as_deref().unwrap_or_default(), finding.path);
    let mut location = vec![("physicalLocation", physical)];
    if !name.is_empty() {
        let logical = Json::object([("fullyQualifiedName", Json::string(&name)), ("kind", Json::string("resource"))]);
        location.push(("logicalLocations", Json::Array(vec![logical])));
    }
    let fingerprint = format!("{:016x}", fnv(finding.signature().as_bytes()));
    let mut members = vec![
        ("ruleId", Json::string(finding.check)),
        ("ruleIndex", Json::int(index as u64)),
        ("level", Json::string(finding.severity.name())),
        ("message", text(&finding.message)),
        ("locations", Json::Array(vec![Json::object(location)])),
        ("partialFingerprints", Json::object([("planfuzz/v1", Json::string(&fingerprint))])),
    ];
    if let Some(reason) = allowed {
        let known = Json::object([("kind", Json::string("external")), ("justification", Json::string(reason))]);
        members.push(("suppressions", Json::Array(vec![known])));
    }
    Json::object(members)
}

fn notification(file: &SarifFile<'_>) -> Option<Json> {
    let problem = file.report.err()?;
    let physical = Json::object([("artifactLocation", Json::object([("uri", Json::string(&uri(file.path)))]))]);
    Some(Json::object([
        ("level", Json::string("error")),
        ("message", text(problem)),
        ("locations", Json::Array(vec![Json::object([("physicalLocation", physical)])])),
    ]))
}

/// A path as a reference: what a URI has no place for is escaped.
fn uri(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => text.push(char::from(byte)),
            byte => text += &format!("%{byte:02X}"),
        }
    }
    text
}

/// FNV-1a: the same on every machine.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
