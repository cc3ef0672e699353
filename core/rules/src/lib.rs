//! The lifecycle rules: a third implementation of merge-and-rules.md, as checks on answers only.
//!
//! A check never computes the expected answer to compare it; it decides for each place of an answer whether the rule holds there. Nothing
//! here plans, and nothing here knows the planners.
//!
//! There are two kinds of answers, with two kinds of checks. A *value* is related to its inputs: walks over prior, configuration and answer
//! check the governing rule at each place. A *list of violations* is compared with demands: at each place the governing rule demands a
//! number of violations, often none.
//!
//! A third kind is for [`Lifecycle`]: the trace of a resource instance, checked against the invariants of lifecycle.md.
//!
//! What is guaranteed: a right answer breaks no rule; an answer that breaks a rule is wrong. If the specification leaves an outcome open,
//! either is right. All checks are linear in the values, except for sets, whose elements are compared pairwise up to a limit, beyond which
//! weaker checks apply.

#![forbid(unsafe_code)]

mod collections;
mod compatibility;
mod computed_blocks;
mod correlate;
mod demands;
mod id;
mod kinds;
mod lifecycle;
mod merge;
mod normalize;
mod place;
mod plan_validity;
mod result_type;
mod rules;
mod sets;
mod shape;
#[cfg(test)]
mod tests;
mod verdict;

pub use id::{ALL, RuleInfo};
pub use lifecycle::{
    BrokenInvariant, Checking, Claims, INVARIANT_COUNT, INVARIANTS, InvariantInfo, Lifecycle, Party, TraceReport, Walk,
};
pub use rules::{Answered, Broken, Checked, Rules};
