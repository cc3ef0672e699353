//! The real sets and equality, compared with the naive ones.

use proptest::prelude::*;
use proptest::sample::select;

use super::super::node::Node;
use super::super::ty::Type;
use super::super::view::ValueRef;
use super::super::{Value, equality, set, structural_hash};
use super::{domain, types};

fn same(element: &Type, a: &[Node], b: &[Node]) -> bool {
    let view = |node| ValueRef::new(element, node);
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_to_the_digit(view(a), ValueRef::new(element, b)))
}

/// Raw equality does not distinguish -0 from 0, and equal keys not all numbers; both together do.
fn same_to_the_digit(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    super::raw_equals(a, b) && super::key(a.ty(), a.node()) == super::key(b.ty(), b.node())
}

fn check_set(element: &Type, elements: &[Node]) {
    let built = set::build(element, elements.to_vec());
    let want = super::build(element, elements);
    assert!(same(element, built.as_slice(), &want), "{element:?} {elements:?}\nbuilt {built:?}\nwant {want:?}");
}

#[test]
fn v50_sets_of_up_to_three_elements_come_out_as_defined() {
    for element in types() {
        let domain = domain(&element);
        for x in &domain {
            check_set(&element, std::slice::from_ref(x));
            for y in &domain {
                check_set(&element, &[x.clone(), y.clone()]);
            }
        }
        let few: Vec<_> = domain.iter().step_by(domain.len().div_ceil(14)).chain(domain.last()).collect();
        for x in &few {
            for y in &few {
                few.iter().for_each(|z| check_set(&element, &[*x, *y, *z].map(Clone::clone)));
            }
        }
    }
}

#[test]
fn v51_keys_are_as_defined() {
    for ty in types() {
        for node in domain(&ty) {
            assert_eq!(String::from_utf8(set::set_key(&ty, &node)).as_deref(), Ok(&*super::key(&ty, &node)));
        }
    }
}

fn all_values() -> Vec<Value> {
    let of_type = |ty: Type| domain(&ty).into_iter().map(move |node| Value::from_parts(ty.clone(), node));
    types().into_iter().flat_map(of_type).collect()
}

/// A copy that shares nothing, so that no comparison takes a shortcut by pointer.
fn copies() -> Vec<(Value, Value)> {
    all_values().into_iter().map(|value| (value.deep_clone(), value)).collect()
}

#[test]
fn v30_raw_equality_is_as_defined() {
    for (a, same) in copies() {
        assert!(equality::raw_equals(a.view(), a.view()) && equality::raw_equals(a.view(), same.view()), "{a:?}");
        for b in all_values() {
            assert_eq!(equality::raw_equals(a.view(), b.view()), super::raw_equals(a.view(), b.view()), "{a:?} {b:?}");
        }
    }
}

#[test]
fn v32_equals_is_as_defined() {
    for (a, same) in copies() {
        let of_itself = super::equals(a.view(), same.view());
        assert_eq!([&a, &same].map(|b| equality::equals(a.view(), b.view())), [of_itself; 2], "{a:?}");
        for b in all_values() {
            assert_eq!(equality::equals(a.view(), b.view()), super::equals(a.view(), b.view()), "{a:?} {b:?}");
        }
    }
}

#[test]
fn h04_unrefined_equality_and_its_hash_are_as_defined() {
    let plain: Vec<_> = all_values().into_iter().map(|value| (value.view().unrefined(), value)).collect();
    for (a, refined_a) in &plain {
        for (b, refined_b) in &plain {
            let want = super::raw_equals(a.view(), b.view());
            assert_eq!(equality::raw_equals_unrefined(refined_a.view(), refined_b.view()), want, "{a:?} {b:?}");
            assert!(!want || structural_hash(refined_a.node()) == structural_hash(refined_b.node()), "{a:?} {b:?}");
        }
    }
}

#[test]
fn h04_different_values_have_different_hashes() {
    for ty in types() {
        for (i, a) in domain(&ty).iter().enumerate() {
            for b in &domain(&ty)[..i] {
                let equal = equality::raw_equals_unrefined(ValueRef::new(&ty, a), ValueRef::new(&ty, b));
                assert_eq!(equal, structural_hash(a) == structural_hash(b), "{ty:?} {a:?} {b:?}");
            }
        }
    }
}

