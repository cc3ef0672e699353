//! The output of an engine, in the form of recorded runs.

use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::planner::Severity;
use planfuzz_engine::output::{Printed, PrintedDiagnostic};
use planfuzz_workspace::run::{plan_members, summary_with_known_keys, with_known_keys};

/// The diagnostics of a command.
///
/// # Errors
/// The first line that is no message: it may be a diagnostic, and without it the others are not all of them.
pub(crate) fn diagnostics(stdout: &[u8], before: &Json) -> Result<Json, String> {
    let Printed { diagnostics, strange } = Printed::read(stdout);
    match strange.into_iter().next() {
        Some(line) => Err(line),
        None => Ok(Json::Array(diagnostics.iter().map(|one| diagnostic(one, before)).collect())),
    }
}

fn diagnostic(printed: &PrintedDiagnostic, before: &Json) -> Json {
    let severity = if printed.severity == Severity::Error { "error" } else { "warning" };
    let mut members = vec![
        ("severity", Json::string(severity)),
        ("summary", Json::string(&summary_with_known_keys(&printed.summary, before))),
    ];
    if let Some(address) = &printed.address {
        members.push(("address", Json::string(address)));
    }
    Json::object(members)
}

/// The diagnostics of a command that prints them only for people, on either of its outputs: each begins with its severity and its summary,
/// and has its address in a line of its own.
pub(crate) fn plain_diagnostics(stdout: &[u8], stderr: &[u8]) -> Json {
    let text = [stdout, stderr].map(String::from_utf8_lossy).join("\n");
    let mut found: Vec<Vec<(&str, Json)>> = Vec::new();
    for line in text.lines() {
        let within = line.strip_prefix('│').map_or(line, |line| line.strip_prefix(' ').unwrap_or(line));
        let line = within.trim();
        let headings = [("Error: ", "error"), ("Warning: ", "warning")].into_iter();
        let mut headings = headings.filter_map(|(word, severity)| Some((severity, line.strip_prefix(word)?)));
        if let Some((severity, summary)) = headings.next() {
            found.push(vec![
                ("severity", Json::string(severity)),
                ("summary", Json::string(&summary_with_known_keys(summary, &Json::Null))),
            ]);
        } else if let (Some(address), Some(last)) = (address(within), found.last_mut()) {
            last.push(("address", Json::string(address)));
        } else if let (Some(more), Some(last)) = (similar(line), found.last()) {
            let more = std::iter::repeat_n(last[..2].to_vec(), more).collect::<Vec<_>>();
            found.extend(more);
        }
    }
    Json::Array(found.into_iter().map(Json::object).collect())
}

/// The address in a line without other text; such a line is indented, unlike the lines of a message.
fn address(line: &str) -> Option<&str> {
    line.strip_prefix("  with ")?.strip_suffix(',')
}

/// How many more warnings of one kind there are, if the engine prints several as one.
fn similar(line: &str) -> Option<usize> {
    let count = line.strip_prefix("(and ")?.split(' ').next()?;
    line.contains("more similar warning").then(|| count.parse().unwrap_or(1))
}

/// The plan in the output of `show -json`; `None` if it is not JSON.
pub(crate) fn plan(shown: &[u8]) -> Option<Json> {
    let shown = Json::parse_bytes(shown).ok()?;
    let flag = |name: &str| shown.member(name) == Some(&Json::Bool(true));
    let checks = shown.member("checks").cloned().unwrap_or(Json::Array(Vec::new()));
    Some(plan_members(&shown, checks, ["applyable", "complete", "errored"].map(flag)))
}

/// The state file after a run, without its identity, and its serial.
///
/// # Errors
/// It is not a JSON object.
pub(crate) fn state(bytes: &[u8], before: &Json) -> Result<(Json, Option<u64>), JsonError> {
    let state = Json::parse_bytes(bytes)?;
    let serial = state.member("serial").and_then(|serial| serial.expect_u64().ok());
    let is_compared = |name: &str| !["serial", "lineage", "terraform_version"].contains(&name);
    let members = state.expect_object()?.iter().filter(|(name, _)| is_compared(name)).cloned().collect();
    Ok((with_known_keys(&Json::Object(members), before), serial))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_message_is_not_dropped() {
        let message = r#"{"type":"diagnostic","diagnostic":{"severity":"error","summary":"S"}}"#;
        let parsed = |printed: &str| diagnostics(printed.as_bytes(), &Json::Null).map(|json| json.to_compact());
        assert_eq!(parsed(message), Ok(r#"[{"severity":"error","summary":"S"}]"#.to_owned()));
        let strange = r#"{"type":"diagnostic","diagnostic":{"severity":"fatal","summary":"S"}}"#;
        assert_eq!(parsed(&format!("{message}\n{strange}\n")), Err(strange.to_owned()));
    }

    #[test]
    fn a_state_that_is_no_object_is_an_error() {
        let serial = |bytes: &str| state(bytes.as_bytes(), &Json::Null).map(|(_, serial)| serial).ok();
        assert_eq!(serial(r#"{"serial":3,"resources":[]}"#), Some(Some(3)));
        assert_eq!(["", "{\"serial\":", "[]"].map(serial), [None; 3]);
    }

    #[test]
    fn an_address_is_a_line_of_its_own_and_no_words_of_a_message() {
        let parsed = |printed: &str| plain_diagnostics(b"", printed.as_bytes()).to_compact();
        let want = r#"[{"severity":"error","summary":"No","address":"t.a[\"k\"]"}]"#;
        assert_eq!(parsed("\nError: No\n\n  with t.a[\"k\"],\n  on main.tf line 1:\n"), want);
        assert_eq!(parsed("╷\n│ Error: No\n│ \n│   with t.a[\"k\"],\n│   on main.tf line 1:\n╵\n"), want);
        let none = r#"[{"severity":"error","summary":"No"}]"#;
        assert_eq!(parsed("Error: No\n\nno object exists\nwith the given id. Only some exist,\n"), none);
    }
}
