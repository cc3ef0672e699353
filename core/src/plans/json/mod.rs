//! The output of `show -json` for a plan or a state (section 4 of plan-files.md), bytes in and bytes out.
//!
//! Reading takes the output of every engine since Terraform 0.12, format 0.1 to 1.x. It is strict in structure: a member of the
//! wrong form, a member that contradicts another, trees of unknown and sensitive parts that do not fit their values are errors with
//! the address and the path. It is lenient with members that it does not know, which newer versions may add at any time: they are
//! counted and listed ([`UnknownMembers`]).
//!
//! Values stay JSON, since JSON does not distinguish a list from a set; [`ResourceChangeJson::to_typed`] reads them with a schema.
//!
//! Input is hostile: bytes, nesting, changes and resources are bounded, and each part is visited a fixed number of times.

mod actions;
mod document;
mod error;
mod fit;
mod lookup;
mod members;
mod place;
mod read;
mod sensitive;
mod state;
mod typed;
mod whole;
mod write;

pub use document::{
    ChangeJson, DeferredChangeJson, ImportingJson, OutputChangeJson, PlanForm, PlanJson, PlanVariable, Reason,
    RelevantAttributeJson, ResourceChangeJson, Shown,
};
pub use error::{NotTyped, ShowError};
pub use fit::has_true;
pub use members::UnknownMembers;
pub use place::{InstanceAddress, PathItem, PathItems};
pub use state::{ModuleJson, OutputValueJson, ResourceJson, StateJson, StateValues};
pub use typed::TypedChange;
pub use write::{NotShown, SchemaTable, show_plan, show_plan_tree, show_state};

/// The largest document that is read, in bytes.
pub const MAX_JSON_BYTES: usize = 64 << 20;

/// The most changes of one kind, and the most resources of a state.
pub const MAX_ENTRIES: usize = 500_000;

#[cfg(test)]
mod tests;