/// An element type and up to 20 elements: so many that V56 is still settled by insertion.
fn elements() -> impl Strategy<Value = (Type, Vec<Node>)> {
    select(types()).prop_flat_map(|ty| {
        let nodes = prop::collection::vec(select(domain(&ty)), 0..=20);
        (Just(ty), nodes)
    })
}

fn has_distinct_keys(element: &Type, nodes: &[Node]) -> bool {
    let mut keys: Vec<_> = nodes.iter().map(|node| super::key(element, node)).collect();
    keys.sort_unstable();
    keys.windows(2).all(|pair| pair[0] != pair[1])
}

proptest! {
    #[test]
    fn v50_sets_of_many_elements_come_out_as_defined((element, nodes) in elements()) {
        check_set(&element, &nodes);
    }

    #[test]
    fn v96_rebuilding_a_set_changes_nothing((element, nodes) in elements()) {
        let set = set::build(&element, nodes);
        let rebuilt = set::build(&element, set.as_slice().to_vec());
        prop_assert!(same(&element, set.as_slice(), rebuilt.as_slice()));
    }

    #[test]
    fn v96_the_order_follows_from_the_elements(
        ((element, nodes), shuffled) in elements().prop_flat_map(|(element, mut nodes)| {
            let mut seen = std::collections::HashSet::new();
            nodes.retain(|node| seen.insert(super::key(&element, node)));
            (Just((element, nodes.clone())), Just(nodes).prop_shuffle())
        }),
    ) {
        prop_assert!(has_distinct_keys(&element, &nodes));
        let (a, b) = (set::build(&element, nodes), set::build(&element, shuffled));
        prop_assert!(same(&element, a.as_slice(), b.as_slice()));
    }

    #[test]
    fn v32_sets_of_many_elements_are_equal_as_defined(
        (element, a, b) in elements().prop_flat_map(|(element, nodes)| {
            let (known, others) = (nodes.clone(), select(domain(&element)));
            (Just(element), Just(known), (Just(nodes).prop_shuffle(), prop::option::weighted(0.3, others)))
        }).prop_map(|(element, a, (b, other))| {
            let known = |nodes: Vec<Node>| nodes.into_iter().filter(|node| !node.contents().has_unknown()).collect();
            let b: Vec<_> = known(b.into_iter().chain(other).collect());
            (element.clone(), set::build(&element, known(a)), set::build(&element, b))
        }),
    ) {
        let ty = Type::set(element);
        let (a, b): (Node, Node) = (Node::Seq(a), Node::Seq(b));
        let views = (ValueRef::new(&ty, &a), ValueRef::new(&ty, &b));
        prop_assert_eq!(equality::equals(views.0, views.1), super::equals(views.0, views.1));
    }
}

/// Unrefining may reorder a set (V56): two elements become raw-equal that have different keys, so that the order is
/// no longer one. Whether it shows depends on the CRCs, so on the string.
#[test]
fn v56_unrefining_a_set_may_reorder_it() {
    let element = Type::tuple(vec![Type::String, Type::Bool, Type::Number]);
    let ty = Type::set(element.clone());
    let refined = domain(&Type::Bool).into_iter().find(|node| node.contents().has_record()).expect("refined");
    let mut reordered = 0;
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        let item =
            |unknown: &Node, text| Node::seq(vec![Node::String(name.into()), unknown.clone(), super::number(text)]);
        let items = vec![item(&refined, "0"), item(&Node::UNKNOWN, "-0"), item(&Node::UNKNOWN, "-5")];
        let set = Value::from_parts(ty.clone(), Node::Seq(set::build(&element, items)));
        let plain = set.view().unrefined();
        assert!(equality::raw_equals_unrefined(set.view(), plain.view()), "{set:?}");
        let unrefined_in_place = set.node().parts().iter().map(|item| ValueRef::new(&element, item).unrefined());
        let in_place =
            Value::from_parts(ty.clone(), Node::seq(unrefined_in_place.map(|item| item.into_parts().1).collect()));
        reordered += usize::from(!super::raw_equals(in_place.view(), plain.view()));
    }
    assert!(reordered > 0);
}
