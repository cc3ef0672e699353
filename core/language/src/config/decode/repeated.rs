//! Names that may be declared once in a module.

use std::collections::HashSet;

use super::Decoder;
use crate::place::SourcePlace;

/// What is declared already: the kind and the name.
#[derive(Default)]
pub(super) struct Declared(HashSet<(&'static str, String)>);

impl Decoder<'_> {
    /// Whether this is the first of its name; the second is told.
    pub(super) fn declared_once(
        &mut self,
        kind: &'static str,
        name: &str,
        place: SourcePlace,
        told: impl FnOnce() -> (String, String),
    ) -> bool {
        let is_first = self.declared.0.insert((kind, name.to_owned()));
        if !is_first && !fault!(DuplicatesTaken) {
            let (summary, detail) = told();
            self.error(summary, detail, place);
        }
        is_first
    }
}
