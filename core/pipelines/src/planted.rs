//! The mistakes planted in this crate's sources: builds with the feature `faults` have all of them, each behind its switch
//! (docs/kills.md, `planfuzz_planting`).

use planfuzz_planting::Planted;

/// All planted mistakes.
pub static ALL: &[Planted] = include!(concat!(env!("OUT_DIR"), "/planted/list.rs"));
