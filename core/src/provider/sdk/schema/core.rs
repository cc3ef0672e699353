//! The schema that Core sees (Z02).

use crate::schema::{self, Attribute, Block, Named, NestedBlock, Nesting, Shape};
use crate::value::Type;

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
