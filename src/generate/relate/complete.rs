//! A result made from a plan: each unknown replaced by a value, mostly one that its record allows.

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Number, Range, Refinement, Text, Type, Value, ValueRef};

use super::super::outline::{AttributeOutline, BlockOutline, MemberKind, NestedBlockOutline, NestedOutline};
use super::super::value::entries::{Kind, join, join_blocks, join_members, member, split};
use super::super::value::misshapen::blocks_of;
use super::super::value::{Role, ValueGenerator};

impl ValueGenerator<'_, '_, '_> {
    /// The plan without its unknowns.
    pub(in super::super) fn complete(&mut self, outline: &BlockOutline, plan: &Value) -> Value {
        if plan.is_wholly_known() {
            return plan.clone();
        }
        if plan.is_unknown() {
            return self.block(outline, Role::State);
        }
        let members = outline.members.iter().enumerate().map(|(index, part)| {
            let plan = member(outline, plan.view(), index);
            match &part.kind {
                _ if plan.is_wholly_known() => plan,
                MemberKind::Attribute(attribute) => self.complete_attribute(attribute, &plan),
                MemberKind::Block(nested) => self.complete_blocks(nested, &plan),
            }
        });
        let members = members.collect();
        join_members(outline, members)
    }

    fn complete_attribute(&mut self, attribute: &AttributeOutline, plan: &Value) -> Value {
        // The unknown part of the type may be chosen (AC11-a).
        let ty = if plan.is_unknown() { self.concrete(plan.ty()) } else { plan.ty().clone() };
        // An unknown inside a value of type `dynamic` can only become null, because the value has its type already.
        let node = match &attribute.nested {
            Some(nested) => self.complete_nested(attribute, nested, &ty, plan.node()),
            None => self.complete_leaf(&ty, plan.node()),
        };
        Value::from_parts(ty, node)
    }

    fn complete_nested(
        &mut self,
        attribute: &AttributeOutline,
        nested: &NestedOutline,
        ty: &Type,
        plan: &Node,
    ) -> Node {
        if let Node::Unknown(record) = plan {
            let null = record.as_ref().is_none_or(|record| !record.not_null) && self.dice.chance(56);
            return if null { Node::Null } else { self.present_attribute(attribute, ty, Role::State) };
        }
        if !plan.contents().has_unknown() {
            return plan.clone();
        }
        let Some((kind, element)) = Kind::of_type(ty).zip(ty.element()) else {
            return self.complete_object(nested, ty, plan);
        };
        let mut entries = split(ValueRef::new(ty, plan));
        for (_, entry) in &mut entries {
            let node = match entry.is_unknown() {
                true => self.known_element(nested, element),
                false => self.complete_object(nested, element, entry.node()),
            };
            *entry = Value::from_parts(element.clone(), node);
        }
        join(kind, element, entries)
    }

    fn known_element(&mut self, nested: &NestedOutline, element: &Type) -> Node {
        self.nested_element(nested, element, Role::State)
    }

    fn complete_object(&mut self, nested: &NestedOutline, ty: &Type, plan: &Node) -> Node {
        let (Type::Object(object), Node::Seq(seq)) = (ty, plan) else {
            return plan.clone();
        };
        let parts = nested.attributes.iter().zip(object.attributes()).zip(seq.as_slice());
        let nodes = parts.map(|((attribute, typed), part)| match &attribute.nested {
            Some(nested) => self.complete_nested(attribute, nested, &typed.ty, part),
            None => self.complete_leaf(&typed.ty, part),
        });
        Node::seq(nodes.collect())
    }

    /// The payload of a leaf type with its unknowns replaced.
    fn complete_leaf(&mut self, ty: &Type, plan: &Node) -> Node {
        match plan {
            Node::Unknown(None) if self.dice.chance(40) => Node::Null,
            Node::Unknown(None) => self.present_leaf(ty, Role::State),
            Node::Unknown(Some(record)) => self.within_record(ty, record),
            known if !known.contents().has_unknown() => known.clone(),
            known => self.complete_parts(ty, known),
        }
    }

    fn complete_parts(&mut self, ty: &Type, plan: &Node) -> Node {
        let value = ValueRef::new(ty, plan);
        if let Some((kind, element)) = Kind::of_type(ty).zip(ty.element()) {
            let mut entries = split(value);
            for (_, entry) in &mut entries {
                *entry = Value::from_parts(element.clone(), self.complete_leaf(element, entry.node()));
            }
            return join(kind, element, entries);
        }
        Node::seq(value.children().map(|(_, part)| self.complete_leaf(part.ty(), part.node())).collect())
    }

    /// A value that the record allows; now and then one that it does not allow (AC11-c).
    fn within_record(&mut self, ty: &Type, record: &Refinement) -> Node {
        if self.dice.chance(24) || !record.not_null && self.dice.chance(48) {
            return Node::Null;
        }
        let outside = self.dice.chance(40);
        match (&record.range, ty) {
            // V44: where there is no bound, an infinity is outside.
            (_, Type::Number) if outside && self.dice.chance(64) => {
                let infinite = self.pools.odd_numbers.iter().rfind(|number| number.is_infinite());
                infinite.map_or(Node::Null, |number| Node::Number(number.clone()))
            }
            _ if outside => self.present_leaf(ty, Role::State),
            (Range::String { prefix }, _) => Node::String(self.beginning_with(prefix)),
            (Range::Number { min, max }, _) => {
                let inclusive = [max, min].into_iter().flatten().find(|bound| bound.inclusive);
                let bound = inclusive.or(min.as_ref()).or(max.as_ref());
                bound.map_or(Node::Null, |bound| Node::Number(Number::clone(&bound.value)))
            }
            (Range::Length { min, .. }, Type::List(element)) => {
                let count = usize::try_from(*min).unwrap_or(0);
                Node::seq((0..count).map(|_| self.leaf_part(element, Role::State)).collect())
            }
            _ => self.present_leaf(ty, Role::State),
        }
    }

    /// The prefix itself, or a longer text of the pool that begins with it.
    fn beginning_with(&mut self, prefix: &Text) -> Text {
        let longer = self.pools.texts.iter().find(|text| text.len() > prefix.len() && text.starts_with(&**prefix));
        match longer {
            Some(text) if self.dice.chance(128) => text.clone(),
            _ => prefix.clone(),
        }
    }

    fn complete_blocks(&mut self, outline: &NestedBlockOutline, plan: &Value) -> Value {
        if plan.is_unknown() {
            // AC21: any number of blocks; for a single one none as well.
            let there = self.dice.chance(192);
            return self.nested_block(outline, Role::State, there);
        }
        let Some(kind) = Kind::of(outline.nesting) else {
            debug_assert!(
                matches!(outline.nesting, Nesting::Single | Nesting::Group),
                "no other mode is no collection"
            );
            return self.complete(&outline.block, plan);
        };
        let Some(entries) = blocks_of(outline, kind, plan.view()) else { return plan.clone() };
        let entries = entries.into_iter().map(|(key, entry)| (key, self.complete(&outline.block, &entry))).collect();
        join_blocks(outline, kind, entries)
    }
}
