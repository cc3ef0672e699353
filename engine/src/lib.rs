//! planfuzz-engine: real engines as planners.
//!
//! A Terraform or OpenTofu binary answers the questions of a planner: the plan walk of an instance and its apply walk, with the instance's
//! provider given as core's [`Provider`](planfuzz_core::planner::Provider). One run of the binary answers many of them. A walk becomes
//! configuration, state and plan files in a directory; the binary calls back over the plugin protocol, and its output and files are read as
//! a planner's answers.
//!
//! | folder | holds |
//! | --- | --- |
//! | `job.rs`, `provider_address.rs`, `helper.rs` | a question and its outcome; the provider that an instance belongs to; resources beside it |
//! | `wire/`, `server/` | the plugin protocol, versions 5 and 6: messages, and the provider that answers for a batch |
//! | `workdir/` | configurations and states as files |
//! | `process/` | the binary: where it is, which version it is, running it within limits and leaving nothing behind |
//! | `output/` | the output: diagnostics and their places |
//! | `plugin/` | the other direction: provider binaries, called as an engine calls them |
//! | `walk/` | batches: many plan walks or apply walks in one run, and finding the one that spoils a run |

#![forbid(unsafe_code)]

mod helper;
mod job;
pub mod output;
pub mod plugin;
pub mod process;
mod provider_address;
pub mod server;
mod walk;
mod wire;
pub mod workdir;

/// The messages and services of the plugin protocol, for programs that implement a provider.
pub mod proto {
    pub use crate::wire::messages::{plugin, tfplugin5, tfplugin6};
    pub use crate::wire::six::schema as schema_of_six;
}

pub use helper::Helper;
pub use job::{Expectation, Job, LeftOut, WalkOutcome};
pub use provider_address::{Protocol, ProviderAddress};
pub use server::{AnswerError, Entry, Failure, Finished, Log, Served, ServedTypes, Server, ServerError};
pub use walk::{
    AtOnce, Effort, Engine, EngineError, EngineOptions, NamedValue, Question, Reply, ShownPlan, ShownSchema,
};
pub use wire::servable;
