//! Filled values (section 3.5 of provider-model.md): a value of any type out of one hash.

use triomphe::Arc;

use crate::fnv::Fnv;
use planfuzz_core::value::{MapNode, Node, Number, Seq, Text, Truth, Type, Value, build_set};

/// The depth of nested collections in which elements are made; deeper collections are empty. A collection has at most two elements, so this
/// bounds the size of a filled value.
const MAX_COLLECTIONS: u32 = 6;

/// The value that fills a place of type `ty` whose hash is `place`.
pub(crate) fn fill(ty: &Type, place: Fnv) -> Value {
    let node = node(ty, place, MAX_COLLECTIONS);
    match ty.has_dynamic() {
        false => Value::from_parts(ty.clone(), node),
        true => Value::from_parts(concrete(ty), node),
    }
}

/// The type of a filled value: string for a dynamic place.
fn concrete(ty: &Type) -> Type {
    match ty {
        Type::Dynamic => Type::String,
        _ if !ty.has_dynamic() => ty.clone(),
        Type::List(element) => Type::list(concrete(element)),
        Type::Set(element) => Type::set(concrete(element)),
        Type::Map(element) => Type::map(concrete(element)),
        Type::Tuple(tuple) => Type::tuple(tuple.elements().iter().map(concrete).collect()),
        Type::Object(object) => {
            Type::object(object.attributes().iter().map(|attribute| (attribute.name.clone(), concrete(&attribute.ty))))
        }
        Type::Bool | Type::Number | Type::String => ty.clone(),
    }
}

fn node(ty: &Type, place: Fnv, collections: u32) -> Node {
    match ty {
        Type::Bool => Node::Bool(Truth(place.get() % 2 == 1)),
        Type::Number => Node::Number(Number::from(place.get() % 1000)),
        Type::String | Type::Dynamic => Node::String(Text::new(&text(place))),
        Type::List(element) => Node::seq(elements(element, place, collections)),
        Type::Set(element) => Node::Seq(build_set(element, elements(element, place, collections))),
        Type::Map(element) => {
            let entries = elements(element, place, collections).into_iter().zip(["k0", "k1"]);
            let entries = entries.map(|(node, key)| (Text::new(key), node)).collect();
            Node::Map(Arc::new(MapNode::from_sorted(entries)))
        }
        Type::Tuple(tuple) => {
            let positions = tuple.elements().iter().enumerate();
            Node::Seq(Seq::from_exact(positions.map(|(index, ty)| node(ty, element_of(place, index), collections))))
        }
        Type::Object(object) => {
            let members = object.attributes().iter();
            Node::Seq(Seq::from_exact(
                members.map(|attribute| node(&attribute.ty, field_of(place, &attribute.name), collections)),
            ))
        }
    }
}

fn text(place: Fnv) -> String {
    let mut text = place.digits();
    text.truncate(8);
    text.insert(0, 'v');
    text
}

fn elements(element: &Type, place: Fnv, collections: u32) -> Vec<Node> {
    let Some(collections) = collections.checked_sub(1) else { return Vec::new() };
    let count = (place.get() % 3) as usize;
    (0..count).map(|index| node(element, element_of(place, index), collections)).collect()
}

/// The hash of an element in a value that is filled from `place`.
fn element_of(place: Fnv, index: usize) -> Fnv {
    place.of_digits().then("#").then_number(index as u64)
}

/// The hash of a field of the object that is filled from `place`.
fn field_of(place: Fnv, name: &str) -> Fnv {
    place.of_digits().then(".").then(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_core::json::Json;

    fn ty(text: &str) -> Type {
        Type::from_json(&Json::parse(text).expect("json")).expect("a type")
    }

    #[track_caller]
    fn check(place: &str, text: &str, want: &str) {
        let ty = ty(text);
        let value = fill(&ty, Fnv::EMPTY.then(place));
        assert_eq!(value.to_json(&ty).to_compact(), want, "{place} as {text}");
    }

    #[test]
    fn the_examples_of_the_specification() {
        check("7|id||0", r#""string""#, r#""v227cb636""#);
        check("7|size||0", r#""number""#, "37");
        check("7|on||1", r#""bool""#, "false");
        check("7|zones||0", r#"["list","string"]"#, r#"["vc4a4f8c2"]"#);
        check("7|o||0", r#"["object",{"p":"string","q":"number"}]"#, r#"{"p":"v12424951","q":72}"#);
    }

    #[test]
    fn collections_have_no_two_or_one_element_by_place() {
        let count = |place: &str, text: &str| fill(&ty(text), Fnv::EMPTY.then(place)).view().len();
        let counts: Vec<usize> = ["7|a||0", "7|b||0", "7|c||0", "7|d||0", "7|e||0", "7|f||0"]
            .map(|place| count(place, r#"["list","string"]"#))
            .to_vec();
        assert!((0..3).all(|want| counts.contains(&want)), "{counts:?}");
        for place in ["7|a||0", "7|b||0", "7|c||0"] {
            assert_eq!(count(place, r#"["map","number"]"#), count(place, r#"["set","string"]"#));
        }
    }

    #[test]
    fn every_type_is_filled_wholly_and_conforms() {
        for text in [
            r#""dynamic""#,
            r#"["list","dynamic"]"#,
            r#"["map",["object",{"a":"dynamic","b":["set","bool"]}]]"#,
            r#"["tuple",["string",["tuple",[]],"dynamic"]]"#,
            r#"["object",{}]"#,
        ] {
            for seed in 0..20 {
                let value = fill(&ty(text), Fnv::EMPTY.then_number(seed));
                assert!(value.is_wholly_known() && value.ty().conforms_to(&ty(text)), "{text}: {value:?}");
            }
        }
    }

    #[test]
    fn deep_types_do_not_run_away() {
        let mut deep = Type::String;
        for _ in 0..60 {
            deep = Type::object([(Text::new("a"), Type::list(deep.clone())), (Text::new("b"), Type::set(Type::Bool))]);
        }
        for seed in 0..50 {
            assert!(fill(&deep, Fnv::EMPTY.then_number(seed)).is_wholly_known());
        }
    }
}
