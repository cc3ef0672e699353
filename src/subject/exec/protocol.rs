//! The lines of the protocol (formats.md).

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::planner::Capabilities;
use planfuzz_core::schema::Schema;

use crate::case::{Call, Op};
use crate::subject::outcome::Outcome;
use crate::subject::wire::outcome_of;

/// The longest name of a program, in characters: names occur in signatures and files.
const MAX_NAME: usize = 60;

/// A program's answer to the greeting.
#[derive(Clone, Debug, Default)]
pub(super) struct Hello {
    /// Its name.
    pub(super) name: Option<String>,
    /// The operations it is asked; `None` for a program that knows no greeting, and is asked everything that is as old as the
    /// protocol.
    ops: Option<Vec<Op>>,
}

/// A line that is no answer to the request it should answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Nonsense {
    #[error("expected an answer of at most {limit} bytes")]
    TooLong { limit: u64 },
    #[error("expected a line of JSON: {0}")]
    NoJson(JsonError),
    #[error("expected an answer to the request {expected:?}, found one to {found}")]
    OutOfOrder { expected: String, found: String },
    #[error("expected a member ok or error, found {0}")]
    NoAnswer(String),
    #[error("expected an outcome of the operation: {0}")]
    NoOutcome(JsonError),
    #[error("expected at most {limit} calls of the provider in a walk")]
    TooManyCalls { limit: usize },
}

impl Nonsense {
    /// The kind, as in signatures.
    pub(super) fn site(&self) -> &'static str {
        match self {
            Nonsense::TooLong { .. } => "answer too long",
            Nonsense::NoJson(_) => "answer is no JSON",
            Nonsense::OutOfOrder { .. } => "answer out of order",
            Nonsense::NoAnswer(_) => "answer without ok or error",
            Nonsense::NoOutcome(_) => "answer is no outcome",
            Nonsense::TooManyCalls { .. } => "too many calls of the provider",
        }
    }
}

/// Why a first line is no answer to the greeting.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoHello {
    /// Why the program does not take part, in its own words.
    Refused(String),
    /// The beginning of the line: a program that prints it is no planner.
    NoJson(String),
    /// What it has in place of a list of names of operations.
    NoOps(String),
}

/// The beginning of a line, in a form that fits in a line of text.
fn beginning(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(4 * MAX_NAME)]);
    text.chars().filter(|char| !char.is_control()).take(MAX_NAME).collect()
}

impl Hello {
    /// Parses the first line. A line of JSON that is no greeting means that the program knows none; a greeting with an error, that
    /// the program refuses to take part.
    pub(super) fn of_answer(line: &[u8]) -> Result<Hello, NoHello> {
        let json = Json::parse_bytes(line).map_err(|_| NoHello::NoJson(beginning(line)))?;
        if json.member("hello").is_none() {
            return Ok(Hello::default());
        }
        if let Some(problem) = refusal(&json) {
            return Err(NoHello::Refused(problem));
        }
        let name = json.member("name").and_then(|name| name.expect_string().ok()).and_then(printable);
        // A program that lists its operations in another form would be asked others than it means.
        let names = json.member("ops").map(names).transpose().map_err(NoHello::NoOps)?;
        Ok(Hello { name, ops: names.map(|names| asked(&names)) })
    }

    /// Whether the program is asked an operation. A scenario consists of two walks, `plan` and `apply`: the program has to list
    /// both.
    pub(super) fn knows(&self, op: Op) -> bool {
        self.ops.as_ref().map_or_else(|| is_of_old(op), |ops| ops.contains(&op))
    }
}

/// The names in a list; the error describes what is there instead.
fn names(json: &Json) -> Result<Vec<&str>, String> {
    let items = json.expect_array().map_err(|_| json.describe())?;
    items.iter().map(|item| item.expect_string().map_err(|_| item.describe())).collect()
}

/// The operations that a program is asked if it lists these names. Operations that this build does not know are not asked.
fn asked(names: &[&str]) -> Vec<Op> {
    let walks = ["plan", "apply"].iter().all(|walk| names.contains(walk));
    let is_asked = |op: &Op| *op != Op::Scenario && !op.is_of_workspaces();
    let calls = names.iter().filter_map(|name| name.parse().ok()).filter(is_asked);
    calls.chain(walks.then_some(Op::Scenario)).collect()
}

