//! Values, by `docs/spec/values.md`: a plain tree for each, and the operations on trees.
