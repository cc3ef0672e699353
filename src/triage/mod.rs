//! Triage: from a finding to a small case that a person can read and the tests can keep.

mod finding;
mod shrink;

pub use finding::{Confirmed, FindingFile, confirm, what};
pub use shrink::{Shrunk, shrink};
