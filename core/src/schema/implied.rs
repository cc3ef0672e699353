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
    /// The block's object type (S30), without optional markers. Where a nested block and an attribute share a name
    /// (S16), the nested block's type stands.
    pub fn implied_type(&self, dialect: Dialect) -> Type {
        self.implied_type_around(dialect, self.block_types.values().map(|nested| nested.block.implied_type(dialect)))
    }

    /// The same with given object types of the nested blocks, in their order: a caller that visits every nested block would
    /// compute them at every level anew.
    pub fn implied_type_around(&self, dialect: Dialect, inner: impl IntoIterator<Item = Type>) -> Type {
        let attributes =
            self.attributes.iter().map(|(name, attribute)| (name.clone(), attribute.implied_type(dialect)));
        let blocks = self.block_types.iter().zip(inner);
        let blocks = blocks.map(|((name, nested), object)| (name.clone(), nested.nesting.member_type(object)));
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

    /// The type of a null or unknown that is made for the attribute itself, with no value to take the type from (S34): that
    /// of a leaf has its optional markers.
    pub fn declared_type(&self, dialect: Dialect) -> Type {
        match &self.shape {
            Shape::Leaf(ty) => ty.clone(),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(block: &str, dialect: Dialect, want: &str) {
        let schema = Schema::parse(&format!(r#"{{"block":{block}}}"#)).expect("a schema");
        assert_eq!(schema.implied_type(dialect).to_v05_text(), want, "{dialect}: {block}");
    }

    /// A block type `b` of a nesting mode, with an optional attribute `x` of a type.
    fn nested_block(mode: &str, x: &str) -> String {
        format!(
            r#"{{"block_types":{{"b":{{"nesting_mode":"{mode}","block":{{"attributes":{{"x":{{"type":"{x}","optional":true}}}}}}}}}}}}"#
        )
    }

    #[test]
    fn s30_each_mode_has_its_member_type() {
        let object = r#"["object",{"x":"string"}]"#;
        let members = [
            ("single", object.to_owned()),
            ("group", object.to_owned()),
            ("list", format!(r#"["list",{object}]"#)),
            ("set", format!(r#"["set",{object}]"#)),
            ("map", format!(r#"["map",{object}]"#)),
        ];
        for (mode, member) in members {
            let want = format!(r#"["object",{{"b":{member}}}]"#);
            check(&nested_block(mode, "string"), Dialect::default(), &want);
        }
    }

    #[test]
    fn s30_lists_and_maps_of_blocks_with_dynamic_inside_are_dynamic() {
        for mode in ["list", "map"] {
            check(&nested_block(mode, "dynamic"), Dialect::default(), r#"["object",{"b":"dynamic"}]"#);
        }
        check(&nested_block("single", "dynamic"), Dialect::default(), r#"["object",{"b":["object",{"x":"dynamic"}]}]"#);
    }

    #[test]
    fn s30_a_block_wins_over_an_attribute_of_the_same_name() {
        let text = r#"{"attributes":{"b":{"type":"bool","optional":true}},"block_types":{"b":{"nesting_mode":"single","block":{}}}}"#;
        check(text, Dialect::default(), r#"["object",{"b":["object",{}]}]"#);
    }

    #[test]
    fn s31_a_nested_type_keeps_its_collection_and_loses_optional_markers() {
        let text = r#"{"attributes":{"n":{"optional":true,"nested_type":{"nesting_mode":"list","attributes":{
            "x":{"type":"dynamic","optional":true},"y":{"type":["object",{"q":"string"},["q"]],"required":true}}}}}}"#;
        let want = r#"["object",{"n":["list",["object",{"x":"dynamic","y":["object",{"q":"string"}]}]]}]"#;
        check(text, Dialect::default(), want);
    }

    #[test]
    fn s31_a_group_is_an_object_where_the_dialect_has_it() {
        let text = r#"{"attributes":{"n":{"optional":true,"nested_type":{"nesting_mode":"group","attributes":{
            "x":{"type":"string","optional":true}}}}}}"#;
        check(text, Dialect::TERRAFORM_1_11, r#"["object",{"n":["object",{}]}]"#);
        check(text, Dialect::TERRAFORM_1_17, r#"["object",{"n":["object",{"x":"string"}]}]"#);
    }

    #[test]
    fn s32_attributes_that_need_not_be_set_are_optional_in_the_spec_type() {
        let text = r#"{"block":{"attributes":{"n":{"optional":true,"nested_type":{"nesting_mode":"set","attributes":{
            "c":{"type":"string","computed":true},"o":{"type":["object",{"q":"string"},["q"]],"optional":true},
            "r":{"type":"string","required":true}}}}}}}"#;
        let schema = Schema::parse(text).expect("a schema");
        let spec = schema.block.attributes.get("n").map(|attribute| attribute.spec_type(Dialect::default()));
        let want = r#"["set",["object",{"c":"string","o":["object",{"q":"string"},["q"]],"r":"string"},["c","o"]]]"#;
        assert_eq!(spec.map(|ty| ty.to_v05_text()).as_deref(), Some(want));
    }

    #[test]
    fn s33_dynamic_climbs_through_lists_of_blocks() {
        let text = format!(
            r#"{{"block_types":{{"o":{{"nesting_mode":"list","block":{}}}}}}}"#,
            nested_block("list", "dynamic")
        );
        check(&text, Dialect::default(), r#"["object",{"o":"dynamic"}]"#);
    }
}
