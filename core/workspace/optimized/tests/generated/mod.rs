//! Generated cases with their numbers.

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace_cases::Case;
use planfuzz_workspace_cases::generate::{Choices, Settings, case};

/// Cases in all dialects, in turns.
pub fn generated(settings: Settings, seed: u64, count: u64) -> impl Iterator<Item = (u64, Case)> {
    let dialect = |number: u64| Dialect::ALL[number as usize % Dialect::ALL.len()];
    let made = move |number| case(settings, dialect(number), &mut Choices::seeded(seed, number)).case;
    (0..count).map(move |number| (number, made(number)))
}
