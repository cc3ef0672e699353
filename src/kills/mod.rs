//! The hunt for planted faults: after how many cases, and how soon, the suite finds each mistake that is known to be there.
//!
//! Every fault is hunted as a user would do it: a campaign of the cases that its operation is made with, until the first finding, which
//! is then made small. What planners do wrong ([`planner`]) is found by comparison with the reference and by the rules; what all of them
//! share ([`shared`]) by comparison with its second writing; what
//! providers do wrong ([`provider`]) is found by a rule, with one planner alone; what a planner of whole workspaces does wrong
//! ([`workspace`]) by comparison with the one that is right. Only builds with the cargo feature `faults` have this.

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
