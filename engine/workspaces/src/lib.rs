//! Real engines as the standard for whole workspaces.
//!
//! Problem: a planner of workspaces should do what a real engine does, and an engine costs a tenth of a second to start. Idea: many
//! disjoint cases are one workspace ([`planfuzz_workspace_cases::merge`]), so one run of the binary answers them all; the run is saved as a
//! recorded run, with the start and the finish of every call, and replayed with the planner. If anything differs, the cases are divided
//! until one alone shows it.
//!
//! | module | holds |
//! | --- | --- |
//! | [`server`] | the providers of a run, behind sockets, with a log of calls, their starts and finishes |
//! | [`served`] | the source of answers: the providers of a case, or the table of a recorded run |
//! | [`directory`] | a workspace as files |
//! | `wire` | core's types as messages of the plugin protocol |
//! | `want`, `halted` | the output of a run as a recorded run; when its signal came |
//! | [`live`] | runs a step on the binary and returns a recorded run |
//! | [`judge`] | many steps in one run, divided if something differs |
//! | [`chance`], [`crash`] | steps that an engine answers by chance, and those that it dies of |

#![forbid(unsafe_code)]

pub mod chance;
pub mod crash;
pub mod directory;
mod halted;
pub mod judge;
pub mod live;
pub mod served;
pub mod server;
mod want;
mod wire;
