//! Recorded runs of whole workspaces: what a real engine did, as data; to be replayed and compared.
//!
//! A run is a line of JSON (`workspace_run`): configuration, schemas, state, command, all calls with their answers, and the results.
//! [`Recorded::replay`] runs a planner on it with providers that answer from the table, and reports each difference in a line.

mod between;
mod compare;
mod exchange;
mod keys;
mod read;
mod render;
mod replay;
mod serial;
mod tolerated;
mod write;

pub use compare::{Difference, Kind};
pub use exchange::{Exchange, key_of};
pub use keys::{summary_with_known_keys, with_known_keys};
pub use read::{Recorded, RunError};
pub use render::plan_json;
pub use render::plan_members;
pub use replay::{Replay, Table};
pub use tolerated::Tolerated;
