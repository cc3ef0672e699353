//! What every implementation of the evaluator is compared with: recorded expressions, generated ones, the lines of the specification.
//!
//! Problem: the evaluator is implemented more than once, independently, and all implementations have to agree with real engines. Idea: the
//! checks know an implementation only as a function ([`Evaluate`]), and [`WRITINGS`] has a line for each. The example `judge` compares them
//! with a live engine.

#![forbid(unsafe_code)]

pub mod generate;
pub mod parts;
pub mod records;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::value::{Text, Value};
use planfuzz_language::expression::notation::Locals;
use planfuzz_language::expression::{Evaluated, Expression, Files, Marked, Surroundings};

/// An implementation of the evaluator.
pub type Evaluate = fn(&Expression, &Locals, Dialect) -> Evaluated;

/// The implementations, by name.
pub const WRITINGS: &[(&str, Evaluate)] = &[
    ("naive", |expression, scope, dialect| planfuzz_language_naive::evaluate(expression, scope, dialect)),
    ("compiled", planfuzz_language_compiled::evaluate),
];

/// The files that generated expressions read, by their paths below `local.dir`.
pub const FILES: &[(&str, &[u8])] = &[
    ("a.txt", b"hello\n"),
    ("b.txt", b"\xc3\xa9\r\n"),
    ("bad.tpl", b"${"),
    ("bytes.bin", b"\xff\xfe"),
    ("data.json", b"{\"a\":1}"),
    ("sub/c.txt", b"c"),
    ("t.tpl", b"a=${a}%{ if b == null } none%{ endif }"),
];

/// The named values of generated expressions, with [`FILES`] in a folder.
///
/// # Errors
/// The named values are not in the notation.
pub fn scope_in(folder: &str) -> Result<Locals, JsonError> {
    let values = Locals::from_json(&Json::parse(include_str!("scope.json"))?)?;
    let folder_value = (Text::new("dir"), Marked::from(Value::string(folder)));
    let all = values.iter().map(|(name, value)| (name.clone(), value.clone())).chain([folder_value]);
    let files = FILES.iter().map(|(path, bytes)| (format!("{folder}/{path}"), bytes.to_vec()));
    Ok(Locals::new(all).within(Surroundings { files: Files::new(files), ..Surroundings::default() }))
}

/// Like [`scope_in`], with a folder that does not exist.
///
/// # Errors
/// The named values are not in the notation.
pub fn scope() -> Result<Locals, JsonError> {
    scope_in("/planfuzz-files")
}
