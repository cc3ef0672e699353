//! Plan validity (P01 to P12): the expected number of violations at each place of a planned object.

use super::demands::Demands;
use super::id::Id;
use super::kinds::{self, By};
use super::place::Place;
use super::shape::{AttributeShape, BlockShape, Field, NestedShape, ObjectShape, has_width};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Nesting};
use planfuzz_core::value::{Tri, Type, ValueRef, includes, length, raw_equals, raw_equals_unrefined};

/// The check of one planned object.
pub(super) struct PlanValidity<'d> {
    pub(super) dialect: Dialect,
    pub(super) demands: &'d mut Demands,
}

/// The facts that the rows of P05 depend on.
struct Facts<'a> {
    dialect: Dialect,
    schema: &'a Attribute,
    has_nested_type: bool,
    prior: Option<ValueRef<'a>>,
    config: ValueRef<'a>,
    planned: ValueRef<'a>,
}

/// The outcome of a row of P05.
enum Outcome {
    Valid,
    Violation,
    /// A violation unless planned null.
    ValidIfNull,
    /// P07 decides.
    Inside,
}

/// A row of P05.
struct Row {
    rule: Id,
    when: fn(&Facts<'_>) -> bool,
    outcome: Outcome,
}

/// P05, in the order of its rows; the last one always applies.
const P05: [Row; 9] = [
    Row { rule: Id::P05a, when: |of| raw_equals_unrefined(of.planned, of.config), outcome: Outcome::Valid },
    Row { rule: Id::P05b, when: |of| of.keeps_prior(), outcome: Outcome::Valid },
    Row {
        rule: Id::P05c,
        when: |of| of.dialect.decides_write_only_first() && of.schema.write_only,
        outcome: Outcome::ValidIfNull,
    },
    Row { rule: Id::P05d, when: |of| of.schema.computed && !of.schema.optional, outcome: Outcome::Valid },
    Row { rule: Id::P05e, when: |of| of.schema.computed && of.config.is_null(), outcome: Outcome::Valid },
    Row { rule: Id::P05f, when: |of| of.config.is_null() && !of.planned.is_null(), outcome: Outcome::Violation },
    Row { rule: Id::P05g, when: |of| of.forgets_write_only(), outcome: Outcome::Valid },
    Row { rule: Id::P07, when: |of| of.has_nested_type, outcome: Outcome::Inside },
    Row { rule: Id::P05i, when: |_| true, outcome: Outcome::Violation },
];

impl Facts<'_> {
    fn keeps_prior(&self) -> bool {
        let prior = self.prior.filter(|prior| !prior.is_null() && !self.config.is_null());
        prior.is_some_and(|prior| raw_equals_unrefined(self.planned, prior))
    }

    fn forgets_write_only(&self) -> bool {
        let excused = !self.dialect.decides_write_only_first() && self.schema.write_only;
        excused && !self.config.is_null() && self.planned.is_null()
    }
}

