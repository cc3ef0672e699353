//! Invented schemas, valid in their dialect by construction.
//!
//! In shape they follow the schemas of real providers: SDK style (blocks, `timeouts`), framework style (nested types),
//! both and neither; mostly shallow, with a tail. But features that the format allows and real schemas never use are made often,
//! because nothing else would test them: blocks of mode map and group, tuples, nested types inside blocks, object types with
//! optional attributes, sets inside sets, computed children under optional parents and the reverse.

mod attributes;
mod blocks;
mod change;
mod types;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Named, Schema};
use planfuzz_core::value::{Text, Type};

use super::dice::Dice;
use super::pools::{Pools, numbered};
use super::settings::Size;
use super::swarm::{Swarm, Switch};
use crate::generate::dice::weighted;

/// What a resource consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Blocks,
    Nested,
    Both,
    Flat,
}

/// What the place of an attribute or block forbids and suggests.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// 1 at the root of the resource.
    depth: u8,
    /// Whether the place is not the root.
    inner: bool,
    /// Inside a set block or a nested type of mode set: no `dynamic` (S14, S22).
    in_set: bool,
    /// Inside a computed block: everything is computed (S26).
    in_computed: bool,
}

/// Invents one schema.
pub(super) struct Inventor<'i, 'd, 'b> {
    pub(super) dice: &'i mut Dice<'d, 'b>,
    pub(super) pools: &'i Pools,
    pub(super) size: Size,
    pub(super) swarm: Swarm,
    pub(super) dialect: Dialect,
    /// How many attributes and blocks may still be made.
    fuel: u16,
    style: Style,
}

impl<'i, 'd, 'b> Inventor<'i, 'd, 'b> {
    /// A schema that is valid in the dialect.
    pub(super) fn invent(
        dice: &'i mut Dice<'d, 'b>,
        pools: &'i Pools,
        size: Size,
        swarm: Swarm,
        dialect: Dialect,
    ) -> Schema {
        let style = weighted! { dice;
            70 => Style::Both,
            80 => Style::Blocks,
            70 => Style::Nested,
            16 => Style::Flat,
        };
        let mut inventor = Inventor { dice, pools, size, swarm, dialect, fuel: size.schema_fuel, style };
        let place = Place { depth: 1, inner: false, in_set: false, in_computed: false };
        let block = inventor.block(place);
        let version = if inventor.dice.chance(16) { 1 } else { 0 };
        Schema { version, block }
    }

    /// A leaf type alone.
    pub(super) fn leaf(
        dice: &'i mut Dice<'d, 'b>,
        pools: &'i Pools,
        size: Size,
        swarm: Swarm,
        dialect: Dialect,
    ) -> Type {
        Inventor { dice, pools, size, swarm, dialect, fuel: size.schema_fuel, style: Style::Flat }.leaf_type(false)
    }

    /// Uses up the fuel for one attribute or block. Returns whether there was any left.
    fn burn(&mut self) -> bool {
        let left = self.fuel > 0;
        self.fuel = self.fuel.saturating_sub(1);
        left
    }

    fn on(&self, switch: Switch) -> bool {
        self.swarm.has(switch)
    }

    fn chance(&mut self, switch: Switch, share: u8) -> bool {
        let share = self.swarm.share(switch, share);
        self.dice.chance(share)
    }

    fn width(&mut self, place: Place) -> usize {
        let most = if place.inner { self.size.inner_width } else { self.size.root_width };
        1 + self.dice.below(usize::from(most))
    }

    /// Gives each of `things` a name of its own, from a run of the pool with a random start.
    fn named<T>(&mut self, letter: char, things: Vec<T>) -> Named<T> {
        let (pool, usable) = match letter {
            'b' => (&self.pools.block_names, self.pools.block_names.len()),
            _ if self.on(Switch::OddNames) && self.dice.chance(40) => (&self.pools.names, self.pools.names.len()),
            _ => (&self.pools.names, Pools::PLAIN_NAMES),
        };
        let shared = letter == 'b' && self.dice.chance(64);
        let start = if shared { Pools::SHARED_BLOCK_NAME } else { self.dice.below(usable) };
        let name = |index: usize| -> Text {
            if index < usable { pool[(start + index) % usable].clone() } else { numbered(letter, index) }
        };
        Named::new(things.into_iter().enumerate().map(|(index, thing)| (name(index), thing)).collect())
    }
}
