//! The plugin protocol's messages, and conversions between them and core's types.

#[allow(missing_docs, clippy::all, rust_2018_idioms, reason = "made by a program")]
pub(crate) mod messages;
mod path;
mod remark;
mod schema;
mod value;

pub(crate) use path::to_path;
pub(crate) use remark::to_diagnostics;
pub use schema::servable;
pub(crate) use schema::{five, six};
pub(crate) use value::Carrier;

/// What a message cannot hold, in the words of [`LeftOut::Unsendable`](crate::LeftOut::Unsendable).
pub(crate) type Unsendable = &'static str;
