//! States, in one model for all formats.

use planfuzz_core::json::Json;
use planfuzz_core::state::Private;

use super::encoded::Encoded;
use super::object::ObjectId;
use super::plan::Checked;

/// A state.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The serial, where the file has one.
    pub serial: Option<u64>,
    /// The lineage, where the file has one.
    pub lineage: Option<String>,
    /// The objects, in the order of the file.
    pub objects: Vec<StateObject>,
    /// The root outputs, in the order of the file.
    pub outputs: Vec<StateOutput>,
    /// The results of checks.
    pub checks: Vec<Checked>,
}

/// An object of a state.
#[derive(Clone, Debug)]
pub struct StateObject {
    /// The object.
    pub id: ObjectId,
    /// Its place in the document.
    pub place: String,
    /// Its value.
    pub value: Encoded,
    /// The version of the schema that the value was written with, if the file records it.
    pub schema_version: Option<u64>,
    /// Whether it is to be replaced.
    pub tainted: bool,
    /// The provider's private data; `None` where the file does not have it.
    pub private: Option<Private>,
    /// Its dependencies, as the file has them.
    pub dependencies: Vec<String>,
    /// Whether its value is of an engine before 0.12, flat.
    pub is_flat: bool,
}

/// A root output of a state.
#[derive(Clone, Debug)]
pub struct StateOutput {
    /// The name.
    pub name: String,
    /// The value as JSON; `None` where the file has none.
    pub value: Option<Json>,
    /// Its type as JSON; `None` where the file has none.
    pub ty: Option<Json>,
    /// Whether it is sensitive.
    pub sensitive: bool,
}
