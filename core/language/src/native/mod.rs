//! The native syntax: bodies, blocks and attributes by a parser of this crate; expressions by the one parser for both syntaxes.
//!
//! Why not a parser from elsewhere: the engine tells all errors of syntax with its own summaries and places, and goes on after them;
//! depth and size have to be bounded; numbers keep all their digits. `scan` finds where an expression ends without understanding it,
//! so that bodies and expressions can be read apart.

mod body;
mod label;
mod quoted;
pub(crate) mod scan;

pub use body::parse;
pub use label::label_text;
pub use scan::{MAX_NATIVE_DEPTH, is_identifier};
