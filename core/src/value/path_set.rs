//! Sets of paths: the sensitive parts of a value, the paths that force a replacement.

use std::sync::Arc;

use super::path::Step;
use super::view::ValueRef;
use super::written_path::{PathError, WrittenPath, WrittenStep};

/// A set of paths, independent of a value.
///
/// As marks of a value (V15) a set is first put [on](PathSet::on) it: engines can mark neither a missing part nor the inside of
/// a set. Copies share the paths: the sensitive parts of an object are the same from its configuration to its stored form.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathSet(Option<Arc<[WrittenPath]>>);

impl PathSet {
    /// The empty set.
    pub const EMPTY: PathSet = PathSet(None);

    /// The paths are sorted, each once; there is no set where there is no path. So equal sets are alike.
    fn of(mut paths: Vec<WrittenPath>) -> PathSet {
        paths.sort_unstable();
        paths.dedup();
        PathSet((!paths.is_empty()).then(|| paths.into()))
    }

    /// Whether no path is in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// How many paths are in it.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |paths| paths.len())
    }

    /// Whether a path is in it.
    pub fn contains(&self, path: &WrittenPath) -> bool {
        self.0.as_ref().is_some_and(|paths| paths.binary_search(path).is_ok())
    }

    /// The paths, each once; their order has no meaning.
    pub fn iter(&self) -> impl Iterator<Item = &WrittenPath> {
        self.0.iter().flat_map(|paths| paths.iter())
    }

    /// The paths of both.
    #[must_use]
    pub fn union(&self, other: &PathSet) -> PathSet {
        match (&self.0, &other.0) {
            (_, None) => self.clone(),
            (None, _) => other.clone(),
            (Some(_), Some(its)) if its.iter().all(|path| self.contains(path)) => self.clone(),
            (Some(own), Some(its)) => PathSet::of(own.iter().chain(its.iter()).cloned().collect()),
        }
    }

    /// These paths as marks sit on a value (PL08): one that does not exist in it is left out, one into a set is cut at the
    /// set.
    #[must_use]
    pub fn on(&self, value: ValueRef<'_>) -> PathSet {
        match self.iter().all(|path| mark_length(path, value) == Some(path.steps().len())) {
            true => self.clone(),
            false => self.iter().filter_map(|path| path_of_mark(path, value)).collect(),
        }
    }

    /// The texts of the paths, sorted.
    pub fn texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.iter().map(WrittenPath::to_string).collect();
        texts.sort_unstable();
        texts
    }

    /// Reads paths.
    ///
    /// # Errors
    /// Text in another notation.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<PathSet, PathError> {
        texts.into_iter().map(WrittenPath::parse).collect()
    }
}

impl FromIterator<WrittenPath> for PathSet {
    fn from_iter<I: IntoIterator<Item = WrittenPath>>(paths: I) -> PathSet {
        PathSet::of(paths.into_iter().collect())
    }
}

/// The place on `value` of a mark for `path`.
fn path_of_mark(path: &WrittenPath, value: ValueRef<'_>) -> Option<WrittenPath> {
    mark_length(path, value).map(|steps| path.steps()[..steps].iter().cloned().collect())
}

/// The number of steps of `path` that lead to its mark; `None` where there is no such place.
fn mark_length(path: &WrittenPath, value: ValueRef<'_>) -> Option<usize> {
    let mut at = value;
    for (index, step) in path.steps().iter().enumerate() {
        if at.is_null() || at.is_unknown() {
            return None;
        }
        if matches!(at.ty(), super::Type::Set(_)) {
            return Some(index);
        }
        at = match step {
            WrittenStep::Attribute(name) => at.member(name)?,
            WrittenStep::Index(index) => at.apply(&Step::Index(*index))?,
            WrittenStep::Key(key) => at.apply(&Step::Key(key.clone()))?,
            WrittenStep::Element => return None,
        };
    }
    Some(path.steps().len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;
    use crate::value::{Type, Value};

    fn value(ty: &str, json: &str) -> Value {
        let ty = Type::from_json(&Json::parse(ty).expect("json")).expect("a type");
        Value::from_json(&Json::parse(json).expect("json"), &ty).expect("a value")
    }

    #[test]
    fn pl08_marks_sit_where_the_value_has_a_place_for_them() {
        let value = value(
            r#"["object", {"a": "string", "s": ["set", "string"], "m": ["map", "string"], "l": ["list", "string"]}]"#,
            r#"{"a": null, "s": ["x"], "m": {"k": "v"}, "l": {"$unknown": true}}"#,
        );
        let marks =
            PathSet::parse([".a", ".s[<set element>]", ".m[\"k\"]", ".m[\"none\"]", ".l[0]", ".l", ".b", ".a.x"])
                .expect("paths");
        assert_eq!(marks.on(value.view()).texts(), [".a", ".l", ".m[\"k\"]", ".s"]);
    }
}
