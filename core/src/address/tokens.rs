//! The traversals of the configuration language in which addresses are written (PL75).

use unicode_id_start::{is_id_continue, is_id_start};

use super::key::InstanceKey;
use super::parse::{AddressError, error};
use crate::value::Number;

/// The summaries of an engine for a missing name, a foreign character, an invalid string and an open bracket.
const NO_ATTRIBUTE: &str = "Attribute name required";
const FOREIGN: &str = "Invalid character";
const NO_STRING: &str = "Invalid string literal";
const UNCLOSED: &str = "Unclosed index brackets";

/// One step of a traversal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name; the first one has no dot before it.
    Name(String),
    /// A key in brackets; never [`InstanceKey::None`].
    Key(InstanceKey),
}

/// A traversal, step by step, with where each begins.
pub(super) struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Tokens<'t> {
        Tokens { text, at: 0 }
    }

    /// All steps.
    ///
    /// # Errors
    /// Anything that is no traversal.
    pub(super) fn read(mut self) -> Result<Vec<(usize, Token)>, AddressError> {
        self.take("\u{feff}");
        let mut tokens = Vec::new();
        loop {
            self.skip_space();
            let start = self.at;
            let token = match self.peek() {
                None if !tokens.is_empty() => return Ok(tokens),
                _ if tokens.is_empty() => Token::Name(self.name("Variable name required")?),
                Some('[') => self.bracket()?,
                Some('.') if !self.text[self.at..].starts_with("...") => {
                    self.bump('.');
                    self.skip_space();
                    Token::Name(self.name(NO_ATTRIBUTE)?)
                }
                _ => return Err(self.wrong("\".\", \"[\" or the end", FOREIGN)),
            };
            tokens.push((start, token));
        }
    }

    fn expected(&self, what: &'static str) -> AddressError {
        error(self.text, self.at, what)
    }

    /// PL83: the error for a text that is no traversal: the summaries for single characters, then `summary`.
    fn wrong(&self, what: &'static str, summary: &'static str) -> AddressError {
        self.expected(what).called(foreign(self.text).chain([summary]))
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn bump(&mut self, char: char) {
        self.at += char.len_utf8();
    }

    fn take(&mut self, text: &str) -> bool {
        let is_there = self.text[self.at..].starts_with(text);
        self.at += if is_there { text.len() } else { 0 };
        is_there
    }

    /// Blanks and comments.
    fn skip_space(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let length = match rest.chars().next() {
                Some(' ' | '\t' | '\r' | '\n') => 1,
                Some('#') => rest.find('\n').unwrap_or(rest.len()),
                Some('/') if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                Some('/') if rest.starts_with("/*") => match rest[2..].find("*/") {
                    Some(end) => end + 4,
                    None => return,
                },
                _ => return,
            };
            self.at += length;
        }
    }

    /// PL81.
    fn name(&mut self, missing: &'static str) -> Result<String, AddressError> {
        let start = self.at;
        match self.peek() {
            Some(char) if char == '_' || is_id_start(char) => self.bump(char),
            _ => return Err(self.wrong("a name", missing)),
        }
        while let Some(char) = self.peek().filter(|char| *char == '-' || is_id_continue(*char)) {
            self.bump(char);
        }
        Ok(self.text[start..self.at].to_owned())
    }

    fn bracket(&mut self) -> Result<Token, AddressError> {
        self.bump('[');
        self.skip_space();
        let key = match self.peek() {
            Some('"') => InstanceKey::Text(self.quoted()?),
            Some('0'..='9') => InstanceKey::Int(self.integer()?),
            // A wild card is an attribute to an engine.
            other => {
                let summary = if other == Some('*') { NO_ATTRIBUTE } else { "Index value required" };
                return Err(self.wrong("a whole number or a string in quotes", summary));
            }
        };
        self.skip_space();
        match self.peek() {
            Some(']') => self.bump(']'),
            _ => return Err(self.wrong("\"]\"", UNCLOSED)),
        }
        Ok(Token::Key(key))
    }

    /// PL77: a number as the language writes them, if it is whole.
    fn integer(&mut self) -> Result<i64, AddressError> {
        let start = self.at;
        self.digits();
        let mut fraction = Tokens { text: self.text, at: self.at };
        if fraction.take(".") && fraction.digits() {
            self.at = fraction.at;
        }
        let mut exponent = Tokens { text: self.text, at: self.at };
        if exponent.take("e") || exponent.take("E") {
            let _ = exponent.take("+") || exponent.take("-");
            self.at = if exponent.digits() { exponent.at } else { self.at };
        }
        let number = Number::parse(&self.text[start..self.at]).ok();
        number.and_then(|number| number.to_i64()).ok_or_else(|| error(self.text, start, "a whole number of 64 bits"))
    }

    /// Digits, and whether there was one.
    fn digits(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let end = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len());
        self.at += end;
        end > 0
    }

    /// PL72, read back.
    fn quoted(&mut self) -> Result<String, AddressError> {
        self.bump('"');
        let mut text = String::new();
        loop {
            let Some(char) = self.peek() else {
                return Err(self.expected("the end of the string").called(["Unterminated string literal", UNCLOSED]));
            };
            match char {
                '"' => {
                    self.bump('"');
                    return Ok(text);
                }
                '\\' => text.push(self.escaped()?),
                '\n' | '\r' => {
                    let summaries = ["Invalid multi-line string", NO_STRING];
                    return Err(self.expected("a string on one line").called(summaries));
                }
                '$' | '%' => self.marker(char, &mut text)?,
                char => {
                    text.push(char);
                    self.bump(char);
                }
            }
        }
    }

    /// A `$` or `%`: two of them before a brace are one, one of them there begins an interpolation, which no address has.
    fn marker(&mut self, marker: char, text: &mut String) -> Result<(), AddressError> {
        let mut rest = self.text[self.at..].chars().skip(1);
        match (rest.next(), rest.next()) {
            (Some('{'), _) => return Err(self.expected("a string without interpolation").called([NO_STRING])),
            (Some(second), Some('{')) if second == marker => {
                self.bump(marker);
                self.bump(marker);
                self.bump('{');
                text.push(marker);
                text.push('{');
            }
            _ => {
                self.bump(marker);
                text.push(marker);
            }
        }
        Ok(())
    }

    fn escaped(&mut self) -> Result<char, AddressError> {
        let failure = self.expected("an escape of the configuration language").called(["Invalid escape sequence"]);
        self.bump('\\');
        let Some(kind) = self.peek() else { return Err(failure) };
        self.bump(kind);
        match kind {
            'n' => Ok('\n'),
            'r' => Ok('\r'),
            't' => Ok('\t'),
            '"' => Ok('"'),
            '\\' => Ok('\\'),
            'u' => self.code(4).ok_or(failure),
            'U' => self.code(8).ok_or(failure),
            _ => Err(failure),
        }
    }

    fn code(&mut self, digits: usize) -> Option<char> {
        let text = self.text.get(self.at..self.at + digits)?;
        let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let char = is_hex.then(|| u32::from_str_radix(text, 16).ok()).flatten().and_then(char::from_u32)?;
        self.at += digits;
        Some(char)
    }
}

/// The summaries for characters that the language does not have, outside of strings and comments: one for the first of some
/// characters, one for each of others.
fn foreign(text: &str) -> impl Iterator<Item = &'static str> {
    let (mut summaries, mut once) = (Vec::new(), Vec::new());
    let mut rest = Tokens::new(text);
    while let Some(char) = rest.peek() {
        let start = rest.at;
        rest.skip_space();
        if rest.at > start {
            continue;
        }
        match char {
            '"' => {
                let mut string = Tokens { text, at: rest.at };
                rest.at = if string.quoted().is_ok() { string.at } else { text.len() };
                continue;
            }
            '\'' | '`' | ';' if !once.contains(&char) => {
                once.push(char);
                summaries.push(FOREIGN);
            }
            '@' | '\\' | '$' => summaries.push(FOREIGN),
            char if !char.is_ascii() && !is_id_start(char) && !is_id_continue(char) && char != '\u{feff}' => {
                summaries.push(FOREIGN);
            }
            _ => {}
        }
        rest.bump(char);
    }
    summaries.into_iter()
}
