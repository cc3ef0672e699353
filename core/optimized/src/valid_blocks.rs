//! Plan validity of nested blocks (P10).

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Text, ValueRef, raw_equals};

use super::here::Here;
use super::kinds::{self, Slot};
use super::program::{Inner, Object, Read};
use super::same::{Glance, equal_tree, glance};
use super::valid::{Check, Checked, Sides};

impl Check {
    /// P10.
    pub(super) fn nested_block(&mut self, inner: &Inner, sides: Sides<'_>, here: &Here<'_>) -> Checked {
        let Sides { config, planned, .. } = sides;
        if self.forbids_null_blocks && inner.mode != Nesting::Single && planned.is_null() {
            self.violation(here, "P10 0");
        } else if is_configured(inner, planned, config) {
        } else if config.is_unknown() {
            self.violation(here, "P10 2");
        } else if self.computed_blocks && config.is_null() && inner.computed {
        } else if planned.is_unknown() {
            self.violation(here, "P10 3");
        } else {
            return self.block_by_mode(inner, sides, here);
        }
        Ok(())
    }

    /// P10 4.
    fn block_by_mode(&mut self, inner: &Inner, sides: Sides<'_>, here: &Here<'_>) -> Checked {
        if matches!(inner.mode, Nesting::Single | Nesting::Group) {
            return self.block(&inner.object, sides, here);
        }
        if sides.planned.is_null() {
            self.violation(here, "P10 4");
            return Ok(());
        }
        match inner.mode {
            Nesting::List => self.list_block(inner, sides, here),
            Nesting::Map => self.map_block(inner, sides, here),
            _ => {
                self.set_block(sides, here);
                Ok(())
            }
        }
    }

    fn list_block(&mut self, inner: &Inner, sides: Sides<'_>, here: &Here<'_>) -> Checked {
        if inner.untyped {
            return self.untyped_list(inner, sides, here);
        }
        let Sides { prior, config, planned } = sides;
        if planned.len() != config.len() {
            self.violation(here, "P10 4");
            return Ok(());
        }
        for index in 0..planned.len() {
            let (Some(planned), Some(config)) = (planned.element(index), config.element(index)) else { break };
            let here = here.index(index);
            if planned.is_unknown() {
                self.violation(&here, "P10 4");
                continue;
            }
            self.block_element(inner, prior.element(index), config, planned, &here)?;
        }
        Ok(())
    }

    /// P10, list, where any type may stand (M30).
    fn untyped_list(&mut self, inner: &Inner, sides: Sides<'_>, here: &Here<'_>) -> Checked {
        let Sides { prior, config, planned } = sides;
        let configured = match config.is_null() {
            true if config.ty().is_collection() => Some(0),
            true => None,
            false => kinds::count(config),
        };
        match (kinds::count(planned), configured) {
            (Some(planned), Some(configured)) if planned == configured => {}
            (Some(_), Some(_)) => {
                self.violation(here, "P10 4");
                return Ok(());
            }
            _ => return Err(here.refuse("P10 4", "the blocks have no count")),
        }
        for (slot, planned) in kinds::slots(planned) {
            let here = slot.place(here);
            if planned.is_unknown() {
                self.violation(&here, "P10 4");
                continue;
            }
            if kinds::is_filled(config, slot) == Some(false) {
                continue;
            }
            match (kinds::read(config, slot), kinds::partner(prior, slot)) {
                (Some(config), Some(prior)) => self.block_element(inner, prior, config, planned, &here)?,
                _ => return Err(here.refuse("P10 4", "there is no element to look for")),
            }
        }
        Ok(())
    }

    /// P01 for one element, if it is an object of the block.
    fn block_element(
        &mut self,
        inner: &Inner,
        prior: Option<ValueRef<'_>>,
        config: ValueRef<'_>,
        planned: ValueRef<'_>,
        here: &Here<'_>,
    ) -> Checked {
        let object: &Object = &inner.object;
        let prior = prior.unwrap_or(ValueRef::null(&object.ty));
        if !inner.untyped || planned.is_null() || config.is_null() {
            return self.block(object, Sides { prior, config, planned }, here);
        }
        let sides = [prior, config, planned];
        let read = sides.map(|side| if side.is_null() { Read::Whole } else { object.read(side) });
        match [0, 1, 2].map(|side| read[side].of(sides[side])) {
            [Some(prior), Some(config), Some(planned)] => {
                self.block(object.for_read(&read), Sides { prior, config, planned }, here)
            }
            _ => Err(here.refuse("P01", "an element is no object of the block")),
        }
    }

