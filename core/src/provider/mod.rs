//! Provider models and the pipelines that give them meaning (provider-model.md).
//!
//! A [`model::Model`] is a provider as data: a schema and behaviours from closed enums, without functions of a host
//! language. It can be generated, stored, replayed and shrunk. `framework` is the pipeline of providers written with the plugin
//! framework; both pipelines evaluate the expressions and conditions of `expression`. `remote` plays a model: it
//! is what planners ask; `faults` spoils its answers, and `well_behaved` says which models keep what Core asks of them.

pub mod equality;
pub mod expression;
pub mod faults;
mod fnv;
pub mod framework;
pub mod model;
pub mod remote;
pub mod sdk;
pub mod well_behaved;
