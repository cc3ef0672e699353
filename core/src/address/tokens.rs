//! The traversals of the configuration language in which addresses are written (PL75).

use unicode_id_start::{is_id_continue, is_id_start};

use super::key::InstanceKey;
use super::parse::{AddressError, error};

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
        let mut tokens = Vec::new();
        loop {
            self.skip_space();
            let start = self.at;
            let token = match self.peek() {
                None if tokens.is_empty() => return Err(self.expected("a name")),
                None => return Ok(tokens),
                Some('[') if tokens.is_empty() => return Err(self.expected("a name")),
                Some('[') => self.bracket()?,
                Some('.') if !tokens.is_empty() => {
                    self.bump('.');
                    self.skip_space();
                    Token::Name(self.name()?)
                }
                Some(_) if tokens.is_empty() => Token::Name(self.name()?),
                Some(_) => return Err(self.expected("\".\", \"[\" or the end")),
            };
            tokens.push((start, token));
        }
    }

    fn expected(&self, what: &'static str) -> AddressError {
        error(self.text, self.at, what)
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn bump(&mut self, char: char) {
        self.at += char.len_utf8();
    }

    fn skip_space(&mut self) {
        while let Some(char @ (' ' | '\t' | '\r' | '\n')) = self.peek() {
            self.bump(char);
        }
    }

    /// PL81.
    fn name(&mut self) -> Result<String, AddressError> {
        let start = self.at;
        match self.peek() {
            Some(char) if char == '_' || is_id_start(char) => self.bump(char),
            _ => return Err(self.expected("a name")),
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
            Some('0'..='9' | '-') => InstanceKey::Int(self.integer()?),
            _ => return Err(self.expected("a whole number or a string in quotes")),
        };
        self.skip_space();
        match self.peek() {
            Some(']') => self.bump(']'),
            _ => return Err(self.expected("\"]\"")),
        }
        Ok(Token::Key(key))
    }

    /// PL77.
    fn integer(&mut self) -> Result<i64, AddressError> {
        let rest = &self.text[self.at..];
        let end = rest.find(|char: char| !matches!(char, '0'..='9' | '-')).unwrap_or(rest.len());
        let number = rest[..end].parse().map_err(|_| self.expected("a whole number of 64 bits"))?;
        self.at += end;
        Ok(number)
    }

    /// PL72, read back.
    fn quoted(&mut self) -> Result<String, AddressError> {
        self.bump('"');
        let mut text = String::new();
        loop {
            let Some(char) = self.peek() else { return Err(self.expected("the end of the string")) };
            match char {
                '"' => {
                    self.bump('"');
                    return Ok(text);
                }
                '\\' => text.push(self.escaped()?),
                '\n' | '\r' => return Err(self.expected("a string on one line")),
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
            (Some('{'), _) => return Err(self.expected("a string without interpolation")),
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
        let failure = self.expected("an escape of the configuration language");
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
