//! Measuring: planners and a deep clone on the same questions, in turn.
//!
//! Times of different runs, and of different machines, say little about one another. What is kept is therefore a ratio
//! of contestants that took turns: the optimized planner by the reference, and by a deep clone of the configuration.
//! Inputs are fresh for every run, since values cache what was computed about them; neither making inputs nor dropping
//! answers is timed. `docs/performance.md` says how to read the figures.

mod classes;
mod contest;
mod corpus;
mod turns;
mod workers;
mod workspaces;

pub use classes::{class, sum};
pub use contest::{Times, contest, on_fresh, on_made, on_same, times};
pub use corpus::{Class, Item, corpus, nodes};
pub use turns::{Contestant, Figures, Pace, take_turns};
pub use workers::Gain;
pub use workspaces::{Cost, Each, LeafEdit, Measured, PlanOp, PlannedSession, SizedShape};
