//! Parses JSON with places. The depth is bounded, and with it the recursion.

use super::strings::unescape;
use super::value::{Json, JsonKind, Member};
use crate::diagnostic::Diagnostic;
use crate::place::{FileId, SourcePlace};

/// The greatest nesting depth of arrays and objects.
pub const MAX_JSON_DEPTH: usize = 500;

/// The value of a file. After an error within a scalar, parsing continues; an error in an array or object ends it.
///
/// # Errors
/// The text is not JSON, is empty, or is nested deeper than [`MAX_JSON_DEPTH`].
pub fn parse(bytes: &[u8], file: FileId) -> Result<Json, Vec<Diagnostic>> {
    let root = || {
        let place = SourcePlace::new(file, 0, 1);
        Diagnostic::error(
            "Root value must be object",
            "The root value in a JSON-based configuration must be either a JSON object or a JSON array of objects.",
            place,
        )
    };
    let mut parser = Parser { bytes, at: 0, file, problems: Vec::new() };
    let document = parser.document();
    let mut problems = parser.problems;
    match document {
        Ok(value) if !problems.is_empty() => drop(value),
        Ok(value) if matches!(value.kind, JsonKind::Object(_) | JsonKind::Array(_)) => return Ok(value),
        Ok(_) => problems.push(root()),
        Err(problem) => {
            let is_structural = STRUCTURAL.contains(&problem.summary.as_str());
            problems.push(problem);
            problems.extend(is_structural.then(root));
        }
    }
    Err(problems)
}

/// Errors after which the engine has no value at all.
const STRUCTURAL: [&str; 7] = [
    "Missing value",
    "Trailing comma in object",
    "Trailing comma in array",
    "Invalid object property name",
    "Missing property value colon",
    "Unclosed object",
    "Unclosed array",
];

struct Parser<'b> {
    bytes: &'b [u8],
    at: usize,
    file: FileId,
    /// Errors after which parsing continued.
    problems: Vec<Diagnostic>,
}

