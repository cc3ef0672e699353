//! Values of blocks (S51).

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Text, Type, Value};

use super::super::outline::{BlockOutline, MemberKind, NestedBlockOutline};
use super::super::swarm::Switch;
use super::entries::{Entries, Kind, join_blocks, join_members, member};
use super::{Role, ValueGenerator};

impl ValueGenerator<'_, '_, '_> {
    /// The known object of a block.
    pub(in super::super) fn block(&mut self, outline: &BlockOutline, role: Role) -> Value {
        // Blocks without attributes use fuel too, or generation would not end.
        self.burn();
        let share = self.branch_share(outline.branches);
        let leaves = self.leaf_share(outline.members.len() - outline.branches);
        let mut branches = outline.branches;
        let mut members = Vec::with_capacity(outline.members.len());
        for part in &outline.members {
            let value = match &part.kind {
                MemberKind::Attribute(attribute) if attribute.nested.is_none() => {
                    if self.is_left_out(leaves) {
                        Value::null(attribute.ty.clone())
                    } else {
                        self.attribute(attribute, role)
                    }
                }
                kind => {
                    let there = self.dice.chance(share);
                    let value = self.ration(branches, |values| match kind {
                        MemberKind::Attribute(attribute) if there => values.attribute(attribute, role),
                        MemberKind::Attribute(attribute) => Value::null(attribute.ty.clone()),
                        MemberKind::Block(nested) => values.nested_block(nested, role, there),
                    });
                    branches -= 1;
                    value
                }
            };
            members.push(value);
        }
        join_members(outline, members)
    }

    /// The member of a nested block type; `there` asks for blocks where the schema requires none.
    pub(in super::super) fn nested_block(&mut self, outline: &NestedBlockOutline, role: Role, there: bool) -> Value {
        if let Some(absent) = self.absent_blocks(outline, role) {
            return absent;
        }
        let Some(kind) = Kind::of(outline.nesting) else {
            let needed = outline.nesting == Nesting::Group || outline.least > 0;
            return match needed || there && self.burn() {
                true => self.block(&outline.block, role),
                false => Value::null(outline.ty.clone()),
            };
        };
        let count = if there { self.count() } else { 0 };
        let count = self.within(outline, count);
        let entries = self.block_entries(outline, kind, count, role);
        match role.is_loose() && outline.ty.is_dynamic() && self.dice.chance(176) {
            true => self.misshapen(entries, role),
            false => join_blocks(outline, kind, entries),
        }
    }

    /// Blocks that are null or unknown as a whole: unknown because of a `dynamic` block (S51), the rest only in loose values.
    fn absent_blocks(&mut self, outline: &NestedBlockOutline, role: Role) -> Option<Value> {
        let share = match (role, Kind::of(outline.nesting)) {
            (Role::State, _) | (Role::Config, None) => 0,
            (Role::Config, Some(_)) => 20,
            (Role::LooseState | Role::Loose, _) => 72,
        };
        if !self.dice.chance(share) {
            return None;
        }
        if role == Role::LooseState || role == Role::Loose && self.dice.chance(88) {
            return Some(Value::null(self.block_type(outline)));
        }
        if !self.swarm.has(Switch::Unknown) || !self.swarm.has(Switch::UnknownBlock) {
            return None;
        }
        let node = if role == Role::Loose { self.unknown(&outline.ty) } else { Node::UNKNOWN };
        Some(Value::from_parts(outline.ty.clone(), node))
    }

    /// A type for a null collection of blocks: where the type is `dynamic`, that or the collection's own (S44).
    fn block_type(&mut self, outline: &NestedBlockOutline) -> Type {
        match outline.nesting {
            Nesting::List if outline.ty.is_dynamic() && self.dice.chance(128) => Type::list(outline.block.ty.clone()),
            Nesting::Map if outline.ty.is_dynamic() && self.dice.chance(128) => Type::map(outline.block.ty.clone()),
            _ => outline.ty.clone(),
        }
    }

    pub(super) fn block_entries(
        &mut self,
        outline: &NestedBlockOutline,
        kind: Kind,
        count: usize,
        role: Role,
    ) -> Entries {
        let keys = if kind == Kind::Map { self.keys(count) } else { vec![Text::default(); count] };
        let mut entries: Entries = Vec::with_capacity(count);
        let mut left = keys.len();
        for key in keys {
            let value = match entries.last() {
                Some((_, before)) if self.dice.chance(96) => self.block_sibling(&outline.block, before.clone(), role),
                _ => self.ration(left, |values| values.block_element(&outline.block, role)),
            };
            left -= 1;
            entries.push((key, value));
        }
        entries
    }

    /// One block of a collection; only a loose value has null and unknown ones (S51).
    pub(in super::super) fn block_element(&mut self, outline: &BlockOutline, role: Role) -> Value {
        if role.is_loose() && self.chance(Switch::NullElement, 28) {
            return Value::null(outline.ty.clone());
        }
        if role == Role::Loose && self.swarm.has(Switch::Unknown) && self.chance(Switch::UnknownElement, 28) {
            return Value::unknown(outline.ty.clone());
        }
        self.block(outline, role)
    }

    /// A block that differs from `block` in its computed attributes, or in one member.
    pub(in super::super) fn block_sibling(&mut self, outline: &BlockOutline, block: Value, role: Role) -> Value {
        if block.node().as_seq().is_none() {
            return block;
        }
        let count = outline.members.len();
        let other = self.dice.below(count.max(1) * 2);
        let members = outline.members.iter().enumerate().map(|(index, part)| match &part.kind {
            MemberKind::Attribute(attribute) if other >= count && attribute.computed || index == other => {
                self.attribute(attribute, role)
            }
            MemberKind::Block(nested) if index == other => {
                self.ration(2, |values| values.nested_block(nested, role, true))
            }
            _ => member(outline, block.view(), index),
        });
        let members = members.collect();
        join_members(outline, members)
    }

    /// The count, moved between the least and the greatest number of blocks (S52) as far as fuel allows.
    fn within(&self, outline: &NestedBlockOutline, count: usize) -> usize {
        count.max(outline.least.min(self.fuel.max(1))).min(outline.most.unwrap_or(usize::MAX))
    }
}
