//! Planted mistakes: what the suite is measured by.
//!
//! Problem: a mistake in code that all planners share cannot be a planner of its own, and a copy of the code with the mistake in it grows stale.
//! Idea: lists beside the sources say which expression is exchanged for which. A build script has [`plant`] write the sources of its crate with all
//! mistakes of its lists, each behind the question [`is`] whether it is switched on; the crate compiles those in the place of its own.
//!
//! Guarantees: no mistake is in a source or in an ordinary build; a list that does not fit its sources is an error of the build. At most one
//! mistake is on in a thread, whatever crate it is in: numbers of mistakes are told apart by where the lists of a crate begin to count.

#![forbid(unsafe_code)]

mod plant;
mod switch;

pub use plant::plant;
pub use switch::{Here, Planted, is};
