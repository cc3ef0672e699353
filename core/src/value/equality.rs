//! Equality: raw (V30, V31), and `Equals` with its third answer (V32).
//!
//! Both compare the types first and payloads only below equal types, so no type is compared twice. Every comparison
//! is linear in the smaller of the two values, times the nesting of sets where sets hold sets.

use triomphe::Arc;

use super::hash::membership_hash;
use super::node::{MapNode, Node, Seq};
use super::range::includes;
use super::set;
use super::truth::Truth;
use super::ty::Type;
use super::view::ValueRef;
use super::walk::{typed_parts, unrefined};

/// A truth value that may be unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tri {
    /// False for certain.
    False,
    /// True for certain.
    True,
    /// It depends on unknown parts.
    Unknown,
}

impl From<bool> for Tri {
    fn from(answer: bool) -> Tri {
        if answer { Tri::True } else { Tri::False }
    }
}

/// Raw equality (V30), refinement records included (V31).
pub fn raw_equals(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    a.ty() == b.ty() && same_payload(a.node(), b.node())
}

/// Raw equality of the unrefined values (V14, V30), without building them.
pub fn raw_equals_unrefined(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    a.ty() == b.ty() && same_unrefined(a.ty(), a.node(), b.node())
}

/// `Equals` (V32).
///
/// Where V32 leaves the order of the pairs of an object or a map open, they are visited in byte order of their names,
/// so the answer is one of those that the rule allows, and always the same one.
pub fn equals(a: ValueRef<'_>, b: ValueRef<'_>) -> Tri {
    if a.ty() == b.ty() {
        return equals_of_type(a.ty(), a.node(), b.node());
    }
    match (a.node(), b.node()) {
        (Node::Unknown(_), Node::Unknown(_)) => Tri::Unknown,
        (Node::Unknown(_), _) => unknown_equals(a, b),
        (_, Node::Unknown(_)) => unknown_equals(b, a),
        (Node::Null, Node::Null) => Tri::True,
        (Node::Null, _) | (_, Node::Null) => Tri::False,
        _ if has_untyped_unknown(a.ty(), a.node()) || has_untyped_unknown(b.ty(), b.node()) => {
            if a.ty().conforms_to(b.ty()) || b.ty().conforms_to(a.ty()) { Tri::Unknown } else { Tri::False }
        }
        _ => Tri::False,
    }
}

/// V30 below equal types. That sets are compared in iteration order makes them sequences like all others.
pub(super) fn same_payload(a: &Node, b: &Node) -> bool {
    match (a, b) {
        (Node::Null, Node::Null) => true,
        (Node::Unknown(a), Node::Unknown(b)) => a == b,
        (Node::Bool(Truth(a)), Node::Bool(Truth(b))) => a == b,
        (Node::Number(a), Node::Number(b)) => a.equals(b),
        (Node::String(a), Node::String(b)) => a == b,
        (Node::Seq(a), Node::Seq(b)) => same_parts(a, b),
        (Node::Map(a), Node::Map(b)) => Arc::ptr_eq(a, b) || (same_keys(a, b) && same_parts(&a.values, &b.values)),
        _ => false,
    }
}

fn same_parts(a: &Seq, b: &Seq) -> bool {
    a.ptr_eq(b) || (a.len() == b.len() && a.as_slice().iter().zip(b.as_slice()).all(|(a, b)| same_payload(a, b)))
}

fn same_keys(a: &MapNode, b: &MapNode) -> bool {
    a.keys.ptr() == b.keys.ptr() || a.keys() == b.keys()
}

/// As if both had gone through V14. Unrefining rebuilds sets, which changes nothing but in the case of V56; there the
/// sets are built after all.
fn same_unrefined(ty: &Type, a: &Node, b: &Node) -> bool {
    if !a.contents().has_record() && !b.contents().has_record() {
        return same_payload(a, b);
    }
    match (a, b) {
        (Node::Unknown(_), Node::Unknown(_)) => true,
        _ if a.ptr_eq(b) => true,
        (Node::Seq(_), Node::Seq(_)) if matches!(ty, Type::Set(_)) && (set::is_fragile(a) || set::is_fragile(b)) => {
            same_payload(&unrefined(ty, a), &unrefined(ty, b))
        }
        (Node::Map(x), Node::Map(y)) if !same_keys(x, y) => false,
        (Node::Seq(_), Node::Seq(_)) | (Node::Map(_), Node::Map(_)) => {
            a.parts().len() == b.parts().len()
                && typed_parts(ty, a).zip(b.parts()).all(|((ty, a), b)| same_unrefined(ty, a, b))
        }
        _ => false,
    }
}

