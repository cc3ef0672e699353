//! A sample of the inputs, whose features are counted: counting costs a part of judging, and a sample gives the same shares.

use crate::generate::{Census, Features};
use crate::subject::guard;

use super::wire;

/// One input in so many is sampled.
const EVERY: u32 = 64;

/// The most inputs that wait: a fuzzer goes through its corpus before it mutates anything.
const MOST: usize = 1024;

/// Inputs that were judged and whose features are not counted yet.
///
/// They wait until the fuzzer does not record coverage, so that it does not take the code that counts features for code that an
/// input reaches.
#[derive(Default)]
pub(super) struct Sample {
    waiting: Vec<Vec<u8>>,
    census: Census,
}

impl Sample {
    /// Takes an input if it belongs to the sample, which depends on its bytes alone.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        if crc32fast::hash(bytes) % EVERY == 1 && self.waiting.len() < MOST {
            self.waiting.push(bytes.to_vec());
        }
    }

    /// Counts the features of the inputs that wait.
    pub(super) fn count(&mut self, features: &mut Features) {
        for bytes in std::mem::take(&mut self.waiting) {
            // It was judged, so it is a case.
            let Ok(case) = wire::read(&bytes) else { continue };
            let mut own = Features::default();
            match guard(|| self.census.count(&case, &mut own)) {
                Ok(Ok(())) => features.add(&own),
                // Inputs whose features cannot be counted are not in the sample.
                Ok(Err(problem)) => eprintln!("no features of an input: {problem}"),
                Err(panic) => eprintln!("no features of an input: {}: {}", panic.site, panic.message),
            }
        }
    }
}
