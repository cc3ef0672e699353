//! `yamldecode` (FN41): one document of YAML 1.1 with numbers of 1.2, as the engine reads it.
//!
//! A YAML parser provides the events; this module interprets them.

use std::collections::{BTreeMap, HashMap};

use planfuzz_core::value::{Number, Text, Type, Value};
use planfuzz_language::expression::Marked;
use regex::Regex;
use saphyr_parser::{Event, Parser, ScalarStyle, StrInput, Tag};

use super::times::Time;
use super::{Answer, CALL, all_marks, converted, dynamic, text};

/// Limits of a document: its nesting depth, and its nodes, where every use of an alias counts in full.
const DEEPEST: usize = 200;
const LARGEST: usize = 1 << 20;

const NULL: &[&str] = &["", "~", "null", "Null", "NULL"];
const YES: &[&str] = &["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"];
const NO: &[&str] = &["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"];
const NUMBER: &str = r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$";
const TIME: &str = r"^(\d{4})-(\d{1,2})-(\d{1,2})(?:([Tt ])(\d{1,2}):(\d{1,2}):(\d{1,2})(\.\d*)?(Z|[-+]\d\d:\d\d)?)?$";

pub(super) fn call(name: &str, a: &[Marked]) -> Option<Answer> {
    (name == "yamldecode").then(|| {
        let values = converted(a, &[Type::String])?;
        let known = values[0].view().as_text().is_some();
        let made = if known { Marked::from(document(text(&values[0])).ok_or(CALL)?) } else { dynamic() };
        Ok(made.with(all_marks(a)))
    })
}

struct Reader<'t> {
    events: Parser<'t, StrInput<'t>>,
    anchors: HashMap<usize, (Value, usize)>,
    /// The number of nodes so far.
    size: usize,
}

const MARK: char = '\u{feff}';
/// Characters from a private use area.
const STAND_IN: &str = "\u{e0ff}\u{e0fe}";

/// Whether the first content is indented by a tab, also within the sequences that it begins with.
fn is_indented_by_tab(text: &str) -> bool {
    for line in text.lines() {
        let mut content = line.trim_start_matches(' ');
        if content.is_empty() || line.starts_with(['#', '%']) || line.trim_end() == "---" {
            continue;
        }
        loop {
            match content.as_bytes() {
                [b'-', b' ' | b'\t', ..] => content = content[1..].trim_start_matches(' '),
                [b'\t', ..] => return true,
                _ => return false,
            }
        }
    }
    false
}

fn document(text: &str) -> Option<Value> {
    let is_of_another = |line: &str| line.strip_prefix("%YAML").is_some_and(|version| version.trim() != "1.1");
    let directives = text.lines().take_while(|line| line.starts_with(['%', '#']) || line.trim().is_empty());
    let is_text = |letter: char| !letter.is_control() || matches!(letter, '\t' | '\n' | '\r' | '\u{85}');
    if directives.into_iter().any(is_of_another) || !text.chars().all(is_text) || is_indented_by_tab(text) {
        return None;
    }
    // YAML 1.1 has five line breaks; a document of those and blanks alone is an error.
    if text.chars().all(|letter| matches!(letter, ' ' | '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')) {
        return None;
    }
    // A leading byte order mark is dropped; elsewhere it is a character, which has to be hidden from the parser.
    let text = text.trim_start_matches(MARK).replace(MARK, STAND_IN);
    let mut reader = Reader { events: Parser::new_from_str(&text), anchors: HashMap::new(), size: 0 };
    reader.expect(|event| *event == Event::StreamStart)?;
    reader.expect(|event| matches!(event, Event::DocumentStart(_)))?;
    let first = reader.next()?;
    let value = reader.node(first, 0)?;
    reader.expect(|event| *event == Event::DocumentEnd)?;
    reader.expect(|event| *event == Event::StreamEnd)?;
    Some(value)
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Option<Event<'t>> {
        self.events.next()?.ok().map(|event| event.0)
    }

    fn expect(&mut self, is_it: impl Fn(&Event<'_>) -> bool) -> Option<()> {
        self.next().filter(|event| is_it(event)).map(|_| ())
    }

    fn count(&mut self, nodes: usize) -> Option<()> {
        self.size += nodes;
        (self.size <= LARGEST).then_some(())
    }

    fn node(&mut self, event: Event<'t>, depth: usize) -> Option<Value> {
        self.count(1)?;
        let before = self.size;
        if depth > DEEPEST {
            return None;
        }
        let (anchor, value) = match event {
            Event::Alias(anchor) => {
                let (value, size) = self.anchors.get(&anchor)?.clone();
                self.count(size)?;
                (0, value)
            }
            Event::Scalar(text, style, anchor, tag) => {
                (anchor, scalar(&text.replace(STAND_IN, "\u{feff}"), style, tag.as_deref())?)
            }
            Event::SequenceStart(anchor, tag) => {
                fits(tag.as_deref(), "seq")?;
                let mut parts = Vec::new();
                loop {
                    match self.next()? {
                        Event::SequenceEnd => break,
                        event => parts.push(self.node(event, depth + 1)?),
                    }
                }
                (anchor, Value::tuple(parts))
            }
            Event::MappingStart(anchor, tag) => {
                fits(tag.as_deref(), "map")?;
                (anchor, self.mapping(depth)?)
            }
            _ => return None,
        };
        if anchor > 0 {
            self.anchors.insert(anchor, (value.clone(), self.size - before));
        }
        Some(value)
    }

    fn mapping(&mut self, depth: usize) -> Option<Value> {
        let mut members: BTreeMap<Text, Value> = BTreeMap::new();
        loop {
            let event = self.next()?;
            if event == Event::MappingEnd {
                return Some(Value::object(members.into_iter().collect()));
            }
            let is_merge = matches!(&event, Event::Scalar(text, ScalarStyle::Plain, _, None) if text == "<<");
            let key = self.node(event, depth + 1)?;
            let event = self.next()?;
            let value = self.node(event, depth + 1)?;
            if is_merge {
                let Type::Object(object) = value.ty() else { return None };
                for (attribute, (_, part)) in object.attributes().iter().zip(value.view().children()) {
                    members
                        .insert(attribute.name.clone(), Value::from_parts(attribute.ty.clone(), part.node().clone()));
                }
                continue;
            }
            let is_primitive = key.ty().is_primitive() && !key.is_null();
            let key = Marked::from(key).convert(&Type::String).filter(|_| is_primitive)?;
            members.insert(key.value.view().as_text()?.clone(), value);
        }
    }
}

