//! Recorded expressions (docs/formats.md, Expressions): reads, evaluates and prints them.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::value::{Number, Type, Value, ValueRef};
use planfuzz_language::expression::notation::{ExpressionOutcome, Locals, outcome_of, read_outcome};
use planfuzz_language::expression::{Marked, SENSITIVE};

use crate::Evaluate;

/// A recorded expression.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its name.
    pub id: String,
    /// The dialect of the engine that gave the outcome.
    pub dialect: Dialect,
    /// The named values.
    pub scope: Locals,
    /// The expression.
    pub expression: String,
    /// The outcome.
    pub want: ExpressionOutcome,
}

impl Record {
    /// Reads a line.
    ///
    /// # Errors
    /// The line is not a recorded expression.
    pub fn read(line: &str) -> Result<Record, JsonError> {
        let case = Json::parse(line)?;
        let member = |name: &str| case.member(name).ok_or_else(|| case.unexpected("a recorded expression"));
        let dialect = member("dialect")?;
        Ok(Record {
            id: member("id")?.expect_string()?.to_owned(),
            dialect: dialect.expect_string()?.parse().map_err(|_| dialect.unexpected("a dialect"))?,
            scope: Locals::from_json(member("scope")?)?,
            expression: member("expression")?.expect_string()?.to_owned(),
            want: read_outcome(member("want")?)?,
        })
    }

    /// What differs from the record; `None` if nothing does.
    pub fn difference(&self, evaluate: Evaluate) -> Option<String> {
        let got = shown(&as_recorded(outcome_of(&self.expression, &self.scope, self.dialect, &evaluate)));
        let wanted = shown(&self.want);
        (got != wanted).then(|| format!("{} {}\n   want {wanted}\n   got  {got}", self.id, self.expression))
    }
}

/// An outcome as text, with the marks below a marked whole.
pub fn shown(outcome: &ExpressionOutcome) -> String {
    outcome.as_ref().map_or_else(|errors| format!("errors {errors:?}"), show)
}

/// An outcome as records have it: if the whole is sensitive, marks within it are dropped.
pub fn as_recorded(outcome: ExpressionOutcome) -> ExpressionOutcome {
    outcome.map(|mut value| {
        if value.marks.own.has(SENSITIVE) {
            value.marks.inner = None;
        }
        value
    })
}

/// An outcome as an engine stores it: without a sign of zero, and with all digits of whole numbers of 64 bits.
pub fn shown_as_stored(outcome: &ExpressionOutcome) -> String {
    outcome.as_ref().map_or_else(|errors| format!("errors {errors:?}"), |value| show_with(value, stored))
}

fn stored(value: ValueRef<'_>) -> Json {
    if let Some(number) = value.as_number() {
        return Json::Number(stored_number(number).into());
    }
    if let Some(packed) = value.as_text().and_then(|text| unpacked(text.as_str())) {
        return Json::string(&format!("packed: {packed}"));
    }
    let has_parts = !value.is_null() && !value.is_unknown();
    match value.ty() {
        Type::Set(_) if has_parts => {
            let mut parts: Vec<(String, Json)> =
                value.children().map(|part| stored(part.1)).map(|json| (json.to_compact(), json)).collect();
            parts.sort_by(|a, b| a.0.cmp(&b.0));
            parts.dedup_by(|a, b| a.0 == b.0);
            Json::Array(parts.into_iter().map(|part| part.1).collect())
        }
        Type::List(_) | Type::Tuple(_) if has_parts => {
            Json::Array(value.children().map(|part| stored(part.1)).collect())
        }
        Type::Map(_) | Type::Object(_) if has_parts => {
            Json::object(value.entries().map(|(name, part)| (name.as_str(), stored(part))))
        }
        ty => stored_bounds(Value::from_parts(ty.clone(), value.node().clone()).to_json(ty)),
    }
}

fn stored_number(number: &Number) -> String {
    match number.to_i64().filter(|_| number.is_whole()) {
        Some(whole) => whole.to_string(),
        // A number that a float holds exactly is stored as one, and read with the fewest digits that identify it.
        None => number.to_f64().and_then(Number::from_f64).as_ref().unwrap_or(number).text().into_owned(),
    }
}

/// The decompressed text of `base64gzip`; the compressed bytes depend on the compressor and are not compared.
fn unpacked(text: &str) -> Option<String> {
    let bytes = text.starts_with("H4sI").then(|| STANDARD.decode(text))?.ok()?;
    let mut unpacked = String::new();
    flate2::read::GzDecoder::new(&*bytes).read_to_string(&mut unpacked).ok()?;
    Some(unpacked)
}

/// The bounds of an unknown; empty refinements are stored as none.
fn stored_bounds(json: Json) -> Json {
    match json {
        Json::Number(text) => {
            Json::Number(Number::parse(&text).map_or_else(|_| text.to_string(), |number| stored_number(&number)).into())
        }
        Json::Array(items) => Json::Array(items.into_iter().map(stored_bounds).collect()),
        Json::Object(members)
            if members.len() == 1 && members.iter().any(|(name, json)| is_empty_record(name, json)) =>
        {
            Json::object([("$unknown", Json::Bool(true))])
        }
        Json::Object(members) => {
            Json::Object(members.into_iter().map(|(name, json)| (name, stored_bounds(json))).collect())
        }
        json => json,
    }
}

fn is_empty_record(name: &str, json: &Json) -> bool {
    name == "$unknown" && matches!(json, Json::Object(record) if record.is_empty())
}

fn show(value: &Marked) -> String {
    show_with(value, |value| Value::from_parts(value.ty().clone(), value.node().clone()).to_json(value.ty()))
}

fn show_with(value: &Marked, json: fn(ValueRef<'_>) -> Json) -> String {
    let mut found = Vec::new();
    paths(value, "", &mut found);
    found.sort();
    let sensitive = value.marks.own.has(SENSITIVE);
    format!(
        "{} {} sensitive={sensitive} {found:?}",
        value.ty().to_json().to_compact(),
        json(value.value.view()).to_compact()
    )
}

/// The paths of sensitive marks, except that of the whole; paths below a sensitive whole are included.
pub fn paths(value: &Marked, at: &str, out: &mut Vec<String>) {
    if value.marks.own.has(SENSITIVE) && !at.is_empty() {
        out.push(at.to_owned());
        return;
    }
    if value.marks.inner.is_none() {
        return;
    }
    let keys = value.keys();
    for (place, part) in value.parts().into_iter().enumerate() {
        let step = match (value.ty(), keys.get(place)) {
            (Type::Object(_), Some(key)) => format!("{at}.{}", key.as_str()),
            (_, Some(key)) => format!("{at}[{:?}]", key.as_str()),
            _ => format!("{at}[{place}]"),
        };
        paths(&part, &step, out);
    }
}
