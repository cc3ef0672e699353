//! Values made wrong (*perturb*).

use crate::expression::Expr;
use crate::fnv::Fnv;
use crate::places::{NoScene, Place, collection_of, elements, fill, object_of};
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{MapNode, Node, Number, Text, Truth, Type, Value, ValueRef};

use triomphe::Arc;

/// The number of fill elements to try for a set until one is new.
const TRIES: u64 = 8;

/// Another known value of the same type; `None` if the type has no other or the value is unknown.
pub(super) fn perturbed(place: &Place, value: ValueRef<'_>) -> Option<Value> {
    if !value.is_present() || place.inside().is_none() {
        return plainly(value);
    }
    let (nesting, inside) = place.inside()?;
    if !matches!(nesting, Nesting::Single | Nesting::Group) {
        return plainly(value);
    }
    let first = inside.iter().find(|place| !place.flags.write_only)?;
    let new = perturbed(first, value.member(&first.name)?)?;
    Some(with_member(value, &first.name, new))
}

/// A value of the type that depends on `number`, and is another one for the next number.
pub(super) fn varied(place: &Place, value: ValueRef<'_>, number: u64) -> Option<Value> {
    match value.node() {
        Node::String(text) => Some(Value::string(&format!("{text}~{number}"))),
        Node::Number(old) => Some(plus(old, number)),
        _ if number % 2 == 1 => perturbed(place, value),
        _ => Some(value.to_value()),
    }
}

fn plainly(value: ValueRef<'_>) -> Option<Value> {
    if value.is_null() {
        return Some(fill(value.ty(), Fnv::EMPTY.then("~")));
    }
    match (value.ty(), value.node()) {
        (_, Node::Unknown(_)) => None,
        (_, Node::Bool(Truth(bool))) => Some(Value::bool(!bool)),
        (_, Node::Number(number)) => Some(plus(number, 1)),
        (_, Node::String(text)) => Some(Value::string(&format!("{text}~"))),
        (Type::List(element), Node::Seq(seq)) => {
            let nodes = seq.as_slice().iter().cloned().chain([extra(element, 0).into_parts().1]).collect();
            Some(Value::from_parts(value.ty().clone(), Node::seq(nodes)))
        }
        (Type::Set(element), _) => another_set(element, value),
        (Type::Map(element), Node::Map(map)) => {
            let mut key = String::from("~");
            while map.get(&key).is_some() {
                key.push('~');
            }
            let mut entries: Vec<_> = map.keys().iter().cloned().zip(map.values.as_slice().iter().cloned()).collect();
            entries.push((Text::new(&key), extra(element, 0).into_parts().1));
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Some(Value::from_parts(value.ty().clone(), Node::Map(Arc::new(MapNode::from_sorted(entries)))))
        }
        (Type::Tuple(_) | Type::Object(_), _) => {
            let (index, new) =
                elements(value).enumerate().find_map(|(index, (_, part))| Some((index, plainly(part)?)))?;
            let mut parts: Vec<Value> = elements(value).map(|(_, part)| part.to_value()).collect();
            parts[index] = new;
            Some(collection_of(value, parts))
        }
        _ => None,
    }
}

fn another_set(element: &Type, value: ValueRef<'_>) -> Option<Value> {
    let old: Vec<Value> = elements(value).map(|(_, part)| part.to_value()).collect();
    let with = |new: Value| collection_of(value, old.iter().cloned().chain([new]).collect());
    let larger = (0..TRIES).map(|salt| with(extra(element, salt))).find(|set| set.view().len() > value.len());
    larger.or_else(|| Some(collection_of(value, old.split_last()?.1.to_vec())))
}

/// A filled element. Dynamic parts are null, which takes the elements' type.
fn extra(element: &Type, salt: u64) -> Value {
    match element {
        Type::Dynamic => Value::null(Type::Dynamic),
        _ if element.has_dynamic() => Value::null(element.clone()),
        _ => fill(element, Fnv::EMPTY.then("~").then_number(salt)),
    }
}

fn plus(number: &Number, more: u64) -> Value {
    let [a, b] = [Value::number(number.clone()), Value::number(more)].map(|value| Box::new(Expr::Const(value)));
    let sum = Expr::Add(a, b).value(&Type::Number, &NoScene);
    match sum.view().as_number() {
        Some(sum) if !sum.equals(number) => Value::number(sum.clone()),
        _ => Value::number(more),
    }
}

/// The object with one member replaced.
pub(super) fn with_member(object: ValueRef<'_>, name: &str, new: Value) -> Value {
    let mut new = Some(new);
    let members = object.entries().map(|(probe, old)| match new.take_if(|_| **probe == *name) {
        Some(new) => new,
        None => old.to_value(),
    });
    object_of(object, members.collect())
}

/// A value of a wrong type for the place; `None` if the place accepts any type.
pub(super) fn of_wrong_type(ty: &Type) -> Option<Value> {
    match ty {
        Type::Dynamic => None,
        Type::List(_) => Some(Value::bool(true)),
        _ => Value::list(&Type::String, vec![Value::string("~")]).ok(),
    }
}

