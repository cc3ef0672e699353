//! The parts of a Core schema that the conversion from a diff to an object needs; computed once per schema.

use planfuzz_core::schema::{Attribute, Block, Nesting};
use planfuzz_core::value::{ObjectType, Text, Type};

/// The attributes and blocks of an object.
#[derive(Clone, Debug)]
pub(in crate::sdk) struct Layout {
    parts: Vec<(Text, Part)>,
}

/// An attribute or block.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// A primitive attribute (Z81).
    Primitive(Leaf),
    /// A list, map or set attribute (Z82).
    Collection(Collection),
    /// Blocks, and a set of objects as an attribute at the top (Z83, Z85).
    Blocks { is_set: bool, layout: Layout },
    /// A set of objects as an attribute anywhere else (Z85).
    LostSet,
}

/// A primitive attribute or the element of a collection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    pub is_string: bool,
    pub is_required: bool,
}

/// A list, map or set attribute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collection {
    pub element: Leaf,
    pub is_list: bool,
    pub is_map: bool,
}

impl Layout {
    /// The layout of a resource.
    pub fn of(block: &Block) -> Layout {
        Layout::of_block(block, true)
    }

    pub(super) fn parts(&self) -> &[(Text, Part)] {
        &self.parts
    }

    fn of_block(block: &Block, at_top: bool) -> Layout {
        let attributes =
            block.attributes.iter().map(|(name, attribute)| (name.clone(), of_attribute(attribute, at_top)));
        let blocks = block.block_types.iter().map(|(name, nested)| {
            let is_set = nested.nesting == Nesting::Set;
            (name.clone(), Part::Blocks { is_set, layout: Layout::of_block(&nested.block, false) })
        });
        Layout { parts: attributes.chain(blocks).collect() }
    }

    fn of_object(object: &ObjectType) -> Layout {
        let part = |ty| of_type(ty, false, false);
        Layout {
            parts: object.attributes().iter().map(|attribute| (attribute.name.clone(), part(&attribute.ty))).collect(),
        }
    }
}

fn of_attribute(attribute: &Attribute, at_top: bool) -> Part {
    // The SDK has leaf attributes only (Z03).
    attribute.leaf_type().map_or(Part::LostSet, |ty| of_type(ty, attribute.required, at_top))
}

fn of_type(ty: &Type, is_required: bool, at_top: bool) -> Part {
    if let Type::Set(element) = ty
        && let Type::Object(object) = &**element
    {
        return match at_top {
            true => Part::Blocks { is_set: true, layout: Layout::of_object(object) },
            false => Part::LostSet,
        };
    }
    match ty {
        Type::List(element) | Type::Set(element) | Type::Map(element) => Part::Collection(Collection {
            element: Leaf { is_string: **element == Type::String, is_required: false },
            is_list: matches!(ty, Type::List(_)),
            is_map: matches!(ty, Type::Map(_)),
        }),
        _ => Part::Primitive(Leaf { is_string: *ty == Type::String, is_required }),
    }
}
