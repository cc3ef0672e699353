//! Features of schemas.

use planfuzz_core::schema::{Attribute, Block, NestedBlock, NestedType, Nesting, Schema, Shape as AttributeShape};
use planfuzz_core::value::Type;

use super::Hits;
use super::row::{Class, Excluded, Feature, Flag, Leaf, Shape, Where};

pub(super) fn observe(schema: &Schema, hits: &mut Hits) {
    let mut walk = Walk { hits, attributes: 0, depth: 0 };
    walk.block(&schema.block, Inside { place: Where::Root, depth: 1, mode: None, in_set: false });
    let (attributes, depth) = (walk.attributes, walk.depth);
    hits.mark(Feature::Shape(match depth {
        0 | 1 => Shape::Flat,
        2 => Shape::DepthTwo,
        3 => Shape::DepthThree,
        4..=8 => Shape::Deeper,
        _ => Shape::VeryDeep,
    }));
    hits.mark_if(Feature::Shape(Shape::Wide), attributes > 50);
    hits.mark_if(Feature::Shape(Shape::NoAttributes), schema.block.attributes.is_empty());
}

struct Walk<'h> {
    hits: &'h mut Hits,
    attributes: usize,
    depth: usize,
}

#[derive(Clone, Copy)]
struct Inside {
    place: Where,
    depth: usize,
    /// The mode of the innermost nested block around, if any.
    mode: Option<Nesting>,
    in_set: bool,
}

