//! Payloads: the content of a value beside its type.
//!
//! A payload knows nothing of its own type; a [`Value`](super::Value) pairs the two, and the type of a part
//! follows from the type of the whole. That keeps a payload at sixteen bytes, and a merge of objects that have
//! one schema is a walk over arrays. Parts are shared: a clone costs one counter.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use triomphe::{Arc, HeaderSlice, ThinArc};

use super::number::Number;
use super::refinement::Refinement;
use super::text::Text;
use super::truth::Truth;

/// The payload of a value of some type.
#[derive(Clone, Debug)]
pub enum Node {
    /// Null.
    Null,
    /// Unknown, perhaps with a refinement record (V40).
    Unknown(Option<Arc<Refinement>>),
    /// A known bool.
    Bool(Truth),
    /// A known number.
    Number(Number),
    /// A known string.
    String(Text),
    /// The elements of a list or tuple by index, of a set in iteration order (V52), the members of an object in
    /// the order of its type's attributes.
    Seq(Seq),
    /// The entries of a map.
    Map(Arc<MapNode>),
}

/// A shared sequence of payloads, with facts about it that are found once.
#[derive(Clone, Debug)]
pub struct Seq(ThinArc<Facts, Node>);

/// The entries of a known map: keys in byte order and the payloads beside them.
#[derive(Clone, Debug)]
pub struct MapNode {
    /// The keys, strictly ascending by bytes; maps made from one another share them.
    pub keys: ThinArc<(), Text>,
    /// The payload of each key.
    pub values: Seq,
}

/// Facts about a sequence that are computed on first use.
#[derive(Debug, Default)]
struct Facts {
    /// Bits of [`Contents`], or zero before the first use.
    contents: AtomicU8,
    /// A structural hash, or zero before the first use.
    hash: AtomicU64,
}

/// The kinds of parts that a payload holds, itself included, at any depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents(u8);

impl Contents {
    const ASKED: u8 = 1;
    const UNKNOWN: u8 = 2;
    const RECORD: u8 = 4;
    const ODD: u8 = 8;
    const LONG: u8 = 16;

    /// Whether there is an unknown at any depth: the opposite of wholly known (V09).
    pub fn has_unknown(self) -> bool {
        self.0 & Contents::UNKNOWN != 0
    }

    /// Whether there is an unknown with a refinement record at any depth.
    pub fn has_record(self) -> bool {
        self.0 & Contents::RECORD != 0
    }

    /// Whether there is an odd number at any depth: negative zero, or one that is not whole. Equality and the keys of
    /// sets may disagree on them (V56).
    pub fn has_odd_number(self) -> bool {
        self.0 & Contents::ODD != 0
    }

    /// Whether every number at any depth is whole and of at most ten digits, so that its set key differs from that of
    /// every other number (V20). With no unknowns either, different payloads of one type have different keys (V51).
    pub fn has_plain_numbers(self) -> bool {
        self.0 & Contents::LONG == 0
    }

    #[inline]
    fn of_number(number: &Number) -> Contents {
        Contents(match number {
            Number::Int(int) | Number::Short { int, .. } if int.unsigned_abs() < 10_000_000_000 => Contents::ASKED,
            Number::NegativeZero { .. } => Contents::ASKED | Contents::LONG | Contents::ODD,
            number if number.is_whole() => Contents::ASKED | Contents::LONG,
            _ => Contents::ASKED | Contents::LONG | Contents::ODD,
        })
    }
}

impl Node {
    /// A plain unknown.
    pub const UNKNOWN: Node = Node::Unknown(None);

