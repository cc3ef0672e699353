//! The two notions of equality of the framework pipeline (F08, F09).
//!
//! Within a pipeline the elements of a set have positions and may repeat (F05, F06). So sets are compared as sequences in which each
//! element must have an equal one on the other side. Large sets are compared by a hash that agrees for equal elements.

use std::hash::{BuildHasher, Hasher};

use foldhash::quality::FixedState;

use planfuzz_core::value::{MapNode, Node, Truth, Type, ValueRef};

/// Wire equality (F08): `dynamic` is ignored, only the values in it are compared.
pub fn wire_equal(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    equal(Notion::Wire, a, b)
}

/// Value equality (F09): concrete types count, and sets are compared from the left.
pub fn value_equal(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    equal(Notion::Value, a, b)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notion {
    Wire,
    Value,
}

/// Up to this many elements all pairs are compared.
const FEW: usize = 8;

fn equal(notion: Notion, a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    let ((x, a), (y, b)) = ((a.ty(), a.node()), (b.ty(), b.node()));
    if a.ptr_eq(b) && x == y {
        return true;
    }
    match (a, b) {
        (Node::Null, Node::Null) | (Node::Unknown(_), Node::Unknown(_)) => notion == Notion::Wire || x == y,
        (Node::Bool(Truth(a)), Node::Bool(Truth(b))) => a == b,
        (Node::Number(a), Node::Number(b)) => a.equals(b),
        (Node::String(a), Node::String(b)) => a == b,
        (Node::Seq(a), Node::Seq(b)) if a.len() == b.len() => {
            let (a, b) = (a.as_slice(), b.as_slice());
            match (x, y) {
                (Type::Set(x), Type::Set(y)) => {
                    (notion == Notion::Wire || x == y) && equal_sets(notion, (x, a), (y, b))
                }
                (Type::List(_) | Type::Tuple(_), Type::List(_) | Type::Tuple(_))
                | (Type::Object(_), Type::Object(_)) => equal_sequences(notion, (x, a), (y, b)),
                // On the wire all empty sets, lists and tuples are equal.
                (Type::Object(_), _) | (_, Type::Object(_)) => false,
                _ => notion == Notion::Wire && a.is_empty(),
            }
        }
        (Node::Map(a), Node::Map(b)) => {
            a.keys() == b.keys()
                && (notion == Notion::Wire || x == y)
                && equal_sequences(notion, (x, a.values.as_slice()), (y, b.values.as_slice()))
        }
        // On the wire an empty map equals an empty object.
        (Node::Map(map), Node::Seq(seq)) | (Node::Seq(seq), Node::Map(map)) => {
            notion == Notion::Wire && is_empty(map) && seq.is_empty() && (is_object(x) || is_object(y))
        }
        _ => false,
    }
}

fn is_empty(map: &MapNode) -> bool {
    map.keys().is_empty()
}

fn is_object(ty: &Type) -> bool {
    matches!(ty, Type::Object(_))
}

/// Payloads of one number, in order. Objects of different attributes are not equal.
fn equal_sequences(notion: Notion, a: (&Type, &[Node]), b: (&Type, &[Node])) -> bool {
    if let (Type::Object(x), Type::Object(y)) = (a.0, b.0)
        && !triomphe::Arc::ptr_eq(x, y)
        && !x.attributes().iter().map(|attribute| &attribute.name).eq(y.attributes().iter().map(|other| &other.name))
    {
        return false;
    }
    if notion == Notion::Value && a.0.is_collection() && a.0 != b.0 {
        return false;
    }
    if notion == Notion::Value && std::mem::discriminant(a.0) != std::mem::discriminant(b.0) {
        return false;
    }
    (0..a.1.len()).all(|index| match (part(a, index), part(b, index)) {
        (Some(a), Some(b)) => equal(notion, a, b),
        _ => false,
    })
}

fn part<'a>((ty, nodes): (&'a Type, &'a [Node]), index: usize) -> Option<ValueRef<'a>> {
    let ty = match ty {
        Type::List(element) | Type::Set(element) | Type::Map(element) => element,
        Type::Tuple(tuple) => tuple.elements().get(index)?,
        Type::Object(object) => &object.attributes().get(index)?.ty,
        Type::Dynamic | Type::Bool | Type::Number | Type::String => return None,
    };
    Some(ValueRef::new(ty, nodes.get(index)?))
}

/// F08 and F09 for sets of one size. No pair of parts is compared twice, so that sets inside sets stay affordable.
fn equal_sets(notion: Notion, (x, a): (&Type, &[Node]), (y, b): (&Type, &[Node])) -> bool {
    let matches = |element: &Node, other: &Node| equal(notion, ValueRef::new(x, element), ValueRef::new(y, other));
    let is_flat = !x.has_set() && !y.has_set();
    // Most equal sets have the same order.
    if is_flat && a.iter().zip(b).all(|(a, b)| matches(a, b)) {
        return true;
    }
    match notion {
        Notion::Wire => equal_classes(&hashed(x, a), &hashed(y, b), matches),
        Notion::Value if is_flat && a.len() > FEW => {
            let right = SetIndex::new(y, b);
            a.iter().all(|a| right.find_where(x, a, |b| matches(a, b)).is_some())
        }
        // Value equality compares sets from the left only, so equal elements that contain sets may have different hashes.
        Notion::Value => a.iter().all(|a| b.iter().any(|b| matches(a, b))),
    }
}

/// Elements with their hashes, sorted by hash.
fn hashed<'a>(ty: &Type, elements: &'a [Node]) -> Vec<(u64, &'a Node)> {
    let mut hashed: Vec<_> = elements.iter().map(|element| (hash(ty, element), element)).collect();
    hashed.sort_by_key(|(hash, _)| *hash);
    hashed
}

