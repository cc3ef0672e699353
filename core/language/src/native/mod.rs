//! The letters of the native syntax: names, blanks, comments, labels, and where an expression ends.
//!
//! Bodies, blocks and attributes are read by a parser of this crate ([`crate::config::parse_native`]), expressions by the one parser for
//! both syntaxes ([`crate::expression`]); both stand on what is here. Why not a parser from elsewhere: the engine tells all errors of
//! syntax with its own summaries and places, and goes on after them; depth and size have to be bounded; numbers keep all their digits.
//! `scan` finds where an expression ends without understanding it, so that bodies and expressions can be read apart.

mod label;
pub(crate) mod scan;

pub use label::label_text;
pub use scan::{MAX_NATIVE_DEPTH, is_identifier};
