//! Values as trees of labelled parts, made with the schema: writing a tree needs no schema.

use planfuzz_core::schema::{Attribute, Block, NestedBlock, NestedType, Nesting, Shape};
use planfuzz_core::value::{Text, Type, ValueRef};

use super::scalar::{name, quoted, scalar, type_text};

/// The most elements of one collection that are shown.
const MAX_ITEMS: usize = 200;

/// A value to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// A value that fits on a line and has no parts.
    Text(String),
    /// A value with parts.
    Group(Group),
}

/// A value with parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// The type, where the schema does not give it; empty otherwise.
    pub prefix: String,
    /// How it is bracketed.
    pub brackets: Brackets,
    /// The parts that are shown.
    pub items: Vec<Item>,
    /// How many more there are.
    pub left_out: usize,
}

/// How a group is bracketed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Brackets {
    /// `{ … }`, over several lines: a resource or a block.
    Block,
    /// `{ … }`: an object or a map.
    Braces,
    /// `[ … ]`: a list, set or tuple.
    Square,
}

/// A labelled part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub key: Key,
    pub body: Body,
}

/// The label of a part; parts of two values with the same key are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// `name = …`.
    Attribute(String),
    /// `"key" = …`.
    Entry(String),
    /// An element by its place.
    Element(usize),
    /// An element of a set: only equal ones belong together.
    Member,
    /// `name { … }`, or `name "key" { … }`, by its place among those of its name; `name = …` where there are none.
    Block { head: String, index: usize },
    /// `name { … }` of a set.
    SetBlock { head: String },
}

impl Key {
    /// Whether parts of this key belong together only where they are equal.
    pub fn is_of_set(&self) -> bool {
        matches!(self, Key::Member | Key::SetBlock { .. })
    }
}

impl Body {
    pub fn is_null(&self) -> bool {
        matches!(self, Body::Text(text) if text == "null")
    }

    /// Whether this is null, unknown or empty where blocks are expected.
    pub fn is_no_block(&self) -> bool {
        match self {
            Body::Text(_) => true,
            Body::Group(group) => group.brackets != Brackets::Block,
        }
    }
}

/// The tree of an object of a block.
pub(super) fn of_block(block: &Block, value: ValueRef<'_>) -> Body {
    if let Some(text) = scalar(value) {
        return Body::Text(text);
    }
    let mut items = attribute_items(block.attributes.iter(), value);
    for (block_name, nested) in block.block_types.iter() {
        if let Some(member) = value.member(block_name) {
            block_items(block_name, nested, member, &mut items);
        }
    }
    Body::Group(group(Brackets::Block, items))
}

fn attribute_items<'s>(attributes: impl Iterator<Item = (&'s Text, &'s Attribute)>, value: ValueRef<'_>) -> Vec<Item> {
    attributes
        .filter_map(|(attribute_name, attribute)| {
            let body = of_attribute(attribute, value.member(attribute_name)?);
            Some(Item { key: Key::Attribute(name(attribute_name)), body })
        })
        .collect()
}

/// The tree of an attribute's value.
pub(super) fn of_attribute(attribute: &Attribute, value: ValueRef<'_>) -> Body {
    match &attribute.shape {
        Shape::Leaf(ty) => of_type(ty, value),
        Shape::Nested(nested) => of_nested(nested, value),
    }
}

fn of_nested(nested: &NestedType, value: ValueRef<'_>) -> Body {
    match (nested.nesting, scalar(value)) {
        // S33: below an untyped block a value of any type may occur here.
        (_, Some(_)) if value.ty().is_primitive() => of_type(&Type::Dynamic, value),
        (_, Some(text)) => Body::Text(text),
        (Nesting::Single | Nesting::Group, None) => of_nested_object(nested, value),
        (Nesting::List | Nesting::Set | Nesting::Map, None) => {
            collection(value, |element, _| of_nested_object(nested, element))
        }
    }
}

fn of_nested_object(nested: &NestedType, value: ValueRef<'_>) -> Body {
    match scalar(value) {
        Some(text) => Body::Text(text),
        None => Body::Group(group(Brackets::Braces, attribute_items(nested.attributes.iter(), value))),
    }
}

