//! YAML, written and read (FN41).

use hashbrown::HashMap;
use planfuzz_core::value::{Number, Text, Type, Value, ValueRef};
use planfuzz_language::expression::Marked;
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use super::{Given, Made, Wrong, text, times};

/// `yamlencode`
pub(crate) fn encode(given: &Given<'_, '_>) -> Made {
    let value = given.value(0)?;
    if !value.is_wholly_known() {
        return Ok(Value::unknown(Type::String).into());
    }
    let mut lines = Lines { out: String::new(), given };
    lines.value(value.view(), 0)?;
    let is_bare = value.is_null() || (value.ty().is_primitive() && *value.ty() != Type::String);
    if is_bare {
        lines.out.push_str("...\n");
    }
    text(&lines.out)
}

/// The line breaks.
const BREAKS: [char; 5] = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
/// The bytes of the longest key in short form (`key:`); longer keys and keys of several lines use the explicit form (`? key`).
const MOST_IN_KEY: usize = 128;

/// A string is folded at the next blank after this many characters of a line.
const MOST_ON_LINE: usize = 80;

/// Whether a value is written on the line of its key or dash.
fn is_on_line(value: ValueRef<'_>) -> bool {
    value.is_null() || value.ty().is_primitive() || value.is_empty()
}

fn has_keys(value: ValueRef<'_>) -> bool {
    matches!(value.ty(), Type::Map(_) | Type::Object(_))
}

struct Lines<'g, 'a, 'p> {
    out: String,
    given: &'g Given<'a, 'p>,
}

impl Lines<'_, '_, '_> {
    fn spaces(&mut self, count: usize) {
        self.out.extend(std::iter::repeat_n(' ', count));
    }

    /// Writes a value, from the current position to the end of its last line.
    fn value(&mut self, value: ValueRef<'_>, column: usize) -> Result<(), Wrong> {
        self.given.spend(1 + column / 16)?;
        if is_on_line(value) {
            self.line(value, column);
        } else if has_keys(value) {
            for (at, (key, part)) in value.entries().enumerate() {
                self.spaces(if at == 0 { 0 } else { column });
                if key.len() > MOST_IN_KEY || key.contains(BREAKS) {
                    self.out.push_str("? ");
                    self.string(key.as_str(), column + 2);
                    self.spaces(column);
                    self.out.push_str(": ");
                    self.value(part, column + 2)?;
                    continue;
                }
                self.quoted(key.as_str(), None);
                self.out.push(':');
                if is_on_line(part) {
                    self.out.push(' ');
                    self.line(part, column + 2);
                    continue;
                }
                // A sequence is not indented below its key.
                let inner = if has_keys(part) { column + 2 } else { column };
                self.out.push('\n');
                self.spaces(inner);
                self.value(part, inner)?;
            }
        } else {
            for (at, (_, part)) in value.children().enumerate() {
                self.spaces(if at == 0 { 0 } else { column });
                self.out.push_str("- ");
                self.value(part, column + 2)?;
            }
        }
        Ok(())
    }

    fn line(&mut self, value: ValueRef<'_>, column: usize) {
        match (value.as_bool(), value.as_number(), value.as_text()) {
            (Some(bool), _, _) => self.out.push_str(if bool { "true" } else { "false" }),
            (_, Some(number), _) => self.out.push_str(&number.text()),
            (_, _, Some(string)) => return self.string(string, column),
            _ if value.is_null() => self.out.push_str("null"),
            _ => self.out.push_str(if has_keys(value) { "{}" } else { "[]" }),
        }
        self.out.push('\n');
    }

    /// Writes a string and ends its last line.
    fn string(&mut self, string: &str, column: usize) {
        let has_blank_end = string.split(BREAKS).any(|line| line.ends_with(' '));
        if string.contains('\n') && !has_blank_end && string.chars().all(is_plain) {
            return self.block(string, column.max(2));
        }
        self.quoted(string, Some(column.max(2)));
        self.out.push('\n');
    }

    /// The number of characters in the last line.
    fn width(&self) -> usize {
        self.out.rsplit('\n').next().map_or(0, |line| line.chars().count())
    }

    fn block(&mut self, string: &str, column: usize) {
        self.out.push('|');
        if string.starts_with(BREAKS) || string.starts_with(' ') {
            self.out.push('2');
        }
        match string.strip_suffix(BREAKS) {
            None => self.out.push('-'),
            Some(before) if before.is_empty() || before.ends_with(BREAKS) => self.out.push('+'),
            Some(_) => {}
        }
        self.out.push('\n');
        for line in string.split_inclusive(BREAKS) {
            if !line.starts_with(BREAKS) {
                self.spaces(column);
            }
            self.out.push_str(line);
        }
        if !string.ends_with(BREAKS) {
            self.out.push('\n');
        }
    }

    /// Writes a string in double quotes. With `folded_to`, a long line is folded at blanks to that column; keys are not folded.
    fn quoted(&mut self, string: &str, folded_to: Option<usize>) {
        self.out.push('"');
        // If the string begins with a byte order mark, every character is escaped.
        let is_marked = string.starts_with('\u{feff}');
        let mut width = self.width();
        let mut behind_blank = true;
        let mut rest = string.chars();
        while let Some(letter) = rest.next() {
            let is_fold =
                letter == ' ' && !behind_blank && !is_marked && width > MOST_ON_LINE && !rest.as_str().is_empty();
            behind_blank = letter == ' ';
            if let (Some(column), true) = (folded_to, is_fold) {
                self.out.push('\n');
                self.spaces(column);
                if rest.as_str().starts_with(' ') {
                    self.out.push('\\');
                }
                width = self.width();
                continue;
            }
            let begin = self.out.len();
            match escape(letter) {
                Some('_') if !is_marked => self.out.push(letter),
                Some(short) => self.out.extend(['\\', short]),
                None if is_plain(letter) && !is_marked => self.out.push(letter),
                None => {
                    let (form, digits) = match u32::from(letter) {
                        0..=0xff => ('x', 2),
                        0x100..=0xffff => ('u', 4),
                        _ => ('U', 8),
                    };
                    self.out.push_str(&format!("\\{form}{:0digits$X}", u32::from(letter)));
                }
            }
            width += self.out[begin..].chars().count();
        }
        self.out.push('"');
    }
}

