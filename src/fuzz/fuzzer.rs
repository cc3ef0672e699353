//! The operations of a fuzz target: judging an input, mutating one, crossing two.

use super::codec_bytes::{cross_codec, mutate_codec};
use super::input::{InputJudge, InputOutcome};
use super::sample::Sample;
use super::tally::Tally;
use super::target::Target;
use super::wire;
use crate::case::Case;
use crate::generate::{Mutator, Settings};

/// How often a mutation is tried until one fits.
const TRIES: u32 = 4;

/// One target in one process.
pub struct Fuzzer {
    target: Target,
    judge: InputJudge,
    mutator: Mutator,
    tally: Tally,
    sample: Sample,
    /// The case that was made last and its bytes: it is mostly the next one to be judged or mutated.
    last: Option<(Vec<u8>, Case)>,
}

impl Fuzzer {
    /// A target with the two planners.
    pub fn new(target: Target) -> Fuzzer {
        Fuzzer::with(target, InputJudge::new(target))
    }

    /// A target with another judge.
    pub fn with(target: Target, judge: InputJudge) -> Fuzzer {
        let mutator = Mutator::new(target.breed(), Settings::SMALL);
        Fuzzer { target, judge, mutator, tally: Tally::default(), sample: Sample::default(), last: None }
    }

    /// The counts so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Gives an input to the judge.
    pub fn run(&mut self, bytes: &[u8]) -> InputOutcome {
        self.tally.executions += 1;
        let outcome = match self.last.take() {
            Some((made, case)) if made == bytes && self.target != Target::Codecs => {
                self.judge.judge(case, self.judge.thorough(bytes), &mut self.tally.summary)
            }
            _ => self.judge.run(bytes, &mut self.tally.summary),
        };
        match &outcome {
            InputOutcome::Rejected => self.tally.rejected += 1,
            InputOutcome::Held => {}
            InputOutcome::Found(troubles) => self.tally.found += troubles.len() as u64,
        }
        if self.target != Target::Codecs && !matches!(outcome, InputOutcome::Rejected) {
            self.sample.take(bytes);
        }
        outcome
    }

    /// Counts the features of the inputs that were sampled since the last call.
    pub fn take_stock(&mut self) {
        self.sample.count(&mut self.tally.features);
    }

    /// A mutated input, of at most `most` bytes. If that is less than the length of `bytes`, the case is only pruned.
    ///
    /// `plain` is the fuzzer's own mutation of bytes, for inputs that are nothing but bytes.
    pub fn mutate(
        &mut self,
        bytes: &[u8],
        most: usize,
        seed: u64,
        plain: &mut dyn FnMut(&mut Vec<u8>, usize),
    ) -> Vec<u8> {
        if self.target == Target::Codecs {
            return mutate_codec(bytes, most, seed, plain);
        }
        let known = self.last.take().filter(|(made, _)| made == bytes).map(|(_, case)| case);
        let Some(case) = known.or_else(|| wire::read(bytes).ok()) else {
            return self.fitting(most, |this, number| this.mutator.fresh(seed ^ u64::from(number)), bytes);
        };
        if most < bytes.len() {
            return self.pruned(case, most, seed, bytes);
        }
        self.fitting(most, |this, number| this.mutator.mutated(&case, mixed(seed, number)), bytes)
    }

    /// An input crossed from two, of at most `most` bytes.
    pub fn cross(&mut self, one: &[u8], other: &[u8], most: usize, seed: u64) -> Vec<u8> {
        if self.target == Target::Codecs {
            return cross_codec(one, other, most, seed);
        }
        let (Ok(first), Ok(second)) = (wire::read(one), wire::read(other)) else {
            return cut(one, most);
        };
        self.fitting(most, |this, number| this.mutator.crossed(&first, &second, mixed(seed, number)), one)
    }

    /// The first case made that fits; `before`, cut if necessary, if none does.
    fn fitting(&mut self, most: usize, mut make: impl FnMut(&Self, u32) -> Case, before: &[u8]) -> Vec<u8> {
        for number in 0..TRIES {
            let case = make(self, number);
            let bytes = wire::write(&case);
            if bytes.len() <= most {
                self.last = Some((bytes.clone(), case));
                return bytes;
            }
        }
        cut(before, most)
    }

    /// The case, pruned step by step until it fits.
    fn pruned(&mut self, mut case: Case, most: usize, seed: u64, before: &[u8]) -> Vec<u8> {
        for number in 0.. {
            let bytes = wire::write(&case);
            if bytes.len() <= most {
                self.last = Some((bytes.clone(), case));
                return bytes;
            }
            match self.mutator.pruned(&case, mixed(seed, number)) {
                Some(smaller) => case = smaller,
                None => break,
            }
        }
        cut(before, most)
    }
}

/// Another seed for each try.
fn mixed(seed: u64, number: u32) -> u64 {
    seed.wrapping_add(u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// The first bytes.
pub(super) fn cut(bytes: &[u8], most: usize) -> Vec<u8> {
    bytes[..bytes.len().min(most)].to_vec()
}