/// The collection of blocks or objects with one more: a copy of the last one if there is one, in a set with one attribute changed if
/// possible.
pub(super) fn with_one_more(place: &Place, value: ValueRef<'_>) -> Option<Value> {
    let (nesting, inside) = place.inside()?;
    if matches!(nesting, Nesting::Single | Nesting::Group) {
        return value.is_null().then(|| absent_object(value.ty(), inside));
    }
    if !value.is_present() {
        return None;
    }
    let mut objects: Vec<Value> = elements(value).map(|(_, object)| object.to_value()).collect();
    let last = objects.last().cloned();
    match value.ty() {
        Type::List(element) => {
            objects.push(last.unwrap_or_else(|| absent_object(element, inside)));
            Some(collection_of(value, objects))
        }
        Type::Tuple(_) => {
            objects.push(last?);
            Some(Value::tuple(objects))
        }
        Type::Set(element) => {
            let object = last.unwrap_or_else(|| absent_object(element, inside));
            let other = inside.iter().find_map(|place| {
                let new = perturbed(place, object.view().member(&place.name)?)?;
                Some(with_member(object.view(), &place.name, new))
            });
            objects.push(other.unwrap_or(object));
            let larger = collection_of(value, objects);
            (larger.view().len() > value.len()).then_some(larger)
        }
        Type::Map(element) => {
            let Node::Map(map) = value.node() else { return None };
            let mut key = String::from("~");
            while map.get(&key).is_some() {
                key.push('~');
            }
            let object = last.unwrap_or_else(|| absent_object(element, inside));
            let mut entries: Vec<_> = map.keys().iter().cloned().zip(objects).collect();
            entries.push((Text::new(&key), object));
            Value::map(element, entries).ok()
        }
        _ => None,
    }
}

/// The collection of blocks without its last one, null for a single block that is there.
pub(super) fn with_one_less(place: &Place, value: ValueRef<'_>) -> Option<Value> {
    let (nesting, _) = place.inside()?;
    if !value.is_present() {
        return None;
    }
    if matches!(nesting, Nesting::Single | Nesting::Group) {
        return Some(Value::null(place.ty.clone()));
    }
    match (value.ty(), value.node()) {
        (Type::Map(element), Node::Map(map)) => {
            let mut entries: Vec<_> = value.entries().map(|(key, object)| (key.clone(), object.to_value())).collect();
            (!map.keys().is_empty()).then(|| entries.pop())?;
            Value::map(element, entries).ok()
        }
        (Type::List(_) | Type::Set(_) | Type::Tuple(_), _) => {
            let mut objects: Vec<Value> = elements(value).map(|(_, object)| object.to_value()).collect();
            objects.pop()?;
            Some(collection_of(value, objects))
        }
        _ => None,
    }
}

fn absent_object(ty: &Type, inside: &[Place]) -> Value {
    object_of(ValueRef::null(ty), inside.iter().map(Place::absent).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_core::json::Json;

    fn value(ty: &str, json: &str) -> Value {
        let ty = Type::from_json(&Json::parse(ty).expect("json")).expect("a type");
        Value::from_json(&Json::parse(json).expect("json"), &ty).expect("a value")
    }

    #[test]
    fn every_known_value_has_another_of_its_type() {
        for (ty, json) in [
            (r#""string""#, r#""x""#),
            (r#""number""#, "1"),
            (r#""number""#, r#""inf""#),
            (r#""bool""#, "true"),
            (r#""string""#, "null"),
            (r#"["list","string"]"#, r#"["a"]"#),
            (r#"["set","bool"]"#, "[true,false]"),
            (r#"["set","number"]"#, "[]"),
            (r#"["map","bool"]"#, r#"{"~":true}"#),
            (r#"["object",{"a":"bool","b":"string"}]"#, r#"{"a":null,"b":"x"}"#),
            (r#"["tuple",["bool"]]"#, "[false]"),
            (r#"["list","dynamic"]"#, "[]"),
        ] {
            let before = value(ty, json);
            let after = plainly(before.view()).unwrap_or_else(|| panic!("{ty} {json}"));
            assert_ne!(after, before, "{ty} {json}");
            assert_eq!(after.ty(), before.ty(), "{ty} {json}");
            assert!(after.is_wholly_known());
        }
        assert!(plainly(Value::unknown(Type::Bool).view()).is_none());
        assert!(plainly(Value::object(Vec::new()).view()).is_none());
    }

    #[test]
    fn x10_wrong_types_do_not_conform() {
        for ty in [r#""string""#, r#""bool""#, r#"["list","string"]"#, r#"["set","string"]"#, r#"["object",{}]"#] {
            let ty = Type::from_json(&Json::parse(ty).expect("json")).expect("a type");
            assert!(!of_wrong_type(&ty).expect("one").ty().conforms_to(&ty), "{ty:?}");
        }
        assert!(of_wrong_type(&Type::Dynamic).is_none());
    }
}