impl Walk<'_> {
    fn shape(&mut self, shape: Shape, hit: bool) {
        self.hits.mark_if(Feature::Shape(shape), hit);
    }

    fn block(&mut self, block: &Block, inside: Inside) {
        let Block { attributes, block_types, computed, deprecated: _, deprecation_message: _ } = block;
        self.depth = self.depth.max(inside.depth);
        self.shape(Shape::ComputedBlock, *computed);
        let has_computed = block_types.values().any(|nested| nested.block.computed);
        self.shape(Shape::LonelyComputedBlock, has_computed && block_types.len() == 1);
        // C10: what the engine answers for such an object varies, so none is made.
        self.hits.mark_if(Feature::Excluded(Excluded::ComputedBesideOthers), has_computed && block_types.len() > 1);
        self.shape(Shape::EmptyBlock, inside.depth > 1 && attributes.is_empty() && block_types.is_empty());
        self.shape(Shape::SeveralBlocks, block_types.len() > 1);
        for (name, attribute) in attributes.iter() {
            self.shape(Shape::OddName, !is_plain(name));
            self.attribute(attribute, inside, None);
            let named_like = |ty: &Type| {
                let mut computed = block_types.iter().filter(|(_, nested)| nested.block.computed);
                computed.any(|(name, _)| ty.as_object().is_some_and(|object| object.index_of(name).is_some()))
            };
            self.shape(Shape::NamedLikeComputedBlock, attribute.leaf_type().is_some_and(named_like));
        }
        for nested in block_types.values() {
            self.nested_block(nested, inside, attributes.values().any(|attribute| attribute.computed));
        }
    }

    fn nested_block(&mut self, nested: &NestedBlock, inside: Inside, beside_computed: bool) {
        let NestedBlock { nesting, block, min_items, max_items } = nested;
        self.hits.mark(match inside.mode {
            None => Feature::Block(*nesting),
            Some(outer) => Feature::BlockIn(outer, *nesting),
        });
        let in_set_block = inside.mode == Some(Nesting::Set);
        self.shape(Shape::MapBlockInSet, *nesting == Nesting::Map && in_set_block && beside_computed);
        self.shape(Shape::MinOne, *min_items == 1);
        self.shape(Shape::MinMore, *min_items > 1);
        self.shape(Shape::MaxOne, *max_items == 1);
        self.shape(Shape::MaxMore, *max_items > 1);
        let open = matches!(nesting, Nesting::List | Nesting::Map);
        self.shape(Shape::Dynamic, open && has_dynamic(block));
        let in_set = inside.in_set || *nesting == Nesting::Set;
        self.block(block, Inside { place: Where::Block, depth: inside.depth + 1, mode: Some(*nesting), in_set });
    }

    fn attribute(&mut self, attribute: &Attribute, inside: Inside, parent: Option<&Attribute>) {
        let Attribute { shape, required, optional, computed, sensitive, write_only, deprecated, .. } = attribute;
        self.attributes += 1;
        let class = match (required, optional, computed) {
            (true, ..) => Class::Required,
            (_, true, true) => Class::OptionalComputed,
            (_, true, _) => Class::Optional,
            _ => Class::Computed,
        };
        self.hits.mark(Feature::Attribute(class, inside.place));
        for (flag, on) in [(Flag::Sensitive, sensitive), (Flag::WriteOnly, write_only), (Flag::Deprecated, deprecated)]
        {
            self.hits.mark_if(Feature::Flag(flag, inside.place), *on);
        }
        self.shape(Shape::ComputedInSet, inside.in_set && *computed);
        if let Some(parent) = parent {
            self.shape(Shape::ComputedUnderOptional, parent.optional && !parent.computed && *computed);
            self.shape(Shape::OptionalUnderComputed, parent.computed && !parent.optional && *optional);
            let collection = attribute.nested_type().is_some_and(|nested| nested.nesting != Nesting::Single);
            self.shape(Shape::ComputedNestedInNested, collection && *computed);
        }
        let set = match shape {
            AttributeShape::Leaf(ty) => {
                self.leaf(ty, 0, false);
                self.hits.mark_if(Feature::Leaf(Leaf::Dynamic), ty.is_dynamic());
                matches!(ty, Type::Set(_))
            }
            AttributeShape::Nested(nested) => {
                self.nested_type(attribute, nested, inside);
                nested.nesting == Nesting::Set
            }
        };
        self.shape(Shape::ComputedSetInSet, inside.in_set && *computed && set);
    }

    fn nested_type(&mut self, attribute: &Attribute, nested: &NestedType, inside: Inside) {
        let NestedType { nesting, attributes } = nested;
        self.hits.mark(Feature::Nested(*nesting, inside.place));
        self.shape(Shape::NestedInBlock, inside.place == Where::Block);
        self.shape(Shape::EmptyNested, attributes.is_empty());
        self.depth = self.depth.max(inside.depth + 1);
        let in_set = inside.in_set || *nesting == Nesting::Set;
        let inner = Inside { place: Where::Nested, depth: inside.depth + 1, mode: inside.mode, in_set };
        attributes.values().for_each(|child| self.attribute(child, inner, Some(attribute)));
    }

    fn leaf(&mut self, ty: &Type, depth: usize, in_set: bool) {
        let leaf = match ty {
            Type::Dynamic if depth == 0 => Leaf::Dynamic,
            Type::Dynamic => Leaf::DynamicInside,
            Type::Bool => Leaf::Bool,
            Type::Number => Leaf::Number,
            Type::String => Leaf::String,
            Type::List(_) => Leaf::List,
            Type::Set(_) => Leaf::Set,
            Type::Map(_) => Leaf::Map,
            Type::Tuple(_) => Leaf::Tuple,
            Type::Object(_) => Leaf::Object,
        };
        self.hits.mark(Feature::Leaf(leaf));
        self.hits.mark_if(Feature::Leaf(Leaf::Deep), depth == 3);
        let set = matches!(ty, Type::Set(_));
        self.hits.mark_if(Feature::Leaf(Leaf::SetInSet), in_set && set);
        match ty {
            Type::List(element) | Type::Map(element) => self.leaf(element, depth + 1, in_set),
            Type::Set(element) => {
                self.hits.mark_if(Feature::Leaf(Leaf::SetOfObjects), element.as_object().is_some());
                self.leaf(element, depth + 1, true);
            }
            Type::Tuple(tuple) => tuple.elements().iter().for_each(|element| self.leaf(element, depth + 1, in_set)),
            Type::Object(object) => {
                for attribute in object.attributes() {
                    self.hits.mark_if(Feature::Leaf(Leaf::OptionalMarker), attribute.optional);
                    self.leaf(&attribute.ty, depth + 1, in_set);
                }
            }
            Type::Dynamic | Type::Bool | Type::Number | Type::String => {}
        }
    }
}

/// Whether a name is one that providers use.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_')) && name != "type"
}

fn has_dynamic(block: &Block) -> bool {
    let in_attribute = |attribute: &Attribute| attribute_has_dynamic(attribute);
    block.attributes.values().any(in_attribute) || block.block_types.values().any(|nested| has_dynamic(&nested.block))
}

fn attribute_has_dynamic(attribute: &Attribute) -> bool {
    match &attribute.shape {
        AttributeShape::Leaf(ty) => ty.has_dynamic(),
        AttributeShape::Nested(nested) => nested.attributes.values().any(attribute_has_dynamic),
    }
}
