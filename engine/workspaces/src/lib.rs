//! Real engines as judges of whole workspaces.
//!
//! Problem: what a planner of workspaces should do is what a real engine does, and an engine costs a tenth of a second to start. Idea:
//! many disjoint cases are one workspace ([`planfuzz_workspace_cases::merge`]), so one run of the binary asks them all; the run is
//! written down as a recorded run, with the start and the finish of every call, and replayed to the planner. What differs is divided
//! until one case alone shows it.
//!
//! | module | holds |
//! | --- | --- |
//! | [`server`] | the providers of a run, behind sockets: what was asked, when it started and finished |
//! | [`served`] | who answers: the providers of a case, or the table of a recorded run |
//! | [`live`] | a step put to the binary, and what came of it as a recorded run |
//! | [`judge`] | many steps in one run, divided where something differs |

#![forbid(unsafe_code)]

pub mod directory;
mod halted;
pub mod judge;
pub mod live;
pub mod served;
pub mod server;
mod want;
mod wire;
