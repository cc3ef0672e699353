//! W1 and W2: resources of attributes alone.

use planfuzz_core::schema::{Attribute, Block, Named};
use planfuzz_core::value::{Text, Type, Value};

use super::{Role, Workload, block_of, computed, identifier, object, optional, required};

/// W1: a flat resource of 12 attributes, four of them computed. One configured attribute changes, and one computed
/// attribute with it.
pub fn flat() -> Workload {
    let block = block_of(vec![
        required("name", Type::String),
        required("region", Type::String),
        optional("description", Type::String),
        optional("size", Type::Number),
        optional("enabled", Type::Bool),
        optional("image", Type::String),
        optional("retention_days", Type::Number),
        optional("owner", Type::String),
        computed("arn", Type::String),
        computed("id", Type::String),
        computed("status", Type::String),
        computed("updated_at", Type::String),
    ]);
    Workload::new("W1", block, Role::ALL.map(flat_value))
}

fn flat_value(role: Role) -> Value {
    let known = |text: &str| role.computed(Value::string(text), Value::null(Type::String), false);
    object(vec![
        ("name", Value::string("web-frontend")),
        ("region", Value::string("eu-central-1")),
        ("description", role.configured(Value::string("the old words"), Value::string("the new words"))),
        ("size", Value::number(20_i64)),
        ("enabled", Value::bool(true)),
        ("image", Value::string("registry.example.com/web:1.4.2")),
        ("retention_days", Value::number(30_i64)),
        ("owner", Value::null(Type::String)),
        ("arn", known("arn:example:web:eu-central-1:web-frontend")),
        ("id", known("9e3779b97f4a7c15")),
        ("status", known("running")),
        ("updated_at", role.computed(Value::string("2024-01-01"), Value::string("2024-06-01"), true)),
    ])
}

/// W2: 200 attributes of mixed types, every eighth of them computed. One configured attribute changes, and one computed
/// attribute with it.
pub fn mixed() -> Workload {
    let names: Vec<Text> = (0..200).map(|index| Text::new(&format!("attribute_{index:03}"))).collect();
    let attributes = names.iter().enumerate().map(|(index, name)| mixed_attribute(index, name)).collect();
    let block = Block { attributes: Named::new(attributes), ..Block::default() };
    let values = Role::ALL.map(|role| {
        let members = names.iter().enumerate().map(|(index, name)| (name.clone(), mixed_value(role, index)));
        Value::object(members.collect())
    });
    Workload::new("W2", block, values)
}

/// The configured attribute of W2 that changes, and the computed one.
const CHANGED: [usize; 2] = [100, 103];

fn mixed_attribute(index: usize, name: &str) -> (Text, Attribute) {
    let ty = sample(index, 0).ty().clone();
    if is_computed(index) { computed(name, ty) } else { optional(name, ty) }
}

fn is_computed(index: usize) -> bool {
    index % 8 == 7
}

fn mixed_value(role: Role, index: usize) -> Value {
    let changed = CHANGED.contains(&index);
    let (before, after) = (sample(index, 0), sample(index, usize::from(changed)));
    if is_computed(index) { role.computed(before, after, changed) } else { role.configured(before, after) }
}

/// A value for attribute `index`; the types take turns, and another `version` is another value.
fn sample(index: usize, version: usize) -> Value {
    let text = |part: usize| Value::string(&identifier(index * 8 + part + 1_000 * version));
    let collected = "the elements are all strings";
    match index % 7 {
        0 => text(0),
        1 => Value::number((index + version) as i64),
        2 => Value::bool((index + version).is_multiple_of(2)),
        3 => Value::list(&Type::String, vec![text(0), text(1), text(2)]).expect(collected),
        4 => Value::set(&Type::String, vec![text(0), text(1), text(2)]).expect(collected),
        5 => {
            let entries = ["cost", "stage", "team"].into_iter().enumerate();
            let entries = entries.map(|(part, key)| (Text::new(key), text(part))).collect();
            Value::map(&Type::String, entries).expect(collected)
        }
        _ => object(vec![("host", text(0)), ("port", Value::number(index as i64)), ("tls", Value::bool(true))]),
    }
}