/// The blocks of one type. The whole is a list, set or map of them, or one block.
fn block_items(block_name: &str, nested: &NestedBlock, value: ValueRef<'_>, items: &mut Vec<Item>) {
    let head = name(block_name);
    if let (Nesting::Single | Nesting::Group, true) = (nested.nesting, value.is_present()) {
        return items.push(Item { key: Key::Block { head, index: 0 }, body: of_block(&nested.block, value) });
    }
    if !value.is_present() || value.is_empty() {
        let body = collection(value, |element, _| of_block(&nested.block, element));
        return items.push(Item { key: Key::Block { head, index: 0 }, body });
    }
    let is_set = matches!(value.ty(), Type::Set(_));
    items.extend(parts(value).into_iter().enumerate().map(|(index, (key, element))| {
        let head = key.map_or_else(|| head.clone(), |key| format!("{head} {}", quoted(key)));
        let key = if is_set { Key::SetBlock { head } } else { Key::Block { head, index } };
        Item { key, body: of_block(&nested.block, element) }
    }));
    if value.len() > MAX_ITEMS {
        let body = Body::Text(format!("# ({} more blocks)", value.len() - MAX_ITEMS));
        items.push(Item { key: Key::Block { head, index: MAX_ITEMS }, body });
    }
}

/// The tree of a value with the type `declared` in its schema.
pub(super) fn of_type(declared: &Type, value: ValueRef<'_>) -> Body {
    let says_its_type = declared.is_dynamic() || !value.ty().conforms_to(declared);
    if says_its_type && !value.ty().is_dynamic() {
        return typed(of_type(value.ty(), value), value.ty());
    }
    if let Some(text) = scalar(value) {
        return Body::Text(text);
    }
    if let Some(object) = value.object_type() {
        let members = object.attributes().iter().zip(value.children()).map(|(attribute, (_, member))| {
            let declared = declared.as_object().and_then(|object| object.attribute_type(&attribute.name));
            Item { key: Key::Attribute(name(&attribute.name)), body: of_type(declared.unwrap_or(member.ty()), member) }
        });
        return Body::Group(group(Brackets::Braces, members.collect()));
    }
    collection(value, |element, index| {
        let declared = match declared {
            Type::Tuple(tuple) => tuple.elements().get(index),
            other => other.element(),
        };
        of_type(declared.unwrap_or(element.ty()), element)
    })
}

/// A value at a place of type `dynamic`, which shows its type.
fn typed(body: Body, ty: &Type) -> Body {
    let prefix = type_text(ty);
    match body {
        Body::Text(text) => Body::Text(format!("{prefix} {text}")),
        Body::Group(group) => Body::Group(Group { prefix, ..group }),
    }
}

/// The tree of a list, set, tuple or map, or of an object in the place of one.
fn collection<'v>(value: ValueRef<'v>, mut of_element: impl FnMut(ValueRef<'v>, usize) -> Body) -> Body {
    if let Some(text) = scalar(value) {
        return Body::Text(text);
    }
    let keyed = matches!(value.ty(), Type::Map(_) | Type::Object(_));
    let is_set = matches!(value.ty(), Type::Set(_));
    let items = parts(value).into_iter().enumerate().map(|(index, (key, element))| {
        let key = match key {
            Some(key) => Key::Entry(quoted(key)),
            None if is_set => Key::Member,
            None => Key::Element(index),
        };
        Item { key, body: of_element(element, index) }
    });
    let items = items.collect();
    let left_out = value.len().saturating_sub(MAX_ITEMS);
    let brackets = if keyed { Brackets::Braces } else { Brackets::Square };
    Body::Group(Group { left_out, ..group(brackets, items) })
}

/// The shown parts of a known collection, or of an object in its place, with their keys.
fn parts(value: ValueRef<'_>) -> Vec<(Option<&Text>, ValueRef<'_>)> {
    let keyed = value.entries().map(|(key, part)| (Some(key), part));
    let unkeyed = value.children().map(|(_, part)| (None, part));
    match value.ty() {
        Type::Map(_) | Type::Object(_) => keyed.take(MAX_ITEMS).collect(),
        _ => unkeyed.take(MAX_ITEMS).collect(),
    }
}

fn group(brackets: Brackets, items: Vec<Item>) -> Group {
    Group { prefix: String::new(), brackets, items, left_out: 0 }
}
