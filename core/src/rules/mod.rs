//! The lifecycle rules: a third writing of merge-and-rules.md, as checks on answers only.
