//! The only module that evaluates expressions: from their text to a value with marks, or diagnostics.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::{Number, Text, Type, Value};
use planfuzz_language::Sources;
use planfuzz_language::config::{Written, text_at};
use planfuzz_language::expression::{self, Expression, Failure, Kind, Scope};
use planfuzz_language::json::{Json, JsonKind, Member};
use planfuzz_workspace::Diagnostic;

pub use planfuzz_language::expression::{EPHEMERAL, MarkTree, Marked, Marks, SENSITIVE};

/// A value, or diagnostics in its place.
pub type Evaluated<T = Marked> = Result<T, Vec<Diagnostic>>;

/// A value with its diagnostics; in case of a fault, as much of the value as is known.
struct Tried {
    value: Marked,
    diagnostics: Vec<Diagnostic>,
}

impl Tried {
    fn failed(diagnostics: Vec<Diagnostic>) -> Tried {
        Tried { value: Value::unknown(Type::Dynamic).into(), diagnostics }
    }
}

impl From<Value> for Tried {
    fn from(value: Value) -> Tried {
        Tried { value: value.into(), diagnostics: Vec::new() }
    }
}

/// The type that a value must have, and the error if it does not.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'t> {
    /// The type.
    pub ty: &'t Type,
    /// The summary.
    pub otherwise: &'static str,
}

/// The scope of names.
pub type Names<'s> = dyn Scope + 's;

/// Evaluates expressions of the files.
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
    /// The value of an expression.
    pub fn written(&self, written: &Written, names: &Names<'_>) -> Evaluated {
        let Tried { value, diagnostics } = self.tried(written, names);
        if diagnostics.is_empty() { Ok(value) } else { Err(diagnostics) }
    }

    /// E80c: the value of an expression, converted to a type. With a fault, the known part of the value is converted all the same.
    pub fn converted(&self, written: &Written, wanted: Wanted<'_>, names: &Names<'_>) -> Evaluated {
        let Tried { value, mut diagnostics } = self.tried(written, names);
        let Some(value) = value.convert(wanted.ty) else {
            diagnostics.push(Diagnostic::error(wanted.otherwise));
            return Err(diagnostics);
        };
        if diagnostics.is_empty() { Ok(value) } else { Err(diagnostics) }
    }

    fn tried(&self, written: &Written, names: &Names<'_>) -> Tried {
        match written {
            Written::Native(place) => self.parsed(expression::parse(text_at(*place, self.sources), *place), names),
            Written::Json(json) => self.json(json, names),
        }
    }

    /// E10.
    fn json(&self, json: &Json, names: &Names<'_>) -> Tried {
        match &json.kind {
            JsonKind::Null => Value::null(Type::Dynamic).into(),
            JsonKind::Bool(bool) => Value::bool(*bool).into(),
            JsonKind::Number(text) => match Number::parse(text) {
                Ok(number) => Value::number(number).into(),
                Err(_) => Tried::failed(vec![Diagnostic::error("Invalid JSON number")]),
            },
            JsonKind::String(text) => self.parsed(expression::parse_template(text, json.template_place()), names),
            JsonKind::Array(items) => {
                let mut diagnostics = Vec::new();
                let parts = items.iter().map(|item| {
                    let mut part = self.json(item, names);
                    diagnostics.append(&mut part.diagnostics);
                    part.value
                });
                Tried { value: Marked::tuple(parts.collect()), diagnostics }
            }
            JsonKind::Object(members) => self.object(members, names),
        }
    }

    /// An object with an unknown key is unknown as a whole; an invalid key is reported and left out.
    fn object(&self, members: &[Member], names: &Names<'_>) -> Tried {
        let (mut parts, mut diagnostics) = (Vec::new(), Vec::new());
        let (mut marks, mut is_open) = (Marks::default(), false);
        for member in members {
            let place = member.name_place.part(1, member.name.len() + 1);
            let mut key = self.parsed(expression::parse_template(&member.name, place), names);
            let mut value = self.json(&member.value, names);
            diagnostics.append(&mut key.diagnostics);
            diagnostics.append(&mut value.diagnostics);
            let key = key.value.convert(&Type::String).unwrap_or(key.value);
            marks = marks.and(key.marks.all());
            match key.value.view().as_text() {
                Some(text) => parts.push((text.clone(), value.value)),
                None if key.value.is_unknown() => is_open = true,
                None => diagnostics.push(Diagnostic::error("Invalid object key expression")),
            }
        }
        match is_open {
            true => Tried { value: Value::unknown(Type::Dynamic).into(), diagnostics },
            false => Tried { value: Marked::object(parts).with(marks), diagnostics },
        }
    }

    fn parsed(&self, parsed: Result<Expression, Vec<planfuzz_language::Diagnostic>>, names: &Names<'_>) -> Tried {
        let expression = match parsed {
            Ok(expression) => expression,
            Err(found) => return Tried::failed(parse_diagnostics(found)),
        };
        match planfuzz_language_naive::evaluate(&expression, names, self.dialect) {
            Ok(value) => Tried { value, diagnostics: Vec::new() },
            Err(failure) => Tried { diagnostics: failure_diagnostics(&failure), value: failure.value },
        }
    }

    fn expression(&self, expression: &Expression, names: &Names<'_>) -> Evaluated {
        planfuzz_language_naive::evaluate(expression, names, self.dialect)
            .map_err(|failure| failure_diagnostics(&failure))
    }

    /// The names and keys of a reference whose keys may be expressions (`r[count.index].a`), if the keys have one of the wanted forms.
    pub fn steps(
        &self,
        written: &Written,
        names: &Names<'_>,
        is_key: &dyn Fn(&Expression) -> bool,
    ) -> Evaluated<Option<Vec<Taken>>> {
        let parsed = match written {
            Written::Native(place) => expression::parse(text_at(*place, self.sources), *place),
            Written::Json(json) => match json.as_str() {
                Some(text) => expression::parse(text, json.template_place()),
                None => return Ok(None),
            },
        };
        let mut steps = Vec::new();
        let expression = parsed.map_err(parse_diagnostics)?;
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
                    if !is_key(key) {
                        return Err(vec![Diagnostic::error("Invalid expression")]);
                    }
                    let key = self.expression(key, names)?;
                    // G48: a key is shown in addresses.
                    if key.marks.own.has(SENSITIVE) {
                        return Err(vec![Diagnostic::error("Invalid index expression")]);
                    }
                    steps.push(Taken::Key(key.value));
                    at = inner;
                }
                _ => return Ok(None),
            }
        }
        steps.reverse();
        Ok(Some(steps))
    }
}

/// The value of a text without references, as it is given for a root variable (E124).
pub fn constant(text: &str, dialect: Dialect) -> Option<Marked> {
    let expression = expression::parse(text, planfuzz_language::SourcePlace::default()).ok()?;
    planfuzz_language_naive::evaluate(&expression, &Nothing, dialect).ok()
}

/// A scope without names.
pub struct Nothing;

impl Scope for Nothing {
    fn value(&self, _: &str, _: Option<&str>) -> Option<(Marked, bool)> {
        None
    }
}

fn failure_diagnostics(failure: &Failure) -> Vec<Diagnostic> {
    failure.faults.iter().map(|fault| Diagnostic::error(fault.summary)).collect()
}

fn parse_diagnostics(found: Vec<planfuzz_language::Diagnostic>) -> Vec<Diagnostic> {
    found.into_iter().map(|one| Diagnostic::error(one.summary)).collect()
}
