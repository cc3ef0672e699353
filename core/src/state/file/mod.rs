//! State files of version 4 (section 3 of plan-files.md), bytes in and bytes out.
//!
//! Reading is strict and bounded: an unknown member, an object twice, a key or a status that no engine writes are errors with
//! their path. Attributes stay JSON, since they can only be read with a schema of their version; [`StoredObject::to_object`]
//! does that. `stream` reads and writes states that are too large to hold.

mod object;
mod path;
mod read;
mod stream;
mod write;

pub use crate::address::InstanceKey;
pub use object::{NotAnObject, StorageError};
pub use path::{read_path, write_path};
pub use stream::{Part, StateStreamError, StateWriter};

use super::{DeposedKey, Private, Status};
use crate::address::ResourceKind;
use crate::json::{Json, JsonError};
use crate::value::WrittenPath;

/// The largest state file that is read, in bytes.
pub const MAX_STATE_BYTES: usize = 64 << 20;

/// The error for bytes that are no state file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateFileError {
    /// More bytes than [`MAX_STATE_BYTES`].
    #[error("expected a state of at most {MAX_STATE_BYTES} bytes, found {found}")]
    TooLarge {
        /// The number of bytes.
        found: usize,
    },
    /// Another version of the format.
    #[error("expected a state of version 4, found version {found}")]
    Version {
        /// The version.
        found: u64,
    },
    /// The bytes are no JSON document, or it has content that no state has.
    #[error("expected a state: {0}")]
    Json(#[from] JsonError),
}

/// A state file (ST01).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The version of the engine that wrote it.
    pub terraform_version: String,
    /// How often the state was changed.
    pub serial: u64,
    /// The identity of the state across its versions; empty in a plan that was made without a state.
    pub lineage: String,
    /// The root outputs: each an object of `value`, `type` and other members, as it stands.
    pub outputs: Vec<(Box<str>, Json)>,
    /// The resources, in any order.
    pub resources: Vec<StoredResource>,
    /// The results of checks as they stand; `None` where there are none (ST06).
    pub check_results: Option<Json>,
}

impl Snapshot {
    /// A state without resources.
    pub fn empty(terraform_version: &str, lineage: &str, serial: u64) -> Snapshot {
        Snapshot {
            terraform_version: terraform_version.to_owned(),
            serial,
            lineage: lineage.to_owned(),
            outputs: Vec::new(),
            resources: Vec::new(),
            check_results: None,
        }
    }
}

/// A resource of a state (ST02).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredResource {
    /// The module instance; empty for the root.
    pub module: String,
    /// Managed or data.
    pub kind: ResourceKind,
    /// The resource type.
    pub type_name: String,
    /// The name.
    pub name: String,
    /// The provider configuration (PL71); `None` where the objects have their own (OpenTofu).
    pub provider: Option<String>,
    /// The objects, in any order.
    pub objects: Vec<StoredObject>,
}

/// An object of a resource instance (ST03).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredObject {
    /// The key of the instance.
    pub key: InstanceKey,
    /// The deposed key; `None` for the current object.
    pub deposed: Option<DeposedKey>,
    /// OpenTofu: the provider configuration, where it has instance keys.
    pub provider: Option<String>,
    /// Whether it is to be replaced.
    pub status: Status,
    /// The version of the schema that the attributes were written with.
    pub schema_version: u64,
    /// The attributes.
    pub attributes: Attributes,
    /// The sensitive paths.
    pub sensitive: Vec<WrittenPath>,
    /// The identity with the version of its schema, as it stands (OpenTofu, Terraform since 1.12).
    pub identity: Option<Identity>,
    /// The provider's private data.
    pub private: Private,
    /// Resources of the configuration that it depends on.
    pub dependencies: Vec<String>,
    /// OpenTofu 1.13: resource instances that it depends on.
    pub depends_on: Vec<String>,
    /// Whether a replacement creates first.
    pub create_before_destroy: bool,
    /// OpenTofu: whether it is forgotten rather than destroyed.
    pub skip_destroy: bool,
}

/// The stored attributes of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attributes {
    /// Attributes in the JSON of state files (ST05).
    Json(Json),
    /// Attributes of an engine before 0.12, flat.
    Flat(Vec<(Box<str>, Json)>),
}

/// A stored identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The version of the identity's schema.
    pub schema_version: u64,
    /// Its attributes.
    pub attributes: Json,
}

#[cfg(test)]
mod tests;
