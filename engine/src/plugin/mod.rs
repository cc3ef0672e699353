//! Provider binaries, asked as an engine asks them: the other end of `server/`.
//!
//! A provider is a program that prints one line, says in it where it listens, and answers there until it is ended
//! ([`Plugin::launch`]); or it runs already, under a debugger for one, and its address is given ([`Plugin::reattach`]). What comes back is
//! held for nothing: an answer may be late, too large, no answer at all, of the wrong type, or the provider may die of the question. Each of these
//! is one [`CallError`]. A provider that died is started again by the next question.
//!
//! | file | holds |
//! | --- | --- |
//! | `handshake.rs`, `address.rs` | the line, and the form of `TF_REATTACH_PROVIDERS` |
//! | `launch.rs` | the program started and connected to, and started again |
//! | `line.rs`, `tls.rs`, `short_key.rs` | one connection: messages to and fro within limits, in the open or not |
//! | `schema.rs` | the schemas that a provider tells, as core's |
//! | `category.rs` | resources, data sources and ephemeral resources |
//! | `identity.rs` | what providers know objects by, beside the objects |
//! | `ask.rs` | the questions of core's trait `Provider` as messages |

mod address;
mod ask;
mod category;
mod error;
mod handshake;
mod identity;
mod launch;
mod line;
mod schema;
mod short_key;
mod tls;

pub use address::{Address, Reattach, ReattachError};
pub use ask::{Kind, Question, Reply, Said};
pub use category::Category;
pub use error::{CallError, HandshakeError, LaunchError};
pub use handshake::Handshake;
pub use identity::{IdentityAttribute, IdentitySchema};
pub use launch::{Launch, Limits, Plugin};
pub use schema::{ProviderSchema, SchemaFault};
