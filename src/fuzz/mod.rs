//! Coverage-guided fuzzing: all that the targets in `fuzz/` do, from bytes to verdicts.
//!
//! A target is a dozen lines that call [`begin`], [`run`], [`mutate`] and [`cross`]. What they pass around is a case, readable or
//! compact ([`wire`]); the mutator works on cases ([`crate::generate::Mutator`]) and never on bytes. The same functions, driven by
//! files and seeds, are what tests and `distil` use.
//!
//! Two environment variables say where things go; neither changes what an input means.
//! [`FINDINGS`]: findings are written there, one file for each signature, and the run goes on; without it the first one ends the
//! process, which is what libFuzzer makes an artifact of. [`TALLY`]: a file that is kept up to date with what was counted.

mod codecs;
pub mod compact;
mod distil;
mod fuzzer;
mod input;
mod result_writer;
mod sample;
mod tally;
mod variants;
pub mod wire;

#[cfg(test)]
mod tests;

pub use codecs::{Codec, Document, Reading};
pub use distil::{Kept, export};
pub use fuzzer::{Fuzzer, Target, begin, cross, main, mutate, run};
pub use input::{InputJudge, InputOutcome, WrittenFinding};
pub use result_writer::{FINDINGS, TALLY};
pub use tally::Tally;
