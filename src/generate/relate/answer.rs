//! A plan made from prior state and configuration: what a provider might answer.
//!
//! It merges more simply than the engine does: set elements are matched by position, for example. The plan is right often
//! enough, and its mistakes are those of providers.

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Type, Value, ValueRef};

use super::super::outline::{AttributeOutline, BlockOutline, MemberKind, NestedBlockOutline, NestedOutline};
use super::super::swarm::Switch;
use super::super::value::entries::{Kind, join, join_blocks, join_members, member, split};
use super::super::value::misshapen::blocks_of;
use super::super::value::{Role, ValueGenerator};

impl ValueGenerator<'_, '_, '_> {
    /// A plan for a configuration. A configuration that is not a known object is returned as it is.
    pub(in super::super) fn answer(&mut self, outline: &BlockOutline, prior: ValueRef<'_>, config: &Value) -> Value {
        if config.node().as_seq().is_none() {
            return config.clone();
        }
        let members = outline.members.iter().enumerate().map(|(index, part)| {
            let (prior, config) = (member(outline, prior, index), member(outline, config.view(), index));
            match &part.kind {
                MemberKind::Attribute(attribute) => self.answer_attribute(attribute, &prior, &config),
                MemberKind::Block(nested) => self.answer_blocks(nested, &prior, &config),
            }
        });
        let members = members.collect();
        join_members(outline, members)
    }

    fn answer_attribute(&mut self, attribute: &AttributeOutline, prior: &Value, config: &Value) -> Value {
        if attribute.write_only && self.dice.chance(232) {
            return Value::null(config.ty().clone());
        }
        if config.is_null() {
            return if attribute.computed { self.filled_in(attribute, prior, config) } else { config.clone() };
        }
        // P05 b: the provider keeps the prior, because it takes the two for equivalent.
        if !prior.is_null() && self.dice.chance(14) {
            return prior.clone();
        }
        match &attribute.nested {
            Some(nested) => {
                let node = self.answer_nested(nested, config.ty(), prior.view(), config.node());
                Value::from_parts(config.ty().clone(), node)
            }
            None => self.answer_leaf(config),
        }
    }

    /// The provider may state less or more about an unknown than the configuration does (P05 a).
    fn answer_leaf(&mut self, config: &Value) -> Value {
        if config.is_unknown() && self.dice.chance(64) {
            return Value::from_parts(config.ty().clone(), self.unknown(config.ty()));
        }
        config.clone()
    }

    /// A computed attribute that the configuration leaves to the provider.
    fn filled_in(&mut self, attribute: &AttributeOutline, prior: &Value, config: &Value) -> Value {
        if !prior.is_null() && self.dice.chance(152) {
            return prior.clone();
        }
        if self.swarm.has(Switch::Unknown) && !self.dice.chance(52) {
            let ty = if self.dice.chance(64) { self.concrete(&attribute.ty) } else { attribute.ty.clone() };
            let node = self.unknown(&ty);
            return Value::from_parts(ty, node);
        }
        if self.dice.chance(48) { config.clone() } else { self.attribute(attribute, Role::State) }
    }

    fn answer_nested(&mut self, nested: &NestedOutline, ty: &Type, prior: ValueRef<'_>, config: &Node) -> Node {
        let value = ValueRef::new(ty, config);
        if !value.is_present() {
            return config.clone();
        }
        let Some((kind, element)) = Kind::of_type(ty).zip(ty.element()) else {
            return self.answer_object(nested, ty, prior, config);
        };
        let mut entries = split(value);
        for (index, (key, entry)) in entries.iter_mut().enumerate() {
            let before = counterpart(prior, kind, index, key, element);
            *entry = Value::from_parts(element.clone(), self.answer_object(nested, element, before, entry.node()));
        }
        join(kind, element, entries)
    }

    fn answer_object(&mut self, nested: &NestedOutline, ty: &Type, prior: ValueRef<'_>, config: &Node) -> Node {
        let (Type::Object(object), Node::Seq(seq)) = (ty, config) else {
            return config.clone();
        };
        let before = prior.node().as_seq().filter(|_| prior.ty() == ty);
        let parts = nested.attributes.iter().zip(object.attributes()).zip(seq.as_slice()).enumerate();
        let nodes = parts.map(|(index, ((attribute, typed), part))| {
            let before = before.map_or(&Node::Null, |seq| &seq.as_slice()[index]);
            if part.is_null() && attribute.computed {
                return match before.is_null() || self.dice.chance(80) {
                    true if self.swarm.has(Switch::Unknown) => self.unknown(&typed.ty),
                    true => self.attribute_node(attribute, &typed.ty, Role::State),
                    false => before.clone(),
                };
            }
            match &attribute.nested {
                Some(nested) => self.answer_nested(nested, &typed.ty, ValueRef::new(&typed.ty, before), part),
                None => part.clone(),
            }
        });
        Node::seq(nodes.collect())
    }

    fn answer_blocks(&mut self, outline: &NestedBlockOutline, prior: &Value, config: &Value) -> Value {
        if !config.view().is_present() {
            // P10-2b: a computed block that the configuration leaves out may be planned as anything.
            return config.clone();
        }
        let Some(kind) = Kind::of(outline.nesting) else {
            return self.answer(&outline.block, prior.view(), config);
        };
        let Some(mut entries) = blocks_of(outline, kind, config.view()) else { return config.clone() };
        for (index, (key, entry)) in entries.iter_mut().enumerate() {
            let before = counterpart(prior.view(), kind, index, key, &outline.block.ty);
            *entry = self.answer(&outline.block, before, entry);
        }
        debug_assert!(outline.nesting != Nesting::Single, "single blocks are no collection");
        join_blocks(outline, kind, entries)
    }
}

/// The prior element that corresponds to a configured one, null if there is none.
fn counterpart<'v>(prior: ValueRef<'v>, kind: Kind, index: usize, key: &str, element: &'v Type) -> ValueRef<'v> {
    let found = if kind == Kind::Map { prior.entry(key) } else { prior.element(index) };
    found.unwrap_or(ValueRef::null(element))
}
