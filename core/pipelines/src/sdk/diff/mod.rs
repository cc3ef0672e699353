//! Diffs between a state and a configuration (Z52).

mod collection;
mod field;
mod finalise;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::flat::{FlatMap, below, joined};
use crate::expression::Equiv;

pub(super) use field::Differ;

/// Entries by flat path (Z52).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diff {
    entries: BTreeMap<String, Entry>,
}

/// The change at a flat path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The text before.
    pub old: String,
    /// The text after; meaningless if the value is not known yet.
    pub new: String,
    /// Whether the new value is not known yet.
    pub computed: bool,
    /// Whether there is no new value.
    pub removed: bool,
    /// Whether the change asks for replacement.
    pub requires_new: bool,
    /// The configured text before its state function ran (Z62).
    pub extra: Option<String>,
}

impl Diff {
    /// The entry at a path.
    pub fn get(&self, path: &str) -> Option<&Entry> {
        self.entries.get(path)
    }

    /// The paths and entries, by the bytes of the paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// The entries, mutable.
    pub(super) fn entries_mut(&mut self) -> impl Iterator<Item = (&str, &mut Entry)> {
        self.entries.iter_mut().map(|(path, entry)| (path.as_str(), entry))
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries below a path: the rest of each path after the dot, and the entry.
    pub(super) fn below<'d>(&'d self, path: &str) -> impl Iterator<Item = (&'d str, &'d Entry)> {
        below(&self.entries, path)
    }

    /// Puts an entry at a path; `None`, from finalising, removes it.
    pub(super) fn put(&mut self, path: String, entry: Option<Entry>) {
        match entry {
            Some(entry) => drop(self.entries.insert(path, entry)),
            None => drop(self.entries.remove(&path)),
        }
    }

    /// The entry at a path, mutable; a missing one is added.
    pub(super) fn entry(&mut self, path: &str) -> &mut Entry {
        self.entries.entry(path.to_owned()).or_default()
    }

    /// Keeps the entries for which `keep` is true.
    pub(super) fn retain(&mut self, keep: impl Fn(&str, &Entry) -> bool) {
        self.entries.retain(|path, entry| keep(path, entry));
    }

    /// Takes the entries at and under a path away.
    pub(super) fn clear(&mut self, path: &str) {
        for path in self.paths_at(path) {
            self.entries.remove(&path);
        }
    }

    fn paths_at(&self, path: &str) -> Vec<String> {
        let mut paths: Vec<String> = self.below(path).map(|(rest, _)| joined(path, rest)).collect();
        paths.extend(self.entries.contains_key(path).then(|| path.to_owned()));
        paths
    }

    /// Z63: suppressed entries at and under the path of a field are dropped; inside a set's element they become entries without a change.
    pub(super) fn suppress(&mut self, path: &str, equiv: &Equiv, inside_set: bool) {
        for path in self.paths_at(path) {
            let Some(entry) = self.entries.get_mut(&path) else { continue };
            if !is_suppressed(equiv, &entry.old, &entry.new) {
                continue;
            }
            if inside_set {
                let old = std::mem::take(&mut entry.old);
                *entry = Entry { new: old.clone(), old, ..Entry::default() };
            } else {
                self.entries.remove(&path);
            }
        }
    }

    /// Z76: takes the old texts from the state.
    pub(super) fn take_old_from(&mut self, state: &FlatMap) {
        for (path, entry) in &mut self.entries {
            entry.old.clear();
            entry.old.push_str(state.get(path).unwrap_or_default());
        }
    }

    /// The configured texts before state functions, by path (Z62).
    pub(super) fn extras(&self) -> BTreeMap<String, String> {
        let extras = self.entries.iter();
        extras.filter_map(|(path, entry)| Some((path.clone(), entry.extra.clone()?))).collect()
    }
}

/// Z63: whether a change of a text is suppressed.
pub(super) fn is_suppressed(equiv: &Equiv, old: &str, new: &str) -> bool {
    match equiv {
        Equiv::NewEmpty => new.is_empty(),
        other => other.relates_texts(old, new),
    }
}
