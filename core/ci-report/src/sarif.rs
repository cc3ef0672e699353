//! Findings as SARIF 2.1.0, for what shows them beside the code.

use planfuzz_core::json::Json;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A rule that findings break.
#[derive(Clone, Copy, Debug)]
pub struct Rule<'a> {
    /// Its id.
    pub id: &'a str,
    /// What holds, in a line.
    pub text: &'a str,
    /// More of it.
    pub help: &'a str,
    /// How bad it is to break it: `error`, `warning` or `note`.
    pub level: &'a str,
}

/// A finding.
#[derive(Clone, Copy, Debug)]
pub struct SarifResult<'a> {
    /// The rule that it breaks, by its id.
    pub rule: &'a str,
    /// How bad it is.
    pub level: &'a str,
    /// Its text.
    pub message: &'a str,
    /// The file that it is in.
    pub file: &'a str,
    /// What in it; nothing where it is the whole.
    pub name: &'a str,
    /// The same for the same finding in every run.
    pub fingerprint: &'a str,
    /// Why it is allowed, if it is.
    pub allowed: Option<&'a str>,
}

/// A file that could not be looked at.
#[derive(Clone, Copy, Debug)]
pub struct Unread<'a> {
    /// The file.
    pub file: &'a str,
    /// Why.
    pub problem: &'a str,
}

/// The document of a run.
pub fn document(rules: &[Rule<'_>], findings: &[SarifResult<'_>], unread: &[Unread<'_>]) -> Json {
    let driver = Json::object([
        ("name", Json::string("planfuzz")),
        ("version", Json::string(env!("CARGO_PKG_VERSION"))),
        ("rules", Json::Array(rules.iter().map(rule).collect())),
    ]);
    let mut invocation = vec![("executionSuccessful", Json::Bool(unread.is_empty()))];
    invocation.push(("toolExecutionNotifications", Json::Array(unread.iter().map(notification).collect())));
    let run = Json::object([
        ("tool", Json::object([("driver", driver)])),
        ("invocations", Json::Array(vec![Json::object(invocation)])),
        ("results", Json::Array(findings.iter().map(|it| result(it, rules)).collect())),
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

fn rule(rule: &Rule<'_>) -> Json {
    Json::object([
        ("id", Json::string(rule.id)),
        ("shortDescription", text(rule.text)),
        ("help", text(rule.help)),
        ("defaultConfiguration", Json::object([("level", Json::string(rule.level))])),
    ])
}

fn result(finding: &SarifResult<'_>, rules: &[Rule<'_>]) -> Json {
    let index = rules.iter().position(|rule| rule.id == finding.rule).unwrap_or_default();
    let mut location = vec![("physicalLocation", physical(finding.file))];
    if !finding.name.is_empty() {
        let name = ("fullyQualifiedName", Json::string(finding.name));
        let logical = Json::object([name, ("kind", Json::string("resource"))]);
        location.push(("logicalLocations", Json::Array(vec![logical])));
    }
    let mut members = vec![
        ("ruleId", Json::string(finding.rule)),
        ("ruleIndex", Json::int(index as u64)),
        ("level", Json::string(finding.level)),
        ("message", text(finding.message)),
        ("locations", Json::Array(vec![Json::object(location)])),
        ("partialFingerprints", Json::object([("planfuzz/v1", Json::string(finding.fingerprint))])),
    ];
    if let Some(reason) = finding.allowed {
        let known = Json::object([("kind", Json::string("external")), ("justification", Json::string(reason))]);
        members.push(("suppressions", Json::Array(vec![known])));
    }
    Json::object(members)
}

fn notification(unread: &Unread<'_>) -> Json {
    let location = Json::object([("physicalLocation", physical(unread.file))]);
    Json::object([
        ("level", Json::string("error")),
        ("message", text(unread.problem)),
        ("locations", Json::Array(vec![location])),
    ])
}

fn physical(file: &str) -> Json {
    Json::object([("artifactLocation", Json::object([("uri", Json::string(&uri(file)))]))])
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_names_its_rule_and_its_place() {
        let rules = ["a", "b"].map(|id| Rule { id, text: "it holds", help: "more", level: "error" });
        let finding = SarifResult {
            rule: "b",
            level: "warning",
            message: "it does not",
            file: "some dir\\f.json",
            name: "",
            fingerprint: "f",
            allowed: Some("known"),
        };
        let unread = Unread { file: "g", problem: "gone" };
        let output = document(&rules, &[finding], &[unread]).to_compact();
        let of = |part: &str| assert!(output.contains(part), "{part} in {output}");
        of(r#""ruleId":"b","ruleIndex":1,"level":"warning""#);
        of(r#""uri":"some%20dir/f.json""#);
        of(r#""suppressions":[{"kind":"external","justification":"known"}]"#);
        of(r#""executionSuccessful":false"#);
        assert!(!output.contains("logicalLocations"), "{output}");
    }
}
