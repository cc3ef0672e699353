//! Compares core's model of the classic SDK with a provider's plans.
//!
//! The plans of an SDK provider are a function of its fields, and the schema that it sends omits some properties of each field: whether a
//! change requires replacement, a default, which changes do not count. These are inferred from some of its plans ([`fit`]); the remaining
//! plans are compared ([`hold()`]). A provider that computes plans by code of its own differs, and is reported with these plans.

mod fields;
mod fit;
mod guess;
mod hold;
mod places;
mod reasons;
mod sample;
mod trials;

pub use hold::{Modelled, hold};
pub use sample::Sample;
