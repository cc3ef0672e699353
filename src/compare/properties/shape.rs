//! The preconditions of the properties: features of the schema and the shape of values.

use planfuzz_core::schema::{Block, Nesting};
use planfuzz_core::value::{Node, Number, Type, ValueRef, set_key};

use super::walk::{Kind, Members, each_member, elements};

/// The features of a schema, at any depth. "Sets" are set blocks and nested types of mode set, whose elements are correlated;
/// to the merge, a leaf of a set type is one value like any other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SchemaFacts {
    /// `dynamic` anywhere.
    pub(super) dynamic: bool,
    /// A leaf whose type has optional markers: a null that the schema itself makes has another type than one from
    /// outside (S34).
    pub(super) markers: bool,
    pub(super) sets: bool,
    pub(super) nested_sets: bool,
    /// A set whose elements have nested blocks or nested types inside: not *leaf-only*.
    pub(super) structured_sets: bool,
    /// The same, for nested types.
    pub(super) structured_nested_sets: bool,
    /// A set with a computed attribute somewhere in its elements.
    pub(super) computed_in_sets: bool,
    /// Map blocks or nested types of mode map.
    pub(super) maps: bool,
    /// A computed attribute with a nested type.
    pub(super) computed_nested: bool,
    /// A computed block (S05).
    pub(super) computed_blocks: bool,
    /// A computed attribute that is write-only.
    pub(super) computed_write_only: bool,
    /// A write-only attribute with a nested type.
    pub(super) nested_write_only: bool,
}

impl SchemaFacts {
    pub(super) fn of(block: &Block, dynamic: bool) -> SchemaFacts {
        let mut facts = SchemaFacts { dynamic, computed_blocks: block.computed, ..SchemaFacts::default() };
        facts.look(Members::Block(block), false);
        facts
    }

    fn look(&mut self, members: Members<'_>, in_set: bool) {
        for (_, kind) in members.each() {
            if let Some(attribute) = kind.attribute() {
                self.markers |= attribute.leaf_type().is_some_and(Type::has_optional);
                self.computed_in_sets |= in_set && attribute.computed;
                self.computed_write_only |= attribute.computed && attribute.write_only;
                self.nested_write_only |= attribute.write_only && matches!(kind, Kind::Nested(..));
                self.computed_nested |= attribute.computed && matches!(kind, Kind::Nested(..));
            }
            if let Kind::Block(nested) = kind {
                self.computed_blocks |= nested.block.computed;
            }
            let Some((nesting, inside)) = kind.inside() else { continue };
            let is_set = nesting == Nesting::Set;
            if is_set {
                let is_nested = matches!(kind, Kind::Nested(..));
                let structured = inside.each().any(|(_, kind)| kind.inside().is_some());
                self.sets = true;
                self.nested_sets |= is_nested;
                self.structured_sets |= structured;
                self.structured_nested_sets |= is_nested && structured;
            }
            self.maps |= nesting == Nesting::Map;
            self.look(inside, in_set || is_set);
        }
    }
}

/// The features of a configuration.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ConfigFacts {
    /// A known object: neither null nor unknown as a whole.
    pub(super) present: bool,
    /// S50 to S53, except for the limits of S52, which planning ignores (S46).
    pub(super) shaped: bool,
    /// No unknown at any depth.
    pub(super) known: bool,
    /// An unknown element of a collection of nested types or blocks.
    pub(super) unknown_element: bool,
    /// An unknown element of a nested type of mode set.
    pub(super) unknown_set_element: bool,
    /// An unknown element of a nested type of mode map.
    pub(super) unknown_map_element: bool,
    /// An untyped block with attributes that the schema does not have (M02).
    pub(super) foreign: bool,
    /// A null with a type of its own at a computed attribute with `dynamic` or optional markers inside: the prior's null may
    /// have another type.
    pub(super) typed_null: bool,
}

