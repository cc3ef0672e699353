//! Calls of the operations of values, by number: msgpack, equality, ranges, lengths, conversion.
//!
//! All planners of this process answer these with the same code, so the calls test the second implementation of that code, planners in
//! other languages and planted faults. Types and values are those that resources are made of; the second value of a call is mostly the
//! first one, slightly edited.

use std::sync::Arc;

use arbitrary::Unstructured;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::msgpack;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Node, Number, Range, Text, Type, Value};

use super::cases::{Stream, fill};
use super::dice::Dice;
use super::outline::BlockOutline;
use super::pools::Pools;
use super::rough::{Loose, number as respelled_number, respelled};
use super::schema::Inventor;
use super::schema_context::SchemaContext;
use super::settings::Size;
use super::swarm::Swarm;
use super::value::settle::settled;
use super::value::{Role, ValueGenerator};
use crate::case::{Call, Case, Op, Task, ValueCall};
use crate::generate::dice::weighted;

/// The bytes of dice for one call.
const ENTROPY: usize = 192;

/// The share of cases in which a feature is switched off, of 256.
const SWARM: u8 = 24;

/// The calls of a seed.
#[derive(Debug)]
pub struct ValueCalls {
    seed: u64,
    pools: Pools,
    schema_context: SchemaContext,
    buffer: Vec<u8>,
}

impl ValueCalls {
    /// The calls of a seed. The operations are the same in all dialects; `dialect` is the one that the cases name.
    pub fn new(dialect: Dialect, seed: u64) -> ValueCalls {
        let schema = Schema::default();
        let outline = Arc::new(BlockOutline::of_schema(&schema, dialect));
        let size = Size::SMALL;
        let swarm = Swarm::default();
        // -0 stays out: any of the types may be a set (V56).
        let schema_context =
            SchemaContext { schema: Arc::new(schema), outline, dialect, size, swarm, minus_zero: false };
        ValueCalls { seed, pools: pools(), schema_context, buffer: Vec::new() }
    }

    /// Call number `number`.
    pub fn case(&mut self, number: u64) -> Case {
        fill(&mut self.buffer, ENTROPY, self.seed, number, Stream::ValueCalls);
        let mut bytes = Unstructured::new(&self.buffer);
        let mut dice = Dice::new(&mut bytes);
        let swarm = Swarm::draw(&mut dice, SWARM);
        let schema_context = SchemaContext { swarm, ..self.schema_context.clone() };
        let mut caller = Caller { dice: &mut dice, pools: &self.pools, schema_context: &schema_context };
        Case::new(schema_context.dialect, Task::Call(Call::Value(caller.call())))
    }
}

/// The pools of the calls. Beyond the usual ones they hold the edges of all widths of integers, texts and prefixes of about the lengths
/// at which their encoding changes, and keys of many kinds.
fn pools() -> Pools {
    let mut pools = Pools::new();
    let edges = [5, 7, 8, 15, 16, 31, 32, 53, 63].map(|bits| 1_i128 << bits);
    let around = edges.into_iter().flat_map(|edge| [edge - 1, edge, edge + 1, -edge - 1, -edge, -edge + 1]);
    let both = around.chain([(1 << 64) - 1, (1 << 64) + 1]).map(|int| int.to_string());
    let fractions = ["0.5", "-1.5", "1e-7", "123.456", "-0.000001", "3.0000000001"].map(str::to_owned);
    let usual =
        [127, 128, 255, 256, 32_768, 65_535, 65_536, 1 << 31, (1 << 32) - 1, 1 << 32, -32, -33, -128, -129, -32_769];
    pools.numbers.extend(usual.map(|int: i64| Number::from(int)));
    pools.numbers.extend(["0.1", "2.5"].iter().filter_map(|text| Number::parse(text).ok()));
    // Bounds are drawn in this order.
    pools.numbers.sort_by(Number::compare);
    pools.numbers.dedup_by(|a, b| a.equals(b));
    let halves =
        ["12345678905", "12345678915", "-98765432105", "1.00000000005", "0.000012345678925"].map(str::to_owned);
    let fractions = fractions.into_iter().chain(halves);
    pools.odd_numbers.extend(both.chain(fractions).filter_map(|text| Number::parse(&text).ok()));
    let long = |length: usize, end: &str| Text::new(&format!("{}{end}", "a".repeat(length)));
    pools.long_texts.extend([long(254, "é"), long(253, "é"), long(257, "")]);
    // The character at the cut is not joined with the text before it, and is no delimiter (V73).
    let ends = ["", "1bcd", "é", "e\u{301}\u{323}", "-b", "🎉\u{200d}🎉", "\u{1100}\u{1161}"];
    pools.prefixes.extend(ends.iter().flat_map(|end| [long(252, end), long(254, end), long(256, end)]));
    pools.prefixes.push(long(300, ""));
    pools.keys.extend(["\"", "ö", "", "aa", "Z", "\u{1}", "日"].map(Text::new));
    pools
}

