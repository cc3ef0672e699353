//! Configuration as it is written, as far as it is literal.
//!
//! Three syntaxes give one form, a [`Body`]: the native one, its JSON ([`json_body`]), and the tree that `show -json` makes of either
//! ([`tree_body`]). Literals are taken as they are: strings, numbers, bools, null, lists and objects of these, blocks. Whatever has
//! to be evaluated is [open](Given::Open), with the reason; nothing is evaluated here.
//!
//! With a schema a body becomes the value that the engine would decode of it ([`decode`](decode::decode)); open parts are filled in
//! from the planned object.

mod body;
mod decode;
mod json_syntax;
mod lifecycle;
mod native;
mod tree;

#[cfg(test)]
mod tests;

pub use body::{Body, Given, NotLiteral, Written};
pub use decode::{Decoded, Unfit, decode};
pub use json_syntax::{json_body, json_resource};
pub use lifecycle::LifecycleBlock;
pub use native::{NativeError, Resources, native_resources};
pub use tree::tree_body;
