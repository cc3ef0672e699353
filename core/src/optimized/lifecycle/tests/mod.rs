//! What recorded lives say, and what they cannot reach.

mod fixture;
mod vectors;
