//! The SDK's equivalence (Z110).

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use planfuzz_core::value::{Node, Number, Truth, Type, Value, raw_equals};

/// Z110: whether a change between two values of one type is no plan (Z111).
pub fn are_equivalent(a: &Value, b: &Value) -> bool {
    raw_equals(a.view(), b.view()) || nodes(a.ty(), a.node(), b.node())
}

fn nodes(ty: &Type, a: &Node, b: &Node) -> bool {
    if a.is_unknown() || b.is_unknown() {
        return a.is_unknown() && b.is_unknown();
    }
    match (is_null_or_zero(a), is_null_or_zero(b)) {
        (true, true) => return true,
        (false, false) => {}
        _ => return false,
    }
    let pairs = || a.parts().iter().zip(b.parts());
    match (ty, a, b) {
        (Type::List(element), _, _) => a.parts().len() == b.parts().len() && pairs().all(|(a, b)| nodes(element, a, b)),
        (Type::Tuple(tuple), _, _) => tuple.elements().iter().zip(pairs()).all(|(ty, (a, b))| nodes(ty, a, b)),
        (Type::Object(object), _, _) => {
            object.attributes().iter().zip(pairs()).all(|(attribute, (a, b))| nodes(&attribute.ty, a, b))
        }
        (Type::Map(element), Node::Map(x), Node::Map(y)) => {
            x.keys() == y.keys() && pairs().all(|(a, b)| nodes(element, a, b))
        }
        (Type::Set(element), _, _) => are_sets_equivalent(element, a.parts(), b.parts()),
        (_, Node::Number(a), Node::Number(b)) => a.equals(b) || are_floats_equal(a, b),
        (_, Node::Bool(Truth(a)), Node::Bool(Truth(b))) => a == b,
        (_, Node::String(a), Node::String(b)) => a == b,
        _ => false,
    }
}

/// Null, `""`, `0`, `false`, an empty collection; an object only if it has no attributes.
fn is_null_or_zero(node: &Node) -> bool {
    match node {
        Node::Null => true,
        Node::Unknown(_) => false,
        Node::Bool(Truth(bool)) => !bool,
        Node::Number(number) => number.to_i64() == Some(0),
        Node::String(text) => text.is_empty(),
        Node::Seq(_) | Node::Map(_) => node.parts().is_empty(),
    }
}

/// Whether both sets have the same size, and each element has an equivalent one in the other. Equivalent elements have the same hash, so
/// few pairs are compared.
fn are_sets_equivalent(element: &Type, a: &[Node], b: &[Node]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let (by_hash_a, by_hash_b) = (by_hash(element, a), by_hash(element, b));
    let has_equivalents = |of: &ByHash<'_>, among: &ByHash<'_>| {
        of.iter().all(|(hash, nodes_of_hash)| {
            let others = among.get(hash).map_or(&[][..], Vec::as_slice);
            nodes_of_hash.iter().all(|node| others.iter().any(|other| nodes(element, node, other)))
        })
    };
    has_equivalents(&by_hash_a, &by_hash_b) && has_equivalents(&by_hash_b, &by_hash_a)
}

type ByHash<'n> = BTreeMap<u64, Vec<&'n Node>>;

fn by_hash<'n>(element: &Type, elements: &'n [Node]) -> ByHash<'n> {
    let mut by_hash = ByHash::new();
    for node in elements {
        by_hash.entry(hash(element, node)).or_default().push(node);
    }
    by_hash
}

