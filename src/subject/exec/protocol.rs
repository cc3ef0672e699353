//! The lines of the protocol (formats.md).

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::planner::Capabilities;
use planfuzz_core::schema::Schema;

use crate::case::{Call, Op};
use crate::subject::outcome::Outcome;
use crate::subject::wire::outcome_of;

/// The longest name of a program, in characters: it stands in signatures and file contents.
const MAX_NAME: usize = 60;

/// What a program said of itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Hello {
    /// Its name.
    pub(super) name: Option<String>,
    /// What it is asked; nothing for a program that knows no greeting, and is asked everything.
    ops: Option<Vec<Op>>,
}

/// A line that is no answer to the request it stands for.
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
    /// The kind, as signatures have it.
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

/// Why a first line is no greeting.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoHello {
    /// Why the program does not take part, in its own words.
    Refused(String),
    /// What the line begins with: whatever prints it is no planner.
    NoJson(String),
}

/// What a line begins with, as it may stand in a line of text.
fn beginning(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(4 * MAX_NAME)]);
    text.chars().filter(|char| !char.is_control()).take(MAX_NAME).collect()
}

impl Hello {
    /// What the first line says; a line of JSON that is no greeting means that the program knows none. A greeting with an error is
    /// that of a program that does not take part.
    pub(super) fn of_answer(line: &[u8]) -> Result<Hello, NoHello> {
        let json = Json::parse_bytes(line).map_err(|_| NoHello::NoJson(beginning(line)))?;
        if json.member("hello").is_none() {
            return Ok(Hello::default());
        }
        if let Some(problem) = refusal(&json) {
            return Err(NoHello::Refused(problem));
        }
        let name = json.member("name").and_then(|name| name.expect_string().ok()).and_then(printable);
        let ops = json.member("ops").and_then(|ops| ops.expect_array().ok());
        // Operations that this build does not know are not asked.
        let known = |ops: &[Json]| {
            let names = || ops.iter().filter_map(|op| op.expect_string().ok());
            let walks = ["plan", "apply"].iter().all(|walk| names().any(|name| name == *walk));
            let is_asked = |op: &Op| *op != Op::Scenario && !op.is_of_workspaces();
            let calls = names().filter_map(|name| name.parse().ok()).filter(is_asked);
            calls.chain(walks.then_some(Op::Scenario)).collect()
        };
        Ok(Hello { name, ops: ops.map(known) })
    }

    /// Whether the program is asked an operation. A scenario is two walks, `plan` and `apply`, which a program says that it
    /// knows.
    pub(super) fn knows(&self, op: Op) -> bool {
        self.ops.as_ref().map_or_else(|| is_of_old(op), |ops| ops.contains(&op))
    }
}

/// Whether an operation is as old as the protocol: later ones are asked of programs that list them.
fn is_of_old(op: Op) -> bool {
    !op.is_provider() && !op.is_of_workspaces() && !matches!(op, Op::PlanInstance | Op::ApplyInstance | Op::Scenario)
}

/// A name as it may stand in a line of text: programs say what they like.
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

/// The outcome that a line says.
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

/// The request of a walk, over a schema and with what the provider can do.
pub(super) fn walk(id: u64, op: &str, (schema, can): (&Schema, Capabilities), request: Json) -> String {
    line(&Json::object([
        ("id", Json::string(&id.to_string())),
        ("op", Json::string(op)),
        ("schema", schema.to_json()),
        ("plan_destroy", Json::Bool(can.plan_destroy)),
        ("request", request),
    ]))
}

/// What the provider answers in a walk.
pub(super) fn provided(id: u64, answer: Json) -> String {
    line(&Json::object([("id", Json::string(&id.to_string())), ("answer", answer)]))
}

/// What a program says in a walk.
pub(super) enum WalkLine {
    /// What came of the walk.
    Done(Json),
    /// A call of the provider.
    Ask(Json),
    /// It refused the input.
    Refused(String),
}

/// Reads what a program says in a walk.
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

/// A line that belongs to the request of that id.
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
