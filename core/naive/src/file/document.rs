//! JSON documents from bytes: strict, no name twice in an object (ST09b).

use planfuzz_core::json::Json;

/// The most levels of arrays and objects, and the longest number: bounds of `docs/formats.md`.
const MAX_LEVELS: usize = 127;
const MAX_NUMBER: usize = 20_000;

/// The document; `None` where the bytes are no document, or more than one.
pub(super) fn parse(bytes: &[u8]) -> Option<Json> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut input = Input { rest: text };
    let json = input.value(0)?;
    input.blank();
    input.rest.is_empty().then_some(json)
}

struct Input<'b> {
    rest: &'b str,
}

impl<'b> Input<'b> {
    fn blank(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    /// Takes a text if it comes next.
    fn takes(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes a punctuation mark of JSON if it comes next after white space.
    fn mark(&mut self, mark: &str) -> bool {
        self.blank();
        self.takes(mark)
    }

    fn value(&mut self, level: usize) -> Option<Json> {
        self.blank();
        match self.rest.chars().next()? {
            'n' => self.takes("null").then_some(Json::Null),
            't' => self.takes("true").then_some(Json::Bool(true)),
            'f' => self.takes("false").then_some(Json::Bool(false)),
            '"' => self.string().map(|text| Json::String(text.into())),
            '[' | '{' if level == MAX_LEVELS => None,
            '[' => self.array(level + 1),
            '{' => self.object(level + 1),
            _ => self.number(),
        }
    }

    fn array(&mut self, level: usize) -> Option<Json> {
        let mut items = Vec::new();
        if !self.takes("[") || self.mark("]") {
            return Some(Json::Array(items));
        }
        loop {
            items.push(self.value(level)?);
            if self.mark("]") {
                return Some(Json::Array(items));
            }
            if !self.mark(",") {
                return None;
            }
        }
    }

    fn object(&mut self, level: usize) -> Option<Json> {
        let mut members: Vec<(Box<str>, Json)> = Vec::new();
        if !self.takes("{") || self.mark("}") {
            return Some(Json::Object(members));
        }
        loop {
            self.blank();
            let name = self.string()?;
            if !self.mark(":") || members.iter().any(|(before, _)| **before == *name) {
                return None;
            }
            members.push((name.into(), self.value(level)?));
            if self.mark("}") {
                return Some(Json::Object(members));
            }
            if !self.mark(",") {
                return None;
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        if !self.takes("\"") {
            return None;
        }
        let mut text = String::new();
        loop {
            let next = self.next()?;
            match next {
                '"' => return Some(text),
                '\\' => text.push(self.escaped()?),
                '\0'..'\u{20}' => return None,
                other => text.push(other),
            }
        }
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    fn escaped(&mut self) -> Option<char> {
        Some(match self.next()? {
            '"' => '"',
            '\\' => '\\',
            '/' => '/',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.unit_or_pair(),
            _ => return None,
        })
    }

    /// Four digits, or twice four where the first four are half of a character.
    fn unit_or_pair(&mut self) -> Option<char> {
        let first = self.unit()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        if !self.takes("\\u") {
            return None;
        }
        let second = self.unit().filter(|unit| (0xdc00..0xe000).contains(unit))?;
        char::from_u32(0x1_0000 + (first - 0xd800) * 0x400 + (second - 0xdc00))
    }

    fn unit(&mut self) -> Option<u32> {
        let mut unit = 0;
        for _ in 0..4 {
            unit = unit * 16 + self.next()?.to_digit(16)?;
        }
        Some(unit)
    }

    /// A number, spelled as it is, but for its exponent, which gets a small `e` and a sign.
    fn number(&mut self) -> Option<Json> {
        let mut text = String::new();
        if self.takes("-") {
            text.push('-');
        }
        let whole = self.digits()?;
        if whole.len() > 1 && whole.starts_with('0') {
            return None;
        }
        text += whole;
        if self.takes(".") {
            text.push('.');
            text += self.digits()?;
        }
        if self.takes("e") || self.takes("E") {
            text.push('e');
            text.push(if self.takes("-") { '-' } else { '+' });
            self.takes("+");
            text += self.digits()?;
        }
        (text.len() <= MAX_NUMBER).then(|| Json::Number(text.into()))
    }

    /// At least one digit.
    fn digits(&mut self) -> Option<&'b str> {
        let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(length);
        self.rest = rest;
        (length > 0).then_some(digits)
    }
}
