//! Templates: texts with `${}` and `%{}` in them, in quotes, heredocs and JSON strings (E80, E80b, E89, E90).

use planfuzz_core::value::Value;

use super::ast::{Expression, For, Kind};
use super::heredoc::{literal_end, opens_with_trim, trimmed};
use super::parse::{Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::native::label_text;

/// The end of a template.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum End {
    /// The text.
    Text,
    /// A quote; escapes are interpreted.
    Quote,
    /// The marker of the innermost heredoc.
    Marker,
}

/// The token that ended a sequence of parts.
#[derive(PartialEq)]
enum Stop {
    End,
    Else,
    EndIf,
    EndFor,
}

impl Parser<'_> {
    /// Parses a template including its end; `start` is where it begins.
    pub(super) fn template(&mut self, start: usize, end: End) -> Parsed<Expression> {
        let (mut parts, stop) = self.parts(end, false)?;
        if stop != Stop::End {
            return Err(self.unexpected(&stop));
        }
        match parts.pop() {
            // A single interpolation keeps its type (E89), but is no reference (FN46); a single text is itself.
            Some(only) if parts.is_empty() && end == End::Quote && !matches!(only.kind, Kind::Literal(_)) => {
                self.make(start, Kind::Parentheses(Box::new(only)))
            }
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
            if let Some(text) = self.literal(end, trim)? {
                parts.push(self.make(start, Kind::Literal(Value::string(&text)))?);
            }
            if self.is_end(end) {
                match end {
                    End::Text => {}
                    End::Quote => self.at += 1,
                    End::Marker => self.marker_line(),
                }
                return Ok((parts, Stop::End));
            }
            let rest = self.rest();
            if rest.is_empty() {
                return Err(self.fault("Unterminated template string"));
            }
            let (opened, directive) = (self.at, rest.starts_with('%'));
            self.at += if rest[2..].starts_with('~') { 3 } else { 2 };
            if !directive {
                parts.push(self.nested(false, Self::expression)?);
                trim = self.close(opened)?;
                continue;
            }
            if self.word("if") {
                let part = self.nested(false, |parser| parser.if_directive(end, opened))?;
                parts.push(part.0);
                trim = part.1;
            } else if self.word("for") {
                let part = self.nested(false, |parser| parser.for_directive(end, opened))?;
                parts.push(part.0);
                trim = part.1;
            } else {
                for (word, stop) in [("else", Stop::Else), ("endif", Stop::EndIf), ("endfor", Stop::EndFor)] {
                    if self.word(word) {
                        return Ok((parts, stop));
                    }
                }
                self.blank();
                return Err(self.fault("Invalid template control keyword"));
            }
        }
    }

    /// The diagnostic of a directive in the wrong place.
    fn unexpected(&self, stop: &Stop) -> Diagnostic {
        self.fault(match stop {
            Stop::End => "Unexpected end of template",
            Stop::Else => "Unexpected else directive",
            Stop::EndIf => "Unexpected endif directive",
            Stop::EndFor => "Unexpected endfor directive",
        })
    }

    /// Consumes `}` or `~}`; returns whether it trims. `opened` is where the sequence began.
    fn close(&mut self, opened: usize) -> Parsed<bool> {
        let trim = self.nested(false, |parser| Ok(parser.eat("~}")))?;
        if trim || self.nested(false, |parser| Ok(parser.eat("}")))? {
            Ok(trim)
        } else if self.rest().is_empty() {
            let place = self.place.part(opened, opened + 2);
            Err(Diagnostic::error("Unclosed template interpolation sequence", "", place))
        } else {
            Err(self.fault("Extra characters after interpolation expression"))
        }
    }

    fn joined(&mut self, start: usize, parts: Vec<Expression>) -> Parsed<Expression> {
        self.make(start, Kind::Template(parts))
    }

    fn if_directive(&mut self, end: End, start: usize) -> Parsed<(Expression, bool)> {
        let condition = self.expression()?;
        let trim = self.close(start)?;
        let (yes, stop) = self.parts(end, trim)?;
        let yes = self.joined(start, yes)?;
        let (no, stop) = if stop == Stop::Else {
            let trim = self.close(start)?;
            self.parts(end, trim)?
        } else {
            (Vec::new(), stop)
        };
        if stop != Stop::EndIf {
            return Err(self.unexpected(&stop));
        }
        let no = self.joined(start, no)?;
        let trim = self.close(start)?;
        let whole = self.make(start, Kind::Conditional(Box::new([condition, yes, no])))?;
        Ok((self.joined(start, vec![whole])?, trim))
    }

    fn for_directive(&mut self, end: End, start: usize) -> Parsed<(Expression, bool)> {
        let outer = self.slots.len();
        let (key_slot, value_slot, collection) = self.for_intro()?;
        let trim = self.close(start)?;
        let (body, stop) = self.parts(end, trim)?;
        if stop != Stop::EndFor {
            return Err(self.unexpected(&stop));
        }
        self.slots.truncate(outer);
        let value = self.joined(start, body)?;
        let trim = self.close(start)?;
        let each = For { collection, key_slot, value_slot, key: None, value, condition: None, grouped: false };
        let each = self.make(start, Kind::For(Box::new(each)))?;
        let whole = self.make(start, Kind::Join(Box::new(each)))?;
        Ok((self.joined(start, vec![whole])?, trim))
    }

    /// The text up to the next sequence or the end. `~` trims as in the engine, whose text tokens end with their line: one line at most.
    /// `None` if there is no text; a text that was trimmed to nothing is still a part.
    fn literal(&mut self, end: End, mut trim: bool) -> Parsed<Option<String>> {
        let mut whole = None;
        while !self.is_end(end) {
            let (start, next) = (self.at, self.literal_end(end)?);
            if next == start {
                break;
            }
            let raw = &self.text[start..next];
            let text = match end {
                End::Quote => label_text(raw).map_err(|bad| {
                    let place = self.place.part(start + bad.start, start + bad.end);
                    Diagnostic::error("Invalid escape sequence", "", place)
                })?,
                End::Text | End::Marker => raw.replace("$${", "${").replace("%%{", "%{").into(),
            };
            let cut = self.heredocs.last().filter(|_| end == End::Marker).map_or(0, |heredoc| heredoc.cut(start));
            let text = trimmed(&text, trim, opens_with_trim(&self.text[next..]));
            whole.get_or_insert_with(String::new).push_str(text.get(cut..).unwrap_or_default());
            (self.at, trim) = (next, trim && fault!(TrimBeyondTheLine));
        }
        Ok(whole.filter(|text| !text.is_empty() || !fault!(EmptyLiteralGone)))
    }

    /// Whether the template ends at this position.
    fn is_end(&self, end: End) -> bool {
        match end {
            End::Text => self.rest().is_empty(),
            End::Quote => self.rest().starts_with('"'),
            End::Marker => self.heredocs.last().is_some_and(|heredoc| heredoc.ends_at(self.text, self.at)),
        }
    }

    /// The end of a text token: in quotes the next sequence, otherwise also a line end.
    fn literal_end(&mut self, end: End) -> Parsed<usize> {
        let bytes = self.text.as_bytes();
        if end != End::Quote {
            return Ok(literal_end(bytes, self.at));
        }
        let mut at = self.at;
        while let Some(&byte) = bytes.get(at) {
            let next = bytes.get(at + 1).copied();
            match byte {
                b'"' => break,
                b'\n' => {
                    self.at = at;
                    return Err(self.fault("Invalid multi-line string"));
                }
                b'$' | b'%' if next == Some(byte) && bytes.get(at + 2) == Some(&b'{') => at += 3,
                b'$' | b'%' if next == Some(b'{') => break,
                b'\\' => at += 1 + self.text[at + 1..].chars().next().map_or(0, char::len_utf8),
                _ => at += 1,
            }
        }
        Ok(at)
    }
}
