//! The errors of writing plans and states as `show -json`.

use crate::address::AddressError;
use crate::json::JsonError;
use crate::msgpack::DecodeError;
use crate::schema::Crash;
use crate::state::file::NotAnObject;

/// The error for a plan or a state that cannot be written.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotShown {
    /// An invalid address.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// An invalid address of a module or a provider configuration.
    #[error("{address}: expected {expected}, found {found:?}")]
    Place {
        /// The address of the resource that has it.
        address: String,
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// The schema is missing.
    #[error("{address}: expected a schema of {type_name} of the provider {provider}, found none")]
    NoSchema {
        /// The address of the resource.
        address: String,
        /// The provider's source.
        provider: String,
        /// The resource type.
        type_name: String,
    },
    /// A value of a change does not fit its type.
    #[error("{address}: {side}: {error}")]
    Value {
        /// The address of the change.
        address: String,
        /// Before or after.
        side: &'static str,
        /// The error.
        error: DecodeError,
    },
    /// A stored object does not fit its type.
    #[error("{address}: {error}")]
    Object {
        /// The address of the object.
        address: String,
        /// The error.
        error: NotAnObject,
    },
    /// A stored object is of another version than the schema (JS51).
    #[error("{address}: expected an object of schema version {schema}, found version {stored}")]
    SchemaVersion {
        /// The address of the object.
        address: String,
        /// The version of the schema.
        schema: u64,
        /// That of the object.
        stored: u64,
    },
    /// A stored output is invalid.
    #[error("output {name:?}: {error}")]
    Output {
        /// Its name.
        name: String,
        /// The error.
        error: JsonError,
    },
    /// A number is infinite, which JSON cannot express.
    #[error("{address}: expected finite numbers, found an infinite one")]
    Infinite {
        /// The address of the value.
        address: String,
    },
    /// An engine would crash.
    #[error("{address}: {error}")]
    Crash {
        /// The address of the value.
        address: String,
        /// The crash.
        error: Crash,
    },
}
