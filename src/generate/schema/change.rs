//! One change of a schema, which turns a case into one of a similar resource.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, NestedType, Nesting, Schema, Shape};
use planfuzz_core::value::Text;

use super::super::dice::Dice;
use super::super::pools::{Pools, numbered};
use super::super::settings::Size;
use super::super::swarm::Swarm;
use super::{Inventor, Place, Style};

/// The most attributes and blocks that one change adds.
const MOST_ADDED: u16 = 4;

impl<'i, 'd, 'b> Inventor<'i, 'd, 'b> {
    /// The schema with one change; `None` if it would not be valid in the dialect.
    pub(in super::super) fn changed(
        dice: &'i mut Dice<'d, 'b>,
        pools: &'i Pools,
        size: Size,
        dialect: Dialect,
        schema: &Schema,
    ) -> Option<Schema> {
        let fuel = size.schema_fuel.min(MOST_ADDED);
        let mut inventor = Inventor { dice, pools, size, swarm: Swarm::default(), dialect, fuel, style: Style::Both };
        let mut changed = schema.clone();
        inventor.change_block(&mut changed.block, Place { depth: 1, inner: false, in_set: false, in_computed: false });
        changed.problems(dialect).is_empty().then_some(changed)
    }

    fn change_block(&mut self, block: &mut Block, place: Place) {
        let inner = block.block_types.len();
        if inner > 0 && self.dice.chance(112) {
            let chosen = self.dice.below(inner);
            if let Some(nested) = block.block_types.values_mut().nth(chosen) {
                let inside = place.inside(nested.nesting, nested.block.computed);
                return self.change_block(&mut nested.block, inside);
            }
        }
        match self.dice.below(8) {
            0 => {
                let name = self.free_name(&block.attributes, &block.block_types);
                let nested = self.nested_block(place);
                insert(&mut block.block_types, name, nested);
            }
            1 => self.change_nested_block(&mut block.block_types, place),
            2 => remove_one(self.dice, &mut block.block_types),
            3 => {
                let name = self.free_name(&block.attributes, &block.block_types);
                let attribute = self.attribute(place);
                insert(&mut block.attributes, name, attribute);
            }
            _ => self.change_attributes(&mut block.attributes, place),
        }
    }

    fn change_nested_block(&mut self, blocks: &mut Named<NestedBlock>, place: Place) {
        let chosen = self.dice.below(blocks.len());
        let Some(nested) = blocks.values_mut().nth(chosen) else { return };
        let computed = nested.block.computed || place.in_computed;
        if self.dice.chance(160) {
            nested.nesting = self.block_nesting(computed);
        }
        (nested.min_items, nested.max_items) = self.limits(nested.nesting, computed);
    }

    /// Changes, adds or removes one attribute, here or in a nested type.
    fn change_attributes(&mut self, attributes: &mut Named<Attribute>, place: Place) {
        match self.dice.below(8) {
            0 => remove_one(self.dice, attributes),
            1 => {
                let name = self.free_name(attributes, &Named::<()>::default());
                let attribute = self.attribute(place);
                insert(attributes, name, attribute);
            }
            _ => {
                let chosen = self.dice.below(attributes.len());
                if let Some(attribute) = attributes.values_mut().nth(chosen) {
                    self.change_attribute(attribute, place);
                }
            }
        }
    }

    fn change_attribute(&mut self, attribute: &mut Attribute, place: Place) {
        if let Shape::Nested(nested) = &mut attribute.shape
            && self.dice.chance(144)
        {
            return self.change_nested_type(nested, place);
        }
        match self.dice.below(8) {
            0 => attribute.sensitive = !attribute.sensitive,
            1 => attribute.write_only = !attribute.write_only,
            2 => attribute.computed = !attribute.computed,
            3 => *attribute = self.attribute(place),
            4 if matches!(attribute.shape, Shape::Leaf(_)) => {
                attribute.shape = Shape::Leaf(self.leaf_type(place.in_set));
            }
            _ => {
                let mut other = Attribute::new(attribute.shape.clone());
                self.flags(&mut other, place);
                *attribute = other;
            }
        }
    }

    fn change_nested_type(&mut self, nested: &mut NestedType, place: Place) {
        if self.dice.chance(56) {
            nested.nesting = self.nested_nesting();
            return;
        }
        let inside = place.inside(nested.nesting, place.in_computed);
        self.change_attributes(&mut nested.attributes, inside);
    }

    /// A name that is in neither list: one of the pool if one is free.
    fn free_name<T, U>(&mut self, some: &Named<T>, others: &Named<U>) -> Text {
        let names = &self.pools.names;
        let start = self.dice.below(Pools::PLAIN_NAMES);
        let around = (0..names.len()).map(|step| names[(start + step) % names.len()].clone());
        let beyond = (0..).map(|index| numbered('a', index));
        let is_free = |name: &Text| some.get(name).is_none() && others.get(name).is_none();
        around.chain(beyond).find(is_free).unwrap_or_default()
    }
}

impl Place {
    /// The place of the contents of a block or nested type.
    fn inside(self, nesting: Nesting, in_computed: bool) -> Place {
        Place {
            depth: self.depth.saturating_add(1),
            inner: true,
            in_set: self.in_set || nesting == Nesting::Set,
            in_computed: self.in_computed || in_computed,
        }
    }
}

fn insert<T>(things: &mut Named<T>, name: Text, thing: T) {
    let mut entries = std::mem::take(things).into_entries();
    entries.push((name, thing));
    *things = Named::new(entries);
}

fn remove_one<T>(dice: &mut Dice<'_, '_>, things: &mut Named<T>) {
    let mut entries = std::mem::take(things).into_entries();
    if !entries.is_empty() {
        entries.remove(dice.below(entries.len()));
    }
    *things = Named::new(entries);
}