impl PlanValidity<'_> {
    /// P01. A missing prior counts as null.
    pub(super) fn block(
        &mut self,
        block: &BlockShape<'_>,
        prior: Option<ValueRef<'_>>,
        config: ValueRef<'_>,
        planned: ValueRef<'_>,
        place: &Place<'_>,
    ) {
        self.demands.demand(Id::P01, place, planned.is_null() != config.is_null());
        if planned.is_null() || config.is_null() {
            return;
        }
        if !has_width(config, block.width()) || !has_width(planned, block.width()) {
            return self.demands.leave_open();
        }
        self.attributes(&block.attributes, prior, config, planned, place);
        for field in &block.blocks {
            if let Some((prior, config, planned)) = self.members(field, prior, config, planned) {
                self.nested_block(&field.of, prior, config, planned, &place.attribute(field.name));
            }
        }
    }

    fn attributes(
        &mut self,
        attributes: &[Field<'_, AttributeShape<'_>>],
        prior: Option<ValueRef<'_>>,
        config: ValueRef<'_>,
        planned: ValueRef<'_>,
        place: &Place<'_>,
    ) {
        for field in attributes {
            if let Some((prior, config, planned)) = self.members(field, prior, config, planned) {
                self.attribute(&field.of, prior, config, planned, &place.attribute(field.name));
            }
        }
    }

    /// The same member of each value, null for a missing prior; `None` if, because of `dynamic`, one of them has no such member.
    fn members<'a, T>(
        &mut self,
        field: &Field<'_, T>,
        prior: Option<ValueRef<'a>>,
        config: ValueRef<'a>,
        planned: ValueRef<'a>,
    ) -> Option<(Option<ValueRef<'a>>, ValueRef<'a>, ValueRef<'a>)> {
        let prior = prior.filter(|prior| !prior.is_null());
        let members = match (prior.map(|prior| field.of(prior)), field.of(config), field.of(planned)) {
            (Some(None), ..) | (_, None, _) | (_, _, None) => None,
            (prior, Some(config), Some(planned)) => Some((prior.flatten(), config, planned)),
        };
        if members.is_none() {
            self.demands.leave_open();
        }
        members
    }

    /// P05.
    fn attribute(
        &mut self,
        shape: &AttributeShape<'_>,
        prior: Option<ValueRef<'_>>,
        config: ValueRef<'_>,
        planned: ValueRef<'_>,
        place: &Place<'_>,
    ) {
        let facts = Facts {
            dialect: self.dialect,
            schema: shape.schema,
            has_nested_type: shape.nested.is_some(),
            prior,
            config,
            planned,
        };
        let Some(row) = P05.iter().find(|row| (row.when)(&facts)) else { return };
        match (&row.outcome, &shape.nested) {
            (Outcome::Valid, _) => self.demands.demand(row.rule, place, false),
            (Outcome::Violation, _) => self.demands.demand(row.rule, place, true),
            (Outcome::ValidIfNull, _) => self.demands.demand(row.rule, place, !planned.is_null()),
            (Outcome::Inside, Some(object)) => self.nested_type(object, prior, config, planned, place),
            (Outcome::Inside, None) => {}
        }
    }

    /// P07.
    fn nested_type(
        &mut self,
        object: &ObjectShape<'_>,
        prior: Option<ValueRef<'_>>,
        config: ValueRef<'_>,
        planned: ValueRef<'_>,
        place: &Place<'_>,
    ) {
        let is_wrong = planned.is_null() != config.is_null() || (!config.is_null() && planned.is_unknown());
        self.demands.demand(Id::P07, place, is_wrong);
        if is_wrong || planned.is_null() {
            return;
        }
        // Below a block of dynamic type any value may be here (M02); the specification leaves its check open.
        if ![Some(config), Some(planned), prior].into_iter().flatten().all(|side| can_be_looked_into(object, side)) {
            return self.demands.leave_open();
        }
        match object.nesting {
            Nesting::Single => self.object(object, prior, config, planned, place),
            Nesting::Group if self.dialect.has_group_nested_types() => {
                self.object(object, prior, config, planned, place);
            }
            Nesting::Group => self.demands.leave_open(),
            Nesting::List => self.nested_list(object, prior, config, planned, place),
            Nesting::Map => self.nested_map(object, prior, config, planned, place),
            Nesting::Set => {
                let outside = match (length(planned), length(config)) {
                    (Some(planned), Some(config)) => includes(planned.view(), config.view()) == Tri::False,
                    _ => return self.demands.leave_open(),
                };
                self.demands.demand(Id::P07set, place, outside);
            }
        }
    }

    /// P04 for every attribute of an object of a nested type.
    fn object(
        &mut self,
        object: &ObjectShape<'_>,
        prior: Option<ValueRef<'_>>,
        config: ValueRef<'_>,
        planned: ValueRef<'_>,
        place: &Place<'_>,
    ) {
        let (config_is_null, planned_is_null) = (config.is_null(), planned.is_null());
        if (config_is_null || planned_is_null)
            && !object.attributes.is_empty()
            && !self.dialect.reads_members_of_null_nested_objects()
        {
            return self.demands.crash(Id::P04, place);
        }
        for field in &object.attributes {
            if let Some((prior, config, planned)) = self.members(field, prior, config, planned) {
                // The members of a null object are nulls of the schema's type, whatever the object's type is.
                let absent = ValueRef::null(&field.of.declared);
                let config = if config_is_null { absent } else { config };
                let planned = if planned_is_null { absent } else { planned };
                self.attribute(&field.of, prior, config, planned, &place.attribute(field.name));
            }
        }
    }

    fn nested_list(
        &mut self,
        object: &ObjectShape<'_>,
        prior: Option<ValueRef<'_>>,
        config: ValueRef<'_>,
        planned: ValueRef<'_>,
        place: &Place<'_>,
    ) {
        if !self.has_configured_length(Id::P07list, config, planned, place) {
            return;
        }
        for index in 0..planned.len() {
            let (Some(config), Some(planned)) = (config.element(index), planned.element(index)) else {
                return self.demands.crash(Id::P07list, place);
            };
            let prior = self.prior_element(prior, index);
            self.object(object, prior, config, planned, &place.index(index));
        }
    }

    fn nested_map(
        &mut self,
        object: &ObjectShape<'_>,
        prior: Option<ValueRef<'_>>,
        config: ValueRef<'_>,
        planned: ValueRef<'_>,
        place: &Place<'_>,
    ) {
        if !self.has_configured_length(Id::P07map, config, planned, place) {
            return;
        }
        if config.is_unknown() && !planned.is_empty() {
            return self.demands.crash(Id::P07map, place);
        }
        for (key, planned) in planned.entries() {
            match config.entry(key) {
                Some(config) => {
                    let prior = self.prior_entry(prior, key);
                    self.object(object, prior, config, planned, &place.attribute(key));
                }
                None => self.demands.demand(Id::P07map, place, true),
            }
        }
        self.every_key_is_planned(Id::P07map, config, planned, place);
    }

    /// Whether the lengths are certainly equal (V45), one violation if not.
    fn has_configured_length(
        &mut self,
        rule: Id,
        config: ValueRef<'_>,
        planned: ValueRef<'_>,
        place: &Place<'_>,
    ) -> bool {
        let exact = |value| length(value).and_then(|length| length.view().as_number().cloned());
        let is_equal = match (exact(config), exact(planned)) {
            (Some(config), Some(planned)) => config.equals(&planned),
            _ => false,
        };
        if is_equal && config.is_unknown() && planned.is_empty() {
            // An unknown list that is known to be empty crashes only on access to an element; the specification leaves that open.
            self.demands.leave_open();
        }
        self.demands.demand(rule, place, !is_equal);
        is_equal
    }

    fn every_key_is_planned(&mut self, rule: Id, config: ValueRef<'_>, planned: ValueRef<'_>, place: &Place<'_>) {
        let missing = config.entries().filter(|(key, _)| planned.entry(key).is_none()).count();
        self.demands.demand_many(rule, place, missing);
    }

    /// P10.
    fn nested_block(
        &mut self,
        nested: &NestedShape<'_>,
        prior: Option<ValueRef<'_>>,
        config: ValueRef<'_>,
        planned: ValueRef<'_>,
        place: &Place<'_>,
    ) {
        if nested.nesting != Nesting::Single && self.dialect.forbids_null_planned_blocks() {
            self.demands.demand(Id::P10v0, place, planned.is_null());
            if planned.is_null() {
                return;
            }
        }
        let is_computed = nested.block.block.computed && self.dialect.has_computed_blocks();
        let decided = if raw_equals(planned, config) {
            Some((Id::P10v1, false))
        } else if config.is_unknown() {
            Some((Id::P10v2, true))
        } else if config.is_null() && is_computed {
            Some((Id::P10v2b, false))
        } else if planned.is_unknown() {
            Some((Id::P10v3, true))
        } else {
            None
        };
        if let Some((rule, violation)) = decided {
            return self.demands.demand(rule, place, violation);
        }
        match nested.nesting {
            Nesting::Single | Nesting::Group => self.block(&nested.block, prior, config, planned, place),
            Nesting::List => self.list_block(&nested.block, prior, config, planned, place),
            Nesting::Map => self.map_block(&nested.block, prior, config, planned, place),
            Nesting::Set => self.set_block(planned, place),
        }
    }

    fn list_block(
        &mut self,
        block: &BlockShape<'_>,
        prior: Option<ValueRef<'_>>,
        config: ValueRef<'_>,
        planned: ValueRef<'_>,
        place: &Place<'_>,
    ) {
        if planned.is_null() {
            return self.demands.demand(Id::P10list, place, true);
        }
        let is_none = config.is_null() && config.ty().is_collection();
        let configured = if config.is_null() { is_none.then_some(0) } else { kinds::count(config) };
        let (Some(count), Some(configured)) = (kinds::count(planned), configured) else {
            return self.demands.crash(Id::P10list, place);
        };
        self.demands.demand(Id::P10list, place, count != configured);
        if count != configured {
            return;
        }
        for (key, planned) in kinds::all(planned) {
            let at = key.place(place);
            if planned.is_unknown() {
                self.demands.demand(Id::P10list, &at, true);
                continue;
            }
            if kinds::has(config, key) == Some(false) {
                continue;
            }
            let (Some(config), Some(prior)) = (kinds::at(config, key), self.partner(prior, key)) else {
                return self.demands.crash(Id::M30, &at);
            };
            self.known_block(Id::P10list, block, prior, config, planned, &at);
        }
    }

    fn map_block(
        &mut self,
        block: &BlockShape<'_>,
        prior: Option<ValueRef<'_>>,
        config: ValueRef<'_>,
        planned: ValueRef<'_>,
        place: &Place<'_>,
    ) {
        if planned.is_null() {
            return self.demands.demand(Id::P10map, place, true);
        }
        if planned.object_type().is_some() {
            return self.object_block(block, prior, config, planned, place);
        }
        let (Some(count), Some(configured)) = (kinds::count(planned), kinds::count(config)) else {
            return self.demands.crash(Id::P10map, place);
        };
        self.demands.demand(Id::P10map, place, count != configured);
        if count != configured {
            return;
        }
        if config.is_null() {
            return self.demands.crash(Id::P10map, place);
        }
        for (key, planned) in kinds::all(planned) {
            let at = key.place(place);
            if planned.is_unknown() {
                self.demands.demand(Id::P10map, &at, true);
                continue;
            }
            match kinds::has(config, key).filter(|_| key.is_text()) {
                None => return self.demands.crash(Id::P10map, &at),
                Some(false) => self.demands.demand(Id::P10map, &at, true),
                Some(true) => match (kinds::at(config, key), self.partner(prior, key)) {
                    (Some(config), Some(prior)) => {
                        self.known_block(Id::P10map, block, prior, config, planned, &at);
                    }
                    _ => return self.demands.crash(Id::M30, &at),
                },
            }
        }
        let mut missing = 0;
        for (key, _) in kinds::all(config) {
            match kinds::has(planned, key) {
                Some(true) => {}
                Some(false) if key.is_text() => missing += 1,
                _ => return self.demands.crash(Id::P10map, place),
            }
        }
        self.demands.demand_many(Id::P10map, place, missing);
    }

    /// P10, map, where an object is planned.
    fn object_block(
        &mut self,
        block: &BlockShape<'_>,
        prior: Option<ValueRef<'_>>,
        config: ValueRef<'_>,
        planned: ValueRef<'_>,
        place: &Place<'_>,
    ) {
        let (Some(names), Some(of_plan)) = (config.object_type(), planned.object_type()) else {
            return self.demands.crash(Id::P10obj, place);
        };
        for (key, planned) in planned.entries() {
            let at = place.attribute(key);
            if names.index_of(key).is_none() {
                self.demands.demand(Id::P10obj, place, true);
            } else if planned.is_unknown() {
                self.demands.demand(Id::P10obj, &at, true);
            } else {
                let is_readable = |prior: ValueRef<'_>| !prior.is_present() || prior.object_type().is_some();
                match config.entry(key).filter(|_| prior.is_none_or(is_readable)) {
                    None => return self.demands.crash(Id::M30, &at),
                    Some(config) => {
                        let prior = prior.and_then(|prior| prior.entry(key));
                        self.known_block(Id::P10obj, block, prior, config, planned, &at);
                    }
                }
            }
        }
        let missing = names.attributes().iter().filter(|name| of_plan.index_of(&name.name).is_none()).count();
        self.demands.demand_many(Id::P10obj, place, missing);
    }

    /// The prior element at a key. An unknown prior is not covered by the rules.
    fn partner<'a>(&mut self, prior: Option<ValueRef<'a>>, key: By<'_>) -> Option<Option<ValueRef<'a>>> {
        if prior.is_some_and(|prior| prior.is_unknown()) {
            self.demands.leave_open();
        }
        kinds::of_prior(prior, key)
    }

    fn set_block(&mut self, planned: ValueRef<'_>, place: &Place<'_>) {
        self.demands.demand(Id::P10set, place, planned.is_null());
        if !planned.is_present() {
            return;
        }
        for element in (0..planned.len()).filter_map(|index| planned.element(index)) {
            self.demands.demand(Id::P10set, &place.element(element), element.is_unknown());
        }
    }

    /// An element of a list or map block, which must not be planned unknown.
    fn known_block(
        &mut self,
        rule: Id,
        block: &BlockShape<'_>,
        prior: Option<ValueRef<'_>>,
        config: ValueRef<'_>,
        planned: ValueRef<'_>,
        place: &Place<'_>,
    ) {
        self.demands.demand(rule, place, planned.is_unknown());
        if !planned.is_unknown() {
            self.block(block, prior, config, planned, place);
        }
    }

    /// The prior's element at an index, if it has one. An unknown prior is not covered by the rules.
    fn prior_element<'a>(&mut self, prior: Option<ValueRef<'a>>, index: usize) -> Option<ValueRef<'a>> {
        let prior = prior?;
        let has_indexes = matches!(prior.ty(), Type::List(_) | Type::Tuple(_));
        if prior.is_unknown() || (prior.is_present() && !has_indexes) {
            self.demands.leave_open();
        }
        prior.element(index).filter(|_| has_indexes)
    }

    /// The prior's entry of that key, if it has one.
    fn prior_entry<'a>(&mut self, prior: Option<ValueRef<'a>>, key: &str) -> Option<ValueRef<'a>> {
        let prior = prior?;
        let has_keys = matches!(prior.ty(), Type::Map(_) | Type::Object(_));
        if prior.is_unknown() || (prior.is_present() && !has_keys) {
            self.demands.leave_open();
        }
        prior.entry(key)
    }
}

/// Whether a value has a type that fits the nesting mode.
fn can_be_looked_into(object: &ObjectShape<'_>, value: ValueRef<'_>) -> bool {
    match object.nesting {
        Nesting::Single | Nesting::Group => matches!(value.ty(), Type::Object(_)),
        Nesting::List => matches!(value.ty(), Type::List(_) | Type::Tuple(_)),
        Nesting::Map => matches!(value.ty(), Type::Map(_) | Type::Object(_)),
        Nesting::Set => matches!(value.ty(), Type::Set(_)),
    }
}
