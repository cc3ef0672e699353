//! Calls of the operations of schemas, by number: their types, empty values, validity, coercion, the paths of marks.
//!
//! Schemas and values are those of merges. Values to coerce are changed as configurations may differ from their schema: members of other
//! types, members left out, members too many.

use arbitrary::Unstructured;
use planfuzz_core::json::Json;
use planfuzz_core::value::{Node, Text, Type, Value, ValueRef};

use super::cases::{Cases, Stream, fill};
use super::dice::Dice;
use super::generator::Generator;
use crate::case::{Call, Case, Merge, SchemaCall, Task};
use crate::generate::dice::weighted;

/// The bytes of dice for one call.
const ENTROPY: usize = 96;

/// How often a member of a value is changed for a coercion, of 256.
const RESHAPED: u8 = 36;

/// The calls of a seed.
#[derive(Debug)]
pub struct SchemaCalls {
    seed: u64,
    merges: Cases,
    buffer: Vec<u8>,
}

impl SchemaCalls {
    /// The calls of a seed, about schemas and values of the generator's merges.
    pub fn new(generator: Generator, seed: u64) -> SchemaCalls {
        SchemaCalls { seed, merges: Cases::new(generator, seed ^ 0x5c), buffer: Vec::new() }
    }

    /// Call number `number`.
    pub fn case(&mut self, number: u64) -> Case {
        let case = self.merges.case(number);
        let Task::Merge(merge) = &case.task else { return case };
        fill(&mut self.buffer, ENTROPY, self.seed, number, Stream::SchemaCalls);
        let mut bytes = Unstructured::new(&self.buffer);
        let call = call(&mut Dice::new(&mut bytes), merge);
        Case::new(case.dialect, Task::Call(Call::Schema(call)))
    }
}

fn call(dice: &mut Dice<'_, '_>, merge: &Merge) -> SchemaCall {
    let Merge { schema, prior, config, planned, actual } = merge;
    let schema = schema.clone();
    let value = (*dice.pick(&[prior, config, planned, actual])).clone();
    weighted! { dice;
        1 => SchemaCall::SchemaType { schema },
        2 => SchemaCall::EmptyValue { schema },
        3 => SchemaCall::ValidateSchema { schema: disturbed(dice, &schema.to_json()) },
        8 => {
            let value = if value.is_null() { config.clone() } else { value };
            let value = reshaped(dice, value.view());
            SchemaCall::Coerce { schema, ty: Type::Dynamic, value }
        },
        3 => SchemaCall::SensitivePaths { schema, value },
        3 => SchemaCall::WriteOnlyPaths { schema, value },
    }
}

/// The value as another author might have configured it: other types of collections, members changed, left out or added.
fn reshaped(dice: &mut Dice<'_, '_>, value: ValueRef<'_>) -> Value {
    if !value.is_present() {
        return value.to_value();
    }
    match value.ty() {
        Type::Object(_) => {
            let mut members: Vec<(Text, Value)> = Vec::new();
            for (name, member) in value.entries() {
                match dice.chance(RESHAPED) {
                    true if dice.chance(100) => continue,
                    true => members.push((name.clone(), reshaped_leaf(dice, member))),
                    false => members.push((name.clone(), reshaped(dice, member))),
                }
            }
            if dice.chance(6) {
                members.push((Text::new("extra"), Value::bool(true)));
            }
            Value::object(members)
        }
        Type::List(_) | Type::Set(_) | Type::Tuple(_) => {
            let elements: Vec<Value> = value.children().map(|(_, element)| reshaped(dice, element)).collect();
            let fallback = value.ty().element().cloned().unwrap_or(Type::Dynamic);
            let made = match dice.below(6) {
                0 => Value::set(&fallback, elements.clone()),
                1 | 2 => Value::list(&fallback, elements.clone()),
                _ => return Value::tuple(elements),
            };
            made.unwrap_or_else(|_| Value::tuple(elements))
        }
        Type::Map(element) => {
            let entries: Vec<(Text, Value)> =
                value.entries().map(|(key, entry)| (key.clone(), reshaped(dice, entry))).collect();
            if dice.chance(100) {
                return Value::object(entries);
            }
            Value::map(element, entries.clone()).unwrap_or_else(|_| Value::object(entries))
        }
        _ if dice.chance(RESHAPED) => reshaped_leaf(dice, value),
        _ => value.to_value(),
    }
}

/// A replacement for a leaf: its text, a null, an unknown, or a text that its type may not take.
fn reshaped_leaf(dice: &mut Dice<'_, '_>, value: ValueRef<'_>) -> Value {
    match (value.node(), dice.below(6)) {
        (Node::Number(number), 0..=2) => Value::string(&number.text()),
        (Node::Bool(bool), 0..=2) => Value::string(if bool.0 { "true" } else { "0" }),
        (_, 3) => Value::null(Type::Dynamic),
        (_, 4) => Value::unknown(Type::Dynamic),
        (_, 5) => Value::string("x"),
        _ => Value::null(value.ty().clone()),
    }
}

const FLAGS: [&str; 6] = ["required", "optional", "computed", "sensitive", "write_only", "deprecated"];
const MODES: [&str; 6] = ["single", "group", "list", "set", "map", "heap"];

/// The schema with some of its flags, modes and limits changed.
fn disturbed(dice: &mut Dice<'_, '_>, schema: &Json) -> Json {
    match schema {
        Json::Object(members) => {
            let mut members: Vec<(Box<str>, Json)> = members.clone();
            let is_attribute = members.iter().any(|(name, _)| matches!(&**name, "type" | "nested_type"));
            if is_attribute && dice.chance(16) {
                let flag = FLAGS[dice.below(FLAGS.len())];
                let before = members.len();
                members.retain(|(name, _)| **name != *flag);
                if members.len() == before {
                    members.push((flag.into(), Json::Bool(true)));
                }
            }
            let members = members.into_iter().map(|(name, member)| {
                let changed = match &*name {
                    "nesting_mode" if dice.chance(20) => Json::string(MODES[dice.below(MODES.len())]),
                    "min_items" | "max_items" if dice.chance(40) => Json::int(dice.below(4) as i64 - 1),
                    "type" => member,
                    _ => disturbed(dice, &member),
                };
                (name, changed)
            });
            let mut members: Vec<(Box<str>, Json)> = members.collect();
            let is_block = members.iter().any(|(name, _)| **name == *"nesting_mode")
                && members.iter().any(|(name, _)| **name == *"block");
            if is_block && dice.chance(16) {
                let limit = ["min_items", "max_items"][dice.below(2)];
                members.retain(|(name, _)| **name != *limit);
                members.push((limit.into(), Json::int(dice.below(4) as i64 - 1)));
            }
            Json::Object(members)
        }
        other => other.clone(),
    }
}
