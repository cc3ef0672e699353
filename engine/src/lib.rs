//! planfuzz-engine: real engines as planners.
//!
//! A Terraform or OpenTofu binary is asked what a planner is asked: the plan walk of an instance and its apply walk, with the
//! instance's provider given as core's [`Provider`](planfuzz_core::planner::Provider). Many are asked in one run of the
//! binary. A walk becomes configuration, state and plan files in a directory; the binary calls back over the plugin protocol,
//! and what it says and writes is read as what a planner answers.
//!
//! | folder | holds |
//! | --- | --- |
//! | `job.rs`, `provider_address.rs` | what is asked, and what comes of it; which provider an instance belongs to |
//! | `wire/`, `server/` | the plugin protocol, versions 5 and 6: messages, and the provider that answers for a batch |
//! | `workdir/` | configurations and states as files |
//! | `process/` | the binary: where it is, which version it is, running it within limits and leaving nothing behind |
//! | `said/` | what it printed: diagnostics and their places |
//! | `plugin/` | the other direction: provider binaries, asked as an engine asks them |
//! | `walk/` | batches: plan walks and apply walks put to one run, and the one that spoils a run found |

#![forbid(unsafe_code)]

mod helper;
mod job;
pub mod plugin;
pub mod process;
mod provider_address;
pub mod said;
pub mod server;
mod walk;
mod wire;
pub mod workdir;

/// The messages and services of the plugin protocol, for who writes a provider of their own.
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
