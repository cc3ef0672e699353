//! The parts of the classic SDK's pipeline that work on whole values, by section 6 of `docs/spec/provider-sdk.md`.
//!
//! The rest of that pipeline, which works on flat maps, has no second writing yet.

mod equivalent;
mod fill;
mod normalize;

pub use equivalent::are_equivalent;
pub use fill::set_unknowns;
pub use normalize::normalize;
