//! The lifecycle rules: a third writing of merge-and-rules.md, as checks on answers only.
//!
//! A rule never computes the answer it expects and compares; it says of an answer, place by place, whether the rule holds
//! there. Nothing here plans, and nothing here knows the planners.
//!
//! Two kinds of answers, two kinds of checks. A *value* is related to the inputs that it came from: walks over prior,
//! configuration and answer hold at each place the rule that governs it. A *list of violations* is weighed against demands:
//! at each place the governing rule says how many violations there are to be, often none.
//!
//! A third kind is for [`Lifecycle`]: the trace of a resource instance's life, held against the invariants of lifecycle.md.
//!
//! What is guaranteed: a right answer breaks no rule; an answer is wrong where a rule is broken. Where the specification
//! leaves an outcome open, either is right. All of it is linear in the values but for sets, whose elements are
//! compared pairwise up to a limit, beyond which cheaper laws stand in.

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
    BrokenInvariant, Claims, Held, HeldLife, INVARIANT_COUNT, INVARIANTS, InvariantInfo, Lifecycle, Party, Walk,
};
pub use rules::{Answered, Broken, Checked, Rules};
