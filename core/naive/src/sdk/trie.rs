//! The values that the SDK keeps under flat paths, as a tree: each part of a path is a branch.

use std::collections::BTreeMap;

/// A tree of values by path. Branches without values are not kept.
#[derive(Clone, Debug)]
pub struct Trie<T> {
    /// The value whose path ends here.
    pub leaf: Option<T>,
    /// The branches.
    pub below: BTreeMap<String, Trie<T>>,
}

/// The tree of flat texts.
pub type Texts = Trie<String>;

impl<T> Default for Trie<T> {
    fn default() -> Trie<T> {
        Trie { leaf: None, below: BTreeMap::new() }
    }
}

impl<T> Trie<T> {
    /// Whether there is no value here.
    pub fn is_empty(&self) -> bool {
        self.leaf.is_none() && self.below.is_empty()
    }

    /// The tree at a path.
    pub fn at<S: AsRef<str>>(&self, path: &[S]) -> Option<&Trie<T>> {
        path.iter().try_fold(self, |trie, part| trie.below.get(part.as_ref()))
    }

    /// The value at a path.
    pub fn get<S: AsRef<str>>(&self, path: &[S]) -> Option<&T> {
        self.at(path)?.leaf.as_ref()
    }

    /// Puts a value at a path.
    pub fn set<S: AsRef<str>>(&mut self, path: &[S], leaf: T) {
        let end = path.iter().fold(self, |trie, part| trie.below.entry(part.as_ref().to_owned()).or_default());
        end.leaf = Some(leaf);
    }

    /// A branch, to change.
    pub fn branch(&mut self, part: &str) -> &mut Trie<T> {
        self.below.entry(part.to_owned()).or_default()
    }

    /// Removes the value at a path and those below.
    pub fn clear<S: AsRef<str>>(&mut self, path: &[S]) {
        let Some((part, rest)) = path.split_first() else {
            *self = Trie::default();
            return;
        };
        if let Some(inner) = self.below.get_mut(part.as_ref()) {
            inner.clear(rest);
            if inner.is_empty() {
                self.below.remove(part.as_ref());
            }
        }
    }

    /// All values here and below, with their paths, by path.
    pub fn leaves(&self) -> Vec<(Vec<String>, &T)> {
        let mut found = Vec::new();
        let mut path = Vec::new();
        self.gather(&mut path, &mut found);
        found
    }

    fn gather<'t>(&'t self, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, &'t T)>) {
        found.extend(self.leaf.iter().map(|leaf| (path.clone(), leaf)));
        for (part, inner) in &self.below {
            path.push(part.clone());
            inner.gather(path, found);
            path.pop();
        }
    }

    /// A tree of the results of `change`, without the values for which it returns `None`.
    pub fn filter_map<U>(&self, change: &mut impl FnMut(&[String], &T) -> Option<U>) -> Trie<U> {
        let mut after = Trie::default();
        for (path, leaf) in self.leaves() {
            if let Some(leaf) = change(&path, leaf) {
                after.set(&path, leaf);
            }
        }
        after
    }

    /// Puts all values of another tree over this one.
    pub fn overlay(&mut self, other: Trie<T>) {
        if other.leaf.is_some() {
            self.leaf = other.leaf;
        }
        for (part, inner) in other.below {
            self.branch(&part).overlay(inner);
        }
    }
}

/// The parts of a flat path.
pub fn parts(path: &str) -> Vec<String> {
    path.split('.').map(str::to_owned).collect()
}