/// A hash that is equal for equivalent values of a type.
fn hash(ty: &Type, node: &Node) -> u64 {
    let mut hasher = DefaultHasher::new();
    if node.is_unknown() || is_null_or_zero(node) {
        node.is_unknown().hash(&mut hasher);
        return hasher.finish();
    }
    match (ty, node) {
        (Type::List(element), _) => node.parts().iter().for_each(|part| hash(element, part).hash(&mut hasher)),
        (Type::Tuple(tuple), _) => {
            let parts = tuple.elements().iter().zip(node.parts());
            parts.for_each(|(ty, part)| hash(ty, part).hash(&mut hasher));
        }
        (Type::Object(object), _) => {
            let members = object.attributes().iter().zip(node.parts());
            members.for_each(|(attribute, part)| hash(&attribute.ty, part).hash(&mut hasher));
        }
        (Type::Map(element), Node::Map(map)) => {
            map.keys().hash(&mut hasher);
            node.parts().iter().for_each(|part| hash(element, part).hash(&mut hasher));
        }
        (Type::Set(element), _) => {
            // Equivalent elements count once; the length counts separately.
            let mut hashes: Vec<u64> = node.parts().iter().map(|part| hash(element, part)).collect();
            hashes.sort_unstable();
            hashes.dedup();
            (node.parts().len(), hashes).hash(&mut hasher);
        }
        (_, Node::Number(number)) if number.is_whole() => number.text().hash(&mut hasher),
        (_, Node::Number(number)) => float(number).map(f64::to_bits).hash(&mut hasher),
        (_, Node::String(text)) => text.hash(&mut hasher),
        _ => {}
    }
    hasher.finish()
}

fn are_floats_equal(a: &Number, b: &Number) -> bool {
    if a.is_whole() || b.is_whole() {
        return false;
    }
    float(a).is_some_and(|a| float(b) == Some(a))
}

/// The nearest float of 64 bits.
fn float(number: &Number) -> Option<f64> {
    number.text().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_core::json::Json;

    fn check(ty: &str, a: &str, b: &str, want: bool) {
        let ty = Type::parse(ty).expect("a type");
        let value = |text: &str| Value::from_json(&Json::parse(text).expect("a document"), &ty).expect("a value");
        assert_eq!(are_equivalent(&value(a), &value(b)), want, "{a} {b}");
        assert_eq!(are_equivalent(&value(b), &value(a)), want, "{b} {a}");
    }

    #[test]
    fn z110_null_and_zero_are_one() {
        check(r#""string""#, "null", r#""""#, true);
        check(r#""number""#, "null", "0", true);
        check(r#""bool""#, "null", "false", true);
        check(r#"["set","string"]"#, "null", "[]", true);
        check(r#"["object",{"a":"string"}]"#, "null", r#"{"a":null}"#, false);
        check(r#"["list","string"]"#, r#"[null]"#, r#"[""]"#, true);
        check(r#"["list","string"]"#, "[]", r#"[""]"#, false);
    }

    #[test]
    fn z110_an_unknown_is_equivalent_to_an_unknown_only() {
        check(r#""string""#, r#"{"$unknown":true}"#, r#"{"$unknown":{"not_null":true}}"#, true);
        check(r#""string""#, r#"{"$unknown":true}"#, "null", false);
    }

    #[test]
    fn z110_fractions_are_compared_as_floats() {
        check(r#""number""#, "0.1", "0.1000000000000000000000001", true);
        check(r#""number""#, "9007199254740993", "9007199254740992", false);
    }

    #[test]
    fn z110_the_elements_of_sets_are_paired() {
        check(
            r#"["set",["object",{"a":"string","n":"number"}]]"#,
            r#"[{"a":"x","n":null}]"#,
            r#"[{"a":"x","n":0}]"#,
            true,
        );
        check(r#"["set","string"]"#, r#"["a","b"]"#, r#"["a","c"]"#, false);
        check(r#"["set",["set","number"]]"#, r#"[[0.1,null],[2]]"#, r#"[[2],[0.10000000000000000000000001,0]]"#, true);
        let of_objects = r#"["set",["object",{"a":"string","n":"number"}]]"#;
        let twice = |a: &str, b: &str| format!(r#"[{{"a":{a:?},"n":null}},{{"a":{a:?},"n":0}},{{"a":{b:?},"n":1}}]"#);
        check(of_objects, &twice("x", "y"), &twice("x", "y"), true);
        check(of_objects, &twice("x", "y"), &twice("x", "z"), false);
    }
}
