//! Walks as files: the configuration of many instances in one working directory, and what its state holds.

mod assemble;
mod body;
mod decoded;
mod expression;
mod lifecycle;
mod marks;
mod names;
mod others;
mod plan;
mod sheet;
mod sources;
mod typed;
mod values;

pub use assemble::{File, assemble};
pub use expression::Expression;
pub use names::Names;
pub use plan::{apply_sheet, plan_sheet};
pub use sheet::{Key, Placed, Sheet};
pub use sources::{Sources, computed};
pub use values::Place;
