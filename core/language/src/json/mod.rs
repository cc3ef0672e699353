//! The JSON syntax: read exactly (E08 to E12), and written from the tree.
//!
//! [`parse`] makes values with places of bytes; what is a block and what an attribute is said by the schema of the place
//! ([`crate::config`]). [`write_module`] is the way back.

mod parse;
mod print;
mod strings;
mod value;
mod write;

pub use parse::{MAX_JSON_DEPTH, parse};
pub use value::{Json, JsonKind, Member};
pub use write::write_module;
