//! The order of keys (V51, V53) without writing them: elements are compared part by part, and only a part in which they
//! differ, where its text is not plain, is written.
//!
//! That is the order of the written keys because a key is a sequence of the texts of its parts with a `;` behind each,
//! and equal parts have equal texts.

use std::cmp::Ordering;

use super::super::node::Node;
use super::super::truth::Truth;
use super::super::ty::Type;
use super::super::walk::typed_parts;
use super::key::{KeyWriter, is_plain};

/// Compares elements by their keys.
#[derive(Default)]
pub(super) struct KeyOrder {
    a: KeyWriter,
    b: KeyWriter,
}

impl KeyOrder {
    /// V53 for elements that are no primitives and hold no odd numbers: known before unknown before null, then by key.
    pub(super) fn compare_elements(&mut self, element: &Type, a: &Node, b: &Node) -> Ordering {
        super::rank(a).cmp(&super::rank(b)).then_with(|| self.compare(element, a, b))
    }

    /// The order of the keys of two payloads of one type, each with a `;` behind it.
    fn compare(&mut self, ty: &Type, a: &Node, b: &Node) -> Ordering {
        match (a, b) {
            (Node::Null, Node::Null) | (Node::Unknown(_), Node::Unknown(_)) => Ordering::Equal,
            (Node::String(x), Node::String(y)) => {
                if x.ptr_eq(y) {
                    return Ordering::Equal;
                }
                compare_plain(x.as_bytes(), y.as_bytes()).unwrap_or_else(|| self.compare_written(ty, a, b))
            }
            (Node::Seq(x), Node::Seq(y)) if x.len() == y.len() => {
                if x.ptr_eq(y) {
                    return Ordering::Equal;
                }
                let mut pairs = typed_parts(ty, a).zip(y.as_slice());
                let unequal = pairs.find_map(|((ty, x), y)| Some(self.compare(ty, x, y)).filter(|order| order.is_ne()));
                unequal.unwrap_or(Ordering::Equal)
            }
            _ => match (first_byte(a), first_byte(b)) {
                (Some(a), Some(b)) if a != b => a.cmp(&b),
                _ => self.compare_written(ty, a, b),
            },
        }
    }

    fn compare_written(&mut self, ty: &Type, a: &Node, b: &Node) -> Ordering {
        for (writer, node) in [(&mut self.a, a), (&mut self.b, b)] {
            writer.bytes.clear();
            writer.write(ty, node);
            writer.bytes.push(b';');
        }
        self.a.bytes.cmp(&self.b.bytes)
    }
}

/// The first byte of a key, where it is the same for all payloads of a kind.
fn first_byte(node: &Node) -> Option<u8> {
    match node {
        Node::Unknown(_) => Some(b'?'),
        Node::Null => Some(b'~'),
        Node::Bool(Truth(bool)) => Some(if *bool { b'T' } else { b'F' }),
        Node::String(_) => Some(b'"'),
        Node::Map(_) => Some(b'{'),
        Node::Number(_) | Node::Seq(_) => None,
    }
}

/// The order of the quoted forms (V54) of two strings, if what they differ in is plain: an escape before it is the same on
/// both sides, and a string that ends has its quote there.
fn compare_plain(a: &[u8], b: &[u8]) -> Option<Ordering> {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let next = |bytes: &[u8]| match bytes.get(same) {
        None => Some(b'"'),
        Some(byte) => Some(*byte).filter(|byte| is_plain(*byte)),
    };
    if same == a.len() && same == b.len() {
        return Some(Ordering::Equal);
    }
    Some(next(a)?.cmp(&next(b)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::set_key;
    use super::*;
    use crate::value::{MapNode, Number, Text};

    fn text() -> impl Strategy<Value = Node> {
        let pieces = ["a", "b", "ab", "!", "~", " ", "\"", "\\", "\n", "\u{7f}", "\u{a0}", "é", "😀"];
        proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..4)
            .prop_map(|pieces| Node::String(Text::new(&pieces.concat())))
    }

    fn leaf(of: impl Strategy<Value = Node>) -> impl Strategy<Value = Node> {
        prop_oneof![1 => Just(Node::Null), 1 => Just(Node::UNKNOWN), 8 => of]
    }

    fn number() -> impl Strategy<Value = Node> {
        let few = proptest::sample::select(vec![0_i64, 1, 2, 10, 12, -1, -12, 10_000_000_000, 10_000_000_001]);
        few.prop_map(|int| Node::Number(Number::from(int)))
    }

    fn element() -> impl Strategy<Value = Node> {
        let list = leaf(proptest::collection::vec(leaf(text()), 0..3).prop_map(Node::seq));
        let map = proptest::collection::btree_map("[ab\"]{0,2}", leaf(text()), 0..3).prop_map(|entries| {
            let entries = entries.into_iter().map(|(key, node)| (Text::new(&key), node));
            Node::Map(triomphe::Arc::new(MapNode::from_sorted(entries.collect())))
        });
        let bool = any::<bool>().prop_map(|bool| Node::Bool(Truth(bool)));
        let members = (leaf(list), leaf(map), leaf(text()), leaf(number()), leaf(bool));
        leaf(members.prop_map(|(list, map, text, number, bool)| Node::seq(vec![bool, list, map, number, text])))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn v53_elements_compare_as_their_written_keys_do(a in element(), b in element()) {
            let ty = Type::object(vec![
                (Text::new("a"), Type::Bool),
                (Text::new("b"), Type::list(Type::String)),
                (Text::new("c"), Type::map(Type::String)),
                (Text::new("d"), Type::Number),
                (Text::new("e"), Type::String),
            ]);
            let written = super::super::rank(&a)
                .cmp(&super::super::rank(&b))
                .then_with(|| set_key(&ty, &a).cmp(&set_key(&ty, &b)));
            prop_assert_eq!(KeyOrder::default().compare_elements(&ty, &a, &b), written);
        }
    }

    #[test]
    fn v54_a_string_that_ends_has_its_quote_there() {
        assert_eq!(compare_plain(b"a", b"a!"), Some(Ordering::Greater));
        assert_eq!(compare_plain(b"a", b"a#"), Some(Ordering::Less));
        assert_eq!(compare_plain(b"a", b"a\""), None);
        assert_eq!(compare_plain("é!".as_bytes(), "é#".as_bytes()), Some(Ordering::Less));
    }
}
