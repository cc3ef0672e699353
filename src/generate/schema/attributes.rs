//! Attributes and nested types (S02).

use planfuzz_core::schema::{Attribute, Named, NestedType, Nesting, Shape};

use super::super::swarm::Switch;
use super::{Inventor, Place, Style};
use crate::generate::dice::weighted;

impl Inventor<'_, '_, '_> {
    /// The attributes of a block or nested type: `count`, or fewer if the fuel runs out.
    pub(super) fn attributes(&mut self, place: Place, count: usize) -> Named<Attribute> {
        let mut attributes = Vec::with_capacity(count);
        for _ in 0..count {
            if !self.burn() {
                break;
            }
            let attribute = self.attribute(place);
            attributes.push(attribute);
        }
        self.named('a', attributes)
    }

    pub(super) fn attribute(&mut self, place: Place) -> Attribute {
        let shape = match self.nested_type(place) {
            Some(nested) => Shape::Nested(nested),
            None => Shape::Leaf(self.leaf_type(place.in_set)),
        };
        let mut attribute = Attribute::new(shape);
        self.flags(&mut attribute, place);
        attribute
    }

    /// S10, S11: one of required, optional, computed, optional and computed.
    pub(super) fn flags(&mut self, attribute: &mut Attribute, place: Place) {
        let computed_only = place.in_computed || !self.on(Switch::Configured);
        let computed = if self.on(Switch::Computed) || place.in_computed { 1 } else { 0 };
        let configured = u8::from(!computed_only);
        weighted! { self.dice;
            80 * configured => attribute.optional = true,
            50 * configured => attribute.required = true,
            70 * computed => (attribute.optional, attribute.computed) = (true, true),
            56 * computed => attribute.computed = true,
        }
        attribute.sensitive = self.chance(Switch::Sensitive, 24);
        attribute.deprecated = self.dice.chance(8);
        attribute.write_only = self.chance(Switch::WriteOnly, 20) && self.may_be_write_only(attribute, place);
    }

    /// S15, S23: not inside sets in the dialects that forbid it. Computed and write-only together is not checked (S27).
    fn may_be_write_only(&self, attribute: &Attribute, place: Place) -> bool {
        let holds_a_set = attribute.nested_type().is_some_and(|nested| nested.nesting == Nesting::Set);
        !(self.dialect.forbids_write_only_in_sets() && (place.in_set || holds_a_set))
    }

    fn nested_type(&mut self, place: Place) -> Option<NestedType> {
        let share = match (self.style, place.inner) {
            (Style::Flat, _) => 0,
            (Style::Blocks, false) => 16,
            (Style::Blocks, true) => 32,
            (Style::Nested, _) => 110,
            (Style::Both, _) => 72,
        };
        if place.depth >= self.size.depth || !self.chance(Switch::NestedType, share) {
            return None;
        }
        let nesting = self.nested_nesting();
        let inside = Place {
            depth: place.depth + 1,
            inner: true,
            in_set: place.in_set || nesting == Nesting::Set,
            in_computed: place.in_computed,
        };
        // A nested type without attributes is allowed, and real ones exist.
        let count = if self.dice.chance(6) { 0 } else { self.width(inside) };
        Some(NestedType { nesting, attributes: self.attributes(inside, count) })
    }

    pub(super) fn nested_nesting(&mut self) -> Nesting {
        // Merging a group crashes (M11), so a schema with one tests little else.
        if self.dialect.has_group_nested_types() && self.dice.chance(5) {
            return Nesting::Group;
        }
        let (set, map) = (u8::from(self.on(Switch::Set)), u8::from(self.on(Switch::Map)));
        weighted! { self.dice;
            70 => Nesting::Single,
            70 => Nesting::List,
            64 * set => Nesting::Set,
            52 * map => Nesting::Map,
        }
    }
}
