//! The JSON syntax, read exactly (E08 to E12).
//!
//! [`parse()`] makes values with byte places; the schema of a place decides which of them are blocks and which are attributes
//! ([`crate::config`]). [`crate::write`] is the inverse.

mod parse;
mod print;
mod strings;
mod value;

pub use parse::{MAX_JSON_DEPTH, parse};
pub use value::{Json, JsonKind, Member};
