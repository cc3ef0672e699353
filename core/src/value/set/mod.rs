//! Sets (V50 to V57): membership and iteration order.
//!
//! The rules describe insertion one by one into buckets by the CRC-32 of a key, and a stable sort of the buckets'
//! elements. Here a set is built at once. The result is the same because:
//!
//! - Null, unknown and known elements never tie, unknown ones all do, and only a wholly known element or null is ever
//!   dropped: `Equals` is not true of anything with an unknown in it.
//! - *A number is odd if it is negative zero or not whole. Elements without odd numbers that are raw-equal, or of
//!   which `Equals` is true, have one key.* For keys end where the types say and quoting is a function of the string,
//!   so only numbers could differ in them, and whole numbers that are equal have the same digits.
//! - So without odd numbers the order of V53 is one of classes, a class has one key and so one CRC, and within it
//!   insertion order stays: one stable sort by V53, repetitions being neighbours. The CRC cannot be observed, and no key
//!   is written.
//! - With odd numbers the buckets are made, and the sort is the one that V56 names, where that can be observed.
//!
//! Building is O(n log n) comparisons whatever the elements, short of collisions of 64-bit hashes.

mod key;
mod order;
mod ordered;
mod stable;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::ops::Range;

use super::equality::{Tri, equals_of_type, same_payload};
use super::hash::{membership_hash, structural_hash};
use super::node::{Node, Seq};
use super::truth::Truth;
use super::ty::Type;
pub(super) use key::KeyWriter;
pub(crate) use key::is_printable;
use order::KeyOrder;
pub use ordered::insert;

/// The set made by inserting `elements`, payloads of type `element`, in order (V50), in iteration order (V52).
///
/// Never panics and never loops, whatever the elements.
pub fn build(element: &Type, mut elements: Vec<Node>) -> Seq {
    if elements.len() < 2 {
        return Seq::new(elements);
    }
    let plain = match element {
        Type::Dynamic | Type::Bool | Type::String => true,
        Type::Number => !elements.iter().any(is_fragile),
        Type::List(_) | Type::Set(_) | Type::Map(_) | Type::Tuple(_) | Type::Object(_) => false,
    };
    if plain {
        elements.sort_by(compare_primitives);
        elements.dedup_by(|later, first| is_same_primitive(later, first));
        return Seq::new(elements);
    }
    if elements.iter().any(is_fragile) {
        let members = Members::new(element, elements).in_order();
        return Seq::from_exact(members.into_iter().map(|member| member.node));
    }
    let mut order = KeyOrder::default();
    elements.sort_by(|a, b| order.compare_elements(element, a, b));
    drop_repeated(element, &mut elements, |node| node, |a, b| order.compare_elements(element, a, b).is_eq());
    Seq::new(elements)
}

/// The key of a payload of type `ty` in a set (V51).
pub fn set_key(ty: &Type, node: &Node) -> Vec<u8> {
    let mut writer = KeyWriter::default();
    writer.write(ty, node);
    writer.bytes
}

/// Whether two payloads of one type that are raw-equal have the same key, or one of the same CRC.
pub(super) fn has_same_key(ty: &Type, a: &Node, b: &Node) -> bool {
    !(is_fragile(a) || is_fragile(b)) || KeyWriter::default().crc(ty, a) == KeyWriter::default().crc(ty, b)
}

/// Whether there is an odd number at any depth, on which equality and keys may disagree (V56).
pub(super) fn is_fragile(node: &Node) -> bool {
    node.contents().has_odd_number()
}

/// V53 for known before unknown before null.
fn rank(node: &Node) -> u8 {
    match node {
        Node::Unknown(_) => 1,
        Node::Null => 2,
        _ => 0,
    }
}

fn compare_primitives(a: &Node, b: &Node) -> Ordering {
    match (a, b) {
        (Node::String(a), Node::String(b)) => a.cmp(b),
        (Node::Bool(Truth(a)), Node::Bool(Truth(b))) => a.cmp(b),
        (Node::Number(a), Node::Number(b)) => a.compare(b),
        _ => rank(a).cmp(&rank(b)),
    }
}

fn is_same_primitive(a: &Node, b: &Node) -> bool {
    !a.is_unknown() && !b.is_unknown() && compare_primitives(a, b) == Ordering::Equal
}

