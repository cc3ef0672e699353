//! Walks as files: the configuration of many instances in one working directory, and what its state holds.

mod assemble;
mod body;
mod configuration_files;
mod decoded;
mod expression;
mod lifecycle;
mod marks;
mod names;
mod others;
mod plan;
mod sources;
mod typed;
mod values;

pub use assemble::{File, assemble};
pub use configuration_files::{ConfigurationFiles, Key, Placed};
pub use expression::Expression;
pub use names::Names;
pub use plan::{apply_files, plan_files};
pub use sources::Sources;
pub use values::Place;
