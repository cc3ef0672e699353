//! W3 to W6: resources of many objects.
//!
//! The objects of W3, W4 and W5 are the same: three configured attributes and two computed ones. One object, in the
//! middle, changes in one configured attribute; its computed ones are unknown in the plan.

use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, NestedType, Nesting, Shape};
use planfuzz_core::value::{Text, Type, Value};

use super::{REFERENCE_SET_ELEMENTS, Role, Workload, block_of, computed, identifier, object, optional, required};

/// How the computed attributes of a set's elements sort.
///
/// A set iterates by its elements' attributes in the order of their names (V53), and configurations have null at computed
/// ones. So with the computed ones first the prior state and the configuration iterate in orders that have nothing to do
/// with one another; with the computed ones last the orders agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computed {
    /// Before the configured ones: W3.
    First,
    /// After the configured ones: W3c.
    Last,
}

impl Computed {
    fn names(self) -> [&'static str; 2] {
        match self {
            Computed::First => ["arn", "association"],
            Computed::Last => ["zone_arn", "zone_id"],
        }
    }
}

/// W3-n and W3c-n: one block type of mode set with `elements` elements.
pub fn set_blocks(elements: usize, order: Computed) -> Workload {
    let name = if order == Computed::First { "W3" } else { "W3c" };
    let values = Role::ALL.map(|role| {
        let rules = (0..elements).map(|index| rule(role, order, index, elements / 2)).collect();
        root("rule", Value::set(&rule_type(order), rules).expect("the elements are of one type"))
    });
    let mut workload = Workload::new(format!("{name}-{elements}"), blocks_of(Nesting::Set, order), values);
    workload.for_reference = elements <= REFERENCE_SET_ELEMENTS;
    workload
}

/// W4-n: the same as a list.
pub fn list_blocks(elements: usize) -> Workload {
    let order = Computed::First;
    let values = Role::ALL.map(|role| {
        let rules = (0..elements).map(|index| rule(role, order, index, elements / 2)).collect();
        root("rule", Value::list(&rule_type(order), rules).expect("the elements are of one type"))
    });
    Workload::new(format!("W4-{elements}"), blocks_of(Nesting::List, order), values)
}

/// W5: a nested attribute, a map of `entries` objects.
pub fn nested_map(entries: usize) -> Workload {
    let order = Computed::First;
    let nested = NestedType { nesting: Nesting::Map, attributes: Named::new(rule_attributes(order)) };
    let mut attribute = Attribute::new(Shape::Nested(nested));
    attribute.optional = true;
    let mut block = block_of(vec![required("name", Type::String)]);
    let rules = [(Text::new("rules"), attribute)];
    block.attributes = Named::new(block.attributes.into_entries().into_iter().chain(rules).collect());
    let values = Role::ALL.map(|role| {
        let rules = (0..entries).map(|index| (Text::new(&key(index)), rule(role, order, index, entries / 2)));
        root("rules", Value::map(&rule_type(order), rules.collect()).expect("the entries are of one type"))
    });
    Workload::new("W5", block, values)
}

fn key(index: usize) -> String {
    format!("rule-{index:05}")
}

fn root(name: &str, objects: Value) -> Value {
    object(vec![("name", Value::string("main")), (name, objects)])
}

fn blocks_of(nesting: Nesting, order: Computed) -> Block {
    let nested = NestedBlock { nesting, block: block_of(rule_attributes(order)), min_items: 0, max_items: 0 };
    let block_types = Named::new(vec![(Text::new("rule"), nested)]);
    Block { block_types, ..block_of(vec![required("name", Type::String)]) }
}

fn rule_attributes(order: Computed) -> Vec<(Text, Attribute)> {
    let [first, second] = order.names();
    vec![
        required("name", Type::String),
        optional("port", Type::Number),
        optional("protocol", Type::String),
        computed(first, Type::String),
        computed(second, Type::String),
    ]
}

fn rule_type(order: Computed) -> Type {
    rule(Role::Prior, order, 0, 0).ty().clone()
}

/// The object at `index`, which changes where that is `changed`.
fn rule(role: Role, order: Computed, index: usize, changed: usize) -> Value {
    let changes = index == changed;
    let [first, second] = order.names();
    let made = |prefix: &str, number| Value::string(&format!("{prefix}-{}", identifier(number)));
    let port = Value::number(index as i64);
    let new_port = if changes { Value::number(-1_i64) } else { port.clone() };
    object(vec![
        ("name", Value::string(&key(index))),
        ("port", role.configured(port, new_port)),
        ("protocol", Value::string(if index.is_multiple_of(2) { "tcp" } else { "udp" })),
        (first, role.computed(made("arn", index), made("arn", index + 100_000), changes)),
        (second, role.computed(made("assoc", index + 50_000), made("assoc", index + 150_000), changes)),
    ])
}

/// W6: a tree of list blocks, `depth` levels with `fan_out` blocks in each; each block has three attributes, one of
/// them computed. The first block of the lowest level changes, and its computed attribute with it.
pub fn block_tree(depth: usize, fan_out: usize) -> Workload {
    let block = Block { block_types: level_types(depth), ..block_of(vec![required("name", Type::String)]) };
    let values = Role::ALL.map(|role| {
        let mut number = 0;
        let levels = level(role, depth, fan_out, &mut number);
        root("level", levels)
    });
    Workload::new("W6", block, values)
}

fn level_types(depth: usize) -> Named<NestedBlock> {
    if depth == 0 {
        return Named::default();
    }
    let attributes =
        vec![required("label", Type::String), optional("weight", Type::Number), computed("id", Type::String)];
    let block = Block { block_types: level_types(depth - 1), ..block_of(attributes) };
    let nested = NestedBlock { nesting: Nesting::List, block, min_items: 0, max_items: 0 };
    Named::new(vec![(Text::new("level"), nested)])
}

/// The blocks of one level with all that is below them; `number` counts the blocks of the lowest level.
fn level(role: Role, depth: usize, fan_out: usize, number: &mut usize) -> Value {
    let mut blocks = Vec::with_capacity(fan_out);
    for place in 0..fan_out {
        let below = (depth > 1).then(|| level(role, depth - 1, fan_out, number));
        *number += 1;
        let changes = *number == 1;
        let (before, after) = (Value::number(place as i64), Value::number(if changes { -1_i64 } else { place as i64 }));
        let id = |version: usize| Value::string(&identifier(*number + 10_000 * version));
        let mut members = vec![
            ("label", Value::string(&format!("level-{depth}-{place}"))),
            ("weight", role.configured(before, after)),
            ("id", role.computed(id(0), id(1), changes)),
        ];
        members.extend(below.map(|below| ("level", below)));
        blocks.push(object(members));
    }
    let element = blocks.first().map_or(Type::Dynamic, |block| block.ty().clone());
    Value::list(&element, blocks).expect("the blocks of a level are of one type")
}
