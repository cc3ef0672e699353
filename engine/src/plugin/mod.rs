//! Provider binaries, called as an engine calls them: the counterpart of `server/`.
//!
//! A provider is a program that prints one line with its address, and answers there until it is ended ([`Plugin::launch`]); or it already
//! runs, for example under a debugger, and its address is given ([`Plugin::reattach`]). No answer is trusted: it may be late, too large,
//! missing or of the wrong type, or the provider may die during the question. Each of these is one [`CallError`]. The next question starts
//! a provider again that has died.
//!
//! | file | holds |
//! | --- | --- |
//! | `handshake.rs`, `address.rs` | the line, and the form of `TF_REATTACH_PROVIDERS` |
//! | `launch.rs` | starting a program, connecting to it, and starting it again |
//! | `line.rs`, `tls.rs`, `short_key.rs` | one connection: messages and answers within limits, with or without TLS |
//! | `schema.rs` | the schemas of a provider, as core's |
//! | `category.rs` | resources, data sources and ephemeral resources |
//! | `identity.rs` | how providers identify objects, beside their values |
//! | `ask.rs`, `error.rs` | the questions of core's trait `Provider` as messages; why one has no answer |

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
pub use ask::{Kind, ProviderDiagnostic, Question, Reply};
pub use category::Category;
pub use error::{CallError, HandshakeError, LaunchError};
pub use handshake::Handshake;
pub use identity::{IdentityAttribute, IdentitySchema};
pub use launch::{Launch, Limits, Plugin};
pub use schema::{ProviderSchema, SchemaFault};
