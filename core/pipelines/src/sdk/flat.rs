//! Flat maps: paths of parts joined with dots, and texts (Z10).

use std::collections::BTreeMap;
use std::ops::Bound;

/// Texts by flat path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlatMap {
    texts: BTreeMap<String, String>,
}

impl FlatMap {
    /// The text at a path.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }

    /// The text at the path that is `path` and one more part.
    pub(super) fn get_part(&self, path: &str, part: &str) -> Option<&str> {
        self.get(&joined(path, part))
    }

    /// Puts a text at a path.
    pub fn set(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.texts.insert(path.into(), text.into());
    }

    /// Takes the text at a path away.
    pub fn remove(&mut self, path: &str) {
        self.texts.remove(path);
    }

    /// The paths and texts, by the bytes of the paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The texts below a path: the rest of each path after the dot, and its text.
    pub(super) fn below<'f>(&'f self, path: &str) -> impl Iterator<Item = (&'f str, &'f str)> {
        below(&self.texts, path).map(|(rest, text)| (rest, text.as_str()))
    }

    /// Takes everything below a path away.
    pub(super) fn clear_below(&mut self, path: &str) {
        let paths: Vec<String> = self.below(path).map(|(rest, _)| joined(path, rest)).collect();
        for path in paths {
            self.texts.remove(&path);
        }
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

impl<P: Into<String>, T: Into<String>> FromIterator<(P, T)> for FlatMap {
    fn from_iter<I: IntoIterator<Item = (P, T)>>(texts: I) -> FlatMap {
        FlatMap { texts: texts.into_iter().map(|(path, text)| (path.into(), text.into())).collect() }
    }
}

/// The entries of a table below a flat path: the rest of each path after the dot, and the value.
pub(super) fn below<'m, T>(
    things: &'m BTreeMap<String, T>,
    path: &str,
) -> impl Iterator<Item = (&'m str, &'m T)> + use<'m, T> {
    let prefix = joined(path, "");
    let start = (Bound::Included(prefix.as_str()), Bound::Unbounded);
    let range = things.range::<str, _>(start);
    range.map_while(move |(path, thing)| Some((path.strip_prefix(prefix.as_str())?, thing)))
}

/// A path and one more part; the part alone at the top.
pub(super) fn joined(path: &str, part: &str) -> String {
    if path.is_empty() {
        return part.to_owned();
    }
    let mut joined = String::with_capacity(path.len() + 1 + part.len());
    joined.push_str(path);
    joined.push('.');
    joined.push_str(part);
    joined
}

/// The first part of a path.
pub(super) fn first_part(path: &str) -> &str {
    path.split_once('.').map_or(path, |(first, _)| first)
}

/// Whether a part is a count of a list, set or map.
pub(super) fn is_count(part: &str) -> bool {
    matches!(part, "#" | "%")
}

/// The number of different first parts, counts not among them, of paths in order.
pub(super) fn count_first_parts<'p>(paths: impl Iterator<Item = &'p str>) -> usize {
    let parts: std::collections::BTreeSet<&str> = paths.map(first_part).filter(|part| !is_count(part)).collect();
    parts.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z10_entries_below_a_path_have_the_path_and_a_dot_in_front() {
        let flat: FlatMap =
            [("a", "0"), ("a-b.c", "1"), ("a.#", "2"), ("a.x", "3"), ("aa.x", "4")].into_iter().collect();
        assert_eq!(flat.below("a").collect::<Vec<_>>(), [("#", "2"), ("x", "3")]);
        assert_eq!(count_first_parts(["#", "0.a", "0.b", "1"].into_iter()), 2);
    }
}
