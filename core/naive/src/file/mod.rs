//! Plan files and state files, by `docs/spec/plan-files.md`: the message of a plan and the document of a state, written and read byte by byte.
//!
//! A plan or a state is a tree of plain JSON ([`write_plan`], [`write_state`]), and nothing else: this module uses no type of the first
//! implementation. Reading is strict and bounded, and refuses what the specification refuses, without a reason.

mod codes;
mod document;
mod fields;
mod layout;
mod path;
mod plan_read;
mod plan_write;
mod shape;
mod state_read;
mod state_write;
mod tree;

pub use fields::{Content, Field, fields};
pub use plan_read::read_plan;
pub use plan_write::write_plan;
pub use state_read::read_state;
pub use state_write::write_state;
