//! Values as msgpack (section 9 of values.md): the bytes that engines and providers send one another.
//!
//! [`encode()`] writes what the engines write. [`decode()`] reads what they read, every tolerance of theirs included: the
//! bytes come from programs under test, and an input that an engine takes must not be refused here. Where an engine
//! would crash the input is refused, and the error says so ([`DecodeError::is_engine_crash`]).
//!
//! Input is hostile. No input panics or overflows the stack; a length is never believed before the bytes are there, so
//! memory stays within a small multiple of the input and of the type; nesting stops at
//! [`MAX_DEPTH`](crate::value::MAX_DEPTH); the work is linear in the input.
//!
//! The wire codes and the shortest forms are those of the `rmp` crate. The structure is read by code of our own:
//! general readers do not have the tolerances, and with these nothing of such a reader would be left.

mod decode;
mod encode;
mod error;
mod implied;
mod reader;
mod unknown;
mod usual;

pub use decode::{MAX_MADE, Placed, decode, decode_at};
pub use encode::{EncodeError, encode, encode_into};
pub use error::{DecodeError, DecodeProblem};
pub use implied::implied_type;

#[cfg(test)]
mod tests;
