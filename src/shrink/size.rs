//! The size of a case's document, which the shrinker minimizes; the most important parts are compared first.

use planfuzz_core::json::Json;

/// The size of a document. Comparison is by the fields in order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// Steps of a scenario: a reader has to play each of them mentally.
    steps: usize,
    /// Nodes of the document.
    nodes: usize,
    /// The weight of the words that a reader has to know: modes, types, flags, unknowns.
    words: usize,
    /// The length of all texts.
    text: usize,
    /// How far texts are from the first letter and numbers from 0, which orders documents of the same length.
    letters: usize,
}

impl Size {
    /// The size of a document.
    pub fn of(document: &Json) -> Size {
        let steps = match document.member("steps") {
            Some(Json::Array(steps)) => steps.len(),
            _ => 0,
        };
        let mut size = Size { steps, nodes: 0, words: 0, text: 0, letters: 0 };
        size.add(document);
        size
    }

    fn add(&mut self, json: &Json) {
        self.nodes += 1;
        match json {
            Json::Null => {}
            Json::Bool(bool) => self.text += 1 + usize::from(*bool),
            Json::Number(text) => self.add_text(text, b'0'),
            Json::String(text) => {
                self.words += weight(text);
                self.add_text(text, b'a');
            }
            Json::Array(items) => items.iter().for_each(|item| self.add(item)),
            Json::Object(members) => {
                for (name, value) in members {
                    self.words += weight(name);
                    // A record, even an empty one, is harder to read than a plain unknown.
                    self.words += usize::from(**name == *"$unknown" && matches!(value, Json::Object(_)));
                    self.add_text(name, b'a');
                    self.add(value);
                }
            }
        }
    }

    fn add_text(&mut self, text: &str, plainest: u8) {
        self.text += text.len();
        self.letters += text.bytes().map(|byte| usize::from(byte.abs_diff(plainest))).sum::<usize>();
    }
}

/// The words of schemas and values, from plain to hard; anything else weighs nothing.
fn weight(word: &str) -> usize {
    match word {
        "single" | "string" | "optional" => 1,
        "list" | "bool" | "number" | "computed" | "required" => 2,
        "group" | "map" | "tuple" | "object" | "$unknown" => 3,
        "set" | "dynamic" | "merge" => 4,
        // The default dialect weighs nothing.
        "terraform-1.17" | "opentofu-1.12" | "opentofu-1.13" => 5,
        _ => 0,
    }
}
