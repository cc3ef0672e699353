//! Writing documents: compact and deterministic, members in the order they are given.

use std::borrow::BorrowMut;
use std::fmt::Write as _;

use super::Json;

/// Where a document is written to, part by part: items and members come between the calls that open and close an array
/// or object, each member after its name.
pub trait Sink {
    /// `null`.
    fn null(&mut self);
    /// A bool.
    fn bool(&mut self, bool: bool);
    /// A number; `text` is a JSON number.
    fn number(&mut self, text: &str);
    /// A string.
    fn string(&mut self, text: &str);
    /// Begins an array.
    fn open_array(&mut self);
    /// Ends the array begun last.
    fn close_array(&mut self);
    /// Begins an object.
    fn open_object(&mut self);
    /// The name of the next member. The caller sees to it that none is written twice.
    fn name(&mut self, name: &str);
    /// Ends the object begun last.
    fn close_object(&mut self);

    /// A whole number.
    fn int(&mut self, number: i128) {
        self.number(&number.to_string());
    }

    /// A part that is there already.
    fn json(&mut self, json: &Json) {
        match json {
            Json::Null => self.null(),
            Json::Bool(bool) => self.bool(*bool),
            Json::Number(text) => self.number(text),
            Json::String(text) => self.string(text),
            Json::Array(items) => {
                self.open_array();
                items.iter().for_each(|item| self.json(item));
                self.close_array();
            }
            Json::Object(members) => {
                self.open_object();
                for (name, value) in members {
                    self.name(name);
                    self.json(value);
                }
                self.close_object();
            }
        }
    }
}

/// A sink whose text can be taken away while it is written, so that no more than a part of it is kept.
pub trait Flowing: Sink {
    /// The text written since the last [`Flowing::forget`].
    fn written(&self) -> &str;
    /// Drops the text written so far, which the caller keeps elsewhere; the document goes on after it.
    fn forget(&mut self);
}

/// Writes into a string, without any white space.
#[derive(Debug)]
pub struct Compact<O> {
    out: O,
    /// Whether the next item needs a comma before it.
    comma: bool,
    escape: Escape,
}

/// Which characters of a string are escaped.
#[derive(Clone, Copy, Debug)]
pub(super) enum Escape {
    /// The characters for which JSON demands it.
    Plain,
    /// Also the characters that are special in HTML (V05).
    Html,
}

impl<O: BorrowMut<String>> Compact<O> {
    /// Appends to `out`: a string, or a borrowed one.
    pub fn new(out: O) -> Compact<O> {
        Compact { out, comma: false, escape: Escape::Plain }
    }

    /// Appends to `out`, with the escapes of V05.
    pub fn html(out: O) -> Compact<O> {
        Compact { out, comma: false, escape: Escape::Html }
    }

    fn item(&mut self) {
        if self.comma {
            self.out.borrow_mut().push(',');
        }
        self.comma = true;
    }

    fn open(&mut self, bracket: char) {
        self.item();
        self.out.borrow_mut().push(bracket);
        self.comma = false;
    }

    fn close(&mut self, bracket: char) {
        self.out.borrow_mut().push(bracket);
        self.comma = true;
    }
}

impl<O: BorrowMut<String>> Flowing for Compact<O> {
    fn written(&self) -> &str {
        self.out.borrow()
    }

    fn forget(&mut self) {
        self.out.borrow_mut().clear();
    }
}

impl<O: BorrowMut<String>> Sink for Compact<O> {
    fn null(&mut self) {
        self.item();
        self.out.borrow_mut().push_str("null");
    }

    fn bool(&mut self, bool: bool) {
        self.item();
        self.out.borrow_mut().push_str(if bool { "true" } else { "false" });
    }

    fn number(&mut self, text: &str) {
        self.item();
        self.out.borrow_mut().push_str(text);
    }

    fn string(&mut self, text: &str) {
        self.item();
        push_quoted(self.out.borrow_mut(), text, self.escape);
    }

    fn open_array(&mut self) {
        self.open('[');
    }

    fn close_array(&mut self) {
        self.close(']');
    }

    fn open_object(&mut self) {
        self.open('{');
    }

    fn name(&mut self, name: &str) {
        self.string(name);
        self.out.borrow_mut().push(':');
        self.comma = false;
    }

    fn close_object(&mut self) {
        self.close('}');
    }
}

/// Builds a tree.
#[derive(Debug, Default)]
pub struct Tree {
    /// The arrays and objects that are open, outermost first.
    open: Vec<Open>,
    done: Option<Json>,
}

#[derive(Debug)]
enum Open {
    Array(Vec<Json>),
    Object(Vec<(Box<str>, Json)>, Option<Box<str>>),
}

impl Tree {
    /// The tree that `write` writes.
    pub fn of(write: impl FnOnce(&mut Tree)) -> Json {
        let mut tree = Tree::default();
        write(&mut tree);
        tree.done.unwrap_or(Json::Null)
    }

    fn put(&mut self, json: Json) {
        match self.open.last_mut() {
            None => self.done = Some(json),
            Some(Open::Array(items)) => items.push(json),
            Some(Open::Object(members, name)) => members.push((name.take().unwrap_or_default(), json)),
        }
    }

    fn close(&mut self) {
        match self.open.pop() {
            None => {}
            Some(Open::Array(items)) => self.put(Json::Array(items)),
            Some(Open::Object(members, _)) => self.put(Json::Object(members)),
        }
    }
}

impl Sink for Tree {
    fn null(&mut self) {
        self.put(Json::Null);
    }

    fn bool(&mut self, bool: bool) {
        self.put(Json::Bool(bool));
    }

    fn number(&mut self, text: &str) {
        self.put(Json::Number(text.into()));
    }

    fn string(&mut self, text: &str) {
        self.put(Json::string(text));
    }

    fn open_array(&mut self) {
        self.open.push(Open::Array(Vec::new()));
    }

    fn close_array(&mut self) {
        self.close();
    }

    fn open_object(&mut self) {
        self.open.push(Open::Object(Vec::new(), None));
    }

    fn name(&mut self, name: &str) {
        if let Some(Open::Object(_, next)) = self.open.last_mut() {
            *next = Some(name.into());
        }
    }

    fn close_object(&mut self) {
        self.close();
    }

    fn json(&mut self, json: &Json) {
        self.put(json.clone());
    }
}

impl Json {
    /// The document on one line, without white space.
    pub fn to_compact(&self) -> String {
        let mut out = String::new();
        Compact::new(&mut out).json(self);
        out
    }
}

/// Appends a JSON string.
pub(super) fn push_quoted(out: &mut String, text: &str, escape: Escape) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|char| needs_escape(char, escape)) {
        out.push_str(&rest[..at]);
        let mut chars = rest[at..].chars();
        if let Some(char) = chars.next() {
            push_escaped(out, char);
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

fn needs_escape(char: char, escape: Escape) -> bool {
    match char {
        '"' | '\\' | '\0'..'\u{20}' => true,
        '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => matches!(escape, Escape::Html),
        _ => false,
    }
}

fn push_escaped(out: &mut String, char: char) {
    match char {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        other => {
            let written = write!(out, "\\u{:04x}", u32::from(other));
            debug_assert!(written.is_ok(), "a string takes everything");
        }
    }
}
