//! Names that may be declared once in a module.

use std::collections::HashMap;

use super::Decoder;
use crate::place::SourcePlace;

/// What is declared already: the kind and the name, and how often.
#[derive(Default)]
pub(super) struct Declared(HashMap<(&'static str, String), usize>);

impl Declared {
    /// Notes one more of a name, and says how many there were before.
    pub(super) fn count(&mut self, kind: &'static str, name: &str) -> usize {
        let count = self.0.entry((kind, name.to_owned())).or_default();
        *count += 1;
        *count - 1
    }
}

impl Decoder<'_> {
    /// Whether this is the first of its name; the second is told.
    pub(super) fn declared_once(
        &mut self,
        kind: &'static str,
        name: &str,
        place: SourcePlace,
        told: impl FnOnce() -> (String, String),
    ) -> bool {
        let is_first = self.declared.count(kind, name) == 0;
        if !is_first && !fault!(DuplicatesTaken) {
            let (summary, detail) = told();
            self.error(summary, detail, place);
        }
        is_first
    }
}