/// Whether an operation is as old as the protocol: later ones are asked only of programs that list them.
fn is_of_old(op: Op) -> bool {
    !op.is_provider() && !op.is_of_workspaces() && !matches!(op, Op::PlanInstance | Op::ApplyInstance | Op::Scenario)
}

/// A name in a form that fits in a line of text: programs may send anything.
fn printable(name: &str) -> Option<String> {
    let name: String = name.chars().filter(|char| !char.is_control()).take(MAX_NAME).collect();
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// The first line.
pub(super) fn greeting(dialect: Dialect) -> String {
    line(&Json::object([("hello", Json::int(1)), ("dialect", Json::string(&dialect.to_string()))]))
}

/// A request.
pub(super) fn request(id: u64, call: &Call, dialect: Dialect) -> String {
    let mut members = vec![("id", Json::string(&id.to_string()))];
    members.extend(call.members(dialect));
    line(&Json::object(members))
}

fn line(json: &Json) -> String {
    let mut text = json.to_compact();
    text.push('\n');
    text
}

/// The outcome in a line.
pub(super) fn answer(line: &[u8], id: u64, call: &Call, dialect: Dialect) -> Result<Outcome, Nonsense> {
    let json = line_of(line, id)?;
    if let Some(message) = refusal(&json) {
        return Ok(Outcome::Refused(message));
    }
    match json.member("ok") {
        Some(want) => outcome_of(call, want, dialect).map_err(Nonsense::NoOutcome),
        None => Err(Nonsense::NoAnswer(json.describe())),
    }
}

/// The request of a walk: its schema, the capabilities of the provider, and the request itself.
pub(super) fn walk(id: u64, op: &str, (schema, can): (&Schema, Capabilities), request: Json) -> String {
    line(&Json::object([
        ("id", Json::string(&id.to_string())),
        ("op", Json::string(op)),
        ("schema", schema.to_json()),
        ("plan_destroy", Json::Bool(can.plan_destroy)),
        ("request", request),
    ]))
}

/// The answer of the provider in a walk.
pub(super) fn provided(id: u64, answer: Json) -> String {
    line(&Json::object([("id", Json::string(&id.to_string())), ("answer", answer)]))
}

/// A line of a program in a walk.
pub(super) enum WalkLine {
    /// The result of the walk.
    Done(Json),
    /// A call of the provider.
    Ask(Json),
    /// It refused the input.
    Refused(String),
}

/// Parses a line of a program in a walk.
pub(super) fn walk_line(line: &[u8], id: u64) -> Result<WalkLine, Nonsense> {
    let json = line_of(line, id)?;
    if let Some(message) = refusal(&json) {
        return Ok(WalkLine::Refused(message));
    }
    match (json.member("ok"), json.member("ask")) {
        (Some(outcome), _) => Ok(WalkLine::Done(outcome.clone())),
        (None, Some(call)) => Ok(WalkLine::Ask(call.clone())),
        (None, None) => Err(Nonsense::NoAnswer(json.describe())),
    }
}

/// Parses a line that belongs to the request of that id.
fn line_of(line: &[u8], id: u64) -> Result<Json, Nonsense> {
    let json = Json::parse_bytes(line).map_err(Nonsense::NoJson)?;
    let expected = id.to_string();
    match json.member("id") {
        Some(Json::String(found)) if **found == *expected => Ok(json),
        other => {
            let found = other.map_or("none".to_owned(), Json::describe);
            Err(Nonsense::OutOfOrder { expected, found })
        }
    }
}

fn refusal(json: &Json) -> Option<String> {
    let error = json.member("error")?;
    Some(error.expect_string().map_or_else(|_| error.to_compact(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ops_of_a_greeting_are_a_list_of_names() {
        let hello = |ops: &str| Hello::of_answer(format!(r#"{{"hello":1{ops}}}"#).as_bytes());
        for (ops, found) in [
            (r#","ops":"proposed_new""#, r#"the string "proposed_new""#),
            (r#","ops":null"#, "null"),
            (r#","ops":["proposed_new",true]"#, "true"),
        ] {
            assert_eq!(hello(ops).err(), Some(NoHello::NoOps(found.to_owned())), "{ops}");
        }
        let listed = hello(r#","ops":["proposed_new","newer"]"#).expect("a greeting");
        assert!(listed.knows(Op::ProposedNew) && !listed.knows(Op::AssertPlanValid));
        assert!(hello("").expect("a greeting").knows(Op::AssertPlanValid));
    }
}
