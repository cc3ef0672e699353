//! The one place that knows how expressions are evaluated: what is written becomes a value with marks, or diagnostics.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::{Number, Text, Value};
use planfuzz_language::Sources;
use planfuzz_language::config::{Written, text_at};
use planfuzz_language::expression::{self, Expression, Kind, Scope};
use planfuzz_language::json::{Json, JsonKind};
use planfuzz_workspace::Diagnostic;

pub use planfuzz_language::expression::{EPHEMERAL, MarkTree, Marked, Marks, SENSITIVE};

/// A value, or what is told in its place.
pub type Evaluated<T = Marked> = Result<T, Vec<Diagnostic>>;

/// What names mean.
pub type Names<'s> = dyn Scope + 's;

/// Evaluates what is written.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation<'s> {
    /// The files.
    pub sources: &'s Sources,
    /// The engine.
    pub dialect: Dialect,
}

/// A step of a reference whose key may be an expression.
#[derive(Clone, Debug)]
pub enum Taken {
    /// `.name`
    Name(Text),
    /// `[key]`
    Key(Value),
}

impl Evaluation<'_> {
    /// The value of what is written.
    pub fn written(&self, written: &Written, names: &Names<'_>) -> Evaluated {
        match written {
            Written::Native(place) => {
                let expression = expression::parse(text_at(*place, self.sources), *place).map_err(told)?;
                self.expression(&expression, names)
            }
            Written::Json(json) => self.json(json, names),
        }
    }

    /// E10.
    fn json(&self, json: &Json, names: &Names<'_>) -> Evaluated {
        match &json.kind {
            JsonKind::Null => Ok(Value::null(planfuzz_core::value::Type::Dynamic).into()),
            JsonKind::Bool(bool) => Ok(Value::bool(*bool).into()),
            JsonKind::Number(text) => match Number::parse(text) {
                Ok(number) => Ok(Value::number(number).into()),
                Err(_) => Err(vec![Diagnostic::error("Invalid JSON number")]),
            },
            JsonKind::String(text) => self.template(text, json, names),
            JsonKind::Array(items) => {
                let parts = items.iter().map(|item| self.json(item, names));
                Ok(Marked::tuple(all(parts)?))
            }
            JsonKind::Object(members) => {
                let pairs = members.iter().map(|member| {
                    let key =
                        expression::parse_template(&member.name, member.name_place.part(1, member.name.len() + 1));
                    let key = key.map_err(told).and_then(|key| self.expression(&key, names));
                    let key = key.map(|key| key.convert(&planfuzz_core::value::Type::String).unwrap_or(key));
                    let value = self.json(&member.value, names);
                    Ok((key?, value?))
                });
                let pairs: Vec<(Marked, Marked)> = all(pairs)?;
                let mut parts = Vec::new();
                let mut marks = Marks::default();
                for (key, value) in pairs {
                    marks = marks.and(key.marks.all());
                    match key.value.view().as_text() {
                        Some(text) => parts.push((text.clone(), value)),
                        None if key.value.is_unknown() => {
                            return Ok(Value::unknown(planfuzz_core::value::Type::Dynamic).into());
                        }
                        None => return Err(vec![Diagnostic::error("Invalid object key expression")]),
                    }
                }
                Ok(Marked::object(parts).with(marks))
            }
        }
    }

    fn template(&self, text: &str, json: &Json, names: &Names<'_>) -> Evaluated {
        let expression = expression::parse_template(text, json.template_place()).map_err(told)?;
        self.expression(&expression, names)
    }

    fn expression(&self, expression: &Expression, names: &Names<'_>) -> Evaluated {
        planfuzz_language_naive::evaluate(expression, names, self.dialect)
            .map_err(|failure| failure.faults.iter().map(|fault| Diagnostic::error(fault.summary)).collect())
    }

    /// A reference whose keys may be expressions (`r[count.index].a`): its names and keys.
    pub fn steps(&self, written: &Written, names: &Names<'_>) -> Evaluated<Option<Vec<Taken>>> {
        let parsed = match written {
            Written::Native(place) => expression::parse(text_at(*place, self.sources), *place),
            Written::Json(json) => match json.as_str() {
                Some(text) => expression::parse(text, json.template_place()),
                None => return Ok(None),
            },
        };
        let mut steps = Vec::new();
        let expression = parsed.map_err(told)?;
        let mut at = &expression;
        loop {
            match &at.kind {
                Kind::Root(name) => {
                    steps.push(Taken::Name(name.clone()));
                    break;
                }
                Kind::Attribute(inner, name) => {
                    steps.push(Taken::Name(name.clone()));
                    at = inner;
                }
                Kind::Index(inner, key) => {
                    steps.push(Taken::Key(self.expression(key, names)?.value));
                    at = inner;
                }
                Kind::Parentheses(inner) => at = inner,
                _ => return Ok(None),
            }
        }
        steps.reverse();
        Ok(Some(steps))
    }
}

/// The value of a text that may hold no references: what is given for a root variable (E124).
pub fn constant(text: &str, dialect: Dialect) -> Option<Marked> {
    let expression = expression::parse(text, planfuzz_language::SourcePlace::default()).ok()?;
    planfuzz_language_naive::evaluate(&expression, &Nothing, dialect).ok()
}

/// Nothing is seen.
pub struct Nothing;

impl Scope for Nothing {
    fn value(&self, _: &str, _: Option<&str>) -> Option<(Marked, bool)> {
        None
    }
}

fn told(found: Vec<planfuzz_language::Diagnostic>) -> Vec<Diagnostic> {
    found.into_iter().map(|one| Diagnostic::error(one.summary)).collect()
}

/// All of them, or everything that is told.
pub fn all<T>(results: impl Iterator<Item = Evaluated<T>>) -> Evaluated<Vec<T>> {
    let (mut values, mut told) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(mut found) => told.append(&mut found),
        }
    }
    if told.is_empty() { Ok(values) } else { Err(told) }
}
