//! The lexical level of the native syntax: names, blanks, comments, labels, and the end of an expression.
//!
//! A parser of this crate reads bodies, blocks and attributes ([`crate::config::parse_native`]), and one parser for both syntaxes reads
//! expressions ([`crate::expression`]); both use this module. Why not an existing parser: the engine reports all syntax errors with its own
//! summaries and places, and continues after them; depth and size have to be bounded; numbers keep all their digits. `scan` finds the end
//! of an expression without parsing it, so that bodies and expressions are parsed separately.

mod label;
pub(crate) mod scan;

pub use label::label_text;
pub use scan::{MAX_NATIVE_DEPTH, is_identifier};
