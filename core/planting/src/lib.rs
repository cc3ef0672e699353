//! Planted mistakes, by which the test suite is measured.
//!
//! Problem: a mistake in code that all planners share cannot be tested as a separate planner, and a copy of the code with the mistake in it
//! becomes outdated. Idea: lists beside the sources name expressions and their wrong replacements. In a build script, [`plant()`] writes the
//! sources of the crate with all mistakes of its lists, each behind a switch ([`is`]); the crate compiles those instead of its own.
//!
//! Guarantees: no mistake is in a source or in an ordinary build; a list that does not fit its sources is a build error. At most one
//! mistake is on in a thread, whatever crate it is in: the lists of each crate number their mistakes from another start.

#![forbid(unsafe_code)]

mod plant;
mod switch;

pub use plant::plant;
pub use switch::{Here, Planted, is};
