//! Coverage-guided fuzzing: all that the targets in `fuzz/` do, from bytes to verdicts.
//!
//! A target is a dozen lines that call [`begin`], [`run`], [`mutate`] and [`cross`]. They exchange cases as bytes, readable or
//! compact ([`wire`]); the mutator works on cases ([`crate::generate::Mutator`]) and never on bytes. Tests and `distil` call the
//! same functions with files and seeds.
//!
//! Two environment variables name the outputs; neither changes what an input means.
//! [`FINDINGS`]: a folder for findings, one file for each signature, and the run goes on; without it the first finding ends the
//! process, and libFuzzer keeps the input as an artifact. [`TALLY`]: a file with the counts, kept up to date.

mod codec_bytes;
mod codecs;
pub mod compact;
mod distil;
mod fuzzer;
mod input;
mod process;
mod replay;
mod result_writer;
mod sample;
mod tally;
mod target;
mod variants;
pub mod wire;

#[cfg(test)]
mod tests;

pub use codecs::{Codec, Document, Reading};
pub use distil::{Kept, export};
pub use fuzzer::Fuzzer;
pub use input::{InputJudge, InputOutcome, WrittenFinding};
pub use process::{begin, cross, mutate, run};
pub use replay::main;
pub use result_writer::{FINDINGS, TALLY};
pub use tally::Tally;
pub use target::Target;