/// V32 for two payloads of one type, which decides most of its questions about types.
pub(super) fn equals_of_type(ty: &Type, a: &Node, b: &Node) -> Tri {
    match (a, b) {
        (Node::Unknown(_), Node::Unknown(_)) => Tri::Unknown,
        (Node::Unknown(_), _) => unknown_equals(ValueRef::new(ty, a), ValueRef::new(ty, b)),
        (_, Node::Unknown(_)) => unknown_equals(ValueRef::new(ty, b), ValueRef::new(ty, a)),
        (Node::Null, Node::Null) => Tri::True,
        (Node::Null, _) | (_, Node::Null) => Tri::False,
        _ if has_untyped_unknown(ty, a) || has_untyped_unknown(ty, b) => Tri::Unknown,
        _ if a.ptr_eq(b) && !a.contents().has_unknown() => Tri::True,
        (Node::Seq(x), Node::Seq(y)) => match ty {
            Type::Set(element) => equals_sets(element, x, y),
            _ => equals_parts(ty, a, b),
        },
        (Node::Map(x), Node::Map(y)) if same_keys(x, y) => equals_parts(ty, a, b),
        _ => same_payload(a, b).into(),
    }
}

/// V32 steps 1, 2 and 4 for an unknown and a value that is not.
fn unknown_equals(unknown: ValueRef<'_>, other: ValueRef<'_>) -> Tri {
    let not_null = matches!(unknown.node(), Node::Unknown(Some(record)) if record.not_null);
    if other.is_null() {
        return if not_null { Tri::False } else { Tri::Unknown };
    }
    if includes(unknown, other) == Tri::False {
        return Tri::False;
    }
    if unknown.ty().has_dynamic() || unknown.ty() == other.ty() { Tri::Unknown } else { Tri::False }
}

/// V32 step 8: the first pair that is not true decides.
fn equals_parts(ty: &Type, a: &Node, b: &Node) -> Tri {
    if a.parts().len() != b.parts().len() {
        return Tri::False;
    }
    let pairs = typed_parts(ty, a).zip(b.parts());
    let mut answers = pairs.map(|((ty, a), b)| equals_of_type(ty, a, b));
    answers.find(|answer| *answer != Tri::True).unwrap_or(Tri::True)
}

/// V32 step 8 for sets. `Equals` is never true of an element with an unknown in it, so beside elements that are
/// themselves unknown only wholly known sets need a look; among their elements "same CRC and `Equals`" is an
/// equivalence and a set holds one of each class, so sets of one length that contain each other are the same classes.
fn equals_sets(element: &Type, a: &Seq, b: &Seq) -> Tri {
    if a.as_slice().iter().chain(b.as_slice()).any(Node::is_unknown) {
        return Tri::Unknown;
    }
    if a.contents().has_unknown() || b.contents().has_unknown() || a.len() != b.len() {
        return Tri::False;
    }
    (same_in_order(element, a, b) || same_in_any_order(element, a, b)).into()
}

/// The way nearly all equal sets are: raw-equal. Keys differ below that only for the numbers of V50.
fn same_in_order(element: &Type, a: &Seq, b: &Seq) -> bool {
    let mut pairs = a.as_slice().iter().zip(b.as_slice());
    same_parts(a, b) && pairs.all(|(a, b)| set::has_same_key(element, a, b))
}

