//! A configuration made from a prior state (S50 to S53): parts shared, changed, added and left out.

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Type, Value, ValueRef};

use super::super::outline::{AttributeOutline, BlockOutline, MemberKind, NestedBlockOutline, NestedOutline};
use super::super::swarm::Switch;
use super::super::value::entries::{Entries, Kind, join, join_blocks, join_members, member, split};
use super::super::value::misshapen::blocks_of;
use super::super::value::{Role, ValueGenerator};

/// How an attribute of the state goes into the configuration.
enum Projection {
    Keep,
    Null,
    Unknown,
    Redraw,
}

impl ValueGenerator<'_, '_, '_> {
    /// A configuration like the state: what a person could have written before or after it.
    pub(in super::super) fn project(&mut self, outline: &BlockOutline, state: ValueRef<'_>) -> Value {
        if state.node().as_seq().is_none() {
            return self.block(outline, Role::Config);
        }
        let members = outline.members.iter().enumerate().map(|(index, part)| {
            let state = member(outline, state, index);
            match &part.kind {
                MemberKind::Attribute(attribute) => self.project_attribute(attribute, &state),
                MemberKind::Block(nested) => self.project_blocks(nested, &state),
            }
        });
        let members = members.collect();
        join_members(outline, members)
    }

    fn project_attribute(&mut self, attribute: &AttributeOutline, state: &Value) -> Value {
        let ty = state.ty();
        match self.projection(attribute, state.is_null()) {
            Projection::Redraw => self.attribute(attribute, Role::Config),
            _ if attribute.write_only => self.attribute(attribute, Role::Config),
            Projection::Null if ty.is_dynamic() || self.dice.chance(128) => Value::null(attribute.ty.clone()),
            Projection::Null => Value::null(ty.clone()),
            Projection::Unknown => Value::from_parts(ty.clone(), self.unknown(ty)),
            Projection::Keep => match &attribute.nested {
                Some(nested) => Value::from_parts(ty.clone(), self.project_nested(nested, ty, state.node())),
                None => state.clone(),
            },
        }
    }

    fn projection(&mut self, attribute: &AttributeOutline, null: bool) -> Projection {
        let byte = self.dice.byte();
        if attribute.computed && !attribute.optional && !attribute.required {
            return Projection::Null;
        }
        let unknown = self.swarm.share(Switch::Unknown, 12);
        let (null_share, redraw) = match (attribute.computed, null) {
            (true, _) => (120, 18),
            (false, true) => (0, 20),
            (false, false) => (if attribute.required { 0 } else { 14 }, 18),
        };
        match byte {
            byte if u16::from(byte) >= 256 - u16::from(unknown) => Projection::Unknown,
            byte if byte >= 244 - redraw => Projection::Redraw,
            byte if byte >= 226 - null_share => Projection::Null,
            _ => Projection::Keep,
        }
    }

    /// The payload of a nested type's attribute, its computed parts taken out.
    fn project_nested(&mut self, nested: &NestedOutline, ty: &Type, node: &Node) -> Node {
        let value = ValueRef::new(ty, node);
        let Some((kind, element)) = Kind::of_type(ty).zip(ty.element()) else {
            return self.project_object(nested, ty, node);
        };
        if !value.is_present() {
            return node.clone();
        }
        let mut entries = split(value);
        for (_, entry) in &mut entries {
            let node = self.project_object(nested, element, entry.node());
            *entry = Value::from_parts(element.clone(), node);
        }
        if self.dice.chance(116) {
            let add = |values: &mut Self| values.nested_element_value(nested, element, Role::Config);
            self.rearrange(kind, &mut entries, &mut { add });
        }
        join(kind, element, entries)
    }

    fn project_object(&mut self, nested: &NestedOutline, ty: &Type, node: &Node) -> Node {
        let (Type::Object(object), Node::Seq(seq)) = (ty, node) else {
            return node.clone();
        };
        let parts = nested.attributes.iter().zip(object.attributes()).zip(seq.as_slice());
        let nodes = parts.map(|((attribute, typed), part)| match self.projection(attribute, part.is_null()) {
            Projection::Null => Node::Null,
            Projection::Unknown => self.unknown(&typed.ty),
            Projection::Redraw => self.attribute_node(attribute, &typed.ty, Role::Config),
            Projection::Keep => match &attribute.nested {
                Some(nested) => self.project_nested(nested, &typed.ty, part),
                None => part.clone(),
            },
        });
        Node::seq(nodes.collect())
    }

    fn project_blocks(&mut self, outline: &NestedBlockOutline, state: &Value) -> Value {
        if self.dice.chance(12) {
            return self.nested_block(outline, Role::Config, true);
        }
        let Some(kind) = Kind::of(outline.nesting) else {
            return self.project_single(outline, state);
        };
        let unknown = self.swarm.share(Switch::Unknown, 14);
        if self.chance(Switch::UnknownBlock, unknown) {
            return Value::unknown(outline.ty.clone());
        }
        let mut entries: Entries = Vec::new();
        if state.view().is_present() {
            for (key, entry) in blocks_of(outline, kind, state.view()).unwrap_or_default() {
                entries.push((key, self.project(&outline.block, entry.view())));
            }
        }
        if self.dice.chance(116) {
            let add = |values: &mut Self| values.ration(2, |values| values.block(&outline.block, Role::Config));
            self.rearrange(kind, &mut entries, &mut { add });
        }
        self.fit(outline, kind, &mut entries);
        join_blocks(outline, kind, entries)
    }

    fn project_single(&mut self, outline: &NestedBlockOutline, state: &Value) -> Value {
        let needed = outline.nesting == Nesting::Group || outline.least > 0;
        let present = state.view().is_present();
        if !needed && (!present || self.dice.chance(28)) {
            return Value::null(outline.ty.clone());
        }
        match present {
            true => self.project(&outline.block, state.view()),
            false => self.block(&outline.block, Role::Config),
        }
    }

    /// Adds and drops blocks until their number is allowed (S52).
    pub(super) fn fit(&mut self, outline: &NestedBlockOutline, kind: Kind, entries: &mut Entries) {
        entries.truncate(outline.most.unwrap_or(usize::MAX));
        while entries.len() < outline.least.min(self.fuel.max(1)) {
            let block = self.ration(2, |values| values.block(&outline.block, Role::Config));
            entries.push((self.new_key(kind, entries), block));
        }
    }
}