/// Characters written as they are: printable ones of the basic plane, and line feeds.
fn is_plain(letter: char) -> bool {
    matches!(letter, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
}

fn escape(letter: char) -> Option<char> {
    const ESCAPES: [(char, char); 15] = [
        ('"', '"'),
        ('\\', '\\'),
        ('\0', '0'),
        ('\x07', 'a'),
        ('\x08', 'b'),
        ('\t', 't'),
        ('\n', 'n'),
        ('\x0b', 'v'),
        ('\x0c', 'f'),
        ('\r', 'r'),
        ('\x1b', 'e'),
        ('\u{85}', 'N'),
        ('\u{a0}', '_'),
        ('\u{2028}', 'L'),
        ('\u{2029}', 'P'),
    ];
    ESCAPES.iter().find(|entry| entry.0 == letter).map(|entry| entry.1)
}

/// Replaces a byte order mark while a text is parsed; the characters are from a private use area.
const HIDDEN_MARK: &str = "\u{f8fd}\u{f8fe}";

/// `yamldecode`
pub(crate) fn decode(given: &Given<'_, '_>) -> Made {
    let whole = given.text(0)?;
    given.spend(whole.len() / 8)?;
    if !is_written_right(whole) {
        return Err(Wrong::Call);
    }
    let mut reader = Reader { open: Vec::new(), anchors: HashMap::new(), whole: None, documents: 0, given };
    // The parser treats every U+FEFF as a byte order mark; only a leading one is.
    let hidden = whole.trim_start_matches('\u{feff}').replace('\u{feff}', HIDDEN_MARK);
    for event in Parser::new_from_str(&hidden) {
        let (event, _) = event.map_err(|_| Wrong::Call)?;
        reader.event(event)?;
    }
    reader.whole.map(Marked::from).ok_or(Wrong::Call)
}

/// Whether the version is that of the engine's reader, and no letter is one that YAML forbids.
fn is_written_right(whole: &str) -> bool {
    let mut head = whole.lines().take_while(|line| line.trim().is_empty() || line.starts_with(['#', '%']));
    let is_right = head.all(|line| !line.starts_with("%YAML") || line["%YAML".len()..].trim() == "1.1");
    // The engine's reader accepts more line breaks than a current one, and a document of line breaks alone is an error.
    let is_blank = whole.trim_matches([' ', '\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).is_empty();
    is_right
        && !is_blank
        && !begins_with_a_tab(whole)
        && !whole.chars().any(|letter| letter.is_control() && !"\t\n\r\u{85}".contains(letter))
}

/// Whether the first content is indented by a tab, also after the dashes of sequences; a tab on the line of `---` does not count.
fn begins_with_a_tab(whole: &str) -> bool {
    let lines =
        whole.lines().skip_while(|line| line.trim_start_matches(' ').is_empty() || line.starts_with(['#', '%']));
    let Some(mut rest) = lines.filter(|line| line.trim_end() != "---").map(|line| line.trim_start_matches(' ')).next()
    else {
        return false;
    };
    while let Some(after) = rest.strip_prefix('-').filter(|after| after.starts_with([' ', '\t'])) {
        rest = after.trim_start_matches(' ');
    }
    rest.starts_with('\t')
}

/// The greatest nesting depth of containers.
const DEEPEST: usize = 200;

/// A container that is still open.
struct Open {
    anchor: usize,
    kind: Container,
    size: usize,
}

enum Container {
    Sequence(Vec<Value>),
    Mapping { members: Vec<(Text, Value)>, key: Option<Key> },
}

enum Key {
    Name(Text),
    /// `<<`
    Merge,
}

struct Reader<'g, 'a, 'p> {
    open: Vec<Open>,
    anchors: HashMap<usize, (Value, usize)>,
    whole: Option<Value>,
    documents: usize,
    given: &'g Given<'a, 'p>,
}

impl Reader<'_, '_, '_> {
    fn event(&mut self, event: Event<'_>) -> Result<(), Wrong> {
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 { Err(Wrong::Call) } else { Ok(()) }
            }
            Event::Alias(anchor) => {
                let (value, size) = self.anchors.get(&anchor).cloned().ok_or(Wrong::Call)?;
                self.given.spend(size)?;
                self.add(value, 0, size, false)
            }
            Event::Scalar(text, style, anchor, tag) => {
                let text = text.replace(HIDDEN_MARK, "\u{feff}");
                let is_merge = text == "<<" && style == ScalarStyle::Plain && tag.is_none();
                let value = scalar(&text, style == ScalarStyle::Plain, tag.as_deref()).ok_or(Wrong::Call)?;
                self.add(value, anchor, 1, is_merge)
            }
            Event::SequenceStart(anchor, tag) => {
                self.begin(anchor, tag.as_deref(), "seq", Container::Sequence(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                self.begin(anchor, tag.as_deref(), "map", Container::Mapping { members: Vec::new(), key: None })
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(Open { anchor, kind, size }) = self.open.pop() else { return Err(Wrong::Call) };
                let value = match kind {
                    Container::Sequence(parts) => Value::tuple(parts),
                    Container::Mapping { members, .. } => {
                        Marked::object(members.into_iter().map(|(name, value)| (name, value.into())).collect()).value
                    }
                };
                self.add(value, anchor, size, false)
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, anchor: usize, tag: Option<&Tag>, name: &str, kind: Container) -> Result<(), Wrong> {
        if self.open.len() >= DEEPEST || tag.is_some_and(|tag| core_name(tag) != Some(name)) {
            return Err(Wrong::Call);
        }
        self.open.push(Open { anchor, kind, size: 1 });
        Ok(())
    }

    /// Adds a complete value to the innermost open container.
    fn add(&mut self, value: Value, anchor: usize, size: usize, is_merge: bool) -> Result<(), Wrong> {
        self.given.spend(1)?;
        if anchor > 0 {
            self.anchors.insert(anchor, (value.clone(), size));
        }
        let Some(open) = self.open.last_mut() else {
            self.whole = Some(value);
            return Ok(());
        };
        open.size += size;
        match &mut open.kind {
            Container::Sequence(parts) => parts.push(value),
            Container::Mapping { members, key } => match key.take() {
                None => *key = Some(key_of(&value, is_merge).ok_or(Wrong::Call)?),
                Some(Key::Name(name)) => members.push((name, value)),
                Some(Key::Merge) => {
                    let Type::Object(object) = value.ty() else { return Err(Wrong::Call) };
                    let names = object.attributes().iter().map(|attribute| attribute.name.clone());
                    members.extend(names.zip(Marked::from(value.clone()).parts().into_iter().map(|part| part.value)));
                }
            },
        }
        Ok(())
    }
}

fn key_of(value: &Value, is_merge: bool) -> Option<Key> {
    if is_merge {
        return Some(Key::Merge);
    }
    match (value.ty(), value.view().as_text()) {
        (_, Some(name)) => Some(Key::Name(name.clone())),
        (Type::Number | Type::Bool, _) => {
            let text = planfuzz_core::value::convert::convert(value, &Type::String).ok()?;
            text.view().as_text().cloned().map(Key::Name)
        }
        _ => None,
    }
}

/// The name of a tag of YAML's core schema.
fn core_name(tag: &Tag) -> Option<&str> {
    let prefix = "tag:yaml.org,2002:";
    if tag.handle.is_empty() { tag.suffix.strip_prefix(prefix) } else { (tag.handle == prefix).then_some(&tag.suffix) }
}

fn scalar(text: &str, is_plain: bool, tag: Option<&Tag>) -> Option<Value> {
    let Some(tag) = tag else {
        return if is_plain { resolved(text) } else { Some(Value::string(text)) };
    };
    let wanted = match core_name(tag)? {
        "str" => return Some(Value::string(text)),
        "binary" => {
            use base64::Engine as _;
            super::encodings::LENIENT.decode(text).ok()?;
            return Some(Value::string(text));
        }
        "int" | "float" => Type::Number,
        "bool" => Type::Bool,
        "timestamp" if is_plain => return times::of_yaml(text),
        "null" if is_plain => return Some(Value::null(Type::Dynamic)),
        "timestamp" | "null" => Type::String,
        _ => return None,
    };
    if is_plain { resolved(text).filter(|value| *value.ty() == wanted) } else { Some(Value::string(text)) }
}

/// Resolves a plain scalar.
fn resolved(text: &str) -> Option<Value> {
    Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::null(Type::Dynamic),
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Value::bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Value::bool(false),
        ".nan" | ".NaN" | ".NAN" => return None,
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => infinity(1)?,
        "-.inf" | "-.Inf" | "-.INF" => infinity(-1)?,
        text => match numeral(text) {
            Some(number) => Value::number(number),
            None => times::of_yaml(text).unwrap_or_else(|| Value::string(text)),
        },
    })
}

fn infinity(sign: i64) -> Option<Value> {
    Number::Int(sign).divided_by(&Number::Int(0)).map(Value::number)
}

/// A number: decimal with a sign, a point and an exponent, or hexadecimal or octal digits without a sign.
fn numeral(text: &str) -> Option<Number> {
    let based = |prefix: &str, base: u32| {
        let digits = text.strip_prefix(prefix).filter(|digits| !digits.is_empty())?;
        digits.chars().all(|digit| digit.is_digit(base)).then(|| Number::of_digits(digits, base)).flatten()
    };
    if let Some(number) = based("0x", 16).or_else(|| based("0o", 8)) {
        return Some(number);
    }
    let is_negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        if digits.is_empty() || !is_digits(digits) {
            return None;
        }
    }
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if !is_digits(before) || !is_digits(after) || (before.is_empty() && after.is_empty()) {
        return None;
    }
    let before = before.trim_start_matches('0');
    let mut canonical = String::from(if is_negative { "-" } else { "" });
    canonical.push_str(if before.is_empty() { "0" } else { before });
    if !after.is_empty() {
        canonical.push('.');
        canonical.push_str(after);
    }
    if let Some(exponent) = exponent {
        canonical.push('e');
        canonical.push_str(exponent);
    }
    Number::parse(&canonical).ok()
}
