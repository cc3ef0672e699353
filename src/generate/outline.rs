//! A schema as the generator walks it: members in the order of an object's payload, each with its implied type (S30),
//! computed once per schema and not once per value.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Block, NestedBlock, NestedType, Nesting, Schema, Shape};
use planfuzz_core::value::{Text, Type};

/// The most blocks that are made because of `min_items`: a schema from a file may ask for any number.
const MOST_NEEDED: usize = 16;

/// A block, with its implied object type.
#[derive(Debug)]
pub(super) struct BlockOutline {
    /// The implied type of one block.
    pub(super) ty: Type,
    /// Attributes and nested blocks together, sorted by the bytes of their names.
    pub(super) members: Vec<Member>,
    /// How many of the members are nested types or blocks.
    pub(super) branches: usize,
}

/// A member of a block's object.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: Text,
    pub(super) kind: MemberKind,
}

/// What a member is.
#[derive(Debug)]
pub(super) enum MemberKind {
    Attribute(AttributeOutline),
    Block(NestedBlockOutline),
}

/// An attribute with its implied type.
#[derive(Debug)]
pub(super) struct AttributeOutline {
    /// The implied type, without optional markers.
    pub(super) ty: Type,
    pub(super) required: bool,
    pub(super) optional: bool,
    pub(super) computed: bool,
    pub(super) write_only: bool,
    /// Whether the declared type has optional markers (S34).
    pub(super) markers: bool,
    pub(super) nested: Option<NestedOutline>,
}

/// A nested type; attributes are sorted by the bytes of their names.
#[derive(Debug)]
pub(super) struct NestedOutline {
    pub(super) nesting: Nesting,
    pub(super) attributes: Vec<AttributeOutline>,
    /// How many of the attributes have a nested type themselves.
    pub(super) branches: usize,
}

/// A nested block type.
#[derive(Debug)]
pub(super) struct NestedBlockOutline {
    pub(super) nesting: Nesting,
    /// The implied type of the member: `dynamic` for a list or map of blocks with `dynamic` inside (S30).
    pub(super) ty: Type,
    pub(super) block: BlockOutline,
    /// The least number of blocks (S52).
    pub(super) least: usize,
    /// The greatest number of blocks; `None` if there is no limit.
    pub(super) most: Option<usize>,
}

impl BlockOutline {
    /// The outline of a schema that is valid in the dialect.
    pub(super) fn of_schema(schema: &Schema, dialect: Dialect) -> BlockOutline {
        BlockOutline::of(&schema.block, dialect)
    }

    /// Whether a set can be in a value of the block.
    pub(super) fn has_sets(&self) -> bool {
        type_has_sets(&self.ty)
            || self.members.iter().any(|member| match &member.kind {
                MemberKind::Attribute(_) => false,
                MemberKind::Block(nested) => nested.block.has_sets(),
            })
    }

    fn of(block: &Block, dialect: Dialect) -> BlockOutline {
        let attributes = block.attributes.iter().map(|(name, attribute)| {
            let kind = MemberKind::Attribute(AttributeOutline::of(attribute, dialect));
            Member { name: name.clone(), kind }
        });
        let blocks = block.block_types.iter().map(|(name, nested)| {
            let kind = MemberKind::Block(NestedBlockOutline::of(nested, dialect));
            Member { name: name.clone(), kind }
        });
        let mut members: Vec<Member> = attributes.chain(blocks).collect();
        members.sort_by(|a, b| a.name.cmp(&b.name));
        let ty = Type::object(members.iter().map(|member| (member.name.clone(), member.ty().clone())));
        let branches = members.iter().filter(|member| member.is_branch()).count();
        BlockOutline { ty, members, branches }
    }
}

impl Member {
    /// The implied type of the member.
    pub(super) fn ty(&self) -> &Type {
        match &self.kind {
            MemberKind::Attribute(attribute) => &attribute.ty,
            MemberKind::Block(nested) => &nested.ty,
        }
    }

    fn is_branch(&self) -> bool {
        match &self.kind {
            MemberKind::Attribute(attribute) => attribute.nested.is_some(),
            MemberKind::Block(_) => true,
        }
    }
}

impl AttributeOutline {
    fn of(attribute: &Attribute, dialect: Dialect) -> AttributeOutline {
        // Listed in full: a new member of an attribute has to be thought about here.
        let Attribute {
            shape,
            required,
            optional,
            computed,
            sensitive: _,
            write_only,
            deprecated: _,
            deprecation_message: _,
        } = attribute;
        let (ty, nested) = match shape {
            Shape::Leaf(ty) => (ty.strip_optional(), None),
            Shape::Nested(nested) => {
                let (ty, nested) = NestedOutline::of(nested, dialect);
                (ty, Some(nested))
            }
        };
        AttributeOutline {
            ty,
            required: *required,
            optional: *optional,
            computed: *computed,
            write_only: *write_only,
            markers: attribute.leaf_type().is_some_and(Type::has_optional),
            nested,
        }
    }
}

impl NestedOutline {
    fn of(nested: &NestedType, dialect: Dialect) -> (Type, NestedOutline) {
        let NestedType { nesting, attributes } = nested;
        let mut names = Vec::with_capacity(attributes.len());
        let mut outlines = Vec::with_capacity(attributes.len());
        // S31: a dialect without groups takes one for the empty object. No valid schema there has any.
        let known = *nesting != Nesting::Group || dialect.has_group_nested_types();
        for (name, attribute) in attributes.iter().filter(|_| known) {
            names.push(name.clone());
            outlines.push(AttributeOutline::of(attribute, dialect));
        }
        let object = Type::object(names.into_iter().zip(outlines.iter().map(|attribute| attribute.ty.clone())));
        let ty = match nesting {
            Nesting::Single | Nesting::Group => object,
            Nesting::List => Type::list(object),
            Nesting::Set => Type::set(object),
            Nesting::Map => Type::map(object),
        };
        let branches = outlines.iter().filter(|attribute| attribute.nested.is_some()).count();
        (ty, NestedOutline { nesting: *nesting, attributes: outlines, branches })
    }
}

impl NestedBlockOutline {
    fn of(nested: &NestedBlock, dialect: Dialect) -> NestedBlockOutline {
        let NestedBlock { nesting, block, min_items, max_items } = nested;
        let block = BlockOutline::of(block, dialect);
        let ty = match nesting {
            Nesting::Single | Nesting::Group => block.ty.clone(),
            Nesting::List | Nesting::Map if block.ty.has_dynamic() => Type::Dynamic,
            Nesting::List => Type::list(block.ty.clone()),
            Nesting::Map => Type::map(block.ty.clone()),
            Nesting::Set => Type::set(block.ty.clone()),
        };
        let least = usize::try_from(*min_items).unwrap_or(0).min(MOST_NEEDED);
        let most = usize::try_from(*max_items).ok().filter(|most| *most > 0);
        NestedBlockOutline { nesting: *nesting, ty, block, least, most }
    }
}

/// Whether a set is in the type. The types drawn for `dynamic` have no sets of numbers.
fn type_has_sets(ty: &Type) -> bool {
    match ty {
        Type::Dynamic | Type::Bool | Type::Number | Type::String => false,
        Type::Set(_) => true,
        Type::List(element) | Type::Map(element) => type_has_sets(element),
        Type::Tuple(tuple) => tuple.elements().iter().any(type_has_sets),
        Type::Object(object) => object.attributes().iter().any(|attribute| type_has_sets(&attribute.ty)),
    }
}
