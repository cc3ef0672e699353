//! The JSON syntax, read exactly (E08 to E12).
//!
//! [`parse`] makes values with places of bytes; what is a block and what an attribute is said by the schema of the place
//! ([`crate::config`]). [`crate::write`] is the way back.

mod parse;
mod print;
mod strings;
mod value;

pub use parse::{MAX_JSON_DEPTH, parse};
pub use value::{Json, JsonKind, Member};
