//! Leaf types (V01, S27: any type may be a leaf's).

use planfuzz_core::value::{ObjectType, Text, Type, TypeAttribute};
use triomphe::Arc;

use super::super::pools::Pools;
use super::super::swarm::Switch;
use super::Inventor;
use crate::generate::dice::weighted;

/// The most attributes of an object type and positions of a tuple type.
const PARTS: usize = 3;

impl Inventor<'_, '_, '_> {
    /// A leaf type; without `dynamic` inside sets of objects (S14, S22).
    pub(super) fn leaf_type(&mut self, in_set: bool) -> Type {
        self.type_within(self.size.type_depth, in_set)
    }

    fn type_within(&mut self, depth: u8, in_set: bool) -> Type {
        let deep = u8::from(depth > 0);
        weighted! { self.dice;
            110 => Type::String,
            36 => Type::Number,
            20 => Type::Bool,
            24 * deep => Type::list(self.type_within(depth - 1, in_set)),
            u8::from(self.on(Switch::Set)) * 24 * deep => Type::set(self.type_within(depth - 1, in_set)),
            u8::from(self.on(Switch::Map)) * 20 * deep => Type::map(self.type_within(depth - 1, in_set)),
            u8::from(self.on(Switch::Object)) * 22 * deep => self.object_type(depth - 1, in_set),
            u8::from(self.on(Switch::Tuple)) * 12 * deep => self.tuple_type(depth - 1, in_set),
            u8::from(self.on(Switch::Dynamic) && !in_set) * 18 => Type::Dynamic,
        }
    }

    fn tuple_type(&mut self, depth: u8, in_set: bool) -> Type {
        let count = self.parts();
        Type::tuple((0..count).map(|_| self.type_within(depth, in_set)).collect())
    }

    fn object_type(&mut self, depth: u8, in_set: bool) -> Type {
        let count = self.parts();
        let start = if self.dice.chance(40) { Pools::SHARED_KEY } else { self.dice.below(self.pools.keys.len()) };
        let attributes = (0..count).map(|index| {
            let name: Text = self.pools.keys[(start + index) % self.pools.keys.len()].clone();
            let ty = self.type_within(depth, in_set);
            TypeAttribute { name, ty, optional: self.chance(Switch::OptionalMarker, 64) }
        });
        Type::Object(Arc::new(ObjectType::new(attributes.collect())))
    }

    /// One to three, rarely none.
    fn parts(&mut self) -> usize {
        if self.dice.chance(10) { 0 } else { 1 + self.dice.below(PARTS) }
    }
}