/// Whether each element of either side has an equal one on the other.
fn equal_classes(a: &[(u64, &Node)], b: &[(u64, &Node)], matches: impl Fn(&Node, &Node) -> bool) -> bool {
    let mut rest = b;
    for class in a.chunk_by(|a, b| a.0 == b.0) {
        let count = rest.iter().take_while(|other| other.0 == class[0].0).count();
        let (others, after) = rest.split_at(count);
        if !is_one_class(class, others, &matches) {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

/// Elements of one hash are nearly always all equal.
fn is_one_class(a: &[(u64, &Node)], b: &[(u64, &Node)], matches: impl Fn(&Node, &Node) -> bool) -> bool {
    let (Some(first), Some(other)) = (a.first(), b.first()) else { return false };
    let all = a.iter().all(|a| matches(a.1, other.1)) && b[1..].iter().all(|b| matches(first.1, b.1));
    all || (a.len() + b.len() > 2
        && a.iter().all(|a| b.iter().any(|b| matches(a.1, b.1)))
        && b.iter().all(|b| a.iter().any(|a| matches(a.1, b.1))))
}

/// An index of the elements of a set by hash.
pub struct SetIndex<'a> {
    elements: &'a [Node],
    /// Hashes and positions, ascending.
    hashes: Vec<(u64, usize)>,
}

impl<'a> SetIndex<'a> {
    /// The elements, of type `ty`.
    pub fn new(ty: &Type, elements: &'a [Node]) -> SetIndex<'a> {
        let mut hashes: Vec<_> = elements.iter().enumerate().map(|(at, element)| (hash(ty, element), at)).collect();
        hashes.sort_unstable();
        SetIndex { elements, hashes }
    }

    /// The first element that is wire-equal (F08) to `wanted`.
    pub fn find(&self, ty: &Type, wanted: &Node) -> Option<&'a Node> {
        let of_wanted = ValueRef::new(ty, wanted);
        self.find_where(ty, wanted, |element| wire_equal(ValueRef::new(ty, element), of_wanted))
    }

    /// The first element that `matches`; it must match only elements that are equal to `wanted`.
    fn find_where(&self, ty: &Type, wanted: &Node, matches: impl Fn(&Node) -> bool) -> Option<&'a Node> {
        let wanted = hash(ty, wanted);
        let start = self.hashes.partition_point(|(hash, _)| *hash < wanted);
        let same = self.hashes[start..].iter().take_while(|(hash, _)| *hash == wanted);
        same.map(|(_, at)| &self.elements[*at]).find(|element| matches(element))
    }
}

/// The first element of a set that is wire-equal (F08) to `wanted`.
pub fn find_in_set<'a>(ty: &Type, set: &'a [Node], wanted: &Node) -> Option<&'a Node> {
    let wanted = ValueRef::new(ty, wanted);
    set.iter().find(|element| wire_equal(ValueRef::new(ty, element), wanted))
}

