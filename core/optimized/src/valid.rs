//! Plan validity (section 3 of merge-and-rules.md): attributes and nested types.
//!
//! Paths are made for violations only. Where planned and configured objects are one shared part its content is not checked:
//! every attribute is valid by P05 a and every block by P10 1.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Refusal, Violation};
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{MapNode, Node, Text, Type, UNBOUNDED, ValueRef, length_bounds};

use super::here::Here;
use super::program::{Inner, Kind, Member, Object};
use super::same::{equal_tree, equal_unrefined};

/// The three sides of a place.
#[derive(Clone, Copy)]
pub(super) struct Sides<'a> {
    pub(super) prior: ValueRef<'a>,
    pub(super) config: ValueRef<'a>,
    pub(super) planned: ValueRef<'a>,
}

/// One run of the check.
pub(super) struct Check {
    write_only_first: bool,
    null_objects_have_members: bool,
    pub(super) forbids_null_blocks: bool,
    pub(super) computed_blocks: bool,
    pub(super) violations: Vec<Violation>,
}

pub(super) type Checked = Result<(), Refusal>;

impl<'a> Sides<'a> {
    pub(super) fn member(self, object: &'a Object, index: usize) -> Sides<'a> {
        Sides {
            prior: object.member(self.prior, index),
            config: object.member(self.config, index),
            planned: object.member(self.planned, index),
        }
    }

    /// The same in an object of a nested type: the members of a null one are null of the types that the schema declares (P04).
    fn nested_member(self, object: &'a Object, index: usize) -> Sides<'a> {
        let absent = ValueRef::null(&object.members[index].declared);
        let of = |side: ValueRef<'a>| if side.is_null() { absent } else { object.member(side, index) };
        Sides { prior: of(self.prior), config: of(self.config), planned: of(self.planned) }
    }

    /// Whether the member's payloads alone show that it is valid.
    fn show_valid(self, object: &Object, index: usize) -> bool {
        match (self.planned.node().parts().get(index), self.config.node().parts().get(index)) {
            (Some(planned), Some(config)) => object.flags[index].shows_valid(planned, config),
            _ => false,
        }
    }

    /// Whether planned and configured are one shared part, and of one type.
    fn is_configured(self, object: &Object) -> bool {
        self.planned.node().ptr_eq(self.config.node())
            && (!object.holds.dynamic || self.planned.ty() == self.config.ty())
    }
}

impl Check {
    pub(super) fn new(dialect: Dialect) -> Check {
        Check {
            write_only_first: dialect.decides_write_only_first(),
            null_objects_have_members: dialect.reads_members_of_null_nested_objects(),
            forbids_null_blocks: dialect.forbids_null_planned_blocks(),
            computed_blocks: dialect.has_computed_blocks(),
            violations: Vec::new(),
        }
    }

    #[cold]
    pub(super) fn violation(&mut self, here: &Here<'_>, rule: &'static str) {
        self.violations.push(Violation::new(here.path(), rule));
    }

    /// P01.
    pub(super) fn block(&mut self, object: &Object, sides: Sides<'_>, here: &Here<'_>) -> Checked {
        let (planned, config) = (sides.planned, sides.config);
        if planned.is_null() || config.is_null() {
            if planned.is_null() != config.is_null() {
                self.violation(here, "P01");
            }
            return Ok(());
        }
        // P05 a and P10 1; P10 0 comes before the latter, but looks at the object's own blocks only.
        let configured = sides.is_configured(object);
        if configured && !(self.forbids_null_blocks && object.holds.plural_blocks) {
            return Ok(());
        }
        for index in 0..object.members.len() {
            if (configured && !object.flags[index].is_block()) || sides.show_valid(object, index) {
                continue;
            }
            let member = &object.members[index];
            let sides = sides.member(object, index);
            match &member.kind {
                Kind::Block(inner) => self.nested_block(inner, sides, &here.attribute(&member.name))?,
                _ => self.attribute(member, sides, here)?,
            }
        }
        Ok(())
    }

    /// P04, P05; `here` is the object's place.
    fn attribute(&mut self, member: &Member, sides: Sides<'_>, here: &Here<'_>) -> Checked {
        let Sides { prior, config, planned } = sides;
        // Lines a, b, d and e all accept, so d and e may go first where c does not stand between.
        let write_only_first = member.write_only && self.write_only_first;
        if member.computed && !write_only_first && (!member.optional || config.is_null()) {
            return Ok(());
        }
        let same = |a, b| if member.is_shallow() { equal_unrefined(a, b) } else { equal_tree(a, b, false) };
        if same(planned, config) {
            return Ok(());
        }
        if !prior.is_null() && !config.is_null() && same(planned, prior) {
            return Ok(());
        }
        let here = here.attribute(&member.name);
        if write_only_first {
            if !planned.is_null() {
                self.violation(&here, "P05 c");
            }
            return Ok(());
        }
        if config.is_null() && !planned.is_null() {
            self.violation(&here, "P05 f");
            return Ok(());
        }
        if member.write_only && !config.is_null() && planned.is_null() {
            return Ok(());
        }
        match &member.kind {
            Kind::Nested(inner) => self.nested_type(member, inner, sides, &here),
            _ => {
                self.violation(&here, "P05 i");
                Ok(())
            }
        }
    }

    /// P07.
    fn nested_type(&mut self, member: &Member, inner: &Inner, sides: Sides<'_>, here: &Here<'_>) -> Checked {
        let Sides { config, planned, .. } = sides;
        if planned.is_null() != config.is_null() || (!config.is_null() && planned.is_unknown()) {
            self.violation(here, "P07");
            return Ok(());
        }
        if planned.is_null() {
            return Ok(());
        }
        let prior = member.prior(inner, sides.prior).filter(|_| member.describes(config) && member.describes(planned));
        let Some(prior) = prior else {
            return Err(here.refuse("P07", "a value of another type is looked into"));
        };
        let sides = Sides { prior, ..sides };
        match inner.mode {
            Nesting::Single | Nesting::Group => self.nested_object(&inner.object, sides, here),
            Nesting::List => self.nested_list(inner, sides, here),
            Nesting::Map => self.nested_map(inner, sides, here),
            Nesting::Set => {
                if is_outside(lengths(config), lengths(planned)) {
                    self.violation(here, "P07");
                }
                Ok(())
            }
        }
    }

    /// P04 for every attribute.
    fn nested_object(&mut self, object: &Object, sides: Sides<'_>, here: &Here<'_>) -> Checked {
        if sides.is_configured(object) {
            return Ok(());
        }
        let absent = sides.planned.is_null() || sides.config.is_null();
        if absent && !self.null_objects_have_members && !object.members.is_empty() {
            return Err(here.refuse("P04", "members of a null object are read"));
        }
        for (index, member) in object.members.iter().enumerate() {
            if !sides.show_valid(object, index) {
                self.attribute(member, sides.nested_member(object, index), here)?;
            }
        }
        Ok(())
    }

    /// Whether two lengths are certainly equal; if not, or if they cannot be compared, the list or map is decided.
    fn same_length(&mut self, sides: Sides<'_>, here: &Here<'_>) -> Result<bool, Refusal> {
        let (config, planned) = (lengths(sides.config), lengths(sides.planned));
        let same = config == planned && config.0 == config.1;
        if !same {
            self.violation(here, "P07");
        } else if sides.config.is_unknown() {
            return Err(here.refuse("P07", "elements are read of an unknown value of known length"));
        }
        Ok(same)
    }

    fn nested_list(&mut self, inner: &Inner, sides: Sides<'_>, here: &Here<'_>) -> Checked {
        if !self.same_length(sides, here)? {
            return Ok(());
        }
        for index in 0..sides.planned.len() {
            let (Some(planned), Some(config)) = (sides.planned.element(index), sides.config.element(index)) else {
                break;
            };
            let prior = sides.prior.element(index).unwrap_or(ValueRef::null(&inner.object.ty));
            self.nested_object(&inner.object, Sides { prior, config, planned }, &here.index(index))?;
        }
        Ok(())
    }

    fn nested_map(&mut self, inner: &Inner, sides: Sides<'_>, here: &Here<'_>) -> Checked {
        if !self.same_length(sides, here)? {
            return Ok(());
        }
        let (Some(planned), Some(config)) = (Entries::of(sides.planned), Entries::of(sides.config)) else {
            return Ok(());
        };
        let prior = Entries::of(sides.prior);
        for (index, (key, planned)) in planned.iter().enumerate() {
            let Some(config) = config.get(key, index) else {
                self.violation(here, "P07");
                continue;
            };
            let prior = prior.as_ref().and_then(|prior| prior.get(key, index));
            let prior = prior.unwrap_or(ValueRef::null(&inner.object.ty));
            self.nested_object(&inner.object, Sides { prior, config, planned }, &here.attribute(key))?;
        }
        for (index, (key, _)) in config.iter().enumerate() {
            if planned.get(key, index).is_none() {
                self.violation(here, "P07");
            }
        }
        Ok(())
    }
}

/// The entries of a known map, where keys of related maps tend to be at the same place.
pub(super) struct Entries<'a> {
    element: &'a Type,
    map: &'a MapNode,
}

impl<'a> Entries<'a> {
    /// `None` for any value but a known map.
    pub(super) fn of(value: ValueRef<'a>) -> Option<Entries<'a>> {
        match (value.ty(), value.node()) {
            (Type::Map(element), Node::Map(map)) => Some(Entries { element, map }),
            _ => None,
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a Text, ValueRef<'a>)> {
        let (map, element) = (self.map, self.element);
        map.keys().iter().zip(map.values.as_slice()).map(|(key, node)| (key, ValueRef::new(element, node)))
    }

    /// The entry of `key`, which is looked for at `place` first.
    pub(super) fn get(&self, key: &Text, place: usize) -> Option<ValueRef<'a>> {
        let there = self.map.keys().get(place).is_some_and(|probe| probe.ptr_eq(key) || probe == key);
        let node = if there { &self.map.values.as_slice()[place] } else { self.map.get(key)? };
        Some(ValueRef::new(self.element, node))
    }
}

/// The least and the greatest length (V45).
fn lengths(value: ValueRef<'_>) -> (u64, u64) {
    length_bounds(value).unwrap_or((0, UNBOUNDED))
}

/// V44: whether one length is certainly not in the range of another.
fn is_outside(length: (u64, u64), range: (u64, u64)) -> bool {
    length.1 < range.0 || length.0 > range.1
}
