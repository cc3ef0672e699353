//! Payloads of nested types: ordinary expressions, so null and unknown may stand at every level (S53).

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, ObjectType, Type, Value};

use super::super::outline::NestedOutline;
use super::super::swarm::Switch;
use super::{Role, ValueGenerator};

impl ValueGenerator<'_, '_, '_> {
    /// The payload of a nested type's attribute that is neither null nor unknown as a whole.
    pub(super) fn present_nested(&mut self, nested: &NestedOutline, ty: &Type, role: Role) -> Node {
        match (nested.nesting, ty) {
            (Nesting::Single | Nesting::Group, Type::Object(object)) => self.nested_object(nested, object, role),
            (Nesting::Set, Type::Set(element)) => {
                let count = self.count();
                let mut before = Node::Null;
                self.set_node(element, count, |values| {
                    before = values.next_nested(nested, element, role, &before);
                    before.clone()
                })
            }
            (Nesting::Map, Type::Map(element)) => {
                let count = self.count();
                let mut before = Node::Null;
                self.map_node(count, |values| {
                    before = values.next_nested(nested, element, role, &before);
                    before.clone()
                })
            }
            (_, Type::List(element)) => {
                let count = self.count();
                let mut nodes: Vec<Node> = Vec::with_capacity(count);
                for _ in 0..count {
                    let node = self.next_nested(nested, element, role, nodes.last().unwrap_or(&Node::Null));
                    nodes.push(node);
                }
                Node::seq(nodes)
            }
            _ => Node::Null,
        }
    }

    /// An element after `before`: a new one or a sibling of it.
    fn next_nested(&mut self, nested: &NestedOutline, element: &Type, role: Role, before: &Node) -> Node {
        if before.as_seq().is_some() && self.dice.chance(90) {
            return self.nested_sibling(nested, element, role, before);
        }
        self.nested_element(nested, element, role)
    }

    /// One element of a nested type's collection; it may be null or unknown.
    pub(in super::super) fn nested_element(&mut self, nested: &NestedOutline, element: &Type, role: Role) -> Node {
        if self.chance(Switch::NullElement, 14) {
            return Node::Null;
        }
        let unknown = if role.has_unknowns() { self.swarm.share(Switch::Unknown, 14) } else { 0 };
        if self.chance(Switch::UnknownElement, unknown) {
            return self.unknown(element);
        }
        match element {
            Type::Object(object) => self.ration(2, |values| values.nested_object(nested, object, role)),
            _ => Node::Null,
        }
    }

    /// One object of a nested type.
    fn nested_object(&mut self, nested: &NestedOutline, object: &ObjectType, role: Role) -> Node {
        let share = self.branch_share(nested.branches);
        let leaves = self.leaf_share(nested.attributes.len() - nested.branches);
        let mut nodes = Vec::with_capacity(nested.attributes.len());
        let mut branches = nested.branches;
        for (attribute, typed) in nested.attributes.iter().zip(object.attributes()) {
            let node = if attribute.nested.is_none() && self.is_left_out(leaves) {
                Node::Null
            } else if attribute.nested.is_none() {
                self.attribute_node(attribute, &typed.ty, role)
            } else if self.dice.chance(share) {
                self.ration(branches, |values| values.attribute_node(attribute, &typed.ty, role))
            } else {
                Node::Null
            };
            branches -= usize::from(attribute.nested.is_some());
            nodes.push(node);
        }
        Node::seq(nodes)
    }

    /// An object that differs from `node` in its computed attributes or, if there are none or the dice decide so, in one
    /// attribute: elements that only a careful planner distinguishes.
    pub(in super::super) fn nested_sibling(
        &mut self,
        nested: &NestedOutline,
        element: &Type,
        role: Role,
        node: &Node,
    ) -> Node {
        let (Type::Object(object), Node::Seq(seq)) = (element, node) else {
            return node.clone();
        };
        let other = self.dice.below(nested.attributes.len().max(1) * 2);
        let parts = nested.attributes.iter().zip(object.attributes()).zip(seq.as_slice());
        let nodes = parts.enumerate().map(|(index, ((attribute, typed), part))| {
            let redrawn = if other < nested.attributes.len() { index == other } else { attribute.computed };
            // In a configuration a computed attribute is null, so a sibling there differs in what is configured.
            if redrawn { self.attribute_node(attribute, &typed.ty, role) } else { part.clone() }
        });
        Node::seq(nodes.collect())
    }

    /// [`ValueGenerator::nested_element`] as a value.
    pub(in super::super) fn nested_element_value(&mut self, nested: &NestedOutline, ty: &Type, role: Role) -> Value {
        Value::from_parts(ty.clone(), self.nested_element(nested, ty, role))
    }
}
