//! Correct configurations that an engine's decoding changes or crashes on.
//!
//! An engine's spec types have markers for optional attributes (S32). A conversion removes them, but a value that is made where nothing is
//! written keeps them (docs/trophies.md, "Optional attributes in the type of an attribute"). Such configurations are not written.

use std::collections::BTreeSet;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Block, NestedType, Nesting, Shape};
use planfuzz_core::value::{Node, Range, Text, ValueRef};

/// Whether a type somewhere in a block has optional attributes. From several such blocks the engine makes elements of different types,
/// depending on where the nulls in them come from, and crashes (docs/trophies.md).
pub(super) fn has_optional(block: &Block) -> bool {
    block.attributes.iter().any(|(_, attribute)| holds_optional(attribute))
        || block.block_types.iter().any(|(_, nested)| has_optional(&nested.block))
}

/// Whether a type in an attribute has optional attributes.
pub(super) fn holds_optional(attribute: &Attribute) -> bool {
    match &attribute.shape {
        Shape::Leaf(ty) => ty.has_optional(),
        Shape::Nested(nested) => nested.attributes.iter().any(|(_, attribute)| holds_optional(attribute)),
    }
}

/// Whether the blocks of a map get different types, on which the engine crashes: without inner blocks an element has the spec type, with
/// some it has the implied type (S30, S32). Lists and sets of blocks are converted to one type, so nothing deeper matters.
pub(super) fn is_uneven(block: &Block, blocks: ValueRef<'_>, dialect: Dialect) -> bool {
    if blocks.len() < 2 || !blocks.is_present() || !is_marked(block, dialect) {
        return false;
    }
    let marked = |element: ValueRef<'_>| {
        let mut found = BTreeSet::new();
        marked_places(block, element, dialect, &mut Vec::new(), &mut found);
        found
    };
    let mut elements = blocks.children().map(|(_, element)| marked(element));
    let first = elements.next();
    elements.any(|other| Some(other) != first)
}

/// The places of nested blocks that get the spec type because they are empty.
fn marked_places<'s>(
    block: &'s Block,
    value: ValueRef<'_>,
    dialect: Dialect,
    here: &mut Vec<&'s Text>,
    found: &mut BTreeSet<Vec<&'s Text>>,
) {
    for (name, nested) in block.block_types.iter().filter(|(_, nested)| is_marked(&nested.block, dialect)) {
        let Some(value) = value.member(name).filter(|value| value.is_present()) else { continue };
        here.push(name);
        match nested.nesting {
            Nesting::Single | Nesting::Group => marked_places(&nested.block, value, dialect, here, found),
            _ if value.is_empty() => {
                found.insert(here.clone());
            }
            Nesting::Map => {
                for (_, element) in value.children() {
                    marked_places(&nested.block, element, dialect, here, found);
                }
            }
            Nesting::List | Nesting::Set => {}
        }
        here.pop();
    }
}

/// Whether the spec type of a block has markers that its implied type lacks.
fn is_marked(block: &Block, dialect: Dialect) -> bool {
    block.attributes.values().any(|attribute| attribute.spec_type(dialect).has_optional())
        || block.block_types.values().any(|nested| is_marked(&nested.block, dialect))
}

/// Whether an unknown set somewhere inside of a nested attribute may end up with a minimal length of one when the value around it is
/// converted to its spec type: converted elements may be equal. An object that already has the type is not converted, but next to any null
/// there is one that does not.
pub(super) fn shortens(attribute: &Attribute, value: ValueRef<'_>, dialect: Dialect) -> bool {
    match &attribute.shape {
        Shape::Leaf(_) => false,
        Shape::Nested(nested) => shortens_inside(nested, value, dialect),
    }
}

fn shortens_inside(nested: &NestedType, value: ValueRef<'_>, dialect: Dialect) -> bool {
    if !value.is_present() {
        return false;
    }
    let object = |object: ValueRef<'_>| {
        nested.attributes.iter().any(|(name, attribute)| {
            let (Shape::Nested(nested), Some(member)) = (&attribute.shape, object.member(name)) else { return false };
            let is_set = nested.nesting == Nesting::Set && attribute.spec_type(dialect).has_optional();
            is_set && is_long(member) || shortens_inside(nested, member, dialect)
        })
    };
    match nested.nesting {
        Nesting::Single | Nesting::Group => object(value),
        Nesting::List | Nesting::Set | Nesting::Map => value.children().any(|(_, element)| object(element)),
    }
}

