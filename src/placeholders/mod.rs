//! Placeholders: values that are written and shown instead of sensitive ones.
//!
//! A case made from a user's files is kept, shared and shown without its secrets, and still asks planners the same. So a
//! placeholder keeps what a planner can distinguish: the type, null and unknown, empty or not, the length class, whether a text
//! is digits or JSON, and which values are equal. Equal values stay equal and different ones stay different, in the whole
//! document at once: first everything is noted ([`Notes`]), then everything is replaced ([`Placeholders`]).
//!
//! A placeholder reveals nothing of its secret: it is a number in the order in which secrets were noted, not a hash, which
//! could be found by trial. The same document gives the same placeholders.

mod cases;
mod json_text;
mod numbered;
mod places;
mod text;
mod walk;
mod workspaces;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::AhoCorasick;
use planfuzz_core::value::{Number, PathSet, Text, Value, ValueError, ValueRef};

pub(crate) use cases::secrets_of;
pub use cases::{CaseError, of_case};
pub use workspaces::of_workspace;

use numbered::NumberedPlaceholders;

/// A secret with fewer characters is replaced in sensitive places only: `1` and `no` are everywhere.
const WHOLE: usize = 4;

/// A secret with fewer characters is not searched for inside of other texts.
const INSIDE: usize = 8;

/// The secrets of a document, in the order in which they were noted.
#[derive(Debug, Default)]
pub struct Notes {
    /// Secret texts, each once.
    texts: Vec<Text>,
    /// Secret numbers, each once.
    numbers: Vec<Number>,
    seen: BTreeSet<Text>,
    seen_numbers: BTreeSet<String>,
    /// All texts there are, secret or not, one in each line: no placeholder may be among them.
    all: String,
}

/// The placeholder of each secret.
#[derive(Debug)]
pub struct Placeholders {
    texts: BTreeMap<Text, Text>,
    numbers: BTreeMap<String, Number>,
    inside: Inside,
}

/// Secrets that are searched for inside of other texts, and the placeholder of each.
#[derive(Debug, Default)]
struct Inside {
    /// The longest first.
    secrets: Vec<(Text, String)>,
    /// Searches for all at once; `None` if they are too many for it.
    searcher: Option<AhoCorasick>,
}

impl Notes {
    /// Nothing noted.
    pub fn new() -> Notes {
        Notes::default()
    }

    /// Notes a value. The paths lead to its sensitive parts, each with all that is below. An index into a set means each of its
    /// elements, and a key may be written as an attribute.
    pub fn value(&mut self, value: ValueRef<'_>, sensitive: &PathSet) {
        walk::note(self, value, sensitive);
    }

    /// Notes a text that is not sensitive itself.
    pub fn text(&mut self, text: &str) {
        self.all.push_str(text);
        self.all.push('\n');
    }

    /// Notes a text that is secret.
    pub fn secret(&mut self, text: &str) {
        self.text(text);
        if text.is_empty() || !self.seen.insert(Text::new(text)) {
            return;
        }
        self.texts.push(Text::new(text));
        for inner in json_text::texts_inside(text) {
            self.secret(&inner);
        }
    }

    /// Notes a number that is secret.
    pub fn secret_number(&mut self, number: &Number) {
        if self.seen_numbers.insert(number.text().into_owned()) {
            self.numbers.push(number.clone());
        }
    }

    /// The placeholders of everything that was noted.
    pub fn placeholders(&self) -> Placeholders {
        let mut numbered = NumberedPlaceholders::new(&self.all);
        let mut texts = BTreeMap::new();
        // A JSON document is made of the placeholders of its parts, so it comes last.
        let (documents, plain): (Vec<&Text>, Vec<&Text>) =
            self.texts.iter().partition(|text| json_text::is_document(text));
        for text in plain {
            texts.insert(text.clone(), numbered.text(text));
        }
        for text in documents {
            let placeholder = json_text::placeholder(text, &texts, &mut numbered);
            texts.insert(text.clone(), placeholder);
        }
        let numbers = self.numbers.iter().map(|number| (number.text().into_owned(), numbered.number(number))).collect();
        let inside = Inside::of(&texts);
        Placeholders { texts, numbers, inside }
    }
}

impl Placeholders {
    /// Nothing is sensitive.
    pub fn none() -> Placeholders {
        Notes::new().placeholders()
    }

    /// Whether there is anything to replace.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.numbers.is_empty()
    }

    /// The value with placeholders for the parts at these paths, and for every text that is secret elsewhere.
    ///
    /// # Errors
    /// None, unless the value is not of its own type.
    pub fn of_value(&self, value: &Value, sensitive: &PathSet) -> Result<Value, ValueError> {
        if self.is_empty() && sensitive.is_empty() {
            return Ok(value.clone());
        }
        walk::replace(self, value, sensitive)
    }

    /// A text that is not sensitive itself, without the secrets that are in it.
    pub fn of_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        text::replaced(self, text)
    }

    /// The placeholder of a text in a sensitive place. All texts that were not noted have the same one.
    fn of_secret(&self, text: &Text) -> Text {
        match self.texts.get(text) {
            Some(placeholder) => placeholder.clone(),
            None if text.is_empty() => text.clone(),
            None => Text::new("stand-in"),
        }
    }

    /// Likewise for a number.
    fn of_secret_number(&self, number: &Number) -> Number {
        self.numbers.get(&*number.text()).cloned().unwrap_or_else(|| Number::from(1_i64))
    }
}
