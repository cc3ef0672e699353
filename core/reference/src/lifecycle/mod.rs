//! The plan and apply walks of one resource instance (lifecycle.md).
//!
//! A file is a section or a part of one, and the steps of a function stand in the order of the rules.
//!
//! | file | rules |
//! | --- | --- |
//! | `plan` | section 2, L150 to L158, L180 to L182: the plan walk of an instance |
//! | `managed` | section 2, 10.4: one managed instance in it |
//! | `validation` | section 3 |
//! | `read_stored` | section 4 |
//! | `refresh` | section 5 |
//! | `import` | section 6 |
//! | `sequence`, `answer` | section 7 |
//! | `ignore_changes` | section 8 |
//! | `replace_filter` | section 9 |
//! | `action` | section 10.1 |
//! | `triggers` | section 11 |
//! | `destroy`, `orphan` | section 12 |
//! | `data` | section 13 |
//! | `drift` | section 16 |
//! | `apply` | section 20 |
//! | `conditions` | L30, L113, A17 |
//! | `walk`, `typed_object`, `follow`, `answered` | shared by all of them |

mod action;
mod answer;
mod answered;
mod apply;
mod conditions;
mod data;
mod destroy;
mod drift;
mod follow;
mod ignore_changes;
mod import;
mod managed;
mod orphan;
mod plan;
mod read_stored;
mod refresh;
mod replace_filter;
mod sequence;
mod triggers;
mod typed_object;
mod validation;
mod walk;

#[cfg(test)]
mod fixture;

pub(super) use apply::apply;
pub(super) use plan::plan;
