//! Payloads of leaf types.

use planfuzz_core::value::{MapNode, Node, ObjectType, Text, Truth, Type, TypeAttribute, Value};
use triomphe::Arc;

use super::super::swarm::Switch;
use super::{Role, ValueGenerator};
use crate::generate::dice::weighted;

impl ValueGenerator<'_, '_, '_> {
    /// The type with each `dynamic` replaced by a concrete one, or left for a null or unknown without a type.
    pub(in super::super) fn concrete(&mut self, ty: &Type) -> Type {
        if !ty.has_dynamic() {
            return ty.clone();
        }
        match ty {
            Type::Dynamic => self.any_type(),
            Type::List(element) => Type::list(self.concrete(element)),
            Type::Set(element) => Type::set(self.concrete(element)),
            Type::Map(element) => Type::map(self.concrete(element)),
            Type::Tuple(tuple) => Type::tuple(tuple.elements().iter().map(|element| self.concrete(element)).collect()),
            Type::Object(object) => {
                let attributes = object.attributes().iter().map(|attribute| TypeAttribute {
                    name: attribute.name.clone(),
                    ty: self.concrete(&attribute.ty),
                    optional: attribute.optional,
                });
                Type::Object(Arc::new(ObjectType::new(attributes.collect())))
            }
            Type::Bool | Type::Number | Type::String => ty.clone(),
        }
    }

    /// A type for a place that allows any type.
    fn any_type(&mut self) -> Type {
        weighted! { self.dice;
            70 => Type::String,
            34 => Type::Number,
            20 => Type::Bool,
            24 => Type::list(Type::String),
            20 => Type::object([(self.pools.keys[0].clone(), Type::String)]),
            16 => Type::tuple(vec![Type::String, Type::Number]),
            16 => Type::map(Type::Number),
            16 => Type::set(Type::String),
            40 => Type::Dynamic,
        }
    }

    /// A part of a leaf: an element, or a member of an object type.
    pub(in super::super) fn leaf_part(&mut self, ty: &Type, role: Role) -> Node {
        if !self.burn() || self.chance(Switch::NullElement, 18) {
            return Node::Null;
        }
        let unknown = if role.has_unknowns() { self.swarm.share(Switch::Unknown, 20) } else { 0 };
        if self.chance(Switch::UnknownElement, unknown) {
            return self.unknown(ty);
        }
        self.present_leaf(ty, role)
    }

    /// A leaf that is neither null nor unknown as a whole, where its type allows.
    pub(in super::super) fn present_leaf(&mut self, ty: &Type, role: Role) -> Node {
        match ty {
            Type::Dynamic if role.has_unknowns() && self.chance(Switch::Unknown, 128) => Node::UNKNOWN,
            Type::Dynamic => Node::Null,
            Type::Bool => Node::Bool(Truth(self.dice.chance(128))),
            Type::Number => self.number(),
            Type::String => Node::String(self.text()),
            Type::List(element) => {
                let count = self.count();
                Node::seq((0..count).map(|_| self.leaf_part(element, role)).collect())
            }
            Type::Set(element) => {
                let count = self.count();
                let mut before = Node::Null;
                self.set_node(element, count, |values| {
                    // Elements that nearly agree share keys (V51) and differ in their last part.
                    let near = !before.is_null() && values.dice.chance(64);
                    let next = if near {
                        values.edit_leaf_part(element, &before, role)
                    } else {
                        values.leaf_part(element, role)
                    };
                    before = next.clone();
                    next
                })
            }
            Type::Map(element) => {
                let count = self.count();
                self.map_node(count, |values| values.leaf_part(element, role))
            }
            Type::Tuple(tuple) => Node::seq(tuple.elements().iter().map(|ty| self.leaf_part(ty, role)).collect()),
            Type::Object(object) => {
                Node::seq(object.attributes().iter().map(|attribute| self.leaf_part(&attribute.ty, role)).collect())
            }
        }
    }

    fn number(&mut self) -> Node {
        if self.chance(Switch::OddNumbers, 72) {
            if self.dice.chance(96) {
                return Node::Number(self.dice.pick(&self.pools.close).0.clone());
            }
            if self.dice.chance(112) {
                return Node::Number(self.dice.pick(&self.pools.edges).clone());
            }
            // -0 comes first.
            let skipped = usize::from(!self.minus_zero);
            return Node::Number(self.dice.pick(&self.pools.odd_numbers[skipped..]).clone());
        }
        Node::Number(self.dice.pick(&self.pools.numbers).clone())
    }

    /// A text for a string.
    pub(in super::super) fn text(&mut self) -> Text {
        if self.chance(Switch::OddTexts, 40) {
            let long = self.size.long && self.dice.chance(64);
            return self.dice.pick(if long { &self.pools.long_texts } else { &self.pools.odd_texts }).clone();
        }
        self.dice.pick(&self.pools.texts).clone()
    }

    /// A set of payloads that all are of type `element`.
    pub(super) fn set_node(&mut self, element: &Type, count: usize, mut make: impl FnMut(&mut Self) -> Node) -> Node {
        set_of(element, (0..count).map(|_| Value::from_parts(element.clone(), make(self))).collect())
    }

    /// A map of payloads under different keys.
    pub(super) fn map_node(&mut self, count: usize, mut make: impl FnMut(&mut Self) -> Node) -> Node {
        let keys = self.keys(count);
        let entries = keys.into_iter().map(|key| (key, make(self))).collect();
        Node::Map(Arc::new(MapNode::from_sorted(entries)))
    }

    /// `count` different keys, in byte order; fewer if the pool has no more.
    pub(super) fn keys(&mut self, count: usize) -> Vec<Text> {
        let pool = &self.pools.keys;
        // Mostly the same few, so that maps of prior and configuration share keys.
        let start = if self.dice.chance(48) { self.dice.below(pool.len()) } else { 0 };
        let mut keys: Vec<Text> =
            (0..count.min(pool.len())).map(|index| pool[(start + index) % pool.len()].clone()).collect();
        keys.sort_unstable();
        keys
    }
}

/// The payload of a set of values that all are of type `element`, inserted in order (V50).
pub(in super::super) fn set_of(element: &Type, elements: Vec<Value>) -> Node {
    let set = Value::set(element, elements).expect("the elements were made of one type");
    set.into_parts().1
}
