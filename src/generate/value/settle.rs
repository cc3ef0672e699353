//! Types that the parts of a value justify.
//!
//! A type is drawn before the value, and then a place whose type the schema leaves open may stay empty: an empty
//! list of `object{x: dynamic}` was drawn as a list of `object{x: string}`. No engine and no file can distinguish the two
//! (V86), so such a value has the declared type.

use planfuzz_core::value::{Node, ObjectType, Type, TypeAttribute, Value};
use triomphe::Arc;

/// The value with the declared type wherever none of its parts implies another. The payload stays as it is.
pub(in super::super) fn settled(declared: &Type, value: Value) -> Value {
    if !declared.has_dynamic() {
        return value;
    }
    let (ty, node) = value.into_parts();
    Value::from_parts(borne_out(declared, &ty, &[&node]), node)
}

/// The type of a place: `ty` if there are payloads at the place (`nodes`), else `declared`.
fn borne_out(declared: &Type, ty: &Type, nodes: &[&Node]) -> Type {
    if !declared.has_dynamic() || nodes.is_empty() {
        return declared.clone();
    }
    let parts = || nodes.iter().flat_map(|node| node.parts()).collect::<Vec<&Node>>();
    match (declared, ty) {
        (Type::List(declared), Type::List(ty)) => Type::list(borne_out(declared, ty, &parts())),
        (Type::Set(declared), Type::Set(ty)) => Type::set(borne_out(declared, ty, &parts())),
        (Type::Map(declared), Type::Map(ty)) => Type::map(borne_out(declared, ty, &parts())),
        (Type::Tuple(declared), Type::Tuple(ty)) => {
            let places = declared.elements().iter().zip(ty.elements()).enumerate();
            Type::tuple(places.map(|(at, (declared, ty))| borne_out(declared, ty, &at_place(nodes, at))).collect())
        }
        (Type::Object(declared), Type::Object(ty)) => {
            let places = declared.attributes().iter().zip(ty.attributes()).enumerate();
            let attributes = places.map(|(at, (declared, attribute))| TypeAttribute {
                name: attribute.name.clone(),
                ty: borne_out(&declared.ty, &attribute.ty, &at_place(nodes, at)),
                optional: attribute.optional,
            });
            Type::Object(Arc::new(ObjectType::new(attributes.collect())))
        }
        _ => ty.clone(),
    }
}

/// The payloads at one place of tuples or objects.
fn at_place<'n>(nodes: &[&'n Node], at: usize) -> Vec<&'n Node> {
    nodes.iter().filter_map(|node| node.parts().get(at)).collect()
}

#[cfg(test)]
mod tests {
    use planfuzz_core::value::Text;

    use super::*;

    #[test]
    fn v86_types_that_no_part_confirms_are_as_declared() {
        let object = |ty| Type::list(Type::object([(Text::new("x"), ty)]));
        let (declared, drawn) = (object(Type::Dynamic), object(Type::String));
        let empty = Value::from_parts(drawn.clone(), Node::seq(vec![]));
        assert_eq!(*settled(&declared, empty).ty(), declared);
        let null = Value::from_parts(drawn.clone(), Node::seq(vec![Node::Null, Node::seq(vec![Node::Null])]));
        assert_eq!(*settled(&declared, null).ty(), drawn);
        let typed_null = Value::null(Type::String);
        assert_eq!(*settled(&Type::Dynamic, typed_null).ty(), Type::String);
    }
}
