//! Parses bodies of the native syntax: arguments, blocks, and errors between them.
//!
//! Nested blocks are on an explicit stack, so depth is bounded by a number and not by the thread's stack. After an error, parsing continues
//! on the next line, as in the engine.

mod quoted;

use hashbrown::HashSet;
use planfuzz_core::value::Text;

use crate::config::{Attribute, Block, Body, Name, NativeBody, Written};
use crate::diagnostic::Diagnostic;
use crate::expression::argument_fault;
use crate::native::scan::{self, MAX_NATIVE_DEPTH, Open};
use crate::place::{FileId, SourcePlace};

/// The body of a file, with all syntax errors outside of expressions. Items without errors are in the body.
pub fn parse_native(bytes: &[u8], file: FileId) -> (NativeBody, Vec<Diagnostic>) {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(bad) => {
            let at = bad.valid_up_to();
            let problem = Diagnostic::error(
                "Invalid character encoding",
                "All input files must be UTF-8 encoded.",
                SourcePlace::new(file, offset(at), offset(at + 1)),
            );
            return (NativeBody::default(), vec![problem]);
        }
    };
    let mut parser = Parser { text, bytes, file, at: 0, is_cut_off: false, diagnostics: Vec::new() };
    if text.starts_with('\u{FEFF}') {
        parser.at = 3;
    }
    let body = parser.file_body();
    (body, parser.diagnostics)
}

struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    file: FileId,
    at: usize,
    /// Whether the file ends within an expression; that is already reported.
    is_cut_off: bool,
    diagnostics: Vec<Diagnostic>,
}

/// A block that is not closed yet.
struct OpenBlock {
    header: OpenBlockHeader,
    outer: OpenBody,
}

#[derive(Default)]
struct OpenBody {
    body: NativeBody,
    names: HashSet<Text>,
}

/// The beginning of a line.
enum Item {
    Attribute,
    /// The block's body follows on the next lines.
    Opened(OpenBlockHeader),
    /// The block is on one line.
    Closed(Block),
    Wrong,
}

struct OpenBlockHeader {
    kind: Name,
    labels: Vec<Name>,
    header: SourcePlace,
    brace: usize,
}

