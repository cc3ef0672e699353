//! The language in which workspaces are written: configuration as a tree, static checks, expressions.
//!
//! Problem: what a planner of whole workspaces plans is written in a language of its own, in two syntaxes, with expressions over
//! values that are not known yet. Idea: both syntaxes are read into one tree ([`config`]) in which every expression is parsed by one
//! parser ([`expression`]) and every source place is kept; what can be told without planning is told by [`check`]. The language never
//! plans, and knows values, schemas and addresses of `planfuzz-core` alone.
//!
//! No I/O: files are handed in as paths and bytes ([`Sources`]). Bounds on size, depth and number are checked before memory is asked
//! for or a stack grows, so that no input panics or runs away.

#![forbid(unsafe_code)]

/// Whether a mistake is planted here; never without the feature `faults`.
macro_rules! fault {
    ($name:ident) => {{
        #[cfg(feature = "faults")]
        let planted = crate::faults::is_planted(crate::faults::Fault::$name);
        #[cfg(not(feature = "faults"))]
        let planted = false;
        planted
    }};
}

pub mod check;
pub mod config;
pub mod diagnostic;
pub mod expression;
#[cfg(feature = "faults")]
pub mod faults;
pub mod json;
pub mod laws;
pub mod native;
pub mod place;
pub mod sources;
pub mod write;

pub use diagnostic::{Diagnostic, Severity};
pub use place::{FileId, SourcePlace, Span};
pub use sources::Sources;