impl Parser<'_> {
    fn document(&mut self) -> Result<Json, Diagnostic> {
        self.skip_blanks();
        if self.at == self.bytes.len() {
            return Err(self.error("Missing value", "The JSON data ends prematurely.", 0, 1));
        }
        let value = self.value(0)?;
        self.skip_blanks();
        if self.at < self.bytes.len() {
            return Err(self.here("Extraneous data after value", "Extra characters appear after the JSON value."));
        }
        Ok(value)
    }

    fn skip_blanks(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json, Diagnostic> {
        if depth > MAX_JSON_DEPTH {
            return Err(self.here("Configuration too deep", format!("Values are nested deeper than {MAX_JSON_DEPTH}.")));
        }
        let start = self.at;
        let kind = match self.bytes.get(start) {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => JsonKind::String(self.string()),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'a'..=b'z' | b'A'..=b'Z') => self.keyword(),
            _ => {
                return Err(self.here(
                    "Missing JSON value",
                    "A JSON value must start with a brace, a bracket, a number, a string, or a keyword.",
                ));
            }
        };
        Ok(Json { place: self.place(start, self.at), kind })
    }

    fn object(&mut self, depth: usize) -> Result<JsonKind, Diagnostic> {
        let open = self.at;
        self.at += 1;
        let (mut members, mut comma) = (Vec::new(), open);
        loop {
            self.skip_blanks();
            match self.bytes.get(self.at) {
                Some(b'}') if members.is_empty() => break,
                Some(b'"') => {}
                None => return Err(self.unclosed_object(open)),
                Some(b'}') => {
                    return Err(self.error(
                        "Trailing comma in object",
                        "JSON does not permit a trailing comma after the final property in an object.",
                        comma,
                        comma + 1,
                    ));
                }
                Some(_) => return Err(self.wrong_name()),
            }
            let start = self.at;
            let name = self.string();
            let name_place = self.place(start, self.at);
            self.skip_blanks();
            match self.bytes.get(self.at) {
                Some(b':') => self.at += 1,
                None => return Err(self.unclosed_object(open)),
                Some(b'=') => {
                    return Err(self.here(
                        "Missing property value colon",
                        "JSON uses a colon as its name/value delimiter, not an equals sign.",
                    ));
                }
                Some(_) => {
                    return Err(self.here(
                        "Missing property value colon",
                        "A colon must appear between an object property's name and its value.",
                    ));
                }
            }
            self.skip_blanks();
            let value = self.value(depth + 1).map_err(|inner| self.around(inner, self.unclosed_object(open)))?;
            members.push(Member { name, name_place, value });
            self.skip_blanks();
            match self.bytes.get(self.at) {
                Some(b',') => {
                    comma = self.at;
                    self.at += 1;
                }
                Some(b'}') => break,
                None => return Err(self.unclosed_object(open)),
                Some(_) => {
                    return Err(self.here(
                        "Missing attribute seperator comma",
                        "A property separator comma or closing brace must appear.",
                    ));
                }
            }
        }
        self.at += 1;
        Ok(JsonKind::Object(members))
    }

    /// A value that is unclosed leaves the surrounding one unclosed too; both are reported.
    fn around(&mut self, inner: Diagnostic, outer: Diagnostic) -> Diagnostic {
        if !inner.summary.starts_with("Unclosed ") {
            return inner;
        }
        self.problems.push(inner);
        outer
    }

    /// The diagnostic of another token in place of a property name; its place is the whole token.
    fn wrong_name(&mut self) -> Diagnostic {
        let start = self.at;
        match self.bytes[start] {
            b'a'..=b'z' | b'A'..=b'Z' => drop(self.keyword()),
            b'-' | b'0'..=b'9' => drop(self.number()),
            _ => self.at += 1,
        }
        let detail = "A JSON object property name must be a string in quotes.";
        self.error("Invalid object property name", detail, start, self.at)
    }

    fn unclosed_object(&self, open: usize) -> Diagnostic {
        self.error("Unclosed object", "No closing brace was found for this JSON object.", open, open + 1)
    }

    fn array(&mut self, depth: usize) -> Result<JsonKind, Diagnostic> {
        let open = self.at;
        self.at += 1;
        let (mut elements, mut comma) = (Vec::new(), open);
        loop {
            self.skip_blanks();
            match self.bytes.get(self.at) {
                Some(b']') if elements.is_empty() => break,
                Some(b']') => {
                    return Err(self.error(
                        "Trailing comma in array",
                        "JSON does not permit a trailing comma after the final value in an array.",
                        comma,
                        comma + 1,
                    ));
                }
                None => return Err(self.unclosed_array(open)),
                Some(_) => {}
            }
            let element = self.value(depth + 1).map_err(|inner| self.around(inner, self.unclosed_array(open)))?;
            elements.push(element);
            self.skip_blanks();
            match self.bytes.get(self.at) {
                Some(b',') => {
                    comma = self.at;
                    self.at += 1;
                }
                Some(b']') => break,
                None => return Err(self.unclosed_array(open)),
                Some(_) => {
                    return Err(self.here(
                        "Missing attribute seperator comma",
                        "A value separator comma or closing bracket must appear.",
                    ));
                }
            }
        }
        self.at += 1;
        Ok(JsonKind::Array(elements))
    }

    fn unclosed_array(&self, open: usize) -> Diagnostic {
        self.error("Unclosed array", "No closing bracket was found for this JSON array.", open, open + 1)
    }

    fn string(&mut self) -> Box<str> {
        const SUMMARY: &str = "Invalid JSON string";
        let open = self.at;
        let mut at = open + 1;
        while !matches!(self.bytes.get(at), Some(b'"' | b'\n') | None) {
            at += if self.bytes[at] == b'\\' { 2 } else { 1 };
        }
        at = at.min(self.bytes.len());
        if self.bytes.get(at) != Some(&b'"') {
            self.at = at;
            return self.passed(SUMMARY, "There is a string without its closing quote.", at, at + 1, "".into());
        }
        self.at = at + 1;
        unescape(&self.bytes[open + 1..at]).unwrap_or_else(|bad| {
            let detail = "There is an invalid escape or a control character in this string.";
            self.passed(SUMMARY, detail, open + 3 + bad.at, open + 4 + bad.at, "".into())
        })
    }

    fn number(&mut self) -> JsonKind {
        let start = self.at;
        while matches!(self.bytes.get(self.at), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        let text = &self.bytes[start..self.at];
        if !is_number(text) {
            return self.passed("Invalid JSON number", "This is no number of JSON.", start, self.at, JsonKind::Null);
        }
        JsonKind::Number(String::from_utf8_lossy(text).into())
    }

    fn keyword(&mut self) -> JsonKind {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_alphabetic) {
            self.at += 1;
        }
        match &self.bytes[start..self.at] {
            b"null" => JsonKind::Null,
            b"true" => JsonKind::Bool(true),
            b"false" => JsonKind::Bool(false),
            _ => {
                let detail = "This is not a valid JSON keyword.";
                self.passed("Invalid JSON keyword", detail, start, self.at, JsonKind::Null)
            }
        }
    }

    /// Reports an error in a value and continues with `instead`.
    fn passed<T>(&mut self, summary: &str, detail: &str, start: usize, end: usize, instead: T) -> T {
        self.problems.push(self.error(summary, detail, start, end));
        instead
    }

    fn place(&self, start: usize, end: usize) -> SourcePlace {
        SourcePlace::new(self.file, offset(start), offset(end))
    }

    fn here(&self, summary: &str, detail: impl Into<String>) -> Diagnostic {
        self.error(summary, detail, self.at, (self.at + 1).min(self.bytes.len()))
    }

    fn error(&self, summary: &str, detail: impl Into<String>, start: usize, end: usize) -> Diagnostic {
        Diagnostic::error(summary, detail, self.place(start, end))
    }
}

/// An offset in a file; files are smaller than [`crate::sources::MAX_FILE_BYTES`].
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The grammar of JSON: no leading zeros, digits on both sides of a dot.
fn is_number(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(text);
    if whole == 0 || (whole > 1 && text[0] == b'0') {
        return false;
    }
    let mut rest = &text[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let Some((b'e' | b'E', exponent)) = rest.split_first() {
        let exponent = exponent.strip_prefix(b"-").or(exponent.strip_prefix(b"+")).unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|b| b.is_ascii_digit()).count()
}
