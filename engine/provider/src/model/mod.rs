//! Core's model of the classic SDK, held to what a provider plans.
//!
//! What a provider of the SDK plans is a function of its fields, and the schema that it sends leaves some of each field out: whether a change
//! asks for replacement, a default, which changes do not count. These are inferred from some of what it planned ([`fit`]); the
//! rest, which nothing was inferred from, is compared ([`hold`]). A provider that computes plans by code of its own differs, and is told with
//! the plans that do.

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
