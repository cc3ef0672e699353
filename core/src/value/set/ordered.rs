//! Inserting a few new elements among many that are in order already.

use super::super::node::{Node, Seq};
use super::super::ty::Type;
use super::order::KeyOrder;

/// The set of `ordered`, which are in iteration order (V52), and of `others`, in any order, in time linear in the first and
/// in the second times the logarithm of the first.
///
/// The elements are objects, and their keys must distinguish all different ones (V51): there is no unknown at any depth,
/// numbers are whole and of at most ten digits, and none of `others` is null. Then elements that share a key are the same,
/// and it makes no difference which of them stays.
pub fn insert<'a>(element: &Type, ordered: &[&'a Node], mut others: Vec<&'a Node>) -> Seq {
    let mut order = KeyOrder::default();
    others.sort_by(|a, b| order.compare_elements(element, a, b));
    let mut all = Vec::with_capacity(ordered.len() + others.len());
    let mut rest = ordered;
    for node in others {
        let place = rest.partition_point(|before| order.compare_elements(element, before, node).is_lt());
        let (before, after) = rest.split_at(place);
        all.extend_from_slice(before);
        rest = after;
        let neighbours = [all.last(), rest.first()].into_iter().flatten();
        if !neighbours.into_iter().any(|other| order.compare_elements(element, other, node).is_eq()) {
            all.push(node);
        }
    }
    all.extend_from_slice(rest);
    Seq::from_exact(all.into_iter().cloned())
}

#[cfg(test)]
mod tests {
    use super::super::super::{Text, Value};
    use super::super::build;
    use super::*;

    fn sets(texts: &[&str]) -> Vec<Node> {
        texts.iter().map(|text| Value::string(text).into_parts().1).collect()
    }

    #[test]
    fn v53_new_elements_find_the_places_that_sorting_gives_them() {
        let ty = Type::object(vec![(Text::new("s"), Type::String)]);
        let objects =
            |texts: &[&str]| -> Vec<Node> { sets(texts).into_iter().map(|text| Node::seq(vec![text])).collect() };
        for (old, new) in [
            (&["b", "d", "f"][..], &["a", "c", "e", "g"][..]),
            (&[], &["b", "a", "b"]),
            (&["a", "b"], &[]),
            (&["a", "b", "c"], &["b", "b", "a!", "a", "d"]),
        ] {
            let ordered = build(&ty, objects(old)).as_slice().to_vec();
            let want = build(&ty, ordered.iter().cloned().chain(objects(new)).collect());
            let found = insert(&ty, &ordered.iter().collect::<Vec<_>>(), objects(new).iter().collect());
            let texts =
                |set: Seq| set.as_slice().iter().map(|node| format!("{:?}", node.parts()[0])).collect::<Vec<_>>();
            assert_eq!(texts(found), texts(want), "{old:?} {new:?}");
        }
    }

    #[test]
    fn v53_null_stays_behind_new_elements() {
        let ty = Type::object(vec![(Text::new("s"), Type::String)]);
        let (first, null, new) = (Node::seq(sets(&["a"])), Node::Null, Node::seq(sets(&["z"])));
        let found = insert(&ty, &[&first, &null], vec![&new]);
        assert!(found.len() == 3 && found.as_slice()[2].is_null());
    }
}