/// Elements that share a key may come in either order (V55). Classes are met by hash, so that sets that differ, and
/// nested sets that differ, cost one walk each.
fn same_in_any_order(element: &Type, a: &Seq, b: &Seq) -> bool {
    let (a, b) = (classes(element, a), classes(element, b));
    let mut start = 0;
    a.iter().zip(&b).all(|(a, b)| a.0 == b.0)
        && a.chunk_by(|a, b| a.0 == b.0).all(|group| {
            let others = &b[start..start + group.len()];
            start += group.len();
            group.iter().all(|(_, a)| others.iter().any(|(_, b)| equals_of_type(element, a, b) == Tri::True))
        })
}

/// The elements by properties that all elements which are one by V50 share: a hash of what `Equals` sees, and the
/// CRC.
fn classes<'a>(element: &Type, set: &'a Seq) -> Vec<((u64, u32), &'a Node)> {
    let mut keys = set::KeyWriter::default();
    let class = |node| ((membership_hash(element, node), keys.crc(element, node)), node);
    let mut classes: Vec<_> = set.as_slice().iter().map(class).collect();
    classes.sort_by_key(|(class, _)| *class);
    classes
}

/// Whether there is an unknown of type `dynamic` at any depth.
fn has_untyped_unknown(ty: &Type, node: &Node) -> bool {
    if !ty.has_dynamic() || !node.contents().has_unknown() {
        return false;
    }
    match node {
        Node::Unknown(_) => ty.is_dynamic(),
        _ => typed_parts(ty, node).any(|(ty, part)| has_untyped_unknown(ty, part)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Bound, Number, Range, Refinement, UNBOUNDED, Value};
    use super::*;

    fn refined(not_null: bool, range: Range) -> Node {
        Node::Unknown(Some(Arc::new(Refinement { not_null, range })))
    }

    fn text(text: &str) -> Node {
        Value::string(text).node().clone()
    }

    fn equals_of(ty: &Type, a: &Node, b: &Node) -> Tri {
        equals(ValueRef::new(ty, a), ValueRef::new(ty, b))
    }

    /// Both ways round.
    fn check(ty: &Type, a: &Node, b: &Node, want: Tri) {
        let (a, b) = (ValueRef::new(ty, a), ValueRef::new(ty, b));
        assert_eq!([equals(a, b), equals(b, a)], [want; 2], "{a:?} {b:?}");
    }

    fn raw(ty: &Type, a: &Node, b: &Node) -> bool {
        raw_equals(ValueRef::new(ty, a), ValueRef::new(ty, b))
    }

    #[test]
    fn v30_unknown_elements_are_compared_in_iteration_order() {
        let set = |items| Node::Seq(set::build(&Type::String, items));
        let not_null = || refined(true, Range::Any);
        let (a, b) = (set(vec![Node::UNKNOWN, not_null()]), set(vec![not_null(), Node::UNKNOWN]));
        let ty = Type::set(Type::String);
        assert!(!raw(&ty, &a, &b));
        assert!(raw_equals_unrefined(ValueRef::new(&ty, &a), ValueRef::new(&ty, &b)));
    }

    #[test]
    fn v30_nulls_of_different_types_differ() {
        assert_ne!(Value::null(Type::Dynamic), Value::null(Type::String));
        assert_ne!(Value::tuple(vec![]), Value::list(&Type::String, vec![]).expect("no elements"));
    }

    #[test]
    fn v31_no_record_is_not_an_empty_one() {
        assert!(!raw(&Type::String, &Node::UNKNOWN, &refined(false, Range::Any)));
    }

    #[test]
    fn v31_records_of_the_same_facts_are_equal() {
        let lengths = |min, max| refined(false, Range::Length { min, max });
        let ty = Type::list(Type::String);
        assert!(raw(&ty, &lengths(0, UNBOUNDED), &refined(false, Range::Any)));
        assert!(!raw(&ty, &lengths(0, UNBOUNDED), &lengths(0, 5)));
        let bound = |value: i64, inclusive| Some(Bound { value: Number::from(value), inclusive });
        let bounded = |min, max| refined(true, Range::Number { min, max });
        assert!(raw(&Type::Number, &bounded(bound(1, true), None), &bounded(bound(1, true), None)));
        for other in [bounded(bound(1, false), None), bounded(None, bound(1, true)), bounded(bound(2, true), None)] {
            assert!(!raw(&Type::Number, &bounded(bound(1, true), None), &other));
        }
    }

    #[test]
    fn v32_null_and_unknown() {
        check(&Type::String, &Node::Null, &refined(true, Range::Any), Tri::False);
        check(&Type::String, &Node::Null, &Node::UNKNOWN, Tri::Unknown);
        check(&Type::String, &Node::Null, &text("a"), Tri::False);
        check(&Type::String, &Node::Null, &Node::Null, Tri::True);
        check(&Type::String, &text("a"), &Node::UNKNOWN, Tri::Unknown);
    }

    #[test]
    fn v32_the_first_pair_that_is_not_true_decides() {
        let ty = Type::list(Type::String);
        let list = |a: &Node, b: &Node| Node::seq(vec![a.clone(), b.clone()]);
        check(&ty, &list(&text("x"), &Node::UNKNOWN), &list(&text("y"), &Node::UNKNOWN), Tri::False);
        check(&ty, &list(&Node::UNKNOWN, &text("x")), &list(&Node::UNKNOWN, &text("y")), Tri::Unknown);
        check(&ty, &list(&Node::UNKNOWN, &text("x")), &Node::seq(vec![]), Tri::False);
    }

    #[test]
    fn v32_a_set_with_a_partly_unknown_element_is_not_even_itself() {
        let element = Type::object([(super::super::Text::new("a"), Type::String)]);
        let set = Node::Seq(set::build(&element, vec![Node::seq(vec![Node::UNKNOWN])]));
        check(&Type::set(element), &set, &set, Tri::False);
    }

    #[test]
    fn v32_a_set_with_an_unknown_element_may_be_any() {
        let set = |items| Node::Seq(set::build(&Type::String, items));
        let a = set(vec![text("x"), Node::UNKNOWN]);
        check(&Type::set(Type::String), &a, &set(vec![text("y")]), Tri::Unknown);
    }

    #[test]
    fn v32_types_decide_where_no_dynamic_unknown_can_change_them() {
        let tuple = |items| Value::tuple(items);
        let untyped = || Value::unknown(Type::Dynamic);
        let check = |a: &Value, b: &Value, want| {
            assert_eq!([equals(a.view(), b.view()), equals(b.view(), a.view())], [want; 2], "{a:?} {b:?}");
        };
        check(&Value::unknown(Type::String), &Value::bool(true), Tri::False);
        check(&untyped(), &Value::bool(true), Tri::Unknown);
        check(&Value::null(Type::Bool), &Value::null(Type::String), Tri::True);
        check(&tuple(vec![untyped()]), &tuple(vec![Value::bool(true)]), Tri::Unknown);
        check(&tuple(vec![untyped()]), &tuple(vec![]), Tri::False);
        check(&Value::bool(true), &Value::string("true"), Tri::False);
    }

    #[test]
    fn v32_a_known_value_outside_the_range_of_an_unknown_is_not_equal_to_it() {
        let check = |known: &str, want| {
            let range = Range::String { prefix: super::super::Text::new("ab") };
            assert_eq!(equals_of(&Type::String, &refined(false, range.clone()), &text(known)), want);
            assert_eq!(equals_of(&Type::String, &text(known), &refined(false, range)), want);
        };
        check("ac", Tri::False);
        check("abc", Tri::Unknown);
    }

    /// Sets within sets, each of two elements that share a key and stand in the other order on the other side.
    #[test]
    fn v32_nested_sets_of_elements_that_share_keys_are_compared_in_time() {
        let number = |last| Node::Number(Number::from(123_456_789_010 + last));
        let level = |element: &Type, part: &Node, order: [i64; 2]| {
            let elements = order.map(|last| Node::seq(vec![part.clone(), number(last)]));
            Node::Seq(set::build(element, elements.to_vec()))
        };
        let (mut ty, mut a, mut b) = (Type::Number, number(0), number(0));
        for _ in 0..12 {
            let element = Type::tuple(vec![ty, Type::Number]);
            (a, b) = (level(&element, &a, [0, 1]), level(&element, &b, [1, 0]));
            ty = Type::set(element);
        }
        assert!(!raw(&ty, &a, &b));
        check(&ty, &a, &b, Tri::True);
    }
}
