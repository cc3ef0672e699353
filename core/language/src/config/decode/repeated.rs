//! Names that may be declared only once in a module.

use hashbrown::HashMap;

use super::Decoder;
use crate::place::SourcePlace;

/// The number of declarations, by kind and name.
#[derive(Default)]
pub(super) struct Declared(HashMap<(&'static str, String), usize>);

impl Declared {
    /// Counts a declaration; returns the number of earlier ones.
    pub(super) fn count(&mut self, kind: &'static str, name: &str) -> usize {
        let count = self.0.entry((kind, name.to_owned())).or_default();
        *count += 1;
        *count - 1
    }
}

impl Decoder<'_> {
    /// Whether this is the first declaration of a name; any other is reported.
    pub(super) fn declared_once(
        &mut self,
        kind: &'static str,
        name: &str,
        place: SourcePlace,
        problem: impl FnOnce() -> (String, String),
    ) -> bool {
        let is_first = self.declared.count(kind, name) == 0;
        if !is_first && !fault!(DuplicatesTaken) {
            let (summary, detail) = problem();
            self.error(summary, detail, place);
        }
        is_first
    }
}
