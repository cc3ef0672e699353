//! Mutations of bytes for readers: these inputs are no cases, so nothing is known of their shape.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::codecs::{Codec, Document};
use super::fuzzer::cut;

/// Bytes for a codec, changed as bytes; now and then for another codec.
pub(super) fn mutate_codec(
    bytes: &[u8],
    most: usize,
    seed: u64,
    plain: &mut dyn FnMut(&mut Vec<u8>, usize),
) -> Vec<u8> {
    let Some(document) = Document::read(bytes) else {
        let mut bytes = cut(bytes, most);
        plain(&mut bytes, most);
        bytes.truncate(most);
        return bytes;
    };
    let mut raw = document.to_raw();
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
    let tag = raw.remove(0);
    raw.truncate(most.saturating_sub(1));
    plain(&mut raw, most.saturating_sub(1));
    raw.truncate(most.saturating_sub(1));
    let other = Codec::ALL[dice.next_u32() as usize % Codec::ALL.len()];
    let tag = match dice.next_u32() % 64 {
        0 => Document { codec: other, bytes: Vec::new().into() }.to_raw()[0],
        _ => tag,
    };
    raw.insert(0, tag);
    raw.truncate(most);
    raw
}

/// The beginning of one and the end of the other.
pub(super) fn cross_codec(one: &[u8], other: &[u8], most: usize, seed: u64) -> Vec<u8> {
    let raw = |bytes: &[u8]| Document::read(bytes).map_or_else(|| bytes.to_vec(), |document| document.to_raw());
    let (mut one, other) = (raw(one), raw(other));
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut below = |bound: usize| dice.next_u32() as usize % bound.max(1);
    let (head, tail) = (1 + below(one.len()), 1 + below(other.len()));
    one.truncate(head);
    one.extend(other.get(tail..).unwrap_or_default());
    one.truncate(most);
    one
}
