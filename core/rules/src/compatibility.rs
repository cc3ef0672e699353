//! Apply-result compatibility (AC01 to AC22, C10): the expected number of violations at each place of an object that resulted from a plan.

use std::collections::BTreeMap;

use super::demands::{Demands, Mark};
use super::id::Id;
use super::kinds;
use super::place::Place;
use super::sets::{MOST_PAIRS, elements};
use super::shape::{BlockShape, NestedShape, has_width};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Text, Tri, Type, ValueRef, includes, raw_equals, structural_hash};

/// The check of one object.
pub(super) struct Compatibility<'d> {
    pub(super) dialect: Dialect,
    pub(super) demands: &'d mut Demands,
}

impl Compatibility<'_> {
    /// AC01.
    pub(super) fn block(
        &mut self,
        block: &BlockShape<'_>,
        planned: ValueRef<'_>,
        actual: ValueRef<'_>,
        place: &Place<'_>,
    ) {
        let before = self.demands.mark();
        self.demands.demand(Id::AC01, place, planned.is_null() != actual.is_null());
        if planned.is_null() || actual.is_null() {
            return;
        }
        if !has_width(planned, block.width()) || !has_width(actual, block.width()) {
            return self.demands.leave_open();
        }
        for field in &block.attributes {
            match (field.of(planned), field.of(actual)) {
                (Some(planned), Some(actual)) => {
                    let at = place.attribute(field.name);
                    self.attribute(field.of.schema.sensitive, planned, actual, &at);
                }
                _ => self.demands.leave_open(),
            }
        }
        let (whole_planned, whole_actual) = (planned, actual);
        for field in &block.blocks {
            let (Some(planned), Some(actual)) = (field.of(planned), field.of(actual)) else {
                self.demands.leave_open();
                continue;
            };
            if self.stands_for_all(&field.of, planned, actual) {
                if self.others_matter(block, field.name, (whole_planned, whole_actual)) {
                    // The other violations depend on which blocks come before this one, and that order is random.
                    self.demands.leave_open();
                }
                return self.computed_block(&field.of, planned, actual, place, before);
            }
            self.nested_block(&field.of, planned, actual, &place.attribute(field.name));
        }
    }

    /// C10: whether a computed block decides the result of its enclosing object.
    fn stands_for_all(&self, nested: &NestedShape<'_>, planned: ValueRef<'_>, actual: ValueRef<'_>) -> bool {
        let is_computed = nested.block.block.computed && self.dialect.has_computed_blocks();
        is_computed && (goes_missing(nested, actual) || planned.is_unknown())
    }

    /// C10: whether it matters if the other blocks are checked before the deciding one.
    fn others_matter(
        &mut self,
        enclosing: &BlockShape<'_>,
        name: &Text,
        (planned, actual): (ValueRef<'_>, ValueRef<'_>),
    ) -> bool {
        let dialect = self.dialect;
        enclosing.blocks.iter().filter(|field| field.name != name).any(|field| {
            let (Some(planned), Some(actual)) = (field.of(planned), field.of(actual)) else { return true };
            let may_crash = field.of.nesting == Nesting::Map || field.of.block.hazards.map_block;
            may_crash
                || self.stands_for_all(&field.of, planned, actual)
                || self.demands.any(|demands| {
                    Compatibility { dialect, demands }.nested_block(&field.of, planned, actual, &Place::ROOT);
                })
        })
    }

    /// C10, for a deciding block.
    fn computed_block(
        &mut self,
        nested: &NestedShape<'_>,
        planned: ValueRef<'_>,
        actual: ValueRef<'_>,
        place: &Place<'_>,
        before: Mark,
    ) {
        if goes_missing(nested, actual) {
            self.demands.demand(Id::C10, place, true);
        } else {
            self.demands.take_back(before);
            self.demands.demand(Id::C10, place, false);
            self.value(planned, actual, &Place::ROOT);
        }
    }

    /// AC10.
    fn attribute(&mut self, sensitive: bool, planned: ValueRef<'_>, actual: ValueRef<'_>, place: &Place<'_>) {
        if self.demands.is_settled() {
            return;
        }
        if !sensitive {
            return self.value(planned, actual, place);
        }
        let dialect = self.dialect;
        let any = self.demands.any(|demands| Compatibility { dialect, demands }.value(planned, actual, place));
        self.demands.demand(Id::AC10, place, any);
    }

    /// AC11.
    fn value(&mut self, planned: ValueRef<'_>, actual: ValueRef<'_>, place: &Place<'_>) {
        let decided = if planned.ty().is_dynamic() {
            Some((Id::AC11a, false))
        } else if !actual.ty().conforms_to(planned.ty()) {
            Some((Id::AC11b, true))
        } else if planned.is_unknown() {
            Some((Id::AC11c, includes(planned, actual) == Tri::False))
        } else if planned.is_null() || actual.is_null() {
            Some((Id::AC11d, planned.is_null() != actual.is_null()))
        } else if actual.is_unknown() {
            Some((Id::AC11e, true))
        } else if planned.ty().is_primitive() {
            Some((Id::AC11f, !raw_equals(planned, actual)))
        } else {
            None
        };
        if let Some((rule, violation)) = decided {
            return self.demands.demand(rule, place, violation);
        }
        match planned.ty() {
            Type::Map(_) => self.entries(planned, actual, place),
            Type::List(_) | Type::Tuple(_) => self.elements(planned, actual, place),
            Type::Set(_) => {
                let more = self.set((planned, actual), true, place, |check, planned, actual| {
                    check.value(planned, actual, &Place::ROOT);
                });
                self.demands.demand(Id::AC11i, place, more);
            }
            _ => {
                for (name, planned) in planned.entries() {
                    let Some(actual) = actual.entry(name) else { continue };
                    self.value(planned, actual, &place.attribute(name));
                }
            }
        }
    }

    /// AC11-g for lists and tuples.
    fn elements(&mut self, planned: ValueRef<'_>, actual: ValueRef<'_>, place: &Place<'_>) {
        self.demands.demand_many(Id::AC11g, place, planned.len().abs_diff(actual.len()));
        for index in 0..planned.len().min(actual.len()) {
            if self.demands.is_settled() {
                return;
            }
            if let (Some(planned), Some(actual)) = (planned.element(index), actual.element(index)) {
                self.value(planned, actual, &place.index(index));
            }
        }
    }

    /// AC11-g for maps.
    fn entries(&mut self, planned: ValueRef<'_>, actual: ValueRef<'_>, place: &Place<'_>) {
        let missing =
            |from: ValueRef<'_>, of: ValueRef<'_>| of.entries().filter(|(key, _)| from.entry(key).is_none()).count();
        self.demands.demand_many(Id::AC11g, place, missing(actual, planned) + missing(planned, actual));
        for (key, planned) in planned.entries() {
            if let Some(actual) = actual.entry(key) {
                self.value(planned, actual, &place.key(key));
            }
        }
    }

    /// AC15, for two known sets. Returns whether the actual one has more elements than the planned one.
    fn set(
        &mut self,
        (planned, actual): (ValueRef<'_>, ValueRef<'_>),
        is_reflexive: bool,
        place: &Place<'_>,
        relation: impl Fn(&mut Compatibility<'_>, ValueRef<'_>, ValueRef<'_>),
    ) -> bool {
        let (planned, actual) = (elements(planned), elements(actual));
        let mut pairs = Pairs::new(planned.len(), actual.len());
        if is_reflexive {
            pairs.match_equals(&planned, &actual);
        }
        if pairs.left() > MOST_PAIRS {
            self.demands.leave_open();
            return false;
        }
        let dialect = self.dialect;
        for (of_planned, planned) in planned.iter().enumerate() {
            for (of_actual, actual) in actual.iter().enumerate() {
                if is_reflexive && pairs.planned[of_planned] && pairs.actual[of_actual] {
                    continue;
                }
                let check =
                    |demands: &mut Demands| relation(&mut Compatibility { dialect, demands }, *planned, *actual);
                if !self.demands.any(check) {
                    pairs.planned[of_planned] = true;
                    pairs.actual[of_actual] = true;
                }
            }
        }
        self.demands.demand_many(Id::AC15, place, pairs.unmatched());
        planned.len() < actual.len()
    }

    /// AC20.
    fn nested_block(
        &mut self,
        nested: &NestedShape<'_>,
        planned: ValueRef<'_>,
        actual: ValueRef<'_>,
        place: &Place<'_>,
    ) {
        let block = &nested.block;
        match nested.nesting {
            Nesting::Single | Nesting::Group if planned.is_unknown() && actual.is_null() => {
                self.demands.demand(Id::AC20single, place, false);
            }
            Nesting::Single | Nesting::Group => self.block(block, planned, actual, place),
            Nesting::List if !planned.is_present() || !actual.is_present() => {
                self.demands.demand(Id::AC20list, place, false);
            }
            Nesting::List => self.counted_blocks(Id::AC20list, block, (planned, actual), place),
            Nesting::Map if matches!(planned.ty(), Type::Object(_)) => self.object_block(block, planned, actual, place),
            Nesting::Map => self.map_block(block, planned, actual, place),
            Nesting::Set if !planned.is_present() || !actual.is_present() => {
                self.demands.demand(Id::AC20set, place, false);
            }
            Nesting::Set => {
                // Map blocks may crash in any pair, and a null computed block is not even compatible with itself.
                let is_reflexive = !block.hazards.map_block && !block.hazards.computed_block;
                let more = self.set((planned, actual), is_reflexive, place, |check, planned, actual| {
                    check.block(block, planned, actual, &Place::ROOT);
                });
                self.demands.demand(Id::AC20set, place, more);
            }
        }
    }

    /// Compares blocks by number and by key, whatever their type (M30).
    fn counted_blocks(
        &mut self,
        rule: Id,
        block: &BlockShape<'_>,
        (planned, actual): (ValueRef<'_>, ValueRef<'_>),
        place: &Place<'_>,
    ) {
        let (Some(of_plan), Some(of_actual)) = (kinds::count(planned), kinds::count(actual)) else {
            return self.crash(rule, place);
        };
        self.demands.demand(rule, place, of_plan != of_actual);
        if of_plan != of_actual {
            return;
        }
        for (key, planned) in kinds::all(planned) {
            match kinds::has(actual, key) {
                None => return self.crash(Id::M30, place),
                Some(false) => {}
                Some(true) => match kinds::at(actual, key) {
                    Some(actual) => self.block(block, planned, actual, &key.place(place)),
                    None => return self.crash(Id::M30, place),
                },
            }
        }
    }

    fn map_block(&mut self, block: &BlockShape<'_>, planned: ValueRef<'_>, actual: ValueRef<'_>, place: &Place<'_>) {
        if !planned.is_present() || actual.is_null() {
            return self.demands.demand(Id::AC20map, place, false);
        }
        self.counted_blocks(Id::AC20map, block, (planned, actual), place);
    }

    fn object_block(&mut self, block: &BlockShape<'_>, planned: ValueRef<'_>, actual: ValueRef<'_>, place: &Place<'_>) {
        let Some(keys) = planned.object_type() else { return };
        let Some(found) = actual.object_type() else { return self.crash(Id::AC20obj, place) };
        let is_null = planned.is_null() || actual.is_null();
        for key in keys.attributes() {
            match (planned.member(&key.name), actual.member(&key.name)) {
                (Some(_), Some(_)) if is_null => return self.crash(Id::AC20obj, place),
                (Some(planned), Some(actual)) => self.block(block, planned, actual, &place.attribute(&key.name)),
                _ => self.demands.demand(Id::AC20obj, place, true),
            }
        }
        if !planned.is_unknown() {
            let more = found.attributes().iter().filter(|key| keys.index_of(&key.name).is_none()).count();
            self.demands.demand_many(Id::AC20obj, place, more);
        }
    }

    /// A crash. Within the elements of a set it depends on which pairs the engine tries (D13).
    fn crash(&mut self, rule: Id, place: &Place<'_>) {
        if self.demands.is_probing() && !self.dialect.tries_every_pair() {
            self.demands.leave_open();
        }
        self.demands.crash(rule, place);
    }
}