impl Parser<'_> {
    fn file_body(&mut self) -> NativeBody {
        let mut stack: Vec<OpenBlock> = Vec::new();
        let mut current = OpenBody::default();
        loop {
            self.at = scan::blank_lines(self.bytes, self.at);
            match self.bytes.get(self.at) {
                None => break,
                Some(b'}') if !stack.is_empty() => {
                    let Some(open) = stack.pop() else { break };
                    self.at += 1;
                    self.close(open, &mut current);
                    self.line_ends(
                        "Missing newline after block definition",
                        "A block definition must end with a newline.",
                    );
                }
                Some(_) => match self.item(&mut current) {
                    Item::Opened(header) if stack.len() < MAX_NATIVE_DEPTH => {
                        stack.push(OpenBlock { header, outer: std::mem::take(&mut current) });
                    }
                    Item::Opened(_) => {
                        self.error(
                            "Configuration too deep",
                            format!("Blocks are nested deeper than {MAX_NATIVE_DEPTH}."),
                            self.at,
                            self.at,
                        );
                        self.at = self.bytes.len();
                    }
                    Item::Closed(block) => {
                        current.body.blocks.push(block);
                        self.line_ends(
                            "Missing newline after block definition",
                            "A block definition must end with a newline.",
                        );
                    }
                    Item::Attribute => {
                        self.line_ends(
                            "Missing newline after argument",
                            "An argument definition must end with a newline.",
                        );
                    }
                    Item::Wrong => self.recover(),
                },
            }
        }
        self.close_all(stack, current)
    }

    /// Closes the blocks that are open at the end of the file; only the innermost is reported.
    fn close_all(&mut self, mut stack: Vec<OpenBlock>, mut current: OpenBody) -> NativeBody {
        if let Some(innermost) = stack.last().filter(|_| !self.is_cut_off) {
            let brace = innermost.header.brace;
            let detail = "There is no closing brace for this block before the end of the file.";
            self.error("Unclosed configuration block", detail, brace, brace + 1);
        }
        while let Some(open) = stack.pop() {
            self.close(open, &mut current);
        }
        current.body.missing = self.place(self.bytes.len(), self.bytes.len());
        current.body
    }

    /// Adds a closed block to the surrounding body.
    fn close(&self, block: OpenBlock, current: &mut OpenBody) {
        let OpenBlock { header: OpenBlockHeader { kind, labels, header, brace }, outer } = block;
        let open = self.place(brace, brace + 1);
        let body = std::mem::replace(current, outer).body;
        let body = Body::Native(NativeBody { missing: open, ..body });
        current.body.blocks.push(Block { kind, labels, body, header, open });
    }

    fn item(&mut self, current: &mut OpenBody) -> Item {
        let start = self.at;
        let end = scan::identifier(self.text, start);
        if end == start {
            let (summary, detail) = if self.bytes[start] == b'"' {
                ("Invalid argument name", "Argument names must not be quoted.")
            } else {
                ("Argument or block definition required", "An argument or block definition is required here.")
            };
            self.error(summary, detail, start, self.token_end(start));
            return Item::Wrong;
        }
        let name = self.name(start, end);
        self.at = scan::blanks(self.bytes, end);
        match self.bytes.get(self.at) {
            Some(b'=') if self.bytes.get(self.at + 1) != Some(&b'=') => {
                self.at += 1;
                self.attribute(name, &mut current.body, &mut current.names)
            }
            Some(b'{' | b'"') => self.block(name),
            Some(_) if scan::identifier(self.text, self.at) > self.at => self.block(name),
            _ => {
                let detail = "An argument or block definition is required here. To set an argument, use the equals sign \"=\" to introduce the argument value.";
                self.error("Argument or block definition required", detail, start, end);
                Item::Wrong
            }
        }
    }

    fn attribute(&mut self, name: Name, body: &mut NativeBody, names: &mut HashSet<Text>) -> Item {
        self.at = scan::blanks(self.bytes, self.at);
        let end = match scan::expression(self.bytes, self.at) {
            Ok(end) => end,
            Err(Open::TooDeep(at)) => {
                self.error(
                    "Configuration too deep",
                    format!("Expressions are nested deeper than {MAX_NATIVE_DEPTH}."),
                    at,
                    at,
                );
                self.at = self.bytes.len();
                return Item::Wrong;
            }
        };
        if end == self.at {
            let detail = "Expected the start of an expression, but found the end of the line.";
            self.error("Invalid expression", detail, self.at, self.token_end(self.at));
            return Item::Wrong;
        }
        let place = self.place(self.at, end);
        if let Some(fault) = argument_fault(&self.text[self.at..end], place) {
            self.diagnostics.push(fault);
            self.is_cut_off |= scan::blank_lines(self.bytes, end) == self.bytes.len();
        }
        let value = Written::Native(place);
        self.at = end;
        if names.insert(name.text.clone()) {
            body.attributes.push(Attribute { name, value });
        } else {
            let detail =
                format!("The argument {:?} was already set. Each argument may be set only once.", name.text.as_str());
            self.diagnostics.push(Diagnostic::error("Attribute redefined", detail, name.place));
        }
        Item::Attribute
    }

    fn block(&mut self, kind: Name) -> Item {
        let mut labels = Vec::new();
        loop {
            match self.bytes.get(self.at) {
                Some(b'{') => break,
                Some(b'"') => match self.quoted_label() {
                    Some(label) => labels.push(label),
                    None => return Item::Wrong,
                },
                Some(_) if scan::identifier(self.text, self.at) > self.at => {
                    let end = scan::identifier(self.text, self.at);
                    labels.push(self.name(self.at, end));
                    self.at = end;
                }
                Some(b'\n') | None => {
                    let detail = "A block definition must have block content delimited by \"{\" and \"}\", starting on the same line as the block header.";
                    self.error("Invalid block definition", detail, self.at, self.token_end(self.at));
                    return self.headless(kind, labels);
                }
                Some(_) => {
                    let detail = "Either a quoted string block label or an opening brace (\"{\") is expected here.";
                    self.error("Invalid block definition", detail, self.at, self.token_end(self.at));
                    return self.headless(kind, labels);
                }
            }
            self.at = scan::blanks(self.bytes, self.at);
        }
        let header = labels.last().map_or(kind.place, |last| kind.place.to(last.place));
        let brace = self.at;
        self.at = scan::blanks(self.bytes, brace + 1);
        match self.bytes.get(self.at) {
            Some(b'\n') | None => Item::Opened(OpenBlockHeader { kind, labels, header, brace }),
            Some(_) if scan::is_line_comment(self.bytes, self.at) => {
                Item::Opened(OpenBlockHeader { kind, labels, header, brace })
            }
            Some(_) => self.one_line(kind, labels, header, self.place(brace, brace + 1)),
        }
    }

    /// A block whose body is missing; it is added without a body.
    fn headless(&mut self, kind: Name, labels: Vec<Name>) -> Item {
        self.recover();
        let header = labels.last().map_or(kind.place, |last| kind.place.to(last.place));
        let body = Body::Native(NativeBody { missing: header, ..NativeBody::default() });
        Item::Closed(Block { kind, labels, header, body, open: header })
    }

    /// Skips to the text after the closing brace of a block on one line.
    fn leave_line(&mut self) -> Item {
        let closing = scan::until(self.bytes, self.at, &|byte| byte == b'}').unwrap_or(self.bytes.len());
        let closing = scan::blank_lines(self.bytes, closing);
        self.at = (closing + 1).min(self.bytes.len());
        Item::Wrong
    }

    /// `{ }` or `{ name = value }`.
    fn one_line(&mut self, kind: Name, labels: Vec<Name>, header: SourcePlace, open: SourcePlace) -> Item {
        let mut body = NativeBody::default();
        if self.bytes[self.at] != b'}' {
            let start = self.at;
            let end = scan::identifier(self.text, start);
            let equals = scan::blanks(self.bytes, end);
            if end == start || self.bytes.get(equals) != Some(&b'=') || self.bytes.get(equals + 1) == Some(&b'=') {
                let is_nested = end > start && self.bytes.get(equals).is_some_and(|&next| next == b'{' || next == b'"');
                if is_nested {
                    let detail = "A single-line block definition can contain only a single argument. If you meant to define argument, use an equals sign.";
                    self.error("Argument definition required", detail, start, self.token_end(equals));
                } else {
                    let at = if end == start { start } else { equals };
                    let detail = "An argument or block definition is required here.";
                    self.error("Argument or block definition required", detail, at, self.token_end(at));
                }
                return self.leave_line();
            }
            let name = self.name(start, end);
            self.at = equals + 1;
            if matches!(self.attribute(name, &mut body, &mut HashSet::new()), Item::Wrong) {
                return Item::Wrong;
            }
            self.at = scan::blanks(self.bytes, self.at);
            if self.bytes.get(self.at) != Some(&b'}') {
                let detail = "An argument definition on the same line as its containing block creates a single-line block definition, which must be closed on the same line.";
                self.error("Invalid single-argument block definition", detail, self.at, self.token_end(self.at));
                return self.leave_line();
            }
        }
        body.missing = open;
        self.at += 1;
        Item::Closed(Block { kind, labels, header, body: Body::Native(body), open })
    }

    /// Requires that only a comment follows on the line.
    fn line_ends(&mut self, summary: &str, detail: &str) {
        self.at = scan::blanks(self.bytes, self.at);
        match self.bytes.get(self.at) {
            None | Some(b'\n') => {}
            Some(_) if scan::is_line_comment(self.bytes, self.at) => {}
            Some(_) => {
                self.error(summary, detail, self.at, self.token_end(self.at));
                self.recover();
            }
        }
    }

    /// Skips to the next line outside of open brackets.
    fn recover(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            if byte == b'\n' {
                return;
            }
            match scan::expression(self.bytes, self.at) {
                Ok(end) if end > self.at => self.at = end,
                Ok(_) if scan::is_line_comment(self.bytes, self.at) => self.at = scan::line_end(self.bytes, self.at),
                Ok(_) => self.at += 1,
                Err(Open::TooDeep(_)) => self.at = self.bytes.len(),
            }
        }
    }

    fn token_end(&self, at: usize) -> usize {
        let name = scan::identifier(self.text, at);
        if name > at { name } else { at + self.text[at..].chars().next().map_or(0, char::len_utf8) }
    }

    fn name(&self, start: usize, end: usize) -> Name {
        Name { text: Text::new(&self.text[start..end]), place: self.place(start, end) }
    }

    fn place(&self, start: usize, end: usize) -> SourcePlace {
        SourcePlace::new(self.file, offset(start), offset(end))
    }

    fn error(&mut self, summary: &str, detail: impl Into<String>, start: usize, end: usize) {
        let place = self.place(start, end);
        self.diagnostics.push(Diagnostic::error(summary, detail, place));
    }
}

/// An offset in a file; files are smaller than [`crate::sources::MAX_FILE_BYTES`].
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
