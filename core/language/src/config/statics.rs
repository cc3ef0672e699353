//! Arguments that are read and never evaluated: references, keywords, lists of them, type constraints, plain literals (E11, E15, E27).
//!
//! Such arguments are interpreted by their form, so the text is taken apart without evaluation; any other form is [`Form::Other`].

use planfuzz_core::value::{Number, Text, Type, Value};

use super::body::Written;
use super::tree::{Step, StepKind, Traversal};
use crate::expression::{Kind, parse};
use crate::json::{Json, JsonKind};
use crate::native::{label_text, scan};
use crate::place::SourcePlace;
use crate::sources::Sources;

/// The greatest nesting depth of lists, objects and calls here.
const MAX_STATIC_DEPTH: usize = 64;

/// A piece of text with its form.
#[derive(Clone, Debug)]
pub struct Static {
    /// Its place.
    pub place: SourcePlace,
    /// Its form.
    pub form: Form,
}

/// A form.
#[derive(Clone, Debug)]
pub enum Form {
    /// A name with steps; a keyword is a name alone.
    Traversal(Traversal),
    /// A number, a truth value, null, or a text without interpolations; whether it was a text in quotes.
    Literal(Value),
    /// `[…]`
    List(Vec<Static>),
    /// `{…}`
    Object(Vec<(Static, Static)>),
    /// `name(…)`, and the place of its parentheses
    Call(Text, Vec<Static>, SourcePlace),
    /// Anything else.
    Other,
}

impl Static {
    /// As a reference; `null`, `true` and `false` are names then.
    pub fn into_traversal(self) -> Option<Traversal> {
        let place = self.place;
        let name = |root: &str| Traversal { root: Text::new(root), steps: Vec::new(), place };
        match self.form {
            Form::Traversal(traversal) => Some(traversal),
            Form::Literal(value) if value.is_null() => Some(name("null")),
            Form::Literal(value) => value.view().as_bool().map(|value| name(if value { "true" } else { "false" })),
            _ => None,
        }
    }

    /// A name alone.
    pub fn keyword(&self) -> Option<&str> {
        match &self.form {
            Form::Traversal(traversal) if traversal.steps.is_empty() => Some(&traversal.root),
            Form::Literal(value) => value.view().as_bool().map(|value| if value { "true" } else { "false" }),
            _ => None,
        }
    }
}

/// The form of an argument. In JSON a string is the text of the form.
pub fn read(written: &Written, sources: &Sources) -> Static {
    match written {
        Written::Native(place) => native(*place, sources),
        Written::Json(json) => from_json(json, 0),
    }
}

/// A constant; in JSON a string is a literal, not the text of a form.
pub fn constant(written: &Written, sources: &Sources) -> Static {
    match written {
        Written::Native(place) => native(*place, sources),
        Written::Json(json) => {
            Static { place: json.place, form: literal_of_json(json, 0).map_or(Form::Other, Form::Literal) }
        }
    }
}

fn native(place: SourcePlace, sources: &Sources) -> Static {
    let bytes = sources.bytes(place.file);
    let text =
        bytes.get(place.span.start as usize..place.span.end as usize).and_then(|bytes| std::str::from_utf8(bytes).ok());
    text.map_or(Static { place, form: Form::Other }, |text| of_text(text, place))
}

/// The form of a text; `place` is where it is.
pub fn of_text(text: &str, place: SourcePlace) -> Static {
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0, place };
    reader.at = scan::blank_lines(reader.bytes, 0);
    let found = reader.value(0);
    reader.at = scan::blank_lines(reader.bytes, reader.at);
    if reader.at == text.len() { Static { place, ..found } } else { Static { place, form: Form::Other } }
}

/// The form of a text in JSON. References have rules of their own there: blanks, line ends and comments may be between steps, and keys are
/// in brackets without a sign (E11).
fn of_json_text(text: &str, place: SourcePlace) -> Static {
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0, place };
    if let Some(traversal) = reader.reference() {
        return Static { place: traversal.place, form: Form::Traversal(traversal) };
    }
    let found = of_text(text, place);
    match found.form {
        Form::Traversal(_) => Static { form: Form::Other, ..found },
        _ => found,
    }
}