/// C10: whether a block is null that must not be.
fn goes_missing(nested: &NestedShape<'_>, actual: ValueRef<'_>) -> bool {
    actual.is_null() && nested.nesting != Nesting::Single
}

/// Which elements of two sets have a counterpart (AC15).
struct Pairs {
    planned: Vec<bool>,
    actual: Vec<bool>,
}

impl Pairs {
    fn new(planned: usize, actual: usize) -> Pairs {
        Pairs { planned: vec![false; planned], actual: vec![false; actual] }
    }

    /// Matches wholly known elements with equal ones, found by hash, because every value is compatible with itself.
    fn match_equals(&mut self, planned: &[ValueRef<'_>], actual: &[ValueRef<'_>]) {
        let mut places: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (place, element) in actual.iter().enumerate() {
            places.entry(structural_hash(element.node())).or_default().push(place);
        }
        for (of_planned, planned) in planned.iter().enumerate().filter(|(_, planned)| planned.is_wholly_known()) {
            for &of_actual in places.get(&structural_hash(planned.node())).map_or(&[][..], Vec::as_slice) {
                if raw_equals(*planned, actual[of_actual]) {
                    self.planned[of_planned] = true;
                    self.actual[of_actual] = true;
                }
            }
        }
    }

    /// The number of pairs that are still to be compared.
    fn left(&self) -> usize {
        let left = |matched: &[bool]| matched.iter().filter(|matched| !**matched).count();
        left(&self.planned) * self.actual.len() + left(&self.actual) * self.planned.len()
    }

    /// The unmatched planned elements, or if there are none the unmatched actual ones.
    fn unmatched(&self) -> usize {
        let left = |matched: &[bool]| matched.iter().filter(|matched| !**matched).count();
        match left(&self.planned) {
            0 => left(&self.actual),
            planned => planned,
        }
    }
}