    /// A sequence of `items`.
    pub fn seq(items: Vec<Node>) -> Node {
        Node::Seq(Seq::new(items))
    }

    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Node::Null)
    }

    /// Whether this itself is unknown.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Node::Unknown(_))
    }

    /// The sequence, where this is one.
    pub fn as_seq(&self) -> Option<&Seq> {
        match self {
            Node::Seq(seq) => Some(seq),
            _ => None,
        }
    }

    /// The stored parts: elements, members or map values; empty for anything else.
    pub fn parts(&self) -> &[Node] {
        match self {
            Node::Seq(seq) => seq.as_slice(),
            Node::Map(map) => map.values.as_slice(),
            _ => &[],
        }
    }

    /// The contents of this payload at any depth. Computed once for each shared part.
    #[inline]
    pub fn contents(&self) -> Contents {
        match self {
            Node::Unknown(None) => Contents(Contents::ASKED | Contents::UNKNOWN),
            Node::Unknown(Some(_)) => Contents(Contents::ASKED | Contents::UNKNOWN | Contents::RECORD),
            Node::Seq(seq) => seq.contents(),
            Node::Map(map) => map.values.contents(),
            Node::Number(number) => Contents::of_number(number),
            Node::Null | Node::Bool(_) | Node::String(_) => Contents(Contents::ASKED),
        }
    }

    /// Whether the two are one shared part, and so equal. `false` does not mean that they differ.
    pub fn ptr_eq(&self, other: &Node) -> bool {
        match (self, other) {
            (Node::Seq(a), Node::Seq(b)) => a.ptr_eq(b),
            (Node::Map(a), Node::Map(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// A copy that shares nothing with this one, every node allocated anew: the baseline of the benches.
    pub fn deep_clone(&self) -> Node {
        match self {
            Node::Null | Node::Bool(_) | Node::Unknown(None) => self.clone(),
            Node::Unknown(Some(record)) => Node::Unknown(Some(Arc::new((**record).clone()))),
            Node::Number(number) => Node::Number(number.deep_clone()),
            Node::String(text) => Node::String(text.deep_clone()),
            Node::Seq(seq) => Node::Seq(seq.deep_clone()),
            Node::Map(map) => Node::Map(Arc::new(MapNode {
                keys: keys_of(map.keys.slice.iter().map(Text::deep_clone).collect()),
                values: map.values.deep_clone(),
            })),
        }
    }
}

impl Seq {
    /// A sequence of `items`.
    pub fn new(items: Vec<Node>) -> Seq {
        Seq(ThinArc::from_header_and_iter(Facts::default(), items.into_iter()))
    }

    /// A sequence of the items of `items`, without a list in between.
    pub fn from_exact(items: impl ExactSizeIterator<Item = Node>) -> Seq {
        Seq(ThinArc::from_header_and_iter(Facts::default(), items))
    }

    /// The payloads.
    pub fn as_slice(&self) -> &[Node] {
        &self.0.slice
    }

    /// The number of stored payloads: the physical length (V45).
    pub fn len(&self) -> usize {
        self.0.slice.len()
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.0.slice.is_empty()
    }

    /// Whether the two are one allocation.
    pub fn ptr_eq(&self, other: &Seq) -> bool {
        self.0.ptr() == other.0.ptr()
    }

    /// The contents of the payloads at any depth.
    #[inline]
    pub fn contents(&self) -> Contents {
        let known = self.facts().contents.load(Ordering::Relaxed);
        if known != 0 { Contents(known) } else { self.find_contents() }
    }

    /// One call for each sequence, and none for its items.
    #[inline(never)]
    fn find_contents(&self) -> Contents {
        let found = self.as_slice().iter().fold(Contents::ASKED, |bits, item| bits | item.contents().0);
        self.facts().contents.store(found, Ordering::Relaxed);
        Contents(found)
    }

    /// A hash that is kept with the sequence: `compute` runs the first time only, so it must be a function of the
    /// payloads alone. There is one caller, structural equality, which decides what is hashed.
    pub(super) fn cached_hash(&self, compute: impl FnOnce(&[Node]) -> u64) -> u64 {
        let facts = self.facts();
        let known = facts.hash.load(Ordering::Relaxed);
        if known != 0 {
            return known;
        }
        let found = compute(self.as_slice()).max(1);
        facts.hash.store(found, Ordering::Relaxed);
        found
    }

    fn deep_clone(&self) -> Seq {
        Seq::from_exact(self.as_slice().iter().map(Node::deep_clone))
    }

    fn facts(&self) -> &Facts {
        let whole: &HeaderSlice<_, [Node]> = &self.0;
        &whole.header.header
    }
}

impl MapNode {
    /// A map of `entries`, whose keys are strictly ascending by bytes.
    pub fn from_sorted(entries: Vec<(Text, Node)>) -> MapNode {
        debug_assert!(entries.windows(2).all(|pair| pair[0].0 < pair[1].0), "keys ascend");
        let (keys, values): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        MapNode { keys: keys_of(keys), values: Seq::new(values) }
    }

    /// The keys, ascending.
    pub fn keys(&self) -> &[Text] {
        &self.keys.slice
    }

    /// The payload of `key`, if there is one.
    pub fn get(&self, key: &str) -> Option<&Node> {
        let index = self.keys().binary_search_by(|probe| probe.as_str().cmp(key)).ok()?;
        Some(&self.values.as_slice()[index])
    }
}

fn keys_of(keys: Vec<Text>) -> ThinArc<(), Text> {
    ThinArc::from_header_and_iter((), keys.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_takes_sixteen_bytes() {
        assert_eq!(size_of::<Node>(), 16);
        assert_eq!(size_of::<Option<Node>>(), 16);
    }

    #[test]
    fn v09_an_unknown_at_any_depth_is_noticed() {
        let deep = Node::seq(vec![Node::seq(vec![Node::Null, Node::UNKNOWN])]);
        assert!(deep.contents().has_unknown() && !deep.contents().has_record());
        assert!(!Node::seq(vec![Node::seq(vec![Node::Null])]).contents().has_unknown());
    }
}
