//! The reference planner: merge-and-rules.md as code, one rule after another, no cleverness.
