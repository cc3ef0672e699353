//! Fuzzing and differential testing for planners of the Terraform and OpenTofu kind.
//!
//! A reference planner and an optimized one (crates of their own below `core/`), and any other planner that speaks the line
//! protocol, are fed generated schemas, configurations and prior states. Their answers are compared with each other and checked
//! against the lifecycle rules; what is found is made small. `docs/architecture.md` has the map.

pub mod artifact;
pub mod campaign;
pub mod case;
#[cfg(feature = "command")]
pub mod cli;
pub mod compare;
pub mod fuzz;
pub mod generate;
#[cfg(feature = "command")]
mod grouped;
pub mod guard;
pub mod import;
#[cfg(feature = "faults")]
pub mod kills;
pub mod lint;
pub mod measure;
mod mixing;
pub mod night;
pub mod panel;
pub mod placeholders;
pub mod record;
#[cfg(feature = "command")]
pub mod report;
pub mod shrink;
pub mod subject;
pub mod triage;
pub mod workloads;

pub use case::scenario;
