//! The lines of the protocol (formats.md).

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError};

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
        }
    }
}

impl Hello {
    /// What the first line says; anything but a greeting means that the program knows none.
    pub(super) fn of_answer(line: &[u8]) -> Hello {
        let Ok(json) = Json::parse_bytes(line) else { return Hello::default() };
        if json.member("hello").is_none() {
            return Hello::default();
        }
        let name = json.member("name").and_then(|name| name.expect_string().ok()).and_then(printable);
        let ops = json.member("ops").and_then(|ops| ops.expect_array().ok());
        // Operations that this build does not know are not asked.
        let known = |ops: &[Json]| ops.iter().filter_map(|op| op.expect_string().ok()?.parse().ok()).collect();
        Hello { name, ops: ops.map(known) }
    }

    /// Whether the program is asked an operation.
    pub(super) fn knows(&self, op: Op) -> bool {
        self.ops.as_ref().is_none_or(|ops| ops.contains(&op))
    }
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
    let json = Json::parse_bytes(line).map_err(Nonsense::NoJson)?;
    let expected = id.to_string();
    match json.member("id") {
        Some(Json::String(found)) if **found == *expected => {}
        other => {
            let found = other.map_or("none".to_owned(), Json::describe);
            return Err(Nonsense::OutOfOrder { expected, found });
        }
    }
    if let Some(error) = json.member("error") {
        let message = error.expect_string().map_or_else(|_| error.to_compact(), str::to_owned);
        return Ok(Outcome::Refused(message));
    }
    match json.member("ok") {
        Some(want) => outcome_of(call, want, dialect).map_err(Nonsense::NoOutcome),
        None => Err(Nonsense::NoAnswer(json.describe())),
    }
}
