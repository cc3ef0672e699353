//! Why a plan or a state cannot be shown.

use crate::address::AddressError;
use crate::json::JsonError;
use crate::msgpack::DecodeError;
use crate::schema::Crash;
use crate::state::file::NotAnObject;

/// Why a plan or a state cannot be shown.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotShown {
    /// An address that is none.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// A module or a provider configuration whose address is none.
    #[error("{address}: expected {expected}, found {found:?}")]
    Place {
        /// What it is of.
        address: String,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// Nobody has the schema.
    #[error("{address}: expected a schema of {type_name} of the provider {provider}, found none")]
    NoSchema {
        /// Whose.
        address: String,
        /// The provider's source.
        provider: String,
        /// The resource type.
        type_name: String,
    },
    /// A value of a change is none of its type.
    #[error("{address}: {side}: {error}")]
    Value {
        /// Whose.
        address: String,
        /// Which.
        side: &'static str,
        /// Why.
        error: DecodeError,
    },
    /// A stored object is none of its type.
    #[error("{address}: {error}")]
    Object {
        /// Whose.
        address: String,
        /// Why.
        error: NotAnObject,
    },
    /// A stored object is of another version than the schema (JS51).
    #[error("{address}: expected an object of schema version {schema}, found version {stored}")]
    SchemaVersion {
        /// Whose.
        address: String,
        /// The version of the schema.
        schema: u64,
        /// That of the object.
        stored: u64,
    },
    /// A stored output is none.
    #[error("output {name:?}: {error}")]
    Output {
        /// Its name.
        name: String,
        /// Why.
        error: JsonError,
    },
    /// A number that JSON has no word for.
    #[error("{address}: expected finite numbers, found an infinite one")]
    Infinite {
        /// Whose.
        address: String,
    },
    /// An engine would crash.
    #[error("{address}: {error}")]
    Crash {
        /// On what.
        address: String,
        /// Why.
        error: Crash,
    },
}
