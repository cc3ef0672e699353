//! One edit anywhere in a value, which makes it slightly different.
//!
//! The path to the edit is drawn step by step, so an edit costs the width of the levels on that path and not the size of the value.

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Text, Truth, Type, Value, ValueRef};

use super::super::outline::{AttributeOutline, BlockOutline, MemberKind, NestedBlockOutline, NestedOutline};
use super::super::swarm::Switch;
use super::super::value::entries::{Kind, join, join_blocks, join_members, member, split};
use super::super::value::misshapen::blocks_of;
use super::super::value::{Role, ValueGenerator};

impl ValueGenerator<'_, '_, '_> {
    /// The value with as many edits as the dice give, at least one.
    pub(in super::super) fn edited(&mut self, outline: &BlockOutline, value: Value, role: Role) -> Value {
        let more = self.dice.run(88, usize::from(self.size.edits).saturating_sub(1));
        (0..=more).fold(value, |value, _| self.edit(outline, &value, role))
    }

    /// The value with one edit. The new part may equal the old one.
    pub(in super::super) fn edit(&mut self, outline: &BlockOutline, value: &Value, role: Role) -> Value {
        if value.node().as_seq().is_none() || outline.members.is_empty() {
            return self.block(outline, role);
        }
        let chosen = self.member_to_edit(value.node().parts());
        let members = outline.members.iter().enumerate().map(|(index, part)| {
            let before = member(outline, value.view(), index);
            match &part.kind {
                _ if index != chosen => before,
                MemberKind::Attribute(attribute) => self.edit_attribute(attribute, &before, role),
                MemberKind::Block(nested) => self.edit_blocks(nested, &before, role),
            }
        });
        let members = members.collect();
        join_members(outline, members)
    }

    /// One of the members, preferably one that is not null.
    fn member_to_edit(&mut self, parts: &[Node]) -> usize {
        let start = self.dice.below(parts.len());
        if self.dice.chance(72) {
            return start;
        }
        let around = (0..parts.len()).map(|step| (start + step) % parts.len());
        around.into_iter().find(|index| !parts[*index].is_null()).unwrap_or(start)
    }

    fn edit_attribute(&mut self, attribute: &AttributeOutline, value: &Value, role: Role) -> Value {
        // In a configuration C attributes stay null (S50).
        let fixed = role == Role::Config && !attribute.optional && !attribute.required;
        if fixed {
            return value.clone();
        }
        if self.dice.chance(48) {
            return self.attribute(attribute, role);
        }
        let node = self.edit_attribute_node(attribute, value.ty(), value.node(), role);
        Value::from_parts(value.ty().clone(), node)
    }

    fn edit_attribute_node(&mut self, attribute: &AttributeOutline, ty: &Type, node: &Node, role: Role) -> Node {
        if !ValueRef::new(ty, node).is_present() {
            return self.attribute_node(attribute, ty, role);
        }
        if !attribute.required && self.dice.chance(24) {
            return Node::Null;
        }
        if role.has_unknowns() && self.swarm.has(Switch::Unknown) && self.dice.chance(18) {
            return self.unknown(ty);
        }
        match &attribute.nested {
            Some(nested) => self.edit_nested(nested, ty, node, role),
            None => self.edit_leaf(ty, node, role),
        }
    }

    fn edit_nested(&mut self, nested: &NestedOutline, ty: &Type, node: &Node, role: Role) -> Node {
        let Some((kind, element)) = Kind::of_type(ty).zip(ty.element()) else {
            return self.edit_object(nested, ty, node, role);
        };
        let mut entries = split(ValueRef::new(ty, node));
        if entries.is_empty() || self.dice.chance(96) {
            let add = |values: &mut Self| values.nested_element_value(nested, element, role);
            self.rearrange(kind, &mut entries, &mut { add });
        } else {
            let at = self.element_to_edit(entries.len());
            let node = match entries[at].1.view().is_present() {
                true => self.edit_object(nested, element, entries[at].1.node(), role),
                false => self.nested_element(nested, element, role),
            };
            entries[at].1 = Value::from_parts(element.clone(), node);
        }
        join(kind, element, entries)
    }

    fn edit_object(&mut self, nested: &NestedOutline, ty: &Type, node: &Node, role: Role) -> Node {
        let (Type::Object(object), Node::Seq(seq)) = (ty, node) else {
            return node.clone();
        };
        if nested.attributes.is_empty() {
            return node.clone();
        }
        let chosen = self.member_to_edit(seq.as_slice());
        let mut nodes = seq.as_slice().to_vec();
        let ty = &object.attributes()[chosen].ty;
        nodes[chosen] = self.edit_attribute_node(&nested.attributes[chosen], ty, &nodes[chosen], role);
        Node::seq(nodes)
    }

    /// An element's index. The first and the last are drawn more often than the others, because loops fail at their ends.
    fn element_to_edit(&mut self, count: usize) -> usize {
        match self.dice.below(4) {
            0 => count - 1,
            1 => 0,
            _ => self.dice.below(count),
        }
    }

    /// A present leaf, slightly changed.
    fn edit_leaf(&mut self, ty: &Type, node: &Node, role: Role) -> Node {
        let value = ValueRef::new(ty, node);
        if let Some((kind, element)) = Kind::of_type(ty).zip(ty.element()) {
            let mut entries = split(value);
            if entries.is_empty() || self.dice.chance(128) {
                let add = |values: &mut Self| Value::from_parts(element.clone(), values.leaf_part(element, role));
                self.rearrange(kind, &mut entries, &mut { add });
            } else {
                let at = self.element_to_edit(entries.len());
                let node = self.edit_leaf_part(element, entries[at].1.node(), role);
                entries[at].1 = Value::from_parts(element.clone(), node);
            }
            return join(kind, element, entries);
        }
        let parts = node.parts();
        if parts.is_empty() {
            return self.near(ty, node, role);
        }
        let chosen = self.element_to_edit(parts.len());
        let mut nodes = parts.to_vec();
        nodes[chosen] = match ty {
            Type::Tuple(tuple) => self.edit_leaf_part(&tuple.elements()[chosen], &parts[chosen], role),
            Type::Object(object) => self.edit_leaf_part(&object.attributes()[chosen].ty, &parts[chosen], role),
            _ => nodes[chosen].clone(),
        };
        Node::seq(nodes)
    }

    pub(in super::super) fn edit_leaf_part(&mut self, ty: &Type, node: &Node, role: Role) -> Node {
        match ValueRef::new(ty, node).is_present() {
            true => self.edit_leaf(ty, node, role),
            false => self.leaf_part(ty, role),
        }
    }

    /// A primitive close to the given one: the other bool, null for the empty text and the reverse, a number that agrees
    /// with it in its first digits.
    fn near(&mut self, ty: &Type, node: &Node, role: Role) -> Node {
        match node {
            Node::Bool(Truth(bool)) => Node::Bool(Truth(!bool)),
            Node::String(text) if text.is_empty() => Node::Null,
            Node::String(_) if self.dice.chance(72) => Node::String(Text::default()),
            Node::Number(number) => match self.pools.close.iter().find(|(one, _)| one.equals(number)) {
                Some((_, other)) => Node::Number(other.clone()),
                None => self.present_leaf(ty, role),
            },
            _ => self.present_leaf(ty, role),
        }
    }

    fn edit_blocks(&mut self, outline: &NestedBlockOutline, value: &Value, role: Role) -> Value {
        let redrawn = if role.is_loose() { 64 } else { 20 };
        if !value.view().is_present() || self.dice.chance(redrawn) {
            return self.nested_block(outline, role, true);
        }
        let Some(kind) = Kind::of(outline.nesting) else {
            let droppable = outline.nesting == Nesting::Single && outline.least == 0;
            return match droppable && self.dice.chance(64) {
                true => Value::null(outline.ty.clone()),
                false => self.edit(&outline.block, value, role),
            };
        };
        let Some(mut entries) = blocks_of(outline, kind, value.view()) else {
            return if self.dice.chance(128) { value.clone() } else { self.nested_block(outline, role, true) };
        };
        if entries.is_empty() || self.dice.chance(96) {
            let add = |values: &mut Self| values.block_element(&outline.block, role);
            self.rearrange(kind, &mut entries, &mut { add });
        } else {
            let at = self.element_to_edit(entries.len());
            entries[at].1 = self.edit(&outline.block, &entries[at].1.clone(), role);
        }
        if role == Role::Config {
            self.fit(outline, kind, &mut entries);
        }
        join_blocks(outline, kind, entries)
    }
}