/// Whether a value is an unknown with more than one element.
fn is_long(value: ValueRef<'_>) -> bool {
    let Node::Unknown(Some(record)) = value.node() else { return false };
    matches!(record.range, Range::Length { min, .. } if min > 1)
}

#[cfg(test)]
mod tests {
    use planfuzz_core::json::Json;
    use planfuzz_core::schema::Schema;
    use planfuzz_core::value::Value;

    use super::*;

    const T11: Dialect = Dialect::TERRAFORM_1_11;

    fn schema(block: &str) -> Schema {
        Schema::parse(&format!(r#"{{"block": {block}}}"#)).expect("a schema")
    }

    fn value(schema: &Schema, text: &str) -> Value {
        Value::from_json(&Json::parse(text).expect("JSON"), &schema.implied_type(T11)).expect("a value")
    }

    #[test]
    fn blocks_of_a_map_that_are_empty_inside_are_of_another_type() {
        let of = |mode: &str, flag: &str| {
            schema(&format!(
                r#"{{"block_types": {{"m": {{"nesting_mode": "map", "block": {{"block_types": {{
                    "a": {{"nesting_mode": "{mode}", "block": {{"attributes": {{
                        "n": {{"optional": true, "nested_type": {{"nesting_mode": "single", "attributes": {{
                            "x": {{"type": "string", "{flag}": true}}}}}}}}}}}}}}}}}}}}}}}}"#
            ))
        };
        let uneven = |mode: &str, flag: &str, one: &str, other: &str| {
            let schema = of(mode, flag);
            let value = value(&schema, &format!(r#"{{"m": {{"k": {{"a": {one}}}, "l": {{"a": {other}}}}}}}"#));
            let nested = schema.block.block_types.get("m").expect("a block type");
            is_uneven(&nested.block, value.view().member("m").expect("a member"), T11)
        };
        let some = r#"[{"n": {"x": "v"}}]"#;
        for mode in ["list", "set"] {
            assert!(uneven(mode, "optional", some, "[]"));
            assert!(uneven(mode, "computed", "[]", some));
            assert!(!uneven(mode, "required", some, "[]"), "no markers");
            assert!(!uneven(mode, "optional", some, some));
            assert!(!uneven(mode, "optional", "[]", "[]"));
            assert!(uneven(mode, "optional", "[]", r#"{"$unknown": true}"#));
            assert!(!uneven(mode, "optional", some, r#"{"$unknown": true}"#));
        }
        assert!(uneven("map", "optional", r#"{"i": {"n": null}}"#, "{}"));
        assert!(!uneven("single", "optional", r#"{"n": null}"#, "null"));
    }

    #[test]
    fn an_unknown_set_in_an_object_becomes_a_shorter_one() {
        let of = |mode: &str, set: &str| {
            schema(&format!(
                r#"{{"attributes": {{"a": {{"optional": true, "nested_type": {{"nesting_mode": "{mode}", "attributes": {{
                    "s": {{"optional": true, "nested_type": {{"nesting_mode": "{set}", "attributes": {{
                        "x": {{"type": "string", "optional": true}}}}}}}}}}}}}}}}}}"#
            ))
        };
        let shorter = |mode: &str, set: &str, text: &str| {
            let schema = of(mode, set);
            let value = value(&schema, &format!(r#"{{"a": {text}}}"#));
            let attribute = schema.block.attributes.get("a").expect("an attribute");
            shortens(attribute, value.view().member("a").expect("a member"), T11)
        };
        let of_length = |min: u32| format!(r#"{{"s": {{"$unknown": {{"length_min": {min}}}}}}}"#);
        assert!(shorter("list", "set", &format!("[{}]", of_length(2))));
        assert!(shorter("map", "set", &format!(r#"{{"k": {}}}"#, of_length(3))));
        assert!(!shorter("list", "set", &format!("[{}]", of_length(1))));
        assert!(!shorter("list", "list", &format!("[{}]", of_length(2))));
        assert!(shorter("single", "set", &of_length(2)));
        assert!(!shorter("single", "list", &of_length(2)));
    }
}
