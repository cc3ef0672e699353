//! The planners and rules held to what is written down: recorded runs of engines, vectors, examples of the specification, lives.

#[path = "../common/cores.rs"]
mod cores;
mod lifecycle_invariants;
mod natural_violations;
mod promises;
mod recorded;
#[path = "../common/recorded.rs"]
mod recorded_files;
mod scenarios;
mod spec_examples;
mod vectors;
