//! Paths followed to the parts of values.

use planfuzz_core::value::{Value, ValueRef, WrittenPath, WrittenStep};

/// The part of a value, if it is there.
pub(super) fn at<'v>(value: &'v Value, path: &WrittenPath) -> Option<ValueRef<'v>> {
    value.view().apply_path(&path.to_path()?)
}

/// A path without its last step, and that step.
pub(super) fn split_last(path: &WrittenPath) -> Option<(WrittenPath, &WrittenStep)> {
    let (last, before) = path.steps().split_last()?;
    Some((WrittenPath::new(before.to_vec()), last))
}

/// Whether a path leads to another one or into it.
pub(super) fn covers(outer: &WrittenPath, inner: &WrittenPath) -> bool {
    inner.steps().starts_with(outer.steps())
}
