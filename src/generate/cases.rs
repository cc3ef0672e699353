//! Cases by number.
//!
//! Case number `i` is a function of the seed, the settings and `i` alone: its schema comes from bytes of the seed and
//! `i / cases_per_schema`, its values from bytes of the seed and `i`. So any number of workers, each taking any part
//! of the numbers, makes the same cases, and a finding is named by two numbers.

use arbitrary::Unstructured;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::dice::Dice;
use super::generator::Generator;
use super::schema_context::SchemaContext;
use crate::case::Case;

/// The cases of a seed. Caches the schema of the last case, so asking for numbers in ascending order is cheapest.
#[derive(Debug)]
pub struct Cases {
    generator: Generator,
    seed: u64,
    buffer: Vec<u8>,
    /// The number of the cached schema, and the schema.
    last: Option<(u64, SchemaContext)>,
}

/// What a stream of bytes is used for: streams of the same seed and number differ by it.
#[derive(Clone, Copy)]
pub(super) enum Stream {
    Schema = 1,
    Values = 2,
    Offset = 3,
    ValueCalls = 4,
    Provider = 5,
    Scenario = 6,
    SchemaCalls = 7,
    StepProvider = 8,
    Steps = 9,
    Expressions = 10,
    Files = 11,
}

impl Cases {
    /// The cases of a seed.
    pub fn new(generator: Generator, seed: u64) -> Cases {
        Cases { generator, seed, buffer: Vec::new(), last: None }
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Case number `number`.
    pub fn case(&mut self, number: u64) -> Case {
        let which = number / u64::from(self.generator.settings().cases_per_schema.max(1));
        let schema_context = match self.last.take() {
            Some((made, schema_context)) if made == which => schema_context,
            _ => self.schema_context(which),
        };
        fill(&mut self.buffer, schema_context.size.value_entropy, self.seed, number, Stream::Values);
        let case = self.generator.case_in(&schema_context, &mut Unstructured::new(&self.buffer));
        self.last = Some((which, schema_context));
        case
    }

    /// How many resource types of the catalogue the first `count` cases visit.
    pub fn types_visited(&self, count: u64) -> usize {
        self.generator.types_visited(count)
    }

    fn schema_context(&mut self, which: u64) -> SchemaContext {
        let length = self.generator.settings().schema_entropy;
        fill(&mut self.buffer, length, self.seed, which, Stream::Schema);
        let real = self.real(which);
        let mut bytes = Unstructured::new(&self.buffer);
        self.generator.schema_context_of(&mut Dice::new(&mut bytes), real)
    }

    /// The index into the catalogue for a schema's number; `None` for an invented schema. The types are visited in turn,
    /// from a start that depends on the seed.
    fn real(&self, which: u64) -> Option<usize> {
        let (before, after) = (self.generator.real_among(which), self.generator.real_among(which.saturating_add(1)));
        let start = stream(self.seed, 0, Stream::Offset).next_u32();
        (after > before).then(|| usize::try_from(before.wrapping_add(u64::from(start))).unwrap_or(0))
    }
}

/// Fills the buffer with the bytes of a stream.
pub(super) fn fill(buffer: &mut Vec<u8>, length: usize, seed: u64, number: u64, what: Stream) {
    buffer.resize(length, 0);
    stream(seed, number, what).fill_bytes(buffer);
}

pub(super) fn stream(seed: u64, number: u64, what: Stream) -> Xoshiro256PlusPlus {
    // The golden ratio spreads neighbours apart; the generator's own seeding does the rest.
    let apart = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut first = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(what as u64).rotate_left(17) ^ apart);
    let mixed = first.next_u64();
    Xoshiro256PlusPlus::seed_from_u64(mixed ^ seed)
}