/// Whether two wholly known elements are wire-equal.
pub fn has_known_duplicate(ty: &Type, set: &[Node]) -> bool {
    let known: Vec<&Node> = set.iter().filter(|element| !element.contents().has_unknown()).collect();
    let matches = |a: &Node, b: &Node| wire_equal(ValueRef::new(ty, a), ValueRef::new(ty, b));
    if known.len() <= FEW {
        return known.iter().enumerate().any(|(at, a)| known[..at].iter().any(|b| matches(a, b)));
    }
    let mut hashed: Vec<(u64, &Node)> = known.into_iter().map(|element| (hash(ty, element), element)).collect();
    hashed.sort_by_key(|(hash, _)| *hash);
    hashed
        .chunk_by(|a, b| a.0 == b.0)
        .any(|same| same.iter().enumerate().any(|(at, a)| same[..at].iter().any(|b| matches(a.1, b.1))))
}

/// The seed of the hashes; any value would do.
const STATE: FixedState = FixedState::with_seed(0x706c_616e_6675_7a7b);

/// A hash that agrees for payloads that are equal by either notion, whatever is in a `dynamic`.
fn hash(ty: &Type, node: &Node) -> u64 {
    let mut hasher = STATE.build_hasher();
    match node {
        Node::Null => hasher.write_u8(0),
        Node::Unknown(_) => hasher.write_u8(1),
        Node::Bool(Truth(bool)) => hasher.write_u8(2 + u8::from(*bool)),
        Node::Number(number) => hasher.write_u64(number.hash_code()),
        Node::String(text) => hasher.write(text.as_bytes()),
        // Repetitions do not count in the equality of sets, so they do not count in the hash.
        Node::Seq(seq) if matches!(ty, Type::Set(_)) => {
            let mut hashes: Vec<u64> = parts(ty, seq.as_slice()).collect();
            hashes.sort_unstable();
            hashes.dedup();
            hashes.into_iter().for_each(|hash| hasher.write_u64(hash));
        }
        Node::Seq(seq) => parts(ty, seq.as_slice()).for_each(|hash| hasher.write_u64(hash)),
        Node::Map(map) => {
            map.keys().iter().for_each(|key| hasher.write(key.as_bytes()));
            parts(ty, map.values.as_slice()).for_each(|hash| hasher.write_u64(hash));
        }
    }
    hasher.finish()
}

