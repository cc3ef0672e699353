//! Documents as engines lay out their files: every item on a line of its own, two spaces a level, the escapes of V05.

use std::borrow::BorrowMut;

use super::Json;
use super::write::{Escape, Flowing, Sink, push_quoted};

/// Writes into a string as engines write files (ST08), without the line break at the end.
#[derive(Debug)]
pub struct Indented<O> {
    out: O,
    level: usize,
    /// Whether the array or object begun last has nothing in it yet.
    empty: bool,
    /// Whether the next item follows its name.
    named: bool,
}

impl<O: BorrowMut<String>> Indented<O> {
    /// Appends to `out`: a string, or a borrowed one.
    pub fn new(out: O) -> Indented<O> {
        Indented { out, level: 0, empty: true, named: false }
    }

    fn item(&mut self) {
        if self.named {
            self.named = false;
            return;
        }
        if self.level > 0 {
            self.out.borrow_mut().push_str(if self.empty { "" } else { "," });
            self.margin();
        }
        self.empty = false;
    }

    fn open(&mut self, bracket: char) {
        self.item();
        self.out.borrow_mut().push(bracket);
        self.level += 1;
        self.empty = true;
    }

    fn close(&mut self, bracket: char) {
        self.level = self.level.saturating_sub(1);
        if !self.empty {
            self.margin();
        }
        self.out.borrow_mut().push(bracket);
        self.empty = false;
    }

    fn margin(&mut self) {
        self.out.borrow_mut().push('\n');
        self.out.borrow_mut().extend(std::iter::repeat_n("  ", self.level));
    }
}

impl<O: BorrowMut<String>> Flowing for Indented<O> {
    fn written(&self) -> &str {
        self.out.borrow()
    }

    fn forget(&mut self) {
        self.out.borrow_mut().clear();
    }
}

impl<O: BorrowMut<String>> Sink for Indented<O> {
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
        push_quoted(self.out.borrow_mut(), text, Escape::Html);
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
        self.out.borrow_mut().push_str(": ");
        self.named = true;
    }

    fn close_object(&mut self) {
        self.close('}');
    }
}

impl Json {
    /// The document as engines write files (ST08), with a line break at its end.
    pub fn to_indented(&self) -> String {
        let mut out = String::new();
        Indented::new(&mut out).json(self);
        out.push('\n');
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn st08_layout_of_files() {
        let json = Json::parse(r#"{"a":[],"b":{},"c":[1,[],{"d":"<\u2028>"}],"e":null}"#).expect("json");
        let want = r#"{
  "a": [],
  "b": {},
  "c": [
    1,
    [],
    {
      "d": "\u003c\u2028\u003e"
    }
  ],
  "e": null
}
"#;
        assert_eq!(json.to_indented(), want);
        assert_eq!(Json::Array(Vec::new()).to_indented(), "[]\n");
    }
}