/// Makes one call.
struct Caller<'c, 'd, 'b> {
    dice: &'c mut Dice<'d, 'b>,
    pools: &'c Pools,
    schema_context: &'c SchemaContext,
}

impl Caller<'_, '_, '_> {
    fn call(&mut self) -> ValueCall {
        let op = weighted! {
            self.dice;
            5 => Op::MsgpackEncode,
            8 => Op::MsgpackDecode,
            2 => Op::ImpliedType,
            7 => Op::Roundtrip,
            2 => Op::RawEquals,
            3 => Op::Equals,
            4 => Op::Includes,
            2 => Op::Length,
            2 => Op::NumberText,
            1 => Op::Conforms,
            4 => Op::Convert,
            2 => Op::Unify,
            1 => Op::Lcs,
        };
        let (ty, other) = (self.ty(), self.ty());
        match op {
            Op::MsgpackEncode => ValueCall::MsgpackEncode { value: self.value(&ty), ty },
            Op::MsgpackDecode => {
                let value = self.value(&ty);
                ValueCall::MsgpackDecode { bytes: self.bytes(&value, &ty), ty }
            }
            Op::ImpliedType => {
                let value = self.value(&ty);
                ValueCall::ImpliedType { bytes: self.bytes(&value, &ty) }
            }
            Op::Roundtrip => {
                let value = self.value(&ty).to_json(&ty);
                ValueCall::Roundtrip { value: respelled(self.dice, &value), ty }
            }
            Op::RawEquals | Op::Equals | Op::Includes => {
                // An infinity against a record (V44) is one pair of many, so some calls of `includes` are made with one.
                let open = op == Op::Includes && self.dice.chance(48);
                let ty = if open { Type::Number } else { ty };
                let a = if open { self.refined(&ty) } else { self.value(&ty) };
                let b = if open { self.at_the_end(&a) } else { self.like(&a, &ty) };
                match op {
                    Op::RawEquals => ValueCall::RawEquals { ty, a, b },
                    Op::Equals => ValueCall::Equals { ty, a, b },
                    _ => ValueCall::Includes { ty, a, b },
                }
            }
            Op::Length => {
                let ty = if self.dice.chance(160) { Type::set(other) } else { ty };
                ValueCall::Length { value: self.value(&ty), ty }
            }
            Op::NumberText => ValueCall::NumberText { text: self.number_text() },
            Op::Conforms => {
                ValueCall::Conforms { a: self.with_holes(&ty), b: if self.dice.chance(128) { ty } else { other } }
            }
            Op::Convert => ValueCall::Convert { value: self.value(&ty), to: self.target(&ty, other), ty },
            Op::Unify => {
                let first = if self.dice.chance(100) { renamed(&ty) } else { self.target(&ty, other) };
                ValueCall::Unify { types: vec![first, ty] }
            }
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

    /// An unknown with a record.
    fn refined(&mut self, ty: &Type) -> Value {
        let node = ValueGenerator::new(self.dice, self.pools, self.schema_context).refined(ty);
        Value::from_parts(ty.clone(), node)
    }

    /// A bound of an unknown number, or an infinity.
    fn at_the_end(&mut self, unknown: &Value) -> Value {
        let bound = match unknown.node() {
            Node::Unknown(Some(record)) => match &record.range {
                Range::Number { min, max } => min.as_ref().or(max.as_ref()),
                _ => None,
            },
            _ => None,
        };
        match bound.filter(|_| self.dice.chance(128)) {
            Some(bound) => Value::number(bound.value.clone()),
            None => self.infinity(),
        }
    }

    fn infinity(&mut self) -> Value {
        let infinite: Vec<&Number> = self.pools.odd_numbers.iter().filter(|number| number.is_infinite()).collect();
        infinite
            .get(self.dice.below(infinite.len()))
            .map_or_else(|| Value::number(0_u64), |number| Value::number((*number).clone()))
    }

    fn ty(&mut self) -> Type {
        let SchemaContext { size, swarm, dialect, .. } = *self.schema_context;
        Inventor::leaf(self.dice, self.pools, size, swarm, dialect).strip_optional()
    }

    /// A value of the type: mostly present, with unknowns inside.
    fn value(&mut self, declared: &Type) -> Value {
        if *declared == Type::Number && self.dice.chance(10) {
            return self.infinity();
        }
        let mut values = ValueGenerator::new(self.dice, self.pools, self.schema_context);
        let ty = values.concrete(declared);
        let node = weighted! { values.dice;
            1 => Node::Null,
            2 => values.unknown(&ty),
            6 => values.present_leaf(&ty, Role::Loose),
            2 => match ty.is_dynamic() {
                true => values.present_leaf(&ty, Role::Loose),
                false => values.refined(&ty),
            },
        };
        settled(declared, Value::from_parts(ty, node))
    }

    /// A value related to another one: equal, edited, or independent.
    fn like(&mut self, value: &Value, ty: &Type) -> Value {
        weighted! { self.dice;
            2 => value.clone(),
            3 => {
                let mut values = ValueGenerator::new(self.dice, self.pools, self.schema_context);
                let mut node = values.edit_leaf_part(value.ty(), value.node(), Role::Loose);
                if values.dice.chance(128) {
                    node = values.edit_leaf_part(value.ty(), &node, Role::Loose);
                }
                settled(ty, Value::from_parts(value.ty().clone(), node))
            },
            2 => settled(ty, Value::null(value.ty().clone())),
            1 => self.value(ty),
        }
    }

    fn items(&mut self, ty: &Type) -> Vec<Value> {
        (0..=self.dice.below(3)).map(|_| self.value(ty)).collect()
    }

    /// A msgpack document of a value, mostly in unusual forms, now and then with a byte of it changed.
    fn bytes(&mut self, value: &Value, ty: &Type) -> Vec<u8> {
        let mut bytes = if self.dice.chance(160) {
            let mut loose = Loose { dice: self.dice, out: Vec::new() };
            loose.value(value.ty(), value.node(), ty);
            loose.out
        } else {
            msgpack::encode(value.view(), ty).unwrap_or_default()
        };
        if self.dice.chance(10) {
            bytes.push(self.dice.byte());
        }
        if self.dice.chance(20) {
            bytes.truncate(self.dice.below(bytes.len()));
        }
        if self.dice.chance(24) && !bytes.is_empty() {
            let at = self.dice.below(bytes.len());
            bytes[at] = self.dice.byte();
        }
        bytes
    }

    /// The text of a number: canonical, spelled otherwise, or random digits.
    fn number_text(&mut self) -> String {
        let text = self.number().text().into_owned();
        match self.dice.below(8) {
            0..=2 => text,
            3..=4 => respelled_number(self.dice, &text),
            5 => format!("+{}", text.trim_start_matches('-')),
            6 => {
                let digits: String =
                    (0..2 + self.dice.below(40)).map(|_| char::from(b'0' + self.dice.byte() % 10)).collect();
                let (whole, fraction) = digits.split_at(1 + self.dice.below(digits.len() - 1));
                let exponent = self.dice.below(700) as i64 - 350;
                match self.dice.below(4) {
                    0 => digits,
                    1 => format!("{whole}.{fraction}"),
                    2 => format!("{whole}.{fraction}e{exponent}"),
                    _ => format!("-{digits}p{}", exponent / 4),
                }
            }
            _ => (*self.dice.pick(&[
                "", ".", "5.", ".5", "1e", "1e+", "0x10", "1_0", " 1", "inf", "-Inf", "INF", "nan", "--1", "1.2.3",
                "00", "-0.0", "0e5", "1p-3", "1e4001",
            ]))
            .to_owned(),
        }
    }

    fn number(&mut self) -> Number {
        let all = if self.dice.chance(200) { &self.pools.odd_numbers } else { &self.pools.numbers };
        self.dice.pick(all).clone()
    }

    /// A type to convert a value to: mostly one similar to its own type.
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

    /// The type with `dynamic` at one of its places, or unchanged.
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

/// The type with one attribute of its first object renamed.
fn renamed(ty: &Type) -> Type {
    match ty {
        Type::List(element) => Type::list(renamed(element)),
        Type::Set(element) => Type::set(renamed(element)),
        Type::Map(element) => Type::map(renamed(element)),
        Type::Object(object) => Type::object(object.attributes().iter().enumerate().map(|(at, attribute)| {
            let name = if at == 0 { Text::new("other") } else { attribute.name.clone() };
            (name, attribute.ty.clone())
        })),
        other => other.clone(),
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
