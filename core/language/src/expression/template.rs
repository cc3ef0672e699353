//! Templates: texts with `${}` and `%{}` in them, in quotes, heredocs and JSON strings (E80, E89, E90).

use planfuzz_core::value::Value;

use super::ast::{Expression, For, Kind};
use super::parse::{Parsed, Parser};
use crate::native::label_text;

/// What ends a template.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum End {
    /// The text.
    Text,
    /// A quote; escapes count.
    Quote,
}

/// What ended a run of parts.
#[derive(PartialEq)]
enum Stop {
    End,
    Else,
    EndIf,
    EndFor,
}

impl Parser<'_> {
    /// A template up to its end, which is passed.
    pub(super) fn template(&mut self, end: End) -> Parsed<Expression> {
        let start = self.at;
        let (mut parts, stop) = self.parts(end, false)?;
        if stop != Stop::End {
            return Err(self.fault("Unexpected template control keyword"));
        }
        match parts.pop() {
            // One interpolation alone keeps its type (E89); a text alone is itself.
            Some(only) if parts.is_empty() => Ok(only),
            Some(last) => {
                parts.push(last);
                self.make(start, Kind::Template(parts))
            }
            None => self.make(start, Kind::Literal(Value::string(""))),
        }
    }

    fn parts(&mut self, end: End, mut trim: bool) -> Parsed<(Vec<Expression>, Stop)> {
        let mut parts = Vec::new();
        loop {
            let start = self.at;
            let mut text = self.literal(end)?;
            if trim {
                text = text.trim_start().to_owned();
            }
            let rest = self.rest();
            let opens = rest.starts_with("${") || rest.starts_with("%{");
            if opens && rest[2..].starts_with('~') {
                text.truncate(text.trim_end().len());
            }
            if !text.is_empty() {
                parts.push(self.make(start, Kind::Literal(Value::string(&text)))?);
            }
            if !opens {
                if end == End::Quote && !rest.starts_with('"') {
                    return Err(self.fault("Unterminated template string"));
                }
                self.at += usize::from(end == End::Quote);
                return Ok((parts, Stop::End));
            }
            let directive = rest.starts_with('%');
            self.at += if rest[2..].starts_with('~') { 3 } else { 2 };
            if !directive {
                parts.push(self.nested(false, Self::expression)?);
                trim = self.close()?;
                continue;
            }
            let from = self.at;
            if self.word("if") {
                let part = self.nested(false, |parser| parser.if_directive(end, from))?;
                parts.push(part.0);
                trim = part.1;
            } else if self.word("for") {
                let part = self.nested(false, |parser| parser.for_directive(end, from))?;
                parts.push(part.0);
                trim = part.1;
            } else {
                for (word, stop) in [("else", Stop::Else), ("endif", Stop::EndIf), ("endfor", Stop::EndFor)] {
                    if self.word(word) {
                        return Ok((parts, stop));
                    }
                }
                return Err(self.fault("Invalid template directive"));
            }
        }
    }

    /// Passes `}` or `~}`; whether it trims.
    fn close(&mut self) -> Parsed<bool> {
        let trim = self.nested(false, |parser| Ok(parser.eat("~")))?;
        if self.nested(false, |parser| Ok(parser.eat("}")))? {
            Ok(trim)
        } else {
            Err(self.fault("Extra characters after interpolation expression"))
        }
    }

    fn joined(&mut self, start: usize, parts: Vec<Expression>) -> Parsed<Expression> {
        self.make(start, Kind::Template(parts))
    }

    fn if_directive(&mut self, end: End, start: usize) -> Parsed<(Expression, bool)> {
        let condition = self.expression()?;
        let trim = self.close()?;
        let (yes, stop) = self.parts(end, trim)?;
        let yes = self.joined(start, yes)?;
        let (no, stop) = if stop == Stop::Else {
            let trim = self.close()?;
            self.parts(end, trim)?
        } else {
            (Vec::new(), stop)
        };
        if stop != Stop::EndIf {
            return Err(self.fault("Unexpected endfor directive"));
        }
        let no = self.joined(start, no)?;
        let trim = self.close()?;
        let whole = self.make(start, Kind::Conditional(Box::new([condition, yes, no])))?;
        Ok((self.joined(start, vec![whole])?, trim))
    }

    fn for_directive(&mut self, end: End, start: usize) -> Parsed<(Expression, bool)> {
        let outer = self.slots.len();
        let (key_slot, value_slot, collection) = self.for_intro()?;
        let trim = self.close()?;
        let (body, stop) = self.parts(end, trim)?;
        if stop != Stop::EndFor {
            return Err(self.fault("Unexpected endif directive"));
        }
        self.slots.truncate(outer);
        let value = self.joined(start, body)?;
        let trim = self.close()?;
        let each = For { collection, key_slot, value_slot, key: None, value, condition: None, grouped: false };
        let each = self.make(start, Kind::For(Box::new(each)))?;
        let whole = self.make(start, Kind::Join(Box::new(each)))?;
        Ok((self.joined(start, vec![whole])?, trim))
    }

    /// The text up to the next sequence or the end.
    fn literal(&mut self, end: End) -> Parsed<String> {
        let (start, bytes) = (self.at, self.text.as_bytes());
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'"' if end == End::Quote => break,
                b'\n' if end == End::Quote => return Err(self.fault("Invalid multi-line string")),
                b'\\' if end == End::Quote => self.at += 2,
                b'$' | b'%' if bytes.get(self.at + 1) == Some(&byte) && bytes.get(self.at + 2) == Some(&b'{') => {
                    self.at += 3
                }
                b'$' | b'%' if bytes.get(self.at + 1) == Some(&b'{') => break,
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.text.len());
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        let raw = &self.text[start..self.at];
        match end {
            End::Quote => match label_text(raw) {
                Ok(text) => Ok(text.into_owned()),
                Err(_) => Err(self.fault("Invalid escape sequence")),
            },
            End::Text => Ok(raw.replace("$${", "${").replace("%%{", "%{")),
        }
    }

    /// `<<X`, `<<-X`: the lines up to one that holds nothing but the marker.
    pub(super) fn heredoc(&mut self) -> Parsed<Expression> {
        let start = self.at;
        self.at += 2;
        let flush = self.rest().starts_with('-');
        self.at += usize::from(flush);
        let marker = self.name().ok_or_else(|| self.fault("Invalid expression"))?;
        let Some(line) = self.rest().find('\n') else { return Err(self.fault("Unterminated template string")) };
        let body_start = self.at + line + 1;
        let mut at = body_start;
        let mut lines = Vec::new();
        loop {
            let Some(rest) = self.text.get(at..).filter(|rest| !rest.is_empty()) else {
                return Err(self.fault("Unterminated template string"));
            };
            let line = &rest[..rest.find('\n').map_or(rest.len(), |end| end + 1)];
            if line.trim() == marker.as_str() {
                self.at = at + line.trim_end_matches(['\n', '\r']).len();
                break;
            }
            lines.push(line);
            at += line.len();
        }
        let indent = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let cut =
            if flush { lines.iter().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0) } else { 0 };
        let body: String = lines.iter().map(|line| &line[cut.min(indent(line))..]).collect();
        let place = self.place.part(body_start, at);
        let mut inner = Parser::new(&body, place);
        inner.slots.clone_from(&self.slots);
        let expression = self.nested(false, |_| inner.template(End::Text))?;
        Ok(Expression { place: self.place.part(start, self.at), ..expression })
    }
}
