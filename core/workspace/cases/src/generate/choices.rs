//! Where choices come from: a seed, or bytes, as a fuzzer supplies them. When the bytes run out, every choice is the plainest one.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A sequence of choices.
#[derive(Debug)]
pub struct Choices<'b>(From<'b>);

#[derive(Debug)]
enum From<'b> {
    Seed(Box<Xoshiro256PlusPlus>),
    Bytes(&'b [u8]),
}

impl<'b> Choices<'b> {
    /// The choices of a case, by the seed and its number.
    pub fn seeded(seed: u64, number: u64) -> Choices<'static> {
        let mixed = seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
        Choices(From::Seed(Box::new(Xoshiro256PlusPlus::seed_from_u64(mixed))))
    }

    /// The choices that the bytes encode.
    pub fn bytes(bytes: &'b [u8]) -> Choices<'b> {
        Choices(From::Bytes(bytes))
    }

    fn next(&mut self) -> u32 {
        match &mut self.0 {
            From::Seed(rng) => rng.next_u32(),
            From::Bytes(bytes) => {
                let (taken, rest) = bytes.split_at(bytes.len().min(2));
                *bytes = rest;
                taken.iter().fold(0, |number, byte| (number << 8) | u32::from(*byte))
            }
        }
    }

    /// A number below `count`; zero if `count` is zero.
    pub fn below(&mut self, count: usize) -> usize {
        match u32::try_from(count) {
            Ok(count) if count > 0 => (self.next() % count) as usize,
            _ => 0,
        }
    }

    /// True in so many of a hundred cases. The plainest choice is false.
    pub fn chance(&mut self, percent: u32) -> bool {
        100 - (self.next() % 100) <= percent
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }
}