    fn map_block(&mut self, inner: &Inner, sides: Sides<'_>, here: &Here<'_>) -> Checked {
        if inner.untyped {
            return match sides.planned.object_type() {
                Some(_) => self.object_of_blocks(inner, sides, here),
                None => self.untyped_map(inner, sides, here),
            };
        }
        let Sides { config, planned, .. } = sides;
        if config.is_null() {
            return Err(here.refuse("P10 4", "entries of a null map of blocks are read"));
        }
        if planned.len() != config.len() {
            self.violation(here, "P10 4");
            return Ok(());
        }
        for (index, (key, element)) in planned.entries().enumerate() {
            let at = here.key(key);
            if element.is_unknown() {
                self.violation(&at, "P10 4");
                continue;
            }
            match entry_near(config, key, index) {
                None => self.violation(&at, "P10 4"),
                Some(config) => {
                    self.block_element(inner, entry_near(sides.prior, key, index), config, element, &at)?;
                }
            }
        }
        for (index, (key, _)) in config.entries().enumerate() {
            if entry_near(planned, key, index).is_none() {
                self.violation(here, "P10 4");
            }
        }
        Ok(())
    }

    /// P10, map, where any type may stand (M30) and no object is planned.
    fn untyped_map(&mut self, inner: &Inner, sides: Sides<'_>, here: &Here<'_>) -> Checked {
        let Sides { prior, config, planned } = sides;
        let without_keys = || here.refuse("P10 4", "the blocks have no keys");
        if kinds::count(planned).ok_or_else(without_keys)? != kinds::count(config).ok_or_else(without_keys)? {
            self.violation(here, "P10 4");
            return Ok(());
        }
        if config.is_null() {
            return Err(here.refuse("P10 4", "entries of null blocks are read"));
        }
        for (slot, element) in kinds::slots(planned) {
            let at = slot.place(here);
            if element.is_unknown() {
                self.violation(&at, "P10 4");
                continue;
            }
            let has_name = matches!(slot, Slot::Name(_));
            if !kinds::is_filled(config, slot).filter(|_| has_name).ok_or_else(without_keys)? {
                self.violation(&at, "P10 4");
                continue;
            }
            match (kinds::read(config, slot), kinds::partner(prior, slot)) {
                (Some(config), Some(prior)) => self.block_element(inner, prior, config, element, &at)?,
                _ => return Err(without_keys()),
            }
        }
        for (slot, _) in kinds::slots(config) {
            match (kinds::is_filled(planned, slot), slot) {
                (Some(true), _) => {}
                (Some(false), Slot::Name(_)) => self.violation(here, "P10 4"),
                _ => return Err(without_keys()),
            }
        }
        Ok(())
    }

    /// P10, map, where an object is planned.
    fn object_of_blocks(&mut self, inner: &Inner, sides: Sides<'_>, here: &Here<'_>) -> Checked {
        let Sides { prior, config, planned } = sides;
        let (Some(keys), Some(of)) = (config.object_type(), planned.object_type()) else {
            return Err(here.refuse("P10 4", "names are read of blocks that are no object"));
        };
        for (index, (key, element)) in planned.entries().enumerate() {
            let at = here.attribute(key);
            if keys.index_of(key).is_none() {
                self.violation(here, "P10 4");
            } else if element.is_unknown() {
                self.violation(&at, "P10 4");
            } else {
                let without_names = prior.is_present() && prior.object_type().is_none();
                let Some(config) = entry_near(config, key, index).filter(|_| !without_names) else {
                    return Err(at.refuse("P10 4", "there is no block to look for"));
                };
                self.block_element(inner, entry_near(prior, key, index), config, element, &at)?;
            }
        }
        for _ in keys.attributes().iter().filter(|key| of.index_of(&key.name).is_none()) {
            self.violation(here, "P10 4");
        }
        Ok(())
    }

    fn set_block(&mut self, sides: Sides<'_>, here: &Here<'_>) {
        for index in 0..sides.planned.len() {
            if let Some(element) = sides.planned.element(index).filter(|element| element.is_unknown()) {
                self.violation(&here.element(element), "P10 4");
            }
        }
    }
}

/// P10 1. Where blocks hold leaves alone, no part is compared more than twice (H09).
fn is_configured(inner: &Inner, planned: ValueRef<'_>, config: ValueRef<'_>) -> bool {
    if inner.object.holds.structure {
        return equal_tree(planned, config, true);
    }
    match glance(planned.node(), config.node()) {
        Glance::Different => false,
        Glance::Same => planned.ty() == config.ty(),
        Glance::Look => raw_equals(planned, config),
    }
}

/// The entry of a key, which is looked for at the place it has on another side first.
pub(super) fn entry_near<'a>(value: ValueRef<'a>, key: &Text, place: usize) -> Option<ValueRef<'a>> {
    match super::valid::Entries::of(value) {
        Some(entries) => entries.get(key, place),
        None => value.entry(key),
    }
}
