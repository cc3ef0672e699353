//! The schema that Core sees (Z02).

use planfuzz_core::schema::{self, Attribute, Block, Named, NestedBlock, Nesting, Shape};
use planfuzz_core::value::Type;

use super::{Elem, Field, ID, Kind, Primitive, Resource, Schema, name};

impl Schema {
    /// The derived Core schema (Z02).
    pub fn core_schema(&self) -> schema::Schema {
        let mut block = core_block(&self.resource);
        let mut id = Attribute::new(Shape::Leaf(Type::String));
        (id.optional, id.computed) = (true, true);
        let mut attributes = block.attributes.into_entries();
        attributes.push((name(ID), id));
        block.attributes = Named::new(attributes);
        schema::Schema { version: 0, block }
    }
}

fn core_block(resource: &Resource) -> Block {
    let (mut attributes, mut block_types) = (Vec::new(), Vec::new());
    for (name, field) in resource.fields.iter() {
        match nested(field) {
            Some((nesting, inner)) => block_types.push((name.clone(), nested_block(field, nesting, inner))),
            None => attributes.push((name.clone(), attribute(field))),
        }
    }
    Block { attributes: Named::new(attributes), block_types: Named::new(block_types), ..Block::default() }
}

fn nested(field: &Field) -> Option<(Nesting, &Resource)> {
    match &field.kind {
        Kind::List(Elem::Resource(resource)) if field.is_block() => Some((Nesting::List, resource)),
        Kind::Set(Elem::Resource(resource)) if field.is_block() => Some((Nesting::Set, resource)),
        _ => None,
    }
}

/// `min_items`: 0 if optional, at least 1 if required.
fn nested_block(field: &Field, nesting: Nesting, resource: &Resource) -> NestedBlock {
    let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let min_items = match (field.optional, field.required) {
        (true, _) => 0,
        (false, true) => count(field.min_items).max(1),
        (false, false) => count(field.min_items),
    };
    NestedBlock { nesting, block: core_block(resource), min_items, max_items: count(field.max_items) }
}

fn attribute(field: &Field) -> Attribute {
    Attribute {
        required: field.required,
        optional: field.optional,
        computed: field.computed,
        write_only: field.write_only,
        ..Attribute::new(Shape::Leaf(type_of(&field.kind)))
    }
}

/// The type of a kind; a resource used as an attribute is an object type.
fn type_of(kind: &Kind) -> Type {
    match kind {
        Kind::Primitive(primitive) => primitive_type(*primitive),
        Kind::List(elem) => Type::list(element_type(elem)),
        Kind::Set(elem) => Type::set(element_type(elem)),
        Kind::Map(primitive) => Type::map(primitive_type(*primitive)),
    }
}

fn element_type(elem: &Elem) -> Type {
    match elem {
        Elem::Kind(kind) => type_of(kind),
        Elem::Resource(resource) => {
            Type::object(resource.fields.iter().map(|(name, field)| (name.clone(), type_of(&field.kind))))
        }
    }
}

fn primitive_type(primitive: Primitive) -> Type {
    match primitive {
        Primitive::Bool => Type::Bool,
        Primitive::Int | Primitive::Float => Type::Number,
        Primitive::String => Type::String,
    }
}

#[cfg(test)]
mod tests {
    use crate::sdk::testing::resource;

    fn check(schema: &str, want: &str) {
        assert_eq!(resource(schema).pipeline.core_schema().to_json().to_compact(), want);
    }

    #[test]
    fn z02_a_resource_is_a_block_unless_it_is_computed_only() {
        let elem = r#""elem": {"resource": {"x": {"type": "int", "optional": true}}}"#;
        check(
            &format!(r#"{{"b": {{"type": "set", "optional": true, "computed": true, {elem}}}}}"#),
            r#"{"version":0,"block":{"attributes":{"id":{"type":"string","optional":true,"computed":true}},"block_types":{"b":{"nesting_mode":"set","block":{"attributes":{"x":{"type":"number","optional":true}}}}}}}"#,
        );
        check(
            &format!(r#"{{"b": {{"type": "list", "computed": true, {elem}}}}}"#),
            r#"{"version":0,"block":{"attributes":{"b":{"type":["list",["object",{"x":"number"}]],"computed":true},"id":{"type":"string","optional":true,"computed":true}}}}"#,
        );
        check(
            &format!(r#"{{"b": {{"type": "list", "optional": true, "config_mode": "attr", {elem}}}}}"#),
            r#"{"version":0,"block":{"attributes":{"b":{"type":["list",["object",{"x":"number"}]],"optional":true},"id":{"type":"string","optional":true,"computed":true}}}}"#,
        );
    }

    #[test]
    fn z02_min_items_of_a_block_follow_its_flags() {
        let elem = r#""elem": {"resource": {}}, "min_items": 2"#;
        let min_items = |flag: &str| {
            let schema = format!(r#"{{"b": {{"type": "list", "{flag}": true, {elem}}}}}"#);
            let pipeline = resource(&schema).pipeline;
            pipeline.core_schema().block.block_types.get("b").map(|block| block.min_items)
        };
        assert_eq!((min_items("optional"), min_items("required")), (Some(0), Some(2)));
    }

    #[test]
    fn z04_a_core_schema_of_these_shapes_comes_back() {
        let core = resource(
            r#"{"a": {"type": "string", "required": true}, "f": {"type": "float", "optional": true, "computed": true},
                "m": {"type": "map", "elem": {"type": "bool"}, "computed": true},
                "o": {"type": "list", "optional": true, "config_mode": "attr",
                      "elem": {"resource": {"x": {"type": "string", "optional": true}}}},
                "b": {"type": "set", "required": true, "max_items": 3, "elem": {"resource": {
                    "y": {"type": "list", "elem": {"type": "float"}, "optional": true}}}}}"#,
        );
        let core = core.pipeline.core_schema();
        let schema = crate::sdk::Schema::from_core(core).expect("a form in the SDK");
        assert_eq!(schema.core_schema(), *core);
    }

    #[test]
    fn z03_other_shapes_have_no_form() {
        for block in [
            r#"{"attributes":{"a":{"type":"dynamic","optional":true}}}"#,
            r#"{"attributes":{"a":{"type":["map",["list","string"]],"optional":true}}}"#,
            r#"{"attributes":{"a":{"nested_type":{"nesting_mode":"single","attributes":{}},"optional":true}}}"#,
            r#"{"block_types":{"b":{"nesting_mode":"single","block":{}}}}"#,
        ] {
            let core = planfuzz_core::schema::Schema::parse(&format!(r#"{{"block":{block}}}"#)).expect("a schema");
            assert!(crate::sdk::Schema::from_core(&core).is_err(), "{block}");
        }
    }
}
