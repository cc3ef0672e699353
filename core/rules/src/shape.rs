//! A schema prepared for the rules: every attribute and block with its index among the members of its object, so that walks over several
//! values use indexes instead of names.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Block, Named, NestedType, Nesting, Shape};
use planfuzz_core::value::{ObjectType, Text, Type, Value, ValueRef};

/// A block.
#[derive(Debug)]
pub(super) struct BlockShape<'s> {
    pub(super) block: &'s Block,
    /// The implied type (S30).
    pub(super) ty: Type,
    /// The empty value (S35).
    pub(super) empty: Value,
    pub(super) attributes: Vec<Field<'s, AttributeShape<'s>>>,
    pub(super) blocks: Vec<Field<'s, NestedShape<'s>>>,
    pub(super) hazards: Hazards,
}

/// A nested block type.
#[derive(Debug)]
pub(super) struct NestedShape<'s> {
    pub(super) nesting: Nesting,
    pub(super) block: BlockShape<'s>,
}

/// An attribute, with the shape of its nested type.
#[derive(Debug)]
pub(super) struct AttributeShape<'s> {
    pub(super) schema: &'s Attribute,
    /// The type of a null or unknown that the schema itself gives (S34).
    pub(super) declared: Type,
    pub(super) nested: Option<ObjectShape<'s>>,
}

/// A nested type.
#[derive(Debug)]
pub(super) struct ObjectShape<'s> {
    pub(super) schema: &'s NestedType,
    pub(super) nesting: Nesting,
    pub(super) attributes: Vec<Field<'s, AttributeShape<'s>>>,
    pub(super) hazards: Hazards,
}

/// A part of an object, with its index among the members.
#[derive(Debug)]
pub(super) struct Field<'s, T> {
    pub(super) name: &'s Text,
    index: usize,
    pub(super) of: T,
}

/// The parts of a block or nested type that may crash an engine.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hazards {
    /// A nested type of mode group (M11).
    pub(super) group: bool,
    /// A map block (AC20).
    pub(super) map_block: bool,
    /// A computed block (C10).
    pub(super) computed_block: bool,
    /// A leaf whose declared type has optional markers, so that types reveal values that the schema supplies (S34).
    pub(super) markers: bool,
}

impl Hazards {
    fn join(self, other: Hazards) -> Hazards {
        Hazards {
            group: self.group || other.group,
            map_block: self.map_block || other.map_block,
            computed_block: self.computed_block || other.computed_block,
            markers: self.markers || other.markers,
        }
    }
}

impl<'s> BlockShape<'s> {
    pub(super) fn new(block: &'s Block, dialect: Dialect) -> BlockShape<'s> {
        let inner: Vec<_> = block.block_types.values().map(|nested| BlockShape::new(&nested.block, dialect)).collect();
        let ty = block.implied_type_around(dialect, inner.iter().map(|block| block.ty.clone()));
        let empty = block.empty_value_of(&ty);
        let object = ty.as_object();
        let index_of = |name: &str| object.and_then(|object| object.index_of(name)).unwrap_or(usize::MAX);
        let attributes = attributes_of(&block.attributes, dialect, |name, _| index_of(name));
        let nested = block.block_types.iter().zip(inner);
        let blocks: Vec<_> = nested
            .map(|((name, nested), block)| {
                let of = NestedShape { nesting: nested.nesting, block };
                Field { name, index: index_of(name), of }
            })
            .collect();
        let hazards = blocks.iter().fold(hazards_of(&attributes), |hazards, field| {
            let mut own = field.of.block.hazards;
            own.map_block |= field.of.nesting == Nesting::Map;
            own.computed_block |= field.of.block.block.computed;
            hazards.join(own)
        });
        BlockShape { block, ty, empty, attributes, blocks, hazards }
    }

    /// The number of members of its objects.
    pub(super) fn width(&self) -> usize {
        self.ty.as_object().map_or(0, |object| object.len())
    }
}

impl<'s> ObjectShape<'s> {
    fn new(schema: &'s Attribute, dialect: Dialect) -> Option<ObjectShape<'s>> {
        let Shape::Nested(nested) = &schema.shape else { return None };
        // Names are unique and sorted by bytes in schemas as in object types, so the two orders are one.
        let attributes = attributes_of(&nested.attributes, dialect, |_, index| index);
        let mut hazards = hazards_of(&attributes);
        hazards.group |= nested.nesting == Nesting::Group;
        Some(ObjectShape { schema: nested, nesting: nested.nesting, attributes, hazards })
    }
}

impl<'s, T> Field<'s, T> {
    /// The member of an object: null for a null object, unknown for an unknown one; `None` if the object type lacks the member, which only
    /// `dynamic` allows.
    pub(super) fn of<'a>(&self, object: ValueRef<'a>) -> Option<ValueRef<'a>> {
        let attribute = object.object_type()?.attributes().get(self.index)?;
        if attribute.name != *self.name {
            return object.member(self.name);
        }
        match object.node().parts().get(self.index) {
            Some(node) => Some(ValueRef::new(&attribute.ty, node)),
            None if object.is_null() => Some(ValueRef::null(&attribute.ty)),
            None => Some(ValueRef::unknown(&attribute.ty)),
        }
    }
}

/// Whether a value has an object type with this number of attributes.
pub(super) fn has_width(value: ValueRef<'_>, width: usize) -> bool {
    value.object_type().is_some_and(|object: &ObjectType| object.len() == width)
}

fn attributes_of<'s>(
    attributes: &'s Named<Attribute>,
    dialect: Dialect,
    index_of: impl Fn(&str, usize) -> usize,
) -> Vec<Field<'s, AttributeShape<'s>>> {
    let field = |(index, (name, schema)): (usize, (&'s Text, &'s Attribute))| Field {
        name,
        index: index_of(name, index),
        of: AttributeShape {
            schema,
            declared: schema.declared_type(dialect),
            nested: ObjectShape::new(schema, dialect),
        },
    };
    attributes.iter().enumerate().map(field).collect()
}

fn hazards_of(attributes: &[Field<'_, AttributeShape<'_>>]) -> Hazards {
    let nested = attributes.iter().filter_map(|field| field.of.nested.as_ref());
    let mut hazards = nested.fold(Hazards::default(), |hazards, object| hazards.join(object.hazards));
    hazards.markers |= attributes.iter().any(|field| field.of.declared.has_optional());
    hazards
}
