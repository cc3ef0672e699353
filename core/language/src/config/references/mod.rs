//! Finds the references in a text without parsing it (E51): names at the beginning of an operand, with the constant steps after them.
//!
//! Names of functions, keys of objects and the variables of `for` are no references. The text need not be a valid expression: the parser of
//! expressions reports its faults. Depth is bounded by [`MAX_NATIVE_DEPTH`]; deeper parts are ignored.

mod names;
mod templates;

use planfuzz_core::value::Text;

use super::tree::Traversal;
use crate::json::{Json, JsonKind};
use crate::native::{MAX_NATIVE_DEPTH, scan};
use crate::place::SourcePlace;

/// The references of an expression in native syntax.
pub fn of_text(text: &str, place: SourcePlace) -> Vec<Traversal> {
    let mut walker = Walker::new(text, place);
    if text.starts_with(scan::BYTE_ORDER_MARK) {
        walker.at = scan::BYTE_ORDER_MARK.len_utf8();
    }
    walker.expression(None, 0);
    walker.found
}

/// The references of a template.
pub fn of_template(text: &str, place: SourcePlace) -> Vec<Traversal> {
    let mut walker = Walker::new(text, place);
    walker.template(&TemplateEnd::Text, 0);
    walker.found
}

/// The references of a JSON value: every text in it is a template, keys too (E10).
pub fn of_json(json: &Json) -> Vec<Traversal> {
    let (mut found, mut rest) = (Vec::new(), vec![json]);
    while let Some(json) = rest.pop() {
        match &json.kind {
            JsonKind::String(text) => found.extend(of_template(text, json.template_place())),
            JsonKind::Array(elements) => rest.extend(elements.iter().rev()),
            JsonKind::Object(members) => {
                for member in members {
                    if member.name.contains("{") {
                        found.extend(of_template(&member.name, member.name_place.part(1, member.name.len() + 1)));
                    }
                }
                rest.extend(members.iter().rev().map(|member| &member.value));
            }
            _ => {}
        }
    }
    found
}

/// The end of a template.
enum TemplateEnd {
    /// The text.
    Text,
    /// A quote.
    Quote,
    /// A line that contains only this marker.
    Marker(String),
}

struct Walker<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    place: SourcePlace,
    /// Variables of `for` that are in scope.
    scope: Vec<Text>,
    found: Vec<Traversal>,
}

impl<'t> Walker<'t> {
    fn new(text: &'t str, place: SourcePlace) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0, place, scope: Vec::new(), found: Vec::new() }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Reads up to and including a closing byte, or to the end of the text.
    fn expression(&mut self, close: Option<u8>, depth: usize) {
        let outer = self.scope.len();
        let mut after_operand = false;
        let mut at_item = true;
        let mut questions = 0usize;
        let is_object = close == Some(b'}') && depth > 0;
        if matches!(close, Some(b']' | b'}')) {
            self.for_clause(depth);
        }
        let in_for = self.scope.len() > outer;
        while let Some(byte) = self.peek() {
            if Some(byte) == close {
                self.at += 1;
                break;
            }
            match byte {
                b'\n' => {
                    (self.at, at_item, after_operand) = (self.at + 1, true, after_operand && !is_object);
                    continue;
                }
                b' ' | b'\t' | b'\r' => {
                    self.at += 1;
                    continue;
                }
                _ if scan::is_line_comment(self.bytes, self.at) => {
                    self.at = scan::line_end(self.bytes, self.at);
                    continue;
                }
                b'/' if self.bytes.get(self.at + 1) == Some(&b'*') => {
                    self.at = scan::blanks(self.bytes, self.at).max(self.at + 1);
                    continue;
                }
                b'?' => questions += 1,
                b':' => questions = questions.saturating_sub(1),
                _ => {}
            }
            let was_item = std::mem::replace(&mut at_item, false);
            after_operand = match byte {
                b'"' => {
                    self.at += 1;
                    self.template(&TemplateEnd::Quote, depth + 1);
                    true
                }
                b'<' if self.heredoc(depth) => true,
                b'(' | b'[' | b'{' => {
                    self.at += 1;
                    self.bracket(byte, depth + 1, after_operand);
                    true
                }
                b'.' => {
                    self.relative_step();
                    true
                }
                b'0'..=b'9' => {
                    self.at +=
                        self.bytes[self.at..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'.').count();
                    true
                }
                b',' => {
                    at_item = true;
                    self.at += 1;
                    false
                }
                _ if scan::identifier(self.text, self.at) > self.at => {
                    self.name(was_item && is_object && !in_for);
                    true
                }
                _ => {
                    self.at += self.text[self.at..].chars().next().map_or(1, char::len_utf8);
                    false
                }
            };
        }
        self.scope.truncate(outer);
    }

    fn bracket(&mut self, open: u8, depth: usize, _after_operand: bool) {
        let close = match open {
            b'(' => b')',
            b'[' => b']',
            _ => b'}',
        };
        if depth > MAX_NATIVE_DEPTH {
            self.at = self.bytes.len();
            return;
        }
        self.expression(Some(close), depth);
    }

    /// `for k, v in collection :` at the beginning of a bracket: the variables are not in scope of the collection.
    fn for_clause(&mut self, depth: usize) {
        let start = self.at;
        self.at = scan::blank_lines(self.bytes, self.at);
        let Some(names) = self.for_names() else {
            self.at = start;
            return;
        };
        self.until_colon(depth);
        self.scope.extend(names);
    }

    /// Reads `for k, v in`; `None` for anything else.
    fn for_names(&mut self) -> Option<Vec<Text>> {
        if self.word()? != "for" {
            return None;
        }
        let mut names = Vec::new();
        loop {
            self.at = scan::blank_lines(self.bytes, self.at);
            names.push(Text::new(self.word()?));
            self.at = scan::blank_lines(self.bytes, self.at);
            if self.peek() != Some(b',') {
                break;
            }
            self.at += 1;
        }
        (self.word()? == "in" && names.len() <= 2).then_some(names)
    }

    fn word(&mut self) -> Option<&'t str> {
        let end = scan::identifier(self.text, self.at);
        let word = &self.text[self.at..end];
        self.at = end;
        (!word.is_empty()).then_some(word)
    }

    /// The collection of a `for`, up to its colon.
    fn until_colon(&mut self, depth: usize) {
        let rest = &self.bytes[self.at..];
        let (mut end, mut questions) = (0, 0usize);
        loop {
            let stops = |byte: u8| matches!(byte, b':' | b'?' | b']' | b'}');
            let Ok(next) = scan::until(rest, end, &stops) else { break };
            let next = scan::blank_lines(rest, next);
            match rest.get(next) {
                Some(b'?') => questions += 1,
                Some(b':') if questions > 0 => questions -= 1,
                _ => {
                    end = next;
                    break;
                }
            }
            end = next + 1;
        }
        let place = self.place.part(self.at, self.at + end);
        let mut inner = Walker::new(&self.text[self.at..self.at + end], place);
        inner.scope.clone_from(&self.scope);
        inner.expression(None, depth + 1);
        self.found.append(&mut inner.found);
        self.at += end + usize::from(rest.get(end) == Some(&b':'));
    }

    /// `.name`, `.0`, `.*` after an operand that is not a name.
    fn relative_step(&mut self) {
        self.at += 1;
        let name = scan::identifier(self.text, self.at);
        if name > self.at {
            self.at = name;
        } else {
            self.at += self.bytes[self.at..].iter().take_while(|b| b.is_ascii_digit() || **b == b'*').count();
        }
    }
}
