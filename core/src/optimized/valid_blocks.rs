//! Plan validity of nested blocks (P10).

use crate::schema::Nesting;
use crate::value::{Text, Type, ValueRef, raw_equals};

use super::here::Here;
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
        let Sides { prior, config, planned } = sides;
        if config.is_null() && !matches!(config.ty(), Type::List(_)) {
            return Err(here.refuse("P10 4", "null blocks that are no list are counted"));
        }
        let is_sequence = |ty: &Type| matches!(ty, Type::List(_) | Type::Tuple(_));
        if !is_sequence(planned.ty()) || !is_sequence(config.ty()) {
            return Err(here.refuse("P10 4", "the blocks are neither a list nor a tuple"));
        }
        if planned.len() != config.len() {
            self.violation(here, "P10 4");
            return Ok(());
        }
        for index in 0..planned.len() {
            let (Some(planned), Some(config)) = (planned.element(index), config.element(index)) else { break };
            let prior = if is_sequence(prior.ty()) { prior.element(index) } else { None };
            let here = here.index(index);
            if planned.is_unknown() {
                self.violation(&here, "P10 4");
                continue;
            }
            self.block_element(inner, prior, config, planned, &here)?;
        }
        Ok(())
    }

    /// P01 for one element, once it is sure that it is an object of the block.
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
        let Sides { config, planned, .. } = sides;
        if config.is_null() {
            return Err(here.refuse("P10 4", "entries of a null map of blocks are read"));
        }
        let has_keys = |ty: &Type| matches!(ty, Type::Map(_) | Type::Object(_));
        if !has_keys(planned.ty()) || !has_keys(config.ty()) {
            return Err(here.refuse("P10 4", "the blocks are neither a map nor an object"));
        }
        if matches!(planned.ty(), Type::Object(_)) {
            return self.object_of_blocks(inner, sides, here);
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
            if !matches!(config.ty(), Type::Map(_)) {
                return Err(here.refuse("P10 4", "an entry of an object of blocks is looked for as if it were a map"));
            }
            match entry_near(config, key, index) {
                None => self.violation(&at, "P10 4"),
                Some(config) => {
                    self.block_element(inner, entry_near(sides.prior, key, index), config, element, &at)?;
                }
            }
        }
        self.missing_entries(sides, here);
        Ok(())
    }

    fn object_of_blocks(&mut self, inner: &Inner, sides: Sides<'_>, here: &Here<'_>) -> Checked {
        for (index, (key, element)) in sides.planned.entries().enumerate() {
            let at = here.attribute(key);
            match entry_near(sides.config, key, index) {
                None => self.violation(here, "P10 4"),
                Some(_) if element.is_unknown() => self.violation(&at, "P10 4"),
                Some(config) => {
                    self.block_element(inner, entry_near(sides.prior, key, index), config, element, &at)?;
                }
            }
        }
        self.missing_entries(sides, here);
        Ok(())
    }

    fn missing_entries(&mut self, sides: Sides<'_>, here: &Here<'_>) {
        for (index, (key, _)) in sides.config.entries().enumerate() {
            if entry_near(sides.planned, key, index).is_none() {
                self.violation(here, "P10 4");
            }
        }
    }

    fn set_block(&mut self, sides: Sides<'_>, here: &Here<'_>) {
        for index in 0..sides.planned.len() {
            if let Some(element) = sides.planned.element(index).filter(|element| element.is_unknown()) {
                self.violation(&here.element(element), "P10 4");
            }
        }
    }
}

/// P10 1. Where blocks hold leaves alone, nothing is compared more than once again (H09).
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
