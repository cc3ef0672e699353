//! Whole workspaces as planners see them: input, answers, and the order of calls; and recorded runs of them.
//!
//! Problem: a planner of workspaces is more than the merge for one instance. Many resources refer to each other, are expanded, planned over
//! a graph, and applied in an order that destroys nothing too early. Idea: the input of such a planner ([`Workspace`]) and its answers
//! ([`Planned`], [`Applied`]) are data; providers are functions of a request ([`Providers`]), so that no result depends on a schedule; and
//! the order of calls is a relation ([`Order`]), so that one answer can be compared with any schedule.
//!
//! Nothing in this crate plans. [`run`] reads and writes recorded runs of engines, answers from their tables, and reports how a planner
//! differs from them.

#![forbid(unsafe_code)]

pub mod builtin;
pub mod by_key;
pub mod call;
mod canonical;
pub mod checks;
pub mod command;
pub mod diagnostic;
pub mod faults;
pub mod interrupt;
pub mod order;
pub mod plan;
pub mod planner;
pub mod run;
pub mod state;
pub mod workspace;

pub use by_key::{ByKey, Instances};
pub use call::{Answer, Call, Outcome, Providers, Request, SharedProviders};
pub use canonical::{canonical, canonical_value};
pub use checks::{CheckEntry, CheckKind, CheckObject, CheckTable, Status};
pub use command::{Command, Import, Meanwhile, Saved};
pub use diagnostic::{Diagnostic, Severity};
pub use interrupt::{HALTED, HaltPoint, Interrupt, halted};
pub use order::{CallId, Made, NodeId, Order, Part, PartWalk, Trace};
pub use plan::Plan;
pub use planner::{Applied, Done, Planned, WorkspacePlanner, Written, refused};
pub use state::{OutputState, ResourceState, State, completed};
pub use workspace::{Options, Workspace};
