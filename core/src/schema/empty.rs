//! The empty value of a block (S35).

use super::{Block, Nesting, Schema, Shape};
use crate::dialect::Dialect;
use crate::value::{MapNode, Node, ObjectType, Type, Value};

impl Schema {
    /// The empty value of the resource's block (S35).
    pub fn empty_value(&self, dialect: Dialect) -> Value {
        self.block.empty_value(dialect)
    }
}

impl Block {
    /// The empty value of the block (S35): a non-null object that conforms to the implied type.
    pub fn empty_value(&self, dialect: Dialect) -> Value {
        self.empty_value_of(&self.implied_type(dialect))
    }

    /// The empty value of the block (S35), whose implied type is `implied`: for callers that have computed it
    /// already.
    pub fn empty_value_of(&self, implied: &Type) -> Value {
        let Type::Object(object) = implied else {
            return Value::null(implied.clone());
        };
        let members: Vec<Value> = object.attributes().iter().map(|of| self.empty_member(&of.name, &of.ty)).collect();
        let (types, nodes): (Vec<Type>, Vec<Node>) = members.into_iter().map(Value::into_parts).unzip();
        let is_implied = object.attributes().iter().zip(&types).all(|(attribute, ty)| attribute.ty == *ty);
        let ty = if is_implied { implied.clone() } else { object_with(object, types) };
        Value::from_parts(ty, Node::seq(nodes))
    }

    /// S34, of the attribute whose implied type is `ty`.
    fn declared(&self, name: &str, ty: &Type) -> Type {
        match self.attributes.get(name).map(|attribute| &attribute.shape) {
            Some(Shape::Leaf(declared)) if declared.has_optional() => declared.clone(),
            _ => ty.clone(),
        }
    }

    fn empty_member(&self, name: &str, ty: &Type) -> Value {
        let Some(nested) = self.block_types.get(name) else {
            return Value::null(self.declared(name, ty));
        };
        match (nested.nesting, ty) {
            (Nesting::Single, _) => Value::null(ty.clone()),
            (Nesting::Group, _) => nested.block.empty_value_of(ty),
            (Nesting::List, Type::Dynamic) => Value::tuple(Vec::new()),
            (Nesting::Map, Type::Dynamic) => Value::object(Vec::new()),
            (Nesting::List | Nesting::Set, _) => Value::from_parts(ty.clone(), Node::seq(Vec::new())),
            (Nesting::Map, _) => {
                Value::from_parts(ty.clone(), Node::Map(triomphe::Arc::new(MapNode::from_sorted(Vec::new()))))
            }
        }
    }
}

/// The object type with the attributes of `like` and other types, in the same order.
fn object_with(like: &ObjectType, types: Vec<Type>) -> Type {
    Type::object(like.attributes().iter().map(|attribute| attribute.name.clone()).zip(types))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(blocks: &str, want: &str) {
        let text = format!(
            r#"{{"block":{{"attributes":{{"a":{{"type":"dynamic","required":true}}}},"block_types":{blocks}}}}}"#
        );
        let schema = Schema::parse(&text).expect("a schema");
        for dialect in Dialect::ALL {
            let (empty, implied) = (schema.empty_value(dialect), schema.implied_type(dialect));
            assert!(empty.ty().conforms_to(&implied), "{blocks}");
            assert_eq!(empty.to_json(&implied).to_compact(), want, "{blocks}");
        }
    }

    #[test]
    fn s35_each_mode_has_its_empty_value() {
        let blocks = r#"{"g":{"nesting_mode":"group","block":{"block_types":{"l":{"nesting_mode":"list","block":{}}}}},
            "l":{"nesting_mode":"list","min_items":1,"block":{}},"m":{"nesting_mode":"map","block":{}},
            "s":{"nesting_mode":"set","block":{}},"z":{"nesting_mode":"single","block":{}}}"#;
        check(blocks, r#"{"a":null,"g":{"l":[]},"l":[],"m":{},"s":[],"z":null}"#);
    }

    #[test]
    fn s35_a_leaf_is_null_of_its_declared_type() {
        let text = r#"{"block":{"attributes":{"a":{"type":["object",{"c":"string"},["c"]],"optional":true}},
            "block_types":{"g":{"nesting_mode":"group","block":{"attributes":{
                "a":{"type":["list",["object",{"c":"string"},["c"]]],"optional":true}}}}}}}"#;
        let schema = Schema::parse(text).expect("a schema");
        let empty = schema.empty_value(Dialect::default());
        let want = r#"["object",{"a":["object",{"c":"string"},["c"]],"g":["object",{"a":["list",["object",{"c":"string"},["c"]]]}]}]"#;
        assert_eq!(empty.ty().to_v05_text(), want);
    }

    #[test]
    fn s35_lists_and_maps_with_dynamic_inside_are_empty_tuples_and_objects() {
        let with_dynamic = |mode: &str| {
            format!(
                r#"{{"nesting_mode":"{mode}","block":{{"attributes":{{"x":{{"type":"dynamic","optional":true}}}}}}}}"#
            )
        };
        let blocks = format!(r#"{{"l":{},"m":{}}}"#, with_dynamic("list"), with_dynamic("map"));
        check(&blocks, r#"{"a":null,"l":{"type":["tuple",[]],"value":[]},"m":{"type":["object",{}],"value":{}}}"#);
        let group = format!(r#"{{"g":{{"nesting_mode":"group","block":{{"block_types":{blocks}}}}}}}"#);
        check(&group, r#"{"a":null,"g":{"l":{"type":["tuple",[]],"value":[]},"m":{"type":["object",{}],"value":{}}}}"#);
    }
}
