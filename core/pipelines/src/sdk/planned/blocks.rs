//! Blocks (Z83, Z84).

use std::collections::BTreeSet;

use super::{Layout, Planned};
use crate::sdk::flat::{FlatMap, first_part, joined};
use crate::sdk::text::UNKNOWN;

impl Planned<'_> {
    /// Z83: the blocks at a path, or the set of objects of a top-level attribute.
    pub(super) fn blocks(&self, path: &str, is_set: bool, layout: &Layout, out: &mut FlatMap) {
        let entry = self.diff.get(&joined(path, "#"));
        let is_gone = entry.is_some_and(|entry| entry.removed || (entry.new == "0" && !entry.computed));
        let candidates = self.candidates(path, is_set);
        if candidates.is_empty() && !is_gone {
            for (rest, text) in self.state.below(path) {
                out.set(joined(path, rest), text);
            }
        }
        let length = entry.filter(|entry| !is_set && !entry.computed).and_then(|entry| entry.new.parse::<i64>().ok());
        let is_kept = |part: &str| {
            let beyond = length.zip(part.parse::<i64>().ok()).is_some_and(|(length, index)| index >= length);
            !beyond
        };
        for part in candidates.iter().filter(|part| is_kept(part)) {
            self.parts(layout, &joined(path, part), out);
        }
        let count = match entry {
            Some(entry) if entry.computed => UNKNOWN.to_owned(),
            Some(entry) => entry.new.clone(),
            None => match self.state.get_part(path, "#").filter(|count| !count.is_empty()) {
                Some(count) => count.to_owned(),
                None => candidates.len().to_string(),
            },
        };
        out.set(joined(path, "#"), count);
    }

    /// The first path parts of elements: for list blocks those of the state and the diff, for sets those that the diff adds to.
    fn candidates(&self, path: &str, is_set: bool) -> BTreeSet<&str> {
        let mut candidates = BTreeSet::new();
        if !is_set {
            let deeper = self.state.below(path).filter(|(rest, _)| rest.contains('.'));
            candidates.extend(deeper.map(|(rest, _)| first_part(rest)));
        }
        for (rest, entry) in self.diff.below(path).filter(|(rest, entry)| rest.contains('.') && !entry.removed) {
            let is_empty_count = entry.new == "0" && (rest.ends_with(".#") || rest.ends_with(".%"));
            if !is_set || !is_empty_count {
                candidates.insert(first_part(rest));
            }
        }
        candidates
    }
}
