//! Sameness of payloads: by sharing first, by content as cheaply as possible.

use triomphe::Arc;

use planfuzz_core::value::{
    Node, Number, Tri, Truth, ValueRef, equals, raw_equals, raw_equals_unrefined, structural_hash, weakened,
};

/// Whether the two payloads are not distinguishable, so that one may stand for the other (V06). Stricter than raw equality,
/// which ignores the precision of a number (V21); `false` does not mean that they differ.
pub(super) fn identical(a: &Node, b: &Node) -> bool {
    match (a, b) {
        (Node::Null, Node::Null) | (Node::Unknown(None), Node::Unknown(None)) => true,
        (Node::Unknown(Some(a)), Node::Unknown(Some(b))) => Arc::ptr_eq(a, b),
        (Node::Bool(Truth(a)), Node::Bool(Truth(b))) => a == b,
        (Node::Number(Number::Int(a)), Node::Number(Number::Int(b))) => a == b,
        (Node::String(a), Node::String(b)) => a.ptr_eq(b) || a == b,
        (Node::Seq(a), Node::Seq(b)) => {
            a.ptr_eq(b) || (a.len() == b.len() && all_pairs(a.as_slice(), b.as_slice(), identical))
        }
        (Node::Map(a), Node::Map(b)) => {
            Arc::ptr_eq(a, b)
                || (a.keys() == b.keys() && all_pairs(a.values.as_slice(), b.values.as_slice(), identical))
        }
        _ => false,
    }
}

fn all_pairs(a: &[Node], b: &[Node], same: fn(&Node, &Node) -> bool) -> bool {
    a.iter().zip(b).all(|(a, b)| same(a, b))
}

/// Whether `Equals` is true of the two (V32). It is true of a wholly known value and itself, so of two that are identical
/// (V06); raw equality would not do, since `Equals` distinguishes numbers that are raw-equal by their set keys (V50).
pub(super) fn certainly_equal(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    (a.ty() == b.ty() && identical(a.node(), b.node()) && a.is_wholly_known()) || equals(a, b) == Tri::True
}

/// Whether the two are one shared part, or identical payloads without parts: equal without looking inside.
pub(super) fn shared(a: &Node, b: &Node) -> bool {
    match (a, b) {
        (Node::Seq(_), _) | (Node::Map(_), _) => a.ptr_eq(b),
        _ => identical(a, b),
    }
}

/// Raw equality of the unrefined values (V14, V30), decided early where that is cheap.
pub(super) fn equal_unrefined(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    match glance(a.node(), b.node()) {
        Glance::Different => false,
        Glance::Same => a.ty() == b.ty(),
        Glance::Look => raw_equals_unrefined(a, b),
    }
}

/// H09: equality at a place whose parts will be compared once more, one level down, if they differ here. Parts of a chain
/// must not be compared once for each level above them, so this looks at a few payloads and then at the hash that shared
/// parts keep (H04); only payloads with equal hashes are compared to the end.
pub(super) fn equal_tree(a: ValueRef<'_>, b: ValueRef<'_>, records: bool) -> bool {
    let decide = if records { raw_equals } else { raw_equals_unrefined };
    match glance(a.node(), b.node()) {
        Glance::Different => return false,
        Glance::Same => return a.ty() == b.ty(),
        Glance::Look => {}
    }
    // Unrefining may reorder a set (V56): where payloads have records, different places or hashes do not prove that the
    // unrefined values differ.
    if !records && (a.node().contents().has_record() || b.node().contents().has_record()) {
        return decide(a, b);
    }
    let mut budget = BUDGET;
    if differ(a.node(), b.node(), &mut budget) {
        return false;
    }
    (budget > 0 || structural_hash(a.node()) == structural_hash(b.node())) && decide(a, b)
}

/// How many pairs of payloads [`equal_tree`] looks at before it compares hashes.
const BUDGET: u32 = 32;

/// Whether the budget is enough to find a difference. Only differences by V30 after V14 count: an unknown against an unknown
/// is none.
fn differ(a: &Node, b: &Node, budget: &mut u32) -> bool {
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    match glance(a, b) {
        Glance::Different => return true,
        Glance::Same => return false,
        Glance::Look => {}
    }
    if let (Node::Map(a), Node::Map(b)) = (a, b)
        && a.keys().iter().zip(b.keys()).take(BUDGET as usize).any(|(a, b)| a != b)
    {
        return true;
    }
    a.parts().iter().zip(b.parts()).any(|(a, b)| differ(a, b, budget))
}

/// The result of comparing two payloads at a glance.
pub(super) enum Glance {
    /// They are not distinguishable, but by their types.
    Same,
    /// They are not equal, not even unrefined.
    Different,
    /// Neither.
    Look,
}

/// Compares the two payloads alone: their types may still differ, and so may records.
pub(super) fn glance(a: &Node, b: &Node) -> Glance {
    let answer = |same| if same { Glance::Same } else { Glance::Different };
    match (a, b) {
        (Node::Null, Node::Null) | (Node::Unknown(None), Node::Unknown(None)) => Glance::Same,
        (Node::Bool(Truth(a)), Node::Bool(Truth(b))) => answer(a == b),
        (Node::String(a), Node::String(b)) => answer(a.ptr_eq(b) || a == b),
        (Node::Number(Number::Int(a)), Node::Number(Number::Int(b))) => answer(a == b),
        (Node::Seq(x), Node::Seq(y)) if x.len() != y.len() => Glance::Different,
        (Node::Map(x), Node::Map(y)) if x.values.len() != y.values.len() => Glance::Different,
        (Node::Seq(_), Node::Seq(_)) | (Node::Map(_), Node::Map(_)) if a.ptr_eq(b) => Glance::Same,
        (Node::Seq(_), Node::Seq(_))
        | (Node::Map(_), Node::Map(_))
        | (Node::Number(_), Node::Number(_))
        | (Node::Unknown(_), Node::Unknown(_)) => Glance::Look,
        _ => Glance::Different,
    }
}

/// One hash of some members of an element, by which tables are organised (H02, H03, H07).
pub(super) fn hash_of_members<'a>(members: impl Iterator<Item = &'a Node>) -> u64 {
    weakened(members.fold(0x9e37_79b9_7f4a_7c15, |hash, member| mix(hash, structural_hash(member))))
}

fn mix(hash: u64, part: u64) -> u64 {
    let product = u128::from(hash.rotate_left(23) ^ part) * 0x9e37_79b9_7f4a_7c15;
    (product as u64) ^ (product >> 64) as u64
}
