//! Calls of the operations of values, by number: msgpack, equality, ranges, lengths, conversion.
//!
//! All planners of this process answer these with the same code, so they are for planners in other languages and for
//! planted faults. Types and values are those that resources are made of; the second value of a call is mostly the first
//! one, slightly edited.

use std::sync::Arc;

use arbitrary::Unstructured;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::msgpack;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Node, Number, Type, Value};

use super::cases::{Stream, fill};
use super::dice::Dice;
use super::outline::BlockOutline;
use super::pools::Pools;
use super::schema::Inventor;
use super::settings::Size;
use super::swarm::Swarm;
use super::value::{Maker, Role};
use super::world::World;
use crate::case::{Call, Case, Task, ValueCall};

/// The bytes of dice for one call.
const ENTROPY: usize = 192;

/// The share of cases in which a feature is switched off, of 256.
const SWARM: u8 = 24;

/// The calls of a seed.
#[derive(Debug)]
pub struct ValueCalls {
    seed: u64,
    pools: Pools,
    world: World,
    buffer: Vec<u8>,
}

impl ValueCalls {
    /// The calls of a seed. The operations are the same in all dialects; this one is what the cases name.
    pub fn new(dialect: Dialect, seed: u64) -> ValueCalls {
        let schema = Schema::default();
        let outline = Arc::new(BlockOutline::of_schema(&schema, dialect));
        let size = Size::SMALL;
        let swarm = Swarm::default();
        // -0 stays out: any of the types may be a set (V56).
        let world = World { schema: Arc::new(schema), outline, dialect, size, swarm, minus_zero: false };
        ValueCalls { seed, pools: Pools::new(), world, buffer: Vec::new() }
    }

    /// Call number `number`.
    pub fn case(&mut self, number: u64) -> Case {
        fill(&mut self.buffer, ENTROPY, self.seed, number, Stream::ValueCalls);
        let mut bytes = Unstructured::new(&self.buffer);
        let mut dice = Dice::new(&mut bytes);
        let swarm = Swarm::draw(&mut dice, SWARM);
        let world = World { swarm, ..self.world.clone() };
        let mut caller = Caller { dice: &mut dice, pools: &self.pools, world: &world };
        Case::new(world.dialect, Task::Call(Call::Value(caller.call())))
    }
}

/// Makes one call.
struct Caller<'c, 'd, 'b> {
    dice: &'c mut Dice<'d, 'b>,
    pools: &'c Pools,
    world: &'c World,
}

