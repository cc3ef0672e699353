//! The output of an engine with `-json`: one object per line.

use planfuzz_core::json::Json;
use planfuzz_core::planner::Severity;

/// A diagnostic as it was printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedDiagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The short summary.
    pub summary: String,
    /// The explanation; it may be empty.
    pub detail: String,
    /// The resource instance that the engine names, if it names one.
    pub address: Option<String>,
    /// The place in a configuration file, if there is one.
    pub range: Option<SourceRange>,
}

/// A place in a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRange {
    /// The file.
    pub file: String,
    /// Where it begins, in bytes.
    pub start: usize,
}

/// The parsed output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The diagnostics, in order.
    pub diagnostics: Vec<PrintedDiagnostic>,
    /// Lines that are not messages, and diagnostics of another form; an engine should print none of these.
    pub strange: Vec<String>,
}

impl Printed {
    /// Reads standard output. Messages of other types report progress and are skipped.
    pub fn read(stdout: &[u8]) -> Printed {
        let mut printed = Printed::default();
        for line in stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let text = String::from_utf8_lossy(line);
            match Message::read(&text) {
                Message::Diagnostic(diagnostic) => printed.diagnostics.push(diagnostic),
                Message::Other => {}
                Message::Strange => printed.strange.push(text.into_owned()),
            }
        }
        printed
    }
}

enum Message {
    Diagnostic(PrintedDiagnostic),
    Other,
    Strange,
}

impl Message {
    fn read(line: &str) -> Message {
        let json = Json::parse(line);
        let kind = json.as_ref().ok().and_then(|json| text(json, "type"));
        match (json, kind.as_deref()) {
            (Ok(json), Some("diagnostic")) => match json.member("diagnostic").and_then(read_diagnostic) {
                Some(diagnostic) => Message::Diagnostic(diagnostic),
                None => Message::Strange,
            },
            (Ok(_), Some(_)) => Message::Other,
            _ => Message::Strange,
        }
    }
}

fn read_diagnostic(json: &Json) -> Option<PrintedDiagnostic> {
    let severity = match text(json, "severity")?.as_str() {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return None,
    };
    Some(PrintedDiagnostic {
        severity,
        summary: text(json, "summary")?,
        detail: text(json, "detail").unwrap_or_default(),
        address: text(json, "address"),
        range: json.member("range").and_then(range),
    })
}

fn range(json: &Json) -> Option<SourceRange> {
    let start = json.member("start")?.member("byte")?.expect_u64().ok()?;
    Some(SourceRange { file: text(json, "filename")?, start: start.try_into().ok()? })
}

fn text(json: &Json, name: &str) -> Option<String> {
    json.member(name)?.expect_string().ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_are_read_and_nothing_is_dropped() {
        let lines = r#"{"@level":"info","@message":"Terraform 1.11.4","terraform":"1.11.4","type":"version","ui":"1.2"}

{"@level":"error","type":"diagnostic","diagnostic":{"severity":"error","summary":"S","detail":"","address":"six_1.r","range":{"filename":"main.tf.json","start":{"line":1,"column":3,"byte":2},"end":{"line":1,"column":4,"byte":3}}}}
{"@level":"warn","type":"diagnostic","diagnostic":{"severity":"warning","summary":"W","detail":"D"}}
not json
{"no":"type"}
{"type":"diagnostic","diagnostic":{"severity":"fatal","summary":"S"}}
"#;
        let printed = Printed::read(lines.as_bytes());
        let range = Some(SourceRange { file: "main.tf.json".into(), start: 2 });
        let first = PrintedDiagnostic {
            severity: Severity::Error,
            summary: "S".into(),
            detail: String::new(),
            address: Some("six_1.r".into()),
            range,
        };
        let second = PrintedDiagnostic {
            severity: Severity::Warning,
            summary: "W".into(),
            detail: "D".into(),
            address: None,
            range: None,
        };
        assert_eq!(printed.diagnostics, [first, second]);
        assert_eq!(printed.strange.len(), 3);
    }
}