fn from_json(json: &Json, depth: usize) -> Static {
    let place = json.place;
    let form = match &json.kind {
        _ if depth > MAX_STATIC_DEPTH => Form::Other,
        JsonKind::String(text) => {
            let found = of_json_text(text, json.template_place());
            // If the string has no form, its place includes the quotes.
            let place = if matches!(found.form, Form::Other) { place } else { found.place };
            return Static { place, ..found };
        }
        JsonKind::Array(elements) => Form::List(elements.iter().map(|element| from_json(element, depth + 1)).collect()),
        JsonKind::Object(members) => Form::Object(
            members
                .iter()
                .map(|member| {
                    (
                        of_json_text(&member.name, member.name_place.part(0, member.name.len())),
                        from_json(&member.value, depth + 1),
                    )
                })
                .collect(),
        ),
        // E11: only texts hold names, so that a `null` or `true` of JSON is none.
        JsonKind::Null | JsonKind::Bool(_) => Form::Other,
        JsonKind::Number(_) => literal_of_json(json, depth).map_or(Form::Other, Form::Literal),
    };
    Static { place, form }
}

/// The value of JSON without templates: objects and tuples.
pub fn literal_of_json(json: &Json, depth: usize) -> Option<Value> {
    if depth > MAX_STATIC_DEPTH {
        return None;
    }
    Some(match &json.kind {
        JsonKind::Null => Value::null(Type::Dynamic),
        JsonKind::Bool(value) => Value::bool(*value),
        JsonKind::Number(text) => Value::number(Number::parse(text).ok()?),
        JsonKind::String(text) => Value::string(text),
        JsonKind::Array(elements) => Value::tuple(
            elements.iter().map(|element| literal_of_json(element, depth + 1)).collect::<Option<Vec<_>>>()?,
        ),
        JsonKind::Object(members) => {
            let mut all = std::collections::BTreeMap::new();
            for member in members {
                all.insert(Text::new(&member.name), literal_of_json(&member.value, depth + 1)?);
            }
            Value::object(all.into_iter().collect())
        }
    })
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    place: SourcePlace,
}