/// The elements of a set to be built, with their keys, where some number inside is odd.
struct Members<'a> {
    element: &'a Type,
    keys: KeyWriter,
    members: Vec<Member>,
}

struct Member {
    node: Node,
    /// The place of the key.
    key: Range<usize>,
    crc: u32,
}

impl<'a> Members<'a> {
    fn new(element: &'a Type, nodes: Vec<Node>) -> Members<'a> {
        let mut keys = KeyWriter::default();
        let mut members = Vec::with_capacity(nodes.len());
        for node in nodes {
            let start = keys.bytes.len();
            keys.write(element, &node);
            members.push(Member { node, key: start..keys.bytes.len(), crc: 0 });
        }
        Members { element, keys, members }
    }

    /// The members that stay, in iteration order.
    fn in_order(mut self) -> Vec<Member> {
        let mut members = std::mem::take(&mut self.members);
        for member in &mut members {
            member.crc = crc32fast::hash(self.key(member));
        }
        members.sort_by_key(|member| member.crc);
        drop_repeated(self.element, &mut members, |member| &member.node, |a, b| a.crc == b.crc);
        if self.may_be_intransitive(&members) {
            stable::sort(&mut members, &mut |a, b| self.is_before(a, b));
        } else {
            members.sort_by(|a, b| self.compare(a, b));
        }
        members
    }

    fn key(&self, member: &Member) -> &[u8] {
        &self.keys.bytes[member.key.clone()]
    }

    fn compare_keys(&self, a: &Member, b: &Member) -> Ordering {
        rank(&a.node).cmp(&rank(&b.node)).then_with(|| self.key(a).cmp(self.key(b)))
    }

    /// V53 without its first words, which matter only where [`Members::may_be_intransitive`].
    fn compare(&self, a: &Member, b: &Member) -> Ordering {
        match (&a.node, &b.node) {
            (Node::Number(a), Node::Number(b)) => a.compare(b),
            _ => self.compare_keys(a, b),
        }
    }

    /// V53 to the letter.
    fn is_before(&self, a: &Member, b: &Member) -> bool {
        self.compare(a, b) == Ordering::Less && !same_payload(&a.node, &b.node)
    }

    /// Whether two members may be raw-equal with different keys (V56).
    fn may_be_intransitive(&self, members: &[Member]) -> bool {
        let mut hashed: Vec<_> =
            members.iter().map(|member| (structural_hash(&member.node), self.key(member))).collect();
        hashed.sort_unstable();
        hashed.windows(2).any(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1)
    }
}

/// V50 within each run of neighbours that are `together`: those that have a key, or its CRC, in common. A run is in
/// insertion order.
fn drop_repeated<T>(
    element: &Type,
    members: &mut Vec<T>,
    node: impl Fn(&T) -> &Node,
    mut together: impl FnMut(&T, &T) -> bool,
) {
    let mut repeated: Vec<bool> = Vec::new();
    let mut start = 0;
    while start < members.len() {
        let mut end = start + 1;
        while end < members.len() && together(&members[end - 1], &members[end]) {
            end += 1;
        }
        if end - start > 1 {
            repeated.resize(members.len(), false);
            let run: Vec<_> = members[start..end].iter().map(&node).collect();
            mark_repeated(element, &run, &mut repeated[start..end]);
        }
        start = end;
    }
    if repeated.contains(&true) {
        let mut repeated = repeated.into_iter();
        members.retain(|_| repeated.next() != Some(true));
    }
}

fn mark_repeated(element: &Type, run: &[&Node], repeated: &mut [bool]) {
    let droppable = run.iter().enumerate().filter(|(_, node)| !node.contents().has_unknown());
    let mut hashed: Vec<_> = droppable.map(|(index, node)| (membership_hash(element, node), index)).collect();
    hashed.sort_unstable();
    for group in hashed.chunk_by(|a, b| a.0 == b.0) {
        let mut kept: Vec<&Node> = Vec::new();
        for &(_, index) in group {
            let node = run[index];
            if kept.iter().any(|kept| equals_of_type(element, node, kept) == Tri::True) {
                repeated[index] = true;
            } else {
                kept.push(node);
            }
        }
    }
}
