//! Assigns to each configured element of a set the prior element to merge with (M19, M22).

use super::merge::ElementRule;
use planfuzz_core::schema::{Attribute, Block, NestedType, Shape};
use planfuzz_core::value::{Step, Type, ValueRef, raw_equals_unrefined};

/// For each element of the configuration, the place of the first unused element of the prior that matches it (M19).
pub(super) fn assign<'a>(rule: ElementRule<'a>, prior: &[ValueRef<'a>], config: &[ValueRef<'a>]) -> Vec<Option<usize>> {
    let start = match rule {
        ElementRule::Block(shape) => SchemaLookup::Block(shape.block),
        ElementRule::Object(shape) => SchemaLookup::Nested(shape.schema),
    };
    let mut used = vec![false; prior.len()];
    let mut first = |element: &ValueRef<'a>| {
        let index = (0..prior.len()).find(|&index| !used[index] && matches(start, prior[index], *element))?;
        used[index] = true;
        Some(index)
    };
    config.iter().map(&mut first).collect()
}

/// M22.
fn matches(found: SchemaLookup<'_>, prior: ValueRef<'_>, config: ValueRef<'_>) -> bool {
    if raw_equals_unrefined(config, prior) {
        return true;
    }
    if matches!(config.ty(), Type::Set(_)) {
        return false;
    }
    if let SchemaLookup::Attribute(attribute) = found
        && matches!(attribute.shape, Shape::Leaf(_))
    {
        return attribute.computed && config.is_null();
    }
    if !prior.is_present() {
        return true;
    }
    prior
        .children()
        .all(|(step, part)| config.apply(&step).is_some_and(|config| matches(found.step(&step), part, config)))
}

/// The result of looking up a path in a schema (S60, S61).
#[derive(Clone, Copy)]
enum SchemaLookup<'s> {
    /// No attribute; the search goes on in a block.
    Block(&'s Block),
    /// No attribute; the search goes on in a nested type.
    Nested(&'s NestedType),
    /// This attribute, if the path ends here.
    Attribute(&'s Attribute),
    /// No attribute, wherever the path continues.
    Nothing,
}

impl<'s> SchemaLookup<'s> {
    fn step(self, step: &Step) -> SchemaLookup<'s> {
        match self {
            SchemaLookup::Nothing => SchemaLookup::Nothing,
            SchemaLookup::Attribute(attribute) => match &attribute.shape {
                Shape::Leaf(_) => SchemaLookup::Nothing,
                Shape::Nested(nested) => SchemaLookup::Nested(nested).step(step),
            },
            SchemaLookup::Block(block) => match step {
                Step::Attribute(name) => match (block.attributes.get(name), block.block_types.get(name)) {
                    (Some(attribute), _) => SchemaLookup::Attribute(attribute),
                    (None, Some(nested)) => SchemaLookup::Block(&nested.block),
                    (None, None) => SchemaLookup::Nothing,
                },
                _ => self,
            },
            SchemaLookup::Nested(nested) => match step {
                Step::Attribute(name) => nested.attributes.get(name).map_or(self, SchemaLookup::Attribute),
                _ => self,
            },
        }
    }
}
