//! Following a written path strictly, marks included (L63).

use planfuzz_core::plans::Marked;
use planfuzz_core::value::{PathSet, Step, WrittenPath, WrittenStep};

/// L63: the part of a marked value at a path, `None` where a step cannot be taken. A part of a marked value is marked.
pub(super) fn follow(marked: &Marked, path: &WrittenPath) -> Option<Marked> {
    let value = marked.value().view().apply_path(&path.to_path()?)?.to_value();
    let marks: PathSet = marked.sensitive().iter().filter_map(|mark| seen_from(mark, path)).collect();
    Some(Marked::new(value, &marks))
}

/// A mark as it sits on the part at a path: inside the part, or on it if the mark is on a value that contains it.
fn seen_from(mark: &WrittenPath, path: &WrittenPath) -> Option<WrittenPath> {
    if let Some(inside) = mark.steps().strip_prefix(path.steps()) {
        return Some(inside.iter().cloned().collect());
    }
    path.steps().starts_with(mark.steps()).then(WrittenPath::default)
}

/// A path and the steps of another.
pub(super) fn joined(path: &WrittenPath, rest: &WrittenPath) -> WrittenPath {
    path.steps().iter().chain(rest.steps()).cloned().collect()
}

/// The steps of a written path, for looking up schema by them: any element of a set will do (S60, S61).
pub(super) fn schema_steps(path: &WrittenPath) -> Vec<Step> {
    let step = |step: &WrittenStep| match step {
        WrittenStep::Attribute(name) => Step::Attribute(name.clone()),
        WrittenStep::Index(index) => Step::Index(*index),
        WrittenStep::Key(key) => Step::Key(key.clone()),
        WrittenStep::Element => Step::Index(0),
    };
    path.steps().iter().map(step).collect()
}
