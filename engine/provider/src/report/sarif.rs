//! Findings as SARIF 2.1.0.

use planfuzz_core::json::Json;

use crate::outcome::Finding;
use crate::promise::statement;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The document: findings with the files they are in.
pub fn sarif(findings: &[Finding]) -> Json {
    let mut rules: Vec<&'static str> = findings.iter().map(|finding| finding.case.breach.promise).collect();
    rules.sort_unstable();
    rules.dedup();
    let driver = Json::object([
        ("name", Json::string("planfuzz")),
        ("version", Json::string(env!("CARGO_PKG_VERSION"))),
        ("rules", Json::Array(rules.iter().map(|id| rule(id)).collect())),
    ]);
    let results = findings.iter().map(|finding| result(finding, &finding.file, &rules)).collect();
    let run = Json::object([
        ("tool", Json::object([("driver", driver)])),
        ("invocations", Json::Array(vec![Json::object([("executionSuccessful", Json::Bool(true))])])),
        ("results", Json::Array(results)),
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

fn rule(id: &str) -> Json {
    Json::object([
        ("id", Json::string(id)),
        ("shortDescription", text(statement(id))),
        ("help", text(&format!("A provider promises: {}. docs/provider.md says how it is tried.", statement(id)))),
        ("defaultConfiguration", Json::object([("level", Json::string("error"))])),
    ])
}

fn result(finding: &Finding, file: &str, rules: &[&str]) -> Json {
    let breach = &finding.case.breach;
    let index = rules.iter().position(|id| *id == breach.promise).unwrap_or_default();
    let name = format!("{}{}", finding.case.type_name(), breach.place);
    let logical = Json::object([("fullyQualifiedName", Json::string(&name)), ("kind", Json::string("resource"))]);
    let physical = Json::object([("artifactLocation", Json::object([("uri", Json::string(&uri(file)))]))]);
    let location = Json::object([("physicalLocation", physical), ("logicalLocations", Json::Array(vec![logical]))]);
    let fingerprint = format!("{}/{name}", breach.promise);
    Json::object([
        ("ruleId", Json::string(breach.promise)),
        ("ruleIndex", Json::int(index as u64)),
        ("level", Json::string("error")),
        ("message", text(&finding.case.purpose())),
        ("locations", Json::Array(vec![location])),
        ("partialFingerprints", Json::object([("planfuzz/v1", Json::string(&fingerprint))])),
    ])
}

/// A path as a reference: what a URI has no place for is escaped.
fn uri(path: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    path.replace('\\', "/").bytes().map(byte).collect()
}
