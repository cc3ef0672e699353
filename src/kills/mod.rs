//! The hunt for planted faults: after how many cases, and how soon, the suite finds each mistake that is known to be there.
//!
//! Every fault is hunted as a user would do it: a campaign of the cases that its operation is made with, until the
//! first finding, which is then made small. Faults of planners ([`planner`]) are found by comparison with the reference
//! and by the rules; faults in code that all planners share ([`shared`]) by comparison with its second implementation;
//! faults of providers ([`provider`]) by a rule, with one planner alone; faults of planners of whole workspaces
//! ([`workspace`]) by comparison with the right one. Only builds with the cargo feature `faults` have this module.

mod hunted;
mod pack;
pub mod planner;
pub mod provider;
pub mod shared;
mod size;
mod target;
pub mod workspace;

pub use hunted::{Bounds, End, FoundFault, Hunted, Why};
pub use pack::hunt_all;
pub use size::Size;
pub use target::{NoTarget, Target};
