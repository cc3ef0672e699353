//! Provider models and the pipelines that give them meaning (provider-model.md).
//!
//! A [`model::Model`] is a provider as data: a schema and behaviours from closed enums, without functions of a host language. It can be
//! generated, stored, replayed and shrunk. `rules` are the behaviours of attributes and resources, by `path`. `framework` is the pipeline
//! of providers written with the plugin framework, `sdk` that of the SDK; both evaluate the expressions and conditions of `expression`.
//! `remote` plays a model along its `places` and answers the calls of planners; `faults` makes its answers wrong, and `well_behaved`
//! decides which models keep Core's requirements.

#![forbid(unsafe_code)]
// The sources with planted mistakes are generated.
#![cfg_attr(feature = "faults", allow(unused_parens, unused_braces, clippy::all))]

#[cfg(not(feature = "faults"))]
pub mod equality;
#[cfg(not(feature = "faults"))]
pub mod expression;
#[cfg(not(feature = "faults"))]
pub mod faults;
#[cfg(not(feature = "faults"))]
mod fnv;
#[cfg(not(feature = "faults"))]
mod form;
#[cfg(not(feature = "faults"))]
pub mod framework;
#[cfg(not(feature = "faults"))]
pub mod model;
#[cfg(not(feature = "faults"))]
pub mod path;
#[cfg(not(feature = "faults"))]
mod places;
#[cfg(not(feature = "faults"))]
pub mod remote;
#[cfg(not(feature = "faults"))]
pub mod rules;
#[cfg(not(feature = "faults"))]
pub mod sdk;
#[cfg(not(feature = "faults"))]
pub mod well_behaved;

// The same modules with the planted mistakes.
#[cfg(feature = "faults")]
include!(concat!(env!("OUT_DIR"), "/planted/modules.rs"));
#[cfg(feature = "faults")]
pub mod planted;