fn parts<'a>(ty: &'a Type, nodes: &'a [Node]) -> impl Iterator<Item = u64> {
    (0..nodes.len()).filter_map(move |index| part((ty, nodes), index)).map(|part| hash(part.ty(), part.node()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_core::json::Json;
    use planfuzz_core::value::Value;

    fn dynamic(text: &str) -> Value {
        Value::from_dynamic_json(&Json::parse(text).expect("a document")).expect("a value")
    }

    /// A set as it is inside a pipeline: elements in any order, perhaps repeated.
    fn set(element: &Type, elements: Vec<Node>) -> Value {
        Value::from_parts(Type::set(element.clone()), Node::seq(elements))
    }

    fn texts(texts: &[&str]) -> Vec<Node> {
        texts.iter().map(|text| Value::string(text).into_parts().1).collect()
    }

    /// F08 and F09 both ways round.
    #[track_caller]
    fn check(a: &Value, b: &Value, wire: bool, value: [bool; 2]) {
        let (a, b) = (a.view(), b.view());
        assert_eq!([wire_equal(a, b), wire_equal(b, a)], [wire; 2]);
        assert_eq!([value_equal(a, b), value_equal(b, a)], value);
    }

    #[test]
    fn f08_f09_only_shapes_count_on_the_wire() {
        let pairs = [
            (r#"{"type":"string","value":null}"#, r#"{"type":"number","value":null}"#, true),
            (r#"{"type":"string","value":null}"#, "null", true),
            (r#"{"type":["list","string"],"value":["x"]}"#, r#"{"type":["tuple",["string"]],"value":["x"]}"#, true),
            (r#"{"type":["list","string"],"value":[]}"#, r#"{"type":["set","bool"],"value":[]}"#, true),
            (r#"{"type":["set","string"],"value":[]}"#, r#"{"type":["tuple",[]],"value":[]}"#, true),
            (r#"{"type":["map","string"],"value":{}}"#, r#"{"type":["object",{}],"value":{}}"#, true),
            (r#"{"type":["tuple",[]],"value":[]}"#, r#"{"type":["object",{}],"value":{}}"#, false),
            (r#"{"type":["list","string"],"value":["x"]}"#, r#"{"type":["set","string"],"value":["x"]}"#, false),
            (
                r#"{"type":["map","string"],"value":{"k":"x"}}"#,
                r#"{"type":["object",{"k":"string"}],"value":{"k":"x"}}"#,
                false,
            ),
            (r#"{"type":"string","value":"1"}"#, r#"{"type":"number","value":1}"#, false),
        ];
        for (a, b, wire) in pairs {
            check(&dynamic(a), &dynamic(b), wire, [false; 2]);
            check(&dynamic(a), &dynamic(a), true, [true; 2]);
        }
        check(&Value::unknown(Type::Bool), &Value::unknown(Type::Bool), true, [true; 2]);
        check(&Value::unknown(Type::Bool), &Value::null(Type::Bool), false, [false; 2]);
    }

    #[test]
    fn f09_sets_are_compared_from_the_left() {
        let of = |elements: &[&str]| set(&Type::String, texts(elements));
        check(&of(&["b", "a"]), &of(&["a", "b"]), true, [true; 2]);
        check(&of(&["b", "b"]), &of(&["B", "b"]), false, [true, false]);
        check(&of(&["a", "a", "b"]), &of(&["a", "b", "b"]), true, [true; 2]);
        check(&of(&["a"]), &of(&["a", "a"]), false, [false; 2]);
        let many: Vec<String> = (0..40).map(|index| index.to_string()).collect();
        let mut many: Vec<&str> = many.iter().map(String::as_str).collect();
        let whole = of(&many);
        many.reverse();
        check(&whole, &of(&many), true, [true; 2]);
        many[7] = many[8];
        check(&whole, &of(&many), false, [false, true]);
    }

    #[test]
    fn f63_only_wholly_known_elements_are_duplicates() {
        let has = |elements: Vec<Node>| has_known_duplicate(&Type::String, &elements);
        assert!(has(texts(&["a", "b", "a"])) && !has(texts(&["a", "b"])));
        assert!(!has(vec![Node::UNKNOWN, Node::UNKNOWN]));
        let mut many: Vec<Node> = (0..40_i64).map(|index| Value::number(index).into_parts().1).collect();
        assert!(!has_known_duplicate(&Type::Number, &many));
        many.push(Value::number(17_i64).into_parts().1);
        assert!(has_known_duplicate(&Type::Number, &many));
    }

    #[test]
    fn sets_inside_sets_are_compared_in_good_time() {
        let nested = |inner: &str, swap: bool| {
            let mut value = (Type::String, texts(&[inner]).remove(0));
            for depth in 0..100 {
                let mut elements = vec![value.1, Node::Null];
                if swap && depth % 2 == 0 {
                    elements.reverse();
                }
                value = (Type::set(value.0), Node::seq(elements));
            }
            Value::from_parts(value.0, value.1)
        };
        check(&nested("a", false), &nested("b", true), false, [false; 2]);
        check(&nested("a", false), &nested("a", true), true, [true; 2]);
    }
}
