//! What a text refers to, without understanding it (E51): names that begin an operand, with the constant steps behind them.
//!
//! Names of functions, keys of objects and the variables of `for` are none. The text need not be a correct expression: what is wrong
//! in it is for the parser of expressions to tell. Depth is bounded by [`MAX_NATIVE_DEPTH`], what is deeper is passed by.

use planfuzz_core::value::{Number, Text, Value};

use super::tree::{Step, StepKind, Traversal};
use crate::json::{Json, JsonKind};
use crate::native::{MAX_NATIVE_DEPTH, label_text, scan};
use crate::place::SourcePlace;

/// The references of an expression in native syntax.
pub fn of_text(text: &str, place: SourcePlace) -> Vec<Traversal> {
    let mut walker = Walker::new(text, place);
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

/// What ends a template.
enum TemplateEnd {
    /// The text.
    Text,
    /// A quote.
    Quote,
    /// A line that holds nothing but this.
    Marker(String),
}

struct Walker<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    place: SourcePlace,
    /// Variables of `for` that are in sight here.
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

    /// Everything up to a closing byte, which is passed, or the end of the text.
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

    /// `for k, v in collection :` at the beginning of a bracket: the collection does not see the variables.
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

    /// `for k, v in`; nothing, and nothing passed that counts, where it is something else.
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

    /// `.name`, `.0`, `.*` behind something that is no name.
    fn relative_step(&mut self) {
        self.at += 1;
        let name = scan::identifier(self.text, self.at);
        if name > self.at {
            self.at = name;
        } else {
            self.at += self.bytes[self.at..].iter().take_while(|b| b.is_ascii_digit() || **b == b'*').count();
        }
    }

    /// A name: of a function, a key, a variable of `for`, a keyword, or the root of a reference.
    fn name(&mut self, may_be_key: bool) {
        let start = self.at;
        let end = scan::identifier(self.text, start);
        let next = scan::blanks(self.bytes, end);
        self.at = end;
        match (self.bytes.get(next), self.bytes.get(next + 1)) {
            (Some(b'('), _) => return,
            (Some(b':'), Some(b':')) => {
                self.at = next + 2;
                return;
            }
            (Some(b'='), second) if may_be_key && second != Some(&b'=') && !fault!(KeyRefers) => return,
            (Some(b':'), _) if may_be_key => return,
            _ => {}
        }
        let root = &self.text[start..end];
        let is_keyword = matches!(root, "true" | "false" | "null" | "if" | "in" | "for");
        let mut steps = Vec::new();
        if !is_keyword {
            while let Some(step) = self.step() {
                steps.push(step);
            }
        }
        if is_keyword || (self.scope.iter().any(|name| &**name == root) && !fault!(ForVariableRefers)) {
            return;
        }
        self.found.push(Traversal { root: Text::new(root), steps, place: self.place.part(start, self.at) });
    }

    /// A constant step; nothing is passed where there is none.
    fn step(&mut self) -> Option<Step> {
        let start = self.at;
        let digits = |from: usize| self.bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let (kind, end) = match self.peek()? {
            b'.' => {
                let end = scan::identifier(self.text, start + 1);
                if end > start + 1 {
                    (StepKind::Attribute(Text::new(&self.text[start + 1..end])), end)
                } else {
                    let end = start + 1 + digits(start + 1);
                    (StepKind::Index(Value::number(Number::parse(self.text.get(start + 1..end)?).ok()?)), end)
                }
            }
            b'[' => {
                let inner = scan::blank_lines(self.bytes, start + 1);
                let (key, end) = if self.bytes.get(inner) == Some(&b'"') {
                    let close = inner + 1 + self.bytes[inner + 1..].iter().position(|&b| b == b'"')?;
                    let text = self.text.get(inner + 1..close)?;
                    if text.contains(['\\', '{']) && text.contains(['$', '%', '\\']) {
                        return None;
                    }
                    (Value::string(&label_text(text).ok()?), close + 1)
                } else {
                    let mut end = inner + digits(inner);
                    if self.bytes.get(end) == Some(&b'.') && end > inner && digits(end + 1) > 0 {
                        end += 1 + digits(end + 1);
                    }
                    (Value::number(Number::parse(self.text.get(inner..end)?).ok()?), end)
                };
                let close = scan::blank_lines(self.bytes, end);
                if self.bytes.get(close) != Some(&b']') {
                    return None;
                }
                (StepKind::Index(key), close + 1)
            }
            _ => return None,
        };
        self.at = end;
        Some(Step { kind, place: self.place.part(start, end) })
    }

    fn heredoc(&mut self, depth: usize) -> bool {
        let Some(((from, to), next)) = scan::heredoc(self.bytes, self.at) else { return false };
        let marker = self.text[from..to].to_owned();
        self.at = next;
        self.template(&TemplateEnd::Marker(marker), depth + 1);
        true
    }

    /// Literal text with `${` and `%{` in it.
    fn template(&mut self, end: &TemplateEnd, depth: usize) {
        let outer = self.scope.len();
        let mut loops = Vec::new();
        if let TemplateEnd::Marker(marker) = end
            && self.is_marker(marker)
        {
            return;
        }
        while let Some(byte) = self.peek() {
            let next = self.bytes.get(self.at + 1).copied();
            match (byte, end) {
                (b'"', TemplateEnd::Quote) => {
                    self.at += 1;
                    break;
                }
                (b'\\', TemplateEnd::Quote) => self.at = (self.at + 2).min(self.bytes.len()),
                (b'\n', TemplateEnd::Quote) => break,
                (b'\n', TemplateEnd::Marker(marker)) => {
                    self.at += 1;
                    if self.is_marker(marker) {
                        break;
                    }
                }
                (b'$' | b'%', _) if next == Some(byte) && self.bytes.get(self.at + 2) == Some(&b'{') => self.at += 3,
                (b'$' | b'%', _) if next == Some(b'{') => {
                    self.at += 2;
                    if depth >= MAX_NATIVE_DEPTH {
                        self.at = self.bytes.len();
                    } else if byte == b'%' {
                        self.directive(depth, &mut loops);
                    } else {
                        self.at += usize::from(self.peek() == Some(b'~'));
                        self.interpolation(depth + 1);
                    }
                }
                _ => self.at += 1,
            }
        }
        self.scope.truncate(outer);
    }

    /// `${ … }`: like a bracket that is no object.
    fn interpolation(&mut self, depth: usize) {
        let end = self.closing();
        let mut inner = Walker::new(&self.text[self.at..end], self.place.part(self.at, end));
        inner.scope.clone_from(&self.scope);
        inner.expression(None, depth);
        self.found.append(&mut inner.found);
        self.at = (end + 1).min(self.bytes.len());
    }

    /// `%{ for x in c }`, `%{ if c }`, `%{ endfor }` and the rest.
    fn directive(&mut self, depth: usize, loops: &mut Vec<usize>) {
        self.at += usize::from(self.peek() == Some(b'~'));
        self.at = scan::blank_lines(self.bytes, self.at);
        let start = self.at;
        if let Some(names) = self.for_names() {
            self.interpolation(depth + 1);
            loops.push(self.scope.len());
            self.scope.extend(names);
            return;
        }
        self.at = start;
        match self.word() {
            Some("endfor") => {
                if let Some(before) = loops.pop() {
                    self.scope.truncate(before);
                }
            }
            Some("if" | "else" | "endif") => {}
            _ => self.at = start,
        }
        self.interpolation(depth + 1);
    }

    /// The brace that closes what is open here.
    fn closing(&self) -> usize {
        scan::until(self.bytes, self.at, &|byte| byte == b'}').map_or(self.bytes.len(), |end| {
            let end = scan::blank_lines(self.bytes, end);
            end + self.bytes[end..].iter().position(|&b| b == b'}').unwrap_or(self.bytes.len() - end)
        })
    }

    fn is_marker(&mut self, marker: &str) -> bool {
        let end = scan::line_end(self.bytes, self.at);
        let found = self.text[self.at..end].trim() == marker;
        if found {
            self.at = end;
        }
        found
    }
}
