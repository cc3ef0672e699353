//! Takes values apart and builds them along the places of a schema.

use triomphe::Arc;

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{MapNode, Node, Seq, Step, Text, Type, Value, ValueRef, build_set};

/// The identity of an element among its neighbours: its position (in a set the one in iteration order) or its key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Element<'a> {
    Position(usize),
    Key(&'a Text),
}

impl<'a> Element<'a> {
    /// The same element of another collection (F55).
    pub(crate) fn of<'v>(self, collection: ValueRef<'v>) -> Option<ValueRef<'v>> {
        match self {
            Element::Position(index) => collection.element(index),
            Element::Key(key) => collection.entry(key),
        }
    }

    /// The step to it, where positions and keys identify elements.
    pub(crate) fn step(self) -> Step {
        match self {
            Element::Position(index) => Step::Index(index as u64),
            Element::Key(key) => Step::Key(key.clone()),
        }
    }
}

/// The elements of a known collection of any type; none for null and unknown.
pub(crate) fn elements<'a>(collection: ValueRef<'a>) -> impl Iterator<Item = (Element<'a>, ValueRef<'a>)> {
    let by_key = collection.entries().map(|(key, value)| (Element::Key(key), value));
    let by_position =
        (0..collection.len()).filter_map(move |index| Some((Element::Position(index), collection.element(index)?)));
    by_key.chain(by_position)
}

/// An object like `old` with the given members, in the order of its type.
pub(crate) fn object_of(old: ValueRef<'_>, members: Vec<Value>) -> Value {
    let Some(object) = old.object_type() else { return old.to_value() };
    if members.iter().zip(object.attributes()).all(|(member, attribute)| *member.ty() == attribute.ty) {
        let nodes = members.into_iter().map(|member| member.into_parts().1);
        return Value::from_parts(old.ty().clone(), Node::seq(nodes.collect()));
    }
    Value::object(object.attributes().iter().map(|attribute| attribute.name.clone()).zip(members).collect())
}

/// A collection like `old` with the given elements, in its own order.
///
/// Elements of a list, set or map have one type. If the given ones have several, which happens only at dynamic places, those that differ
/// from the first become null.
pub(crate) fn collection_of(old: ValueRef<'_>, elements: Vec<Value>) -> Value {
    match old.ty() {
        Type::List(element) => {
            let (ty, nodes) = of_one_type(element, elements);
            Value::from_parts(like(old.ty(), element, ty, Type::list), Node::seq(nodes))
        }
        Type::Set(element) => {
            let (ty, nodes) = of_one_type(element, elements);
            let node = Node::Seq(build_set(&ty, nodes));
            Value::from_parts(like(old.ty(), element, ty, Type::set), node)
        }
        Type::Map(element) => {
            let Node::Map(map) = old.node() else { return old.to_value() };
            let (ty, nodes) = of_one_type(element, elements);
            let node = Node::Map(Arc::new(MapNode { keys: map.keys.clone(), values: Seq::new(nodes) }));
            Value::from_parts(like(old.ty(), element, ty, Type::map), node)
        }
        Type::Tuple(_) => Value::tuple(elements),
        Type::Object(_) => object_of(old, elements),
        Type::Dynamic | Type::Bool | Type::Number | Type::String => old.to_value(),
    }
}

/// The type of the collection; shared with `old` if the element type is the same.
fn like(old: &Type, element: &Type, new: Type, of: impl FnOnce(Type) -> Type) -> Type {
    if *element == new { old.clone() } else { of(new) }
}

fn of_one_type(element: &Type, elements: Vec<Value>) -> (Type, Vec<Node>) {
    let first = elements.iter().find(|value| !value.ty().is_dynamic()).map_or(element, Value::ty).clone();
    let node =
        |value: Value| if *value.ty() == first || value.ty().is_dynamic() { value.into_parts().1 } else { Node::Null };
    let nodes = elements.into_iter().map(node).collect();
    (first, nodes)
}

/// Maps the objects of a nested attribute or block.
pub(crate) fn each(
    nesting: Nesting,
    value: ValueRef<'_>,
    make: &mut dyn FnMut(Option<Element<'_>>, ValueRef<'_>) -> Value,
) -> Value {
    if !value.is_present() {
        return value.to_value();
    }
    if matches!(nesting, Nesting::Single | Nesting::Group) {
        return make(None, value);
    }
    let made = elements(value).map(|(element, object)| make(Some(element), object));
    collection_of(value, made.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f55_elements_are_identified_by_position_or_key() {
        let map = Value::map(&Type::Bool, vec![("k".into(), Value::bool(true))]).expect("one type");
        let set = Value::set(&Type::Bool, vec![Value::bool(true), Value::bool(false)]).expect("one type");
        for value in [&map, &set] {
            for (element, part) in elements(value.view()) {
                assert_eq!(element.of(value.view()).map(ValueRef::to_value), Some(part.to_value()));
            }
        }
        assert_eq!(elements(map.view()).count(), 1);
        assert_eq!(elements(set.view()).count(), 2);
        assert_eq!(elements(Value::null(Type::list(Type::Bool)).view()).count(), 0);
    }

    #[test]
    fn v08_elements_keep_one_type() {
        let list = Value::list(&Type::Dynamic, vec![Value::unknown(Type::Dynamic), Value::unknown(Type::Dynamic)]);
        let list = list.expect("one type");
        let mixed = collection_of(list.view(), vec![Value::string("x"), Value::bool(true)]);
        let want = Value::list(&Type::String, vec![Value::string("x"), Value::null(Type::String)]).expect("one type");
        assert_eq!(mixed, want);
    }
}
