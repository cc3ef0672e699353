//! The empty value of a block (S35).

use super::{Block, Nesting, Schema};
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

    /// The empty value of the block (S35), whose implied type is `implied`: for callers that have that at hand.
    pub fn empty_value_of(&self, implied: &Type) -> Value {
        let Type::Object(object) = implied else {
            return Value::null(implied.clone());
        };
        let members: Vec<Value> = object.attributes().iter().map(|of| self.empty_member(&of.name, &of.ty)).collect();
        let (types, nodes): (Vec<Type>, Vec<Node>) = members.into_iter().map(Value::into_parts).unzip();
        let ty = if object.has_dynamic() { object_with(object, types) } else { implied.clone() };
        Value::from_parts(ty, Node::seq(nodes))
    }

    fn empty_member(&self, name: &str, ty: &Type) -> Value {
        let Some(nested) = self.block_types.get(name) else {
            return Value::null(ty.clone());
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
