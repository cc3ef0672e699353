//! Values as msgpack, by section 9 of `docs/spec/values.md`: one function a rule, one byte after the other.

mod decode;
mod encode;
mod implied;
mod input;
mod json;

pub use decode::decode;
pub use encode::encode;
pub use implied::implied_type;

/// The reason why bytes are no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An engine reports an error, or a bound of this project is passed.
    Error,
    /// An engine crashes.
    Crash,
}
