//! The types that a schema stands for (S30 to S33): implied types of values, and the spec types of coercion.
//!
//! Each is found in one pass from the leaves up; leaf types are shared with the schema, not copied.

use triomphe::Arc;

use super::{Attribute, Block, Named, NestedBlock, NestedType, Nesting, Schema, Shape};
use crate::dialect::Dialect;
use crate::value::{ObjectType, Type, TypeAttribute};

impl Schema {
    /// The implied type of the resource (S30), always an object type.
    pub fn implied_type(&self, dialect: Dialect) -> Type {
        self.block.implied_type(dialect)
    }
}

impl Block {
    /// The block's object type (S30), without optional markers. Where a nested block and an attribute share a name (S16),
    /// the nested block's type stands.
    pub fn implied_type(&self, dialect: Dialect) -> Type {
        let attributes =
            self.attributes.iter().map(|(name, attribute)| (name.clone(), attribute.implied_type(dialect)));
        let blocks = self.block_types.iter().map(|(name, nested)| (name.clone(), nested.implied_type(dialect)));
        Type::object(attributes.chain(blocks))
    }
}

impl NestedBlock {
    /// The type of the member that holds the nested blocks (S30): `dynamic` for a list or map of blocks with `dynamic`
    /// anywhere inside (S33).
    pub fn implied_type(&self, dialect: Dialect) -> Type {
        self.nesting.member_type(self.block.implied_type(dialect))
    }
}

impl Nesting {
    /// The type of the member that holds nested blocks of the object type `object` (S30).
    pub(super) fn member_type(self, object: Type) -> Type {
        match self {
            Nesting::Single | Nesting::Group => object,
            Nesting::List | Nesting::Map if object.has_dynamic() => Type::Dynamic,
            Nesting::List => Type::list(object),
            Nesting::Map => Type::map(object),
            Nesting::Set => Type::set(object),
        }
    }
}

impl Attribute {
    /// The type of the attribute's values (S30), without optional markers.
    pub fn implied_type(&self, dialect: Dialect) -> Type {
        match &self.shape {
            Shape::Leaf(ty) => ty.strip_optional(),
            Shape::Nested(nested) => nested.implied_type(dialect),
        }
    }

    /// The type that coercion converts to (S32): with the optional markers of leaf types, and one on every attribute of
    /// a nested type that is optional or computed.
    pub fn spec_type(&self, dialect: Dialect) -> Type {
        match &self.shape {
            Shape::Leaf(ty) => ty.clone(),
            Shape::Nested(nested) => {
                let optional = |attribute: &Attribute| attribute.optional || attribute.computed;
                let object = object_of(&nested.attributes, |attribute| attribute.spec_type(dialect), optional);
                nested.nest(object, dialect)
            }
        }
    }
}

impl NestedType {
    /// The type of the attribute's values (S30, S31): objects as the nesting mode says.
    pub fn implied_type(&self, dialect: Dialect) -> Type {
        self.nest(self.object_type(dialect), dialect)
    }

    /// The object type of the attributes (S31), whatever the nesting mode, without optional markers.
    pub fn object_type(&self, dialect: Dialect) -> Type {
        object_of(&self.attributes, |attribute| attribute.implied_type(dialect), |_| false)
    }

    fn nest(&self, object: Type, dialect: Dialect) -> Type {
        match self.nesting {
            Nesting::Single => object,
            Nesting::Group if dialect.has_group_nested_types() => object,
            Nesting::Group => Type::empty_object(),
            Nesting::List => Type::list(object),
            Nesting::Set => Type::set(object),
            Nesting::Map => Type::map(object),
        }
    }
}

fn object_of(
    attributes: &Named<Attribute>,
    ty: impl Fn(&Attribute) -> Type,
    optional: impl Fn(&Attribute) -> bool,
) -> Type {
    let member = |(name, attribute)| TypeAttribute {
        name: Clone::clone(name),
        ty: ty(attribute),
        optional: optional(attribute),
    };
    Type::Object(Arc::new(ObjectType::new(attributes.iter().map(member).collect())))
}
