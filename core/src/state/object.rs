//! Stored objects.

use std::sync::Arc;

use super::private::Private;
use crate::json::Json;
use crate::value::{PathSet, Text, Value};

/// An object in the state.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its value.
    pub stored: Stored,
    /// The provider's private data.
    pub private: Private,
    /// Whether it is to be replaced.
    pub status: Status,
    /// Its dependencies when it was last applied: addresses of the configuration, sorted (A14).
    pub dependencies: Vec<Text>,
    /// Whether a replacement creates first, for the time when the object is no longer configured (A66).
    pub create_before_destroy: bool,
    /// The sensitive parts, as marks sit on its value.
    pub sensitive: PathSet,
    /// OpenTofu: whether it is to be forgotten, not destroyed, once it is no longer configured (L129).
    pub skip_destroy: bool,
}

/// The value of a stored object.
#[derive(Clone, Debug)]
pub enum Stored {
    /// A value of the schema's implied type, saved at the schema's version.
    Value(Value),
    /// The attributes that another version of a provider, or a person, left, in the JSON of state files (L05).
    Raw {
        /// The version of the schema it was saved with.
        version: u64,
        /// The attributes, which copies of the object share.
        attributes: Arc<Json>,
    },
}

/// The status of an object in the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// As it should be.
    #[default]
    Ready,
    /// To be replaced by the next plan.
    Tainted,
}

impl Object {
    /// A ready object of a value, with nothing else known about it.
    pub fn ready(value: Value) -> Object {
        Object {
            stored: Stored::Value(value),
            private: Private::NONE,
            status: Status::Ready,
            dependencies: Vec::new(),
            create_before_destroy: false,
            sensitive: PathSet::EMPTY,
            skip_destroy: false,
        }
    }
}
