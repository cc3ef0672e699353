//! Configurations from step to step: changed, attributes removed, parts not known yet.

use planfuzz_core::value::{Node, Range, Refinement, Text, Type, Value, ValueRef};
use triomphe::Arc;

use super::super::outline::{AttributeOutline, BlockOutline, MemberKind, NestedBlockOutline, NestedOutline};
use super::super::swarm::Switch;
use super::super::value::entries::{Entries, Kind, join, join_blocks, join_members, member, split};
use super::super::value::{Role, ValueGenerator};

impl ValueGenerator<'_, '_, '_> {
    /// Runs `make` such that it makes no unknowns.
    pub(super) fn known<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let swarm = self.swarm;
        self.swarm = swarm.without(Switch::Unknown);
        let made = make(self);
        self.swarm = swarm;
        made
    }

    /// A wholly known configuration.
    pub(super) fn new_config(&mut self, outline: &BlockOutline) -> Value {
        self.refuel();
        self.known(|values| values.block(outline, Role::Config))
    }

    /// A wholly known configuration, slightly different.
    pub(super) fn changed_config(&mut self, outline: &BlockOutline, config: &Value) -> Value {
        self.refuel();
        self.known(|values| values.edited(outline, config.clone(), Role::Config))
    }

    /// A configuration in which one top-level attribute or block has changed, if that is possible.
    pub(super) fn changed_member(&mut self, outline: &BlockOutline, config: &Value, index: usize) -> Value {
        self.refuel();
        self.known(|values| {
            values.with_member(outline, config, index, |values, part, before| match part {
                MemberKind::Attribute(attribute) if is_configurable(attribute) => {
                    let ty =
                        if before.ty().has_dynamic() { values.concrete(&attribute.ty) } else { before.ty().clone() };
                    let node = values.present_attribute(attribute, &ty, Role::Config);
                    Value::from_parts(ty, node)
                }
                MemberKind::Attribute(_) => before,
                MemberKind::Block(nested) => values.nested_block(nested, Role::Config, true),
            })
        })
    }

    /// A configuration without one of the optional attributes that it sets.
    pub(super) fn unset(&mut self, outline: &BlockOutline, config: &Value) -> Value {
        let parts = config.node().parts();
        let can = |index: usize| match &outline.members[index].kind {
            MemberKind::Attribute(attribute) => attribute.optional && !attribute.required,
            MemberKind::Block(nested) => nested.least == 0,
        };
        let set: Vec<usize> = (0..parts.len()).filter(|index| !parts[*index].is_null() && can(*index)).collect();
        if set.is_empty() {
            return config.clone();
        }
        let index = *self.dice.pick(&set);
        self.with_member(outline, config, index, |_, part, _| match part {
            MemberKind::Attribute(attribute) => Value::null(attribute.ty.clone()),
            MemberKind::Block(nested) => match Kind::of(nested.nesting) {
                None => Value::null(nested.ty.clone()),
                Some(kind) => join_blocks(nested, kind, Entries::new()),
            },
        })
    }

    fn with_member(
        &mut self,
        outline: &BlockOutline,
        value: &Value,
        index: usize,
        make: impl FnOnce(&mut Self, &MemberKind, Value) -> Value,
    ) -> Value {
        let mut members: Vec<Value> =
            (0..outline.members.len()).map(|index| member(outline, value.view(), index)).collect();
        if let Some(part) = outline.members.get(index) {
            let before = members[index].clone();
            members[index] = make(self, &part.kind, before);
        }
        join_members(outline, members)
    }

    /// The configuration with parts of it still unknown: at least one if any can be.
    pub(super) fn with_unknowns(&mut self, outline: &BlockOutline, config: &Value) -> Value {
        if config.node().as_seq().is_none() || outline.members.is_empty() {
            return config.clone();
        }
        let start = self.dice.below(outline.members.len());
        let around = (0..outline.members.len()).map(|step| (start + step) % outline.members.len());
        let can = |index: &usize| match &outline.members[*index].kind {
            MemberKind::Attribute(attribute) => is_configurable(attribute),
            MemberKind::Block(nested) => {
                Kind::of(nested.nesting).is_some() || member(outline, config.view(), *index).view().is_present()
            }
        };
        let forced = around.into_iter().find(can);
        self.with_unknowns_block(outline, config, forced)
    }

    fn with_unknowns_block(&mut self, outline: &BlockOutline, config: &Value, forced: Option<usize>) -> Value {
        if config.node().as_seq().is_none() {
            return config.clone();
        }
        let members = outline.members.iter().enumerate().map(|(index, part)| {
            let known = member(outline, config.view(), index);
            let forced = forced == Some(index);
            match &part.kind {
                _ if !forced && !self.dice.chance(24) => known,
                MemberKind::Attribute(attribute) => self.with_unknowns_attribute(attribute, &known, forced),
                MemberKind::Block(nested) => self.with_unknowns_blocks(nested, &known, forced),
            }
        });
        let members = members.collect();
        join_members(outline, members)
    }

    fn with_unknowns_attribute(&mut self, attribute: &AttributeOutline, known: &Value, forced: bool) -> Value {
        // An unset attribute is mostly known to be unset; sometimes it is an expression that turns out to be null.
        if !is_configurable(attribute) || !forced && known.is_null() && self.dice.chance(192) {
            return known.clone();
        }
        let inside = known.view().is_present() && known.ty().element().is_some() && self.dice.chance(96);
        match &attribute.nested {
            Some(nested) if known.view().is_present() && self.dice.chance(128) => {
                Value::from_parts(known.ty().clone(), self.with_unknowns_nested(nested, known.ty(), known.node()))
            }
            None if inside && !known.view().is_empty() => self.with_unknowns_elements(known),
            // The type of an attribute of any type is mostly unknown too.
            _ if attribute.ty.is_dynamic() && self.dice.chance(128) => Value::unknown(Type::Dynamic),
            _ => Value::from_parts(known.ty().clone(), self.unknown_of(known.ty(), known.node())),
        }
    }

    /// An unknown for a value that becomes known later. Its record holds for that value.
    fn unknown_of(&mut self, ty: &Type, known: &Node) -> Node {
        if ty.is_dynamic() || !self.chance(Switch::Refined, 56) || known.is_null() {
            return Node::UNKNOWN;
        }
        let range = match known {
            Node::String(text) if !text.is_empty() && self.dice.chance(128) => {
                let first: String = text.chars().take(1).collect();
                // A combining letter could change the end of the prefix (V42), so only ASCII prefixes are used.
                if first.is_ascii() { Range::String { prefix: Text::new(&first) } } else { Range::Any }
            }
            _ => Range::Any,
        };
        Node::Unknown(Some(Arc::new(Refinement { not_null: true, range })))
    }

    /// A collection with one unknown element.
    fn with_unknowns_elements(&mut self, known: &Value) -> Value {
        let (Some(kind), Some(element)) = (Kind::of_type(known.ty()), known.ty().element()) else {
            return known.clone();
        };
        let mut entries = split(known.view());
        let at = self.dice.below(entries.len());
        if let Some((_, entry)) = entries.get_mut(at) {
            *entry = Value::from_parts(element.clone(), self.unknown_of(element, entry.node()));
        }
        Value::from_parts(known.ty().clone(), join(kind, element, entries))
    }

    fn with_unknowns_nested(&mut self, nested: &NestedOutline, ty: &Type, known: &Node) -> Node {
        let value = ValueRef::new(ty, known);
        let Some((kind, element)) = Kind::of_type(ty).zip(ty.element()) else {
            return self.with_unknowns_object(nested, ty, known);
        };
        if value.is_empty() {
            return Node::UNKNOWN;
        }
        let mut entries = split(value);
        let at = self.dice.below(entries.len());
        if let Some((_, entry)) = entries.get_mut(at) {
            let node = match self.dice.chance(64) {
                true => Node::UNKNOWN,
                false => self.with_unknowns_object(nested, element, entry.node()),
            };
            *entry = Value::from_parts(element.clone(), node);
        }
        join(kind, element, entries)
    }

    fn with_unknowns_object(&mut self, nested: &NestedOutline, ty: &Type, known: &Node) -> Node {
        let (Type::Object(object), Node::Seq(seq)) = (ty, known) else { return known.clone() };
        let forced = self.dice.below(nested.attributes.len());
        let parts = nested.attributes.iter().zip(object.attributes()).zip(seq.as_slice()).enumerate();
        let nodes = parts.map(|(index, ((attribute, typed), part))| {
            let unknown = is_configurable(attribute) && (index == forced || self.dice.chance(24));
            if unknown { self.unknown_of(&typed.ty, part) } else { part.clone() }
        });
        Node::seq(nodes.collect())
    }

    /// Blocks from a `dynamic` block whose number is not known yet, or with unknowns inside.
    fn with_unknowns_blocks(&mut self, outline: &NestedBlockOutline, known: &Value, forced: bool) -> Value {
        let inside = known.view().is_present();
        let Some(kind) = Kind::of(outline.nesting) else {
            return if inside { self.with_unknowns(&outline.block, known) } else { known.clone() };
        };
        if !inside || known.view().is_empty() || forced && self.dice.chance(64) || self.dice.chance(48) {
            return match self.swarm.has(Switch::UnknownBlock) {
                true => Value::unknown(outline.ty.clone()),
                false => known.clone(),
            };
        }
        let mut entries = split(known.view());
        let at = self.dice.below(entries.len());
        if let Some((_, entry)) = entries.get_mut(at) {
            *entry = self.with_unknowns(&outline.block, entry);
        }
        join_blocks(outline, kind, entries)
    }
}

/// Whether a configuration can set an attribute (S50).
pub(super) fn is_configurable(attribute: &AttributeOutline) -> bool {
    attribute.optional || attribute.required
}
