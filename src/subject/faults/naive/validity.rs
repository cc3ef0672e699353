//! P01 to P07: plan validity of objects and attributes.

use planfuzz_core::planner::Violation;
use planfuzz_core::schema::{Attribute, Block, Named, NestedType, Nesting};
use planfuzz_core::value::{
    Path, Step, Tri, Type, ValueRef, includes, length, length_bounds, raw_equals, raw_equals_unrefined,
};

use super::super::catalogue::Fault;
use super::{Naive, member};

/// Prior, configuration and plan at one place.
pub(super) type Three<'a> = [ValueRef<'a>; 3];

impl Naive {
    /// P01
    pub(super) fn valid_block(self, block: &Block, values: Three<'_>, q: &Path, found: &mut Vec<Violation>) {
        let [_, c, n] = values;
        if c.is_null() || n.is_null() {
            let excused = n.is_null() && self.plants(Fault::NullPlannedAccepted)
                || c.is_null() && self.plants(Fault::UnaskedObjectAccepted);
            if c.is_null() != n.is_null() && !excused {
                found.push(Violation::new(q.clone(), "P01"));
            }
            return;
        }
        self.valid_attributes(&block.attributes, values, q, found);
        for (name, nested) in block.block_types.iter() {
            let members = values.map(|value| member(value, name));
            self.valid_nested_block(nested, members, &q.attribute(name), found);
        }
    }

    /// P04 for every attribute.
    fn valid_attributes(self, attributes: &Named<Attribute>, values: Three<'_>, q: &Path, found: &mut Vec<Violation>) {
        for (name, attribute) in attributes.iter() {
            let declared = attribute.declared_type(self.dialect);
            let members =
                values.map(|value| if value.is_null() { ValueRef::null(&declared) } else { member(value, name) });
            self.valid_attribute(attribute, members, &q.attribute(name), found);
        }
    }

    /// P05
    fn valid_attribute(self, attribute: &Attribute, values: Three<'_>, q: &Path, found: &mut Vec<Violation>) {
        let [p, c, n] = values;
        let mut violation = || found.push(Violation::new(q.clone(), "P05"));
        let optional = attribute.optional;
        if self.same(n, c) {
            return;
        }
        let both = !p.is_null() && !c.is_null();
        if self.same(n, p) && (both && !self.plants(Fault::KeptPriorRefused) || self.keeps_removed(c)) {
            return;
        }
        if attribute.write_only && self.dialect.decides_write_only_first() && !self.plants(Fault::WriteOnlyAccepted) {
            if !n.is_null() {
                violation();
            }
            return;
        }
        if attribute.computed && !optional && !self.plants(Fault::ComputedOnlyBlamed) {
            return;
        }
        if attribute.computed && c.is_null() && !self.plants(Fault::OptionalComputedBlamed) {
            return;
        }
        if attribute.computed && self.plants(Fault::ConfiguredNestedBlamed) && attribute.nested_type().is_some() {
            return violation();
        }
        if attribute.computed && self.plants(Fault::ComputedMayOverride) {
            return;
        }
        if c.is_null() && !n.is_null() {
            if !self.plants(Fault::UnaskedAttributeAccepted) {
                violation();
            }
            return;
        }
        if attribute.write_only && !c.is_null() && n.is_null() && !self.plants(Fault::WriteOnlyNullBlamed) {
            return;
        }
        match attribute.nested_type() {
            Some(nested) => self.valid_nested_type(nested, values, q, found),
            None => violation(),
        }
    }

    fn keeps_removed(self, c: ValueRef<'_>) -> bool {
        self.plants(Fault::RemovedAttributeKept) && c.is_null()
    }

    /// P05 a, b
    fn same(self, a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
        match () {
            _ if self.plants(Fault::RefinementsCompared) => raw_equals(a, b),
            _ if self.plants(Fault::NumbersAsFloats) => equal_as_floats(a, b),
            _ => raw_equals_unrefined(a, b),
        }
    }

    /// P07
    fn valid_nested_type(self, nested: &NestedType, values: Three<'_>, q: &Path, found: &mut Vec<Violation>) {
        let [_, c, n] = values;
        let unknown = n.is_unknown() && !self.plants(Fault::UnknownNestedAccepted);
        if c.is_null() != n.is_null() || !c.is_null() && unknown {
            return found.push(Violation::new(q.clone(), "P07"));
        }
        if n.is_null() {
            return;
        }
        match nested.nesting {
            Nesting::Single | Nesting::Group => self.valid_attributes(&nested.attributes, values, q, found),
            Nesting::List => self.valid_nested_list(nested, values, q, found),
            Nesting::Map => self.valid_nested_map(nested, values, q, found),
            Nesting::Set => {
                let lengths = length(n).zip(length(c));
                let differ = lengths.is_some_and(|(n, c)| includes(n.view(), c.view()) == Tri::False);
                if differ && !self.plants(Fault::NestedSetNotCounted) {
                    found.push(Violation::new(q.clone(), "P07"));
                }
            }
        }
    }

    fn valid_nested_list(self, nested: &NestedType, [p, c, n]: Three<'_>, q: &Path, found: &mut Vec<Violation>) {
        if !certainly_as_long(n, c) && !self.plants(Fault::NestedListNotCounted) {
            return found.push(Violation::new(q.clone(), "P07"));
        }
        let checked = n.len() - usize::from(self.plants(Fault::LastElementNotValidated) && !n.is_empty());
        for (index, (_, planned)) in n.children().enumerate().take(checked) {
            let Some(config) = c.element(index) else { continue };
            let prior = p.element(index).filter(|_| !self.plants(Fault::NestedListPriorLost));
            let values = [prior.unwrap_or(ValueRef::null(planned.ty())), config, planned];
            self.valid_attributes(&nested.attributes, values, &q.index(index), found);
        }
    }

    fn valid_nested_map(self, nested: &NestedType, [p, c, n]: Three<'_>, q: &Path, found: &mut Vec<Violation>) {
        if !certainly_as_long(n, c) && !self.plants(Fault::NestedMapNotCounted) {
            return found.push(Violation::new(q.clone(), "P07"));
        }
        for (key, planned) in n.entries() {
            let Some(config) = c.entry(key) else {
                found.push(Violation::new(q.clone(), "P07"));
                continue;
            };
            let prior = p.entry(key).unwrap_or(ValueRef::null(planned.ty()));
            let step = match self.plants(Fault::NestedMapPathAsKey) {
                true => Step::Key(key.clone()),
                false => Step::Attribute(key.clone()),
            };
            self.valid_attributes(&nested.attributes, [prior, config, planned], &q.step(step), found);
        }
        let missing = c.entries().filter(|(key, _)| n.entry(key).is_none()).count();
        if !self.plants(Fault::RenamedKeyOnce) {
            found.extend((0..missing).map(|_| Violation::new(q.clone(), "P07")));
        }
    }
}

/// Whether two lengths are certainly equal (V45).
fn certainly_as_long(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    let exact = |value| length_bounds(value).filter(|(least, greatest)| least == greatest);
    exact(a).is_some() && exact(a) == exact(b)
}

/// Equality with numbers rounded to 64 bits first (B164).
fn equal_as_floats(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    match (a.ty(), b.ty()) {
        (Type::Number, Type::Number) => match (a.as_number(), b.as_number()) {
            (Some(a), Some(b)) => a.text().parse::<f64>() == b.text().parse::<f64>(),
            _ => raw_equals_unrefined(a, b),
        },
        _ => raw_equals_unrefined(a, b),
    }
}