impl ConfigFacts {
    pub(super) fn of(block: &Block, config: ValueRef<'_>) -> ConfigFacts {
        let present = config.is_present();
        let mut facts =
            ConfigFacts { present, shaped: present, known: config.is_wholly_known(), ..ConfigFacts::default() };
        each_member(Members::Block(block), config, &mut |kind, member| facts.see(kind, member));
        facts
    }

    fn see(&mut self, kind: Kind<'_>, member: ValueRef<'_>) {
        match kind {
            Kind::Leaf(_) => {}
            Kind::Nested(_, nested) if matches!(nested.nesting, Nesting::Single | Nesting::Group) => {}
            Kind::Nested(_, nested) => {
                let unknown = elements(member).any(ValueRef::is_unknown);
                self.unknown_element |= unknown;
                self.unknown_set_element |= unknown && nested.nesting == Nesting::Set;
                self.unknown_map_element |= unknown && nested.nesting == Nesting::Map;
            }
            Kind::Block(nested) => {
                let width = nested.block.attributes.len() + nested.block.block_types.len();
                let is_foreign = |one: ValueRef<'_>| one.object_type().is_some_and(|ty| ty.attributes().len() != width);
                let may_be = matches!(nested.nesting, Nesting::List | Nesting::Map);
                self.foreign |= may_be && elements(member).any(is_foreign);
                self.shaped &= !self.foreign;
                self.see_block(nested.nesting, member);
            }
        }
        if let Some(attribute) = kind.attribute() {
            let is_typed = match kind {
                Kind::Leaf(_) => attribute.leaf_type().is_some_and(|ty| {
                    let may_differ = ty.has_dynamic() || ty.has_optional();
                    may_differ && *ty != *member.ty()
                }),
                _ => true,
            };
            self.typed_null |= attribute.computed && member.is_null() && is_typed;
            // S50: a configuration cannot set an attribute that is only computed.
            self.shaped &= attribute.required || attribute.optional || member.is_null();
        }
    }

    /// S51.
    fn see_block(&mut self, nesting: Nesting, member: ValueRef<'_>) {
        self.shaped &= match nesting {
            Nesting::Single => !member.is_unknown(),
            Nesting::Group => member.is_present(),
            Nesting::List | Nesting::Set | Nesting::Map => match member.node() {
                Node::Null => false,
                Node::Unknown(record) => record.is_none(),
                _ => elements(member).all(ValueRef::is_present) && has_decoded_type(nesting, member.ty()),
            },
        };
        if !matches!(nesting, Nesting::Single | Nesting::Group) {
            self.unknown_element |= elements(member).any(ValueRef::is_unknown);
        }
    }
}

/// S33: blocks with `dynamic` inside come as a tuple or an object, others as a collection.
fn has_decoded_type(nesting: Nesting, ty: &Type) -> bool {
    match ty {
        Type::List(element) => nesting == Nesting::List && !element.has_dynamic(),
        Type::Map(element) => nesting == Nesting::Map && !element.has_dynamic(),
        Type::Tuple(_) => nesting == Nesting::List,
        Type::Object(_) => nesting == Nesting::Map,
        _ => nesting == Nesting::Set,
    }
}

/// Whether no two different elements of one set share a key (V51), in sets at every depth, and no number is −0.
pub(super) fn has_distinct_keys(value: ValueRef<'_>) -> bool {
    if let Some(number) = value.as_number() {
        return !matches!(number, Number::NegativeZero { .. });
    }
    let parts = value.node().parts();
    if let (Type::Set(element), true) = (value.ty(), parts.len() > 1) {
        let mut keys: Vec<Vec<u8>> = parts.iter().map(|part| set_key(element, part)).collect();
        keys.sort_unstable();
        if keys.windows(2).any(|pair| pair[0] == pair[1]) {
            return false;
        }
    }
    value.children().all(|(_, child)| has_distinct_keys(child))
}

/// Whether the state has a value at a write-only attribute.
pub(super) fn has_write_only_value(block: &Block, state: ValueRef<'_>) -> bool {
    let mut found = false;
    each_member(Members::Block(block), state, &mut |kind, member| {
        found |= kind.attribute().is_some_and(|attribute| attribute.write_only) && !member.is_null();
    });
    found
}
