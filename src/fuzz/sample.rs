//! Whose features are told: one input in so many. Telling them costs a part of judging, and a share says as much of a sample.

use crate::generate::{Census, Features};
use crate::subject::guard;

use super::wire;

/// One input in so many is sampled.
const EVERY: u32 = 64;

/// The most inputs that wait: a fuzzer goes through its corpus before it mutates anything.
const MOST: usize = 1024;

/// Inputs that were judged and whose features are not told yet.
///
/// They wait until nobody looks at what code is reached, so that a fuzzer does not take the code that tells them for something that
/// an input does.
#[derive(Default)]
pub(super) struct Sample {
    waiting: Vec<Vec<u8>>,
    census: Census,
}

impl Sample {
    /// Takes an input, where it is to be sampled: a function of its bytes alone.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        if crc32fast::hash(bytes) % EVERY == 1 && self.waiting.len() < MOST {
            self.waiting.push(bytes.to_vec());
        }
    }

    /// Tells the features of those that wait.
    pub(super) fn count(&mut self, features: &mut Features) {
        for bytes in std::mem::take(&mut self.waiting) {
            // It was judged, so it is a case.
            let Ok(case) = wire::read(&bytes) else { continue };
            let mut own = Features::default();
            match guard(|| self.census.count(&case, &mut own)) {
                Ok(Ok(())) => features.add(&own),
                // Those of which nothing can be told are not in the sample.
                Ok(Err(problem)) => eprintln!("no features of an input: {problem}"),
                Err(panic) => eprintln!("no features of an input: {}: {}", panic.site, panic.message),
            }
        }
    }
}