/// The name of a tag of YAML's core schema; `None` for any other tag.
fn name(tag: &Tag) -> Option<&str> {
    match (tag.handle.as_str(), tag.suffix.as_str()) {
        ("tag:yaml.org,2002:", name) => Some(name),
        ("", whole) => whole.strip_prefix("tag:yaml.org,2002:"),
        _ => None,
    }
}

fn fits(tag: Option<&Tag>, wanted: &str) -> Option<()> {
    tag.is_none_or(|tag| name(tag) == Some(wanted)).then_some(())
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Option<Value> {
    let is_plain = style == ScalarStyle::Plain;
    let tag = match tag {
        None => return if is_plain { plain(text) } else { Some(Value::string(text)) },
        Some(tag) => name(tag)?,
    };
    match tag {
        "str" => Some(Value::string(text)),
        "binary" => {
            let is_right = base64::Engine::decode(&super::LENIENT, text).is_ok();
            is_right.then(|| Value::string(text))
        }
        "null" if is_plain => Some(Value::null(Type::Dynamic)),
        "int" | "float" | "bool" | "timestamp" | "null" if !is_plain => Some(Value::string(text)),
        "int" | "float" => plain(text).filter(|value| *value.ty() == Type::Number),
        "bool" => plain(text).filter(|value| *value.ty() == Type::Bool),
        "timestamp" => time(text).map(|time| Value::string(&time)),
        _ => None,
    }
}

/// Resolves a plain scalar.
fn plain(text: &str) -> Option<Value> {
    let in_base = |digits: &str, base| Number::of_digits(digits, base).map(Value::number);
    if NULL.contains(&text) {
        return Some(Value::null(Type::Dynamic));
    }
    if YES.contains(&text) || NO.contains(&text) {
        return Some(Value::bool(YES.contains(&text)));
    }
    if [".nan", ".NaN", ".NAN"].contains(&text) {
        return None;
    }
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if [".inf", ".Inf", ".INF"].contains(&unsigned) {
        return Number::Int(sign).divided_by(&Number::Int(0)).map(Value::number);
    }
    if let Some(number) = text.strip_prefix("0x").and_then(|digits| in_base(digits, 16)) {
        return Some(number);
    }
    if let Some(number) = text.strip_prefix("0o").and_then(|digits| in_base(digits, 8)) {
        return Some(number);
    }
    if Regex::new(NUMBER).ok()?.is_match(text) {
        return number(text);
    }
    Some(Value::string(time(text).as_deref().unwrap_or(text)))
}

/// A number; it may have a sign or leading zeros, and begin or end with its point.
fn number(text: &str) -> Option<Value> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, exponent) = digits.split_at(digits.find(['e', 'E']).unwrap_or(digits.len()));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let part = if part.is_empty() { "0" } else { part };
    Number::parse(&format!("{sign}{whole}.{part}{exponent}")).ok().map(Value::number)
}

/// A date, or a date with a time, in the form of RFC 3339.
fn time(text: &str) -> Option<String> {
    let found = Regex::new(TIME).ok()?.captures(text)?;
    let part = |number: usize| found.get(number).map_or("", |part| part.as_str());
    let zone = match (part(4), part(9)) {
        ("" | " ", "") => "Z",
        (" ", _) | (_, "") => return None,
        (_, zone) => zone,
    };
    let two = |number: usize| format!("{:0>2}", part(number));
    let written = format!(
        "{}-{}-{}T{}:{}:{}{}{zone}",
        part(1),
        two(2),
        two(3),
        two(5),
        two(6),
        two(7),
        if part(8) == "." { "" } else { part(8) }
    );
    Time::strict(&written)?.shown()
}
