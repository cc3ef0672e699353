//! Errors of making values.

use super::ty::Type;

/// The error for a value that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// Two elements of one collection have different types, neither of them `dynamic` (V08).
    #[error("expected elements of one type, found {} and {}", first.to_v05_text(), other.to_v05_text())]
    MixedElements {
        /// The first element type that is not `dynamic`.
        first: Type,
        /// The first one that differs from it.
        other: Type,
    },
}
