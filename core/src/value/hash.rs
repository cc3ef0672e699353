//! Hashes of payloads, so that looking for an equal one among many costs one hash and not many comparisons (H09).
//!
//! The same build gives the same hash in every run and on every machine, so no result that is found by hash depends on
//! chance. That also means that a hostile input can be made to collide; equality is always checked afterwards.

use std::hash::{BuildHasher, Hasher};

use foldhash::quality::FixedState;

use super::node::{MapNode, Node};
use super::truth::Truth;
use super::ty::Type;
use super::walk::typed_parts;

/// The seed of every hash. Its value has no meaning.
const STATE: FixedState = FixedState::with_seed(0x706c_616e_6675_7a7a);

/// A hash that agrees for payloads of one type that are raw-equal after unrefining (V14, V30, H04). Shared sequences
/// keep theirs, so a second question about the same part costs nothing.
///
/// Numbers go by [`Number::hash_code`](super::Number::hash_code), so by V21; an unknown is a constant, whatever its
/// record; a set goes by its elements in iteration order. The one exception is V56: unrefining a set that has negative
/// zeros or non-whole numbers *within* its elements may reorder it, and then the hashes before and after differ.
pub fn structural_hash(node: &Node) -> u64 {
    weakened(structure(node))
}

fn structure(node: &Node) -> u64 {
    match node {
        Node::Null => tagged(0, 0),
        Node::Unknown(_) => tagged(1, 0),
        Node::Bool(Truth(bool)) => tagged(2, u64::from(*bool)),
        Node::Number(number) => tagged(3, number.hash_code()),
        Node::String(text) => {
            let mut hasher = STATE.build_hasher();
            hasher.write(text.as_bytes());
            hasher.finish()
        }
        Node::Seq(seq) => seq.cached_hash(|parts| in_order(parts.iter().map(structure))),
        Node::Map(map) => tagged(keys(map), map.values.cached_hash(|parts| in_order(parts.iter().map(structure)))),
    }
}

/// A hash that agrees for wholly known payloads of type `ty` of which `Equals` (V32) says true. Unlike raw equality
/// that does not look at the order of a set's elements, and elements that share a key (V55) may come in any.
pub(super) fn membership_hash(ty: &Type, node: &Node) -> u64 {
    weakened(membership(ty, node))
}

fn membership(ty: &Type, node: &Node) -> u64 {
    let parts = typed_parts(ty, node).map(|(ty, part)| membership(ty, part));
    match (ty, node) {
        (Type::Set(_), Node::Seq(_)) => tagged(4, parts.fold(0, u64::wrapping_add)),
        (_, Node::Seq(_)) => in_order(parts),
        (_, Node::Map(map)) => tagged(keys(map), in_order(parts)),
        _ => structure(node),
    }
}

/// The hash unchanged. Builds with the cargo feature `weak-hash` can weaken it.
#[cfg(not(feature = "weak-hash"))]
#[inline]
pub fn weakened(hash: u64) -> u64 {
    hash
}

/// Whether hashes are weakened: then lookups use hashes from the first element on, not only from some size on, and are
/// attacked.
#[cfg(not(feature = "weak-hash"))]
#[inline]
pub fn is_weakened() -> bool {
    false
}

/// Whether hashes are weakened: then lookups use hashes from the first element on, not only from some size on, and are
/// attacked.
#[cfg(feature = "weak-hash")]
pub fn is_weakened() -> bool {
    WEAK.get()
}

/// The hash unchanged, but two bits of it within [`with_weak_hashes`]. Hashes that are kept with sequences stay whole.
#[cfg(feature = "weak-hash")]
pub fn weakened(hash: u64) -> u64 {
    if WEAK.get() { hash & 3 } else { hash }
}

/// Runs `act` with hashes that are weakened or not: carries the value of [`is_weakened`] from one thread to another.
#[cfg(not(feature = "weak-hash"))]
#[inline]
pub fn with_hashes<T>(_is_weakened: bool, act: impl FnOnce() -> T) -> T {
    act()
}

/// Runs `act` with hashes that are weakened or not: carries the value of [`is_weakened`] from one thread to another.
#[cfg(feature = "weak-hash")]
pub fn with_hashes<T>(is_weakened: bool, act: impl FnOnce() -> T) -> T {
    /// Restores the former value, also after a panic.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            WEAK.set(self.0);
        }
    }
    let _before = Before(WEAK.replace(is_weakened));
    act()
}

#[cfg(feature = "weak-hash")]
thread_local! {
    static WEAK: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Runs `act` with only four different hashes, so that nearly everything collides: code that relies on hashes alone fails
/// there. Only builds with the cargo feature `weak-hash` have it.
#[cfg(feature = "weak-hash")]
pub fn with_weak_hashes<T>(act: impl FnOnce() -> T) -> T {
    with_hashes(true, act)
}

fn keys(map: &MapNode) -> u64 {
    let mut hasher = STATE.build_hasher();
    for key in map.keys() {
        hasher.write(key.as_bytes());
        hasher.write_usize(key.len());
    }
    hasher.finish()
}

fn in_order(hashes: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = STATE.build_hasher();
    hashes.for_each(|hash| hasher.write_u64(hash));
    hasher.finish()
}

fn tagged(tag: u64, hash: u64) -> u64 {
    in_order([tag, hash].into_iter())
}
