//! Plan files (sections 1 and 2 of plan-files.md), bytes in and bytes out.
//!
//! A plan file is a zip archive of a message, two states, the configuration and the dependency locks. Terraform and OpenTofu give
//! some numbers of the message different meanings and a file does not name its engine, so the caller passes the engine.
//!
//! Input is hostile: inflated bytes, members and the memory of the message are counted before they are allocated; a member that
//! is there twice, broken or unknown is an error. Files of engines before 1.0 are refused: their changes have no address.

mod change;
mod codes;
mod container;
mod convert;
mod convert_change;
mod convert_values;
mod document;
mod error;
mod path;
#[rustfmt::skip]
mod proto;
mod read;
mod scan;
mod stream;
mod write;

pub use change::{FileChange, Importing, Values};
pub use codes::{CheckKind, CheckStatus, DeferredReason};
pub use convert::Enclosed;
pub use document::{
    Backend, CheckObject, CheckResult, EngineFields, FunctionResult, OutputChange, PlanDocument, RelevantAttribute,
};
pub use error::{Bound, ContentProblem, NotAChange, PlanFileError};

pub use stream::{List, Part, Put, Take};

pub use crate::plans::NotEncodable;
use crate::state::file::Snapshot;

/// The largest file that is read, in bytes.
pub const MAX_FILE_BYTES: usize = 64 << 20;

/// The most members of a file.
pub const MAX_MEMBERS: usize = 10_000;

/// The largest member, inflated, in bytes.
pub const MAX_MEMBER_BYTES: usize = 64 << 20;

/// The most bytes of all members together, inflated.
pub const MAX_TOTAL_BYTES: usize = 128 << 20;

/// The most memory that the message may take, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 256 << 20;

const PLAN: &str = "tfplan";
const STATE: &str = "tfstate";
const PREVIOUS: &str = "tfstate-prev";
const CONFIG: &str = "tfconfig/m-";
const MANIFEST: &str = "tfconfig/modules.json";
const LOCKS: &str = ".terraform.lock.hcl";
const SCHEMAS: &str = "tfschemas";

/// A plan file (PF01).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanFile {
    /// The plan (PF02).
    pub plan: PlanDocument,
    /// The refreshed state (PF03).
    pub state: Snapshot,
    /// The state of the previous run (PF04).
    pub previous: Snapshot,
    /// The files of the configuration (PF05).
    pub config: Vec<ConfigFile>,
    /// The modules (PF06).
    pub manifest: Vec<Module>,
    /// The dependency locks (PF07); a plan without them cannot be applied.
    pub locks: Option<Vec<u8>>,
    /// OpenTofu 1.13: the schemas, as they stand (PF08).
    pub schemas: Option<Vec<u8>>,
}

/// A file of the configuration (PF05).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFile {
    /// The names of the module, joined with dots; empty for the root.
    pub module: String,
    /// The name of the file.
    pub name: String,
    /// The content of the file.
    pub contents: Vec<u8>,
}

/// A module of the configuration (PF06).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The names of the module, joined with dots; empty for the root.
    pub key: String,
    /// The source of the module, if it is given.
    pub source: Option<String>,
    /// The version of the module, if it is given.
    pub version: Option<String>,
    /// The directory.
    pub dir: String,
}

impl Module {
    /// The root module.
    pub fn root() -> Module {
        Module { key: String::new(), source: None, version: None, dir: ".".to_owned() }
    }
}

#[cfg(test)]
mod tests;