impl Caller<'_, '_, '_> {
    fn call(&mut self) -> ValueCall {
        let kind = self.dice.weighted(&[3, 3, 1, 2, 2, 2, 3, 2, 1, 1, 2, 1, 1]);
        let (ty, other) = (self.ty(), self.ty());
        match kind {
            0 => ValueCall::MsgpackEncode { value: self.value(&ty), ty },
            1 => {
                let value = self.value(&ty);
                ValueCall::MsgpackDecode { bytes: self.bytes(&value, &ty), ty }
            }
            2 => {
                let value = self.value(&ty);
                ValueCall::ImpliedType { bytes: self.bytes(&value, &ty) }
            }
            3 => ValueCall::Roundtrip { value: self.value(&ty), ty },
            4..=6 => {
                let a = self.value(&ty);
                let b = self.like(&a, &ty);
                match kind {
                    4 => ValueCall::RawEquals { ty, a, b },
                    5 => ValueCall::Equals { ty, a, b },
                    _ => ValueCall::Includes { ty, a, b },
                }
            }
            7 => {
                let ty = if self.dice.chance(160) { Type::set(other) } else { ty };
                ValueCall::Length { value: self.value(&ty), ty }
            }
            8 => ValueCall::NumberText { text: self.number().text().into_owned() },
            9 => ValueCall::Conforms { a: self.with_holes(&ty), b: if self.dice.chance(128) { ty } else { other } },
            10 => ValueCall::Convert { value: self.value(&ty), to: self.target(&ty, other), ty },
            11 => ValueCall::Unify { types: vec![self.target(&ty, other), ty] },
            _ => {
                let a = self.items(&ty);
                let mut b = a.clone();
                b.reverse();
                b.truncate(1 + self.dice.below(3));
                b.extend(self.items(&ty));
                ValueCall::Lcs { ty, a, b }
            }
        }
    }

    fn ty(&mut self) -> Type {
        let World { size, swarm, dialect, .. } = *self.world;
        Inventor::leaf(self.dice, self.pools, size, swarm, dialect).strip_optional()
    }

    /// A value of the type: mostly present, with unknowns inside.
    fn value(&mut self, ty: &Type) -> Value {
        let mut maker = Maker::new(self.dice, self.pools, self.world);
        let ty = maker.concrete(ty);
        let node = match maker.dice.weighted(&[1, 1, 6]) {
            0 => Node::Null,
            1 => maker.unknown(&ty),
            _ => maker.present_leaf(&ty, Role::Loose),
        };
        Value::from_parts(ty, node)
    }

    /// A value beside another one: equal, edited, or one of its own.
    fn like(&mut self, value: &Value, ty: &Type) -> Value {
        match self.dice.weighted(&[2, 3, 2, 1]) {
            0 => value.clone(),
            1 => {
                let mut maker = Maker::new(self.dice, self.pools, self.world);
                let node = maker.edit_leaf_part(value.ty(), value.node(), Role::Loose);
                Value::from_parts(value.ty().clone(), node)
            }
            2 => Value::null(value.ty().clone()),
            _ => self.value(ty),
        }
    }

    fn items(&mut self, ty: &Type) -> Vec<Value> {
        (0..=self.dice.below(3)).map(|_| self.value(ty)).collect()
    }

    /// The msgpack document of a value, now and then with a byte of it changed.
    fn bytes(&mut self, value: &Value, ty: &Type) -> Vec<u8> {
        let mut bytes = msgpack::encode(value.view(), ty).unwrap_or_default();
        if self.dice.chance(24) && !bytes.is_empty() {
            let at = self.dice.below(bytes.len());
            bytes[at] = self.dice.byte();
        }
        bytes
    }

    fn number(&mut self) -> Number {
        let all = if self.dice.chance(200) { &self.pools.odd_numbers } else { &self.pools.numbers };
        self.dice.pick(all).clone()
    }

    /// What a value of a type may be converted to: mostly something like the type.
    fn target(&mut self, ty: &Type, other: Type) -> Type {
        match (ty, self.dice.below(4)) {
            (Type::List(element) | Type::Set(element), 0) => Type::list((**element).clone()),
            (Type::List(element), 1) => Type::set((**element).clone()),
            (Type::Bool | Type::Number, 0..=2) => Type::String,
            (Type::String, 0..=1) => Type::Bool,
            (_, 2) => self.with_holes(ty),
            _ => other,
        }
    }

    /// The type with `dynamic` at one of its places, or the type.
    fn with_holes(&mut self, ty: &Type) -> Type {
        if self.dice.chance(64) {
            return Type::Dynamic;
        }
        match ty {
            Type::List(element) => Type::list(self.with_holes(element)),
            Type::Set(element) => Type::set(self.with_holes(element)),
            Type::Map(element) => Type::map(self.with_holes(element)),
            Type::Tuple(tuple) => {
                Type::tuple(tuple.elements().iter().map(|element| self.with_holes(element)).collect())
            }
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::case::CaseFile;

    #[test]
    fn calls_are_a_function_of_seed_and_number_and_read_back() {
        let (mut one, mut other) = (ValueCalls::new(Dialect::default(), 3), ValueCalls::new(Dialect::default(), 3));
        let mut ops = BTreeSet::new();
        for number in (0..2_000).rev() {
            other.case(number / 2);
            let (case, again) = (one.case(number), other.case(number));
            let document = case.to_json();
            assert_eq!(document, again.to_json());
            let read = CaseFile::from_json(&document).expect("a case is written so that it can be read");
            assert_eq!(read.case.to_json(), document);
            ops.extend(case.ops());
        }
        assert_eq!(ops.len(), 13, "{ops:?}");
    }
}
