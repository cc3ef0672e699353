//! The lifecycle rules: a third writing of merge-and-rules.md, as checks on answers only.
//!
//! A rule never computes the answer it expects and compares; it says of an answer, place by place, whether the rule holds
//! there. Nothing here plans, and nothing here knows the planners.

use crate::dialect::Dialect;
use crate::planner::Request;
use crate::schema::Schema;
use crate::value::{Path, Value};

/// The rules, for one schema and dialect.
#[derive(Debug)]
pub struct Rules<'s> {
    schema: &'s Schema,
    dialect: Dialect,
}

/// An answer as rules see it: what any subject, in any language, can give.
#[derive(Clone, Copy, Debug)]
pub enum Answered<'a> {
    /// A value.
    Value(&'a Value),
    /// The paths of violations as text, sorted, repetitions kept.
    Violations(&'a [String]),
    /// The subject refused the input.
    Refused,
}

/// A rule that an answer breaks.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The rule of the specification.
    pub rule: &'static str,
    /// Where in the answer.
    pub path: Path,
    /// What was expected and what was found.
    pub message: String,
}

/// What checking an answer gave.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// How many rules were held against the answer.
    pub checks: u64,
    /// Those that it breaks.
    pub broken: Vec<Broken>,
}

impl<'s> Rules<'s> {
    /// Reads the schema once.
    pub fn new(schema: &'s Schema, dialect: Dialect) -> Rules<'s> {
        Rules { schema, dialect }
    }

    /// Holds the rules of an operation against an answer to it.
    pub fn check(&self, request: Request<'_>, answer: Answered<'_>) -> Checked {
        let _ = (self.schema, self.dialect, request, answer);
        Checked::default()
    }
}