impl Reader<'_> {
    /// Reads a value up to its end; with [`Form::Other`] the reader is at the end of the expression.
    fn value(&mut self, depth: usize) -> Static {
        let start = self.at;
        let form = if depth > MAX_STATIC_DEPTH { None } else { self.form(depth) };
        let Some(form) = form else {
            self.at = scan::until(self.bytes, start, &|byte| matches!(byte, b',' | b')' | b']' | b'}'))
                .unwrap_or(self.bytes.len())
                .max(start);
            return self.found(start, Form::Other);
        };
        // An operator, or anything else that continues the expression.
        let end = self.at;
        let next = scan::blank_lines(self.bytes, end);
        if !matches!(self.bytes.get(next), None | Some(b',' | b')' | b']' | b'}'))
            && !self.bytes[end..next].contains(&b'\n')
            && depth > 0
            && !matches!(self.bytes.get(next), Some(b'=' | b':'))
        {
            self.at = scan::until(self.bytes, start, &|byte| matches!(byte, b',' | b')' | b']' | b'}'))
                .unwrap_or(self.bytes.len())
                .max(start);
            return self.found(start, Form::Other);
        }
        self.found(start, form)
    }

    fn form(&mut self, depth: usize) -> Option<Form> {
        match self.bytes.get(self.at)? {
            b'"' => self.quoted(),
            b'<' => self.heredoc(),
            b'[' => self.list(b']', depth).map(Form::List),
            b'{' => self.object(depth),
            b'-' | b'0'..=b'9' => self.number(),
            _ => self.name(depth),
        }
    }

    /// A heredoc without interpolations.
    fn heredoc(&mut self) -> Option<Form> {
        let end = scan::until(self.bytes, self.at, &|byte| matches!(byte, b'\n' | b',' | b']' | b'}')).ok()?;
        let text = parse(&self.text[self.at..end], SourcePlace::default()).ok()?;
        self.at = end;
        match text.kind {
            Kind::Literal(text) => Some(Form::Literal(text)),
            _ => None,
        }
    }

    fn number(&mut self) -> Option<Form> {
        let start = self.at;
        let mut at = start + usize::from(self.bytes[start] == b'-');
        let digits = |from: usize| self.bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        at += digits(at);
        if self.bytes.get(at) == Some(&b'.') && digits(at + 1) > 0 {
            at += 1 + digits(at + 1);
        }
        if matches!(self.bytes.get(at), Some(b'e' | b'E')) {
            let sign = at + 1 + usize::from(matches!(self.bytes.get(at + 1), Some(b'+' | b'-')));
            if digits(sign) > 0 {
                at = sign + digits(sign);
            }
        }
        let value = Value::number(Number::parse(&self.text[start..at]).ok()?);
        self.at = at;
        Some(Form::Literal(value))
    }

    fn quoted(&mut self) -> Option<Form> {
        let start = self.at + 1;
        let mut at = start;
        loop {
            match self.bytes.get(at)? {
                b'"' => break,
                b'\\' => at += 2,
                b'\n' => return None,
                b'$' | b'%' if self.bytes.get(at + 1) == Some(&b'{') => return None,
                &sign @ (b'$' | b'%')
                    if self.bytes.get(at + 1) == Some(&sign) && self.bytes.get(at + 2) == Some(&b'{') =>
                {
                    at += 3
                }
                _ => at += 1,
            }
        }
        let text = label_text(self.text.get(start..at)?).ok()?;
        self.at = at + 1;
        Some(Form::Literal(Value::string(&text)))
    }

    /// The values up to a bracket, with commas between them.
    fn list(&mut self, close: u8, depth: usize) -> Option<Vec<Static>> {
        self.at += 1;
        let mut elements = Vec::new();
        loop {
            self.at = scan::blank_lines(self.bytes, self.at);
            if self.bytes.get(self.at) == Some(&close) {
                break;
            }
            if scan::identifier(self.text, self.at) == self.at + 3
                && self.text[self.at..].starts_with("for")
                && elements.is_empty()
                && close == b']'
            {
                return None;
            }
            let before = self.at;
            elements.push(self.value(depth + 1));
            self.at = scan::blank_lines(self.bytes, self.at);
            match self.bytes.get(self.at) {
                Some(b',') => self.at += 1,
                Some(&byte) if byte == close => break,
                _ => return None,
            }
            if self.at == before {
                return None;
            }
        }
        self.at += 1;
        Some(elements)
    }

    fn object(&mut self, depth: usize) -> Option<Form> {
        self.at += 1;
        let mut pairs = Vec::new();
        loop {
            self.at = scan::blank_lines(self.bytes, self.at);
            if self.bytes.get(self.at) == Some(&b'}') {
                break;
            }
            let key = self.key()?;
            self.at = scan::blanks(self.bytes, self.at);
            if !matches!(self.bytes.get(self.at), Some(b'=' | b':')) {
                return None;
            }
            self.at = scan::blank_lines(self.bytes, self.at + 1);
            let start = self.at;
            let value = self.value(depth + 1);
            if matches!(value.form, Form::Other) {
                self.at = scan::until(self.bytes, start, &|byte| matches!(byte, b',' | b'}' | b'\n')).ok()?;
            }
            pairs.push((key, Static { place: self.place.part(start, self.at), ..value }));
            let line = scan::blanks(self.bytes, self.at);
            self.at = scan::blank_lines(self.bytes, line);
            match self.bytes.get(self.at) {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                Some(_) if self.bytes[line..self.at].contains(&b'\n') => {}
                _ => return None,
            }
        }
        self.at += 1;
        Some(Form::Object(pairs))
    }

    fn key(&mut self) -> Option<Static> {
        let start = self.at;
        let end = scan::identifier(self.text, start);
        if end > start {
            self.at = end;
            let mut steps = Vec::new();
            while let Some(step) = self.step()? {
                steps.push(step);
            }
            let traversal =
                Traversal { root: Text::new(&self.text[start..end]), steps, place: self.place.part(start, self.at) };
            return Some(self.found(start, Form::Traversal(traversal)));
        }
        let form = match self.bytes.get(start)? {
            b'"' => self.quoted()?,
            b'0'..=b'9' | b'-' => self.number()?,
            _ => return None,
        };
        Some(self.found(start, form))
    }

    fn name(&mut self, depth: usize) -> Option<Form> {
        let start = self.at;
        let end = scan::identifier(self.text, start);
        if end == start {
            return None;
        }
        self.at = end;
        match &self.text[start..end] {
            "true" => return Some(Form::Literal(Value::bool(true))),
            "false" => return Some(Form::Literal(Value::bool(false))),
            "null" => return Some(Form::Literal(Value::null(Type::Dynamic))),
            _ => {}
        }
        let root = Text::new(&self.text[start..end]);
        if self.bytes.get(end) == Some(&b'(') {
            let arguments = self.list(b')', depth)?;
            return Some(Form::Call(root, arguments, self.place.part(end, self.at)));
        }
        let mut steps = Vec::new();
        while let Some(step) = self.step()? {
            steps.push(step);
        }
        Some(Form::Traversal(Traversal { root, steps, place: self.place.part(start, self.at) }))
    }

    /// The whole text as a reference.
    fn reference(&mut self) -> Option<Traversal> {
        if self.text.starts_with(scan::BYTE_ORDER_MARK) {
            self.at = scan::BYTE_ORDER_MARK.len_utf8();
        }
        self.skip();
        let start = self.at;
        let root = self.identifier()?;
        let mut steps = Vec::new();
        let mut end = self.at;
        loop {
            self.skip();
            let from = self.at;
            let kind = match self.bytes.get(self.at) {
                None => break,
                Some(b'.') => {
                    self.at += 1;
                    self.skip();
                    StepKind::Attribute(self.identifier()?)
                }
                Some(b'[') => StepKind::Index(self.constant_key()?),
                Some(_) => return None,
            };
            end = self.at;
            steps.push(Step { kind, place: self.place.part(from, end) });
        }
        Some(Traversal { root, steps, place: self.place.part(start, end) })
    }

    fn skip(&mut self) {
        self.at = scan::blank_lines(self.bytes, self.at);
    }

    fn identifier(&mut self) -> Option<Text> {
        let start = self.at;
        self.at = scan::identifier(self.text, start);
        (self.at > start).then(|| Text::new(&self.text[start..self.at]))
    }

    /// A key in brackets: a number without a sign, or a text.
    fn constant_key(&mut self) -> Option<Value> {
        self.at += 1;
        self.skip();
        let form = match self.bytes.get(self.at)? {
            b'"' => self.quoted()?,
            b'0'..=b'9' => self.number()?,
            _ => return None,
        };
        self.skip();
        let Form::Literal(key) = form else { return None };
        let is_closed = self.bytes.get(self.at) == Some(&b']');
        self.at += 1;
        is_closed.then_some(key)
    }

    /// The next step; `Some(None)` at the end of the steps, `None` if the step is invalid.
    #[allow(clippy::option_option, reason = "three answers")]
    fn step(&mut self) -> Option<Option<Step>> {
        let start = self.at;
        let kind = match self.bytes.get(start) {
            Some(b'.') => {
                let end = scan::identifier(self.text, start + 1);
                let digits = self.bytes[start + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
                if end > start + 1 {
                    self.at = end;
                    StepKind::Attribute(Text::new(&self.text[start + 1..end]))
                } else if digits > 0 {
                    self.at = start + 1 + digits;
                    StepKind::Index(Value::number(Number::parse(&self.text[start + 1..self.at]).ok()?))
                } else {
                    return None;
                }
            }
            Some(b'[') => {
                self.at = scan::blank_lines(self.bytes, start + 1);
                let form = match self.bytes.get(self.at)? {
                    b'"' => self.quoted()?,
                    b'0'..=b'9' | b'-' => self.number()?,
                    _ => return None,
                };
                self.at = scan::blank_lines(self.bytes, self.at);
                if self.bytes.get(self.at) != Some(&b']') {
                    return None;
                }
                self.at += 1;
                let Form::Literal(key) = form else { return None };
                StepKind::Index(key)
            }
            _ => return Some(None),
        };
        Some(Some(Step { kind, place: self.place.part(start, self.at) }))
    }

    fn found(&self, start: usize, form: Form) -> Static {
        Static { place: self.place.part(start, self.at), form }
    }
}
