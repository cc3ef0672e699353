//! The language of workspaces: configuration as a tree, static checks, expressions.
//!
//! Problem: the input of a planner of whole workspaces is written in a language of its own, in two syntaxes, with expressions over values
//! that are not known yet. Idea: both syntaxes are read into one tree ([`config`]) that keeps every source place, and one parser
//! ([`expression`]) parses all expressions; [`check`] reports what can be reported without planning. The crate never plans, and of other
//! crates knows only values, schemas and addresses of `planfuzz-core`.
//!
//! No I/O: the caller passes files as paths and bytes ([`Sources`]). Bounds on size, depth and number are checked before memory is
//! allocated or a stack grows, so that no input panics or runs away.

#![forbid(unsafe_code)]

/// Whether a mistake is planted; always false without the feature `faults`.
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
