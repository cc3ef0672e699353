//! The generator: cases from random bytes, valid by construction.
//!
//! Each kind of case has one generator, which turns bytes into a case: of merges and scenarios it is the [`Generator`]. Everything else decides
//! where the bytes come from: [`Cases`] derives them from a seed and a number, a fuzzer brings its own.
//!
//! What is guaranteed of merges, and tested here: the schema is valid in the case's dialect (S10 to S27); the values conform to
//! its implied type (V03); the prior state is wholly known; if the bytes run out, the rest of the case is plain; size is bounded by
//! fuel. What is *not* guaranteed is that the values make sense together: they come close enough to meet every
//! rule from both sides. `features` counts what was made, and a test checks the counts against floors.

mod cases;
mod catalogue;
mod dice;
mod exhaustive;
pub mod expressions;
mod features;
mod file_calls;
mod file_spoils;
mod generator;
mod mix;
mod model;
mod mutate;
mod outline;
mod pools;
mod relate;
mod rough;
mod scenario;
#[cfg(test)]
mod scenario_soundness;
mod scenarios;
mod schema;
mod schema_calls;
mod schema_context;
mod sdk_steps;
mod settings;
#[cfg(test)]
mod soundness;
mod step_calls;
mod swarm;
mod value;
mod value_calls;
mod workspaces;

pub use cases::Cases;
pub use catalogue::Catalogue;
pub use exhaustive::{Exhaustive, Scope};
pub use features::{AnswerClass, Census, Features, Row, rows_of, rows_of_trace};
pub use file_calls::FileCalls;
pub use generator::Generator;
pub use mix::{Calls, Mix, Share};
pub use mutate::{Breed, Mutator};
pub use scenario::ScenarioContext;
pub use scenarios::Scenarios;
pub use schema_calls::SchemaCalls;
pub use schema_context::SchemaContext;
pub use settings::{Pipeline, Providers, Settings, Size};
pub use step_calls::StepCalls;
pub use value_calls::ValueCalls;
pub use workspaces::{Workspaces, all_small, of_workspace, small_count};
