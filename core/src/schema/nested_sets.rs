//! The depth to which sets nest in a schema.
//!
//! Problem: an engine that hashes a set's elements anew for each comparison takes six times as long for each further level of sets
//! within sets, so a case of a few kilobytes can take it minutes, and this is known. Idea: the schema bounds how deep sets can nest; a
//! walk whose sets nest deeply gets a run of its own, as a run that takes too long is divided until the case that causes it is found.
//! Guarantee: an engine that takes too long over any other schema is a finding.

use super::{Attribute, Block, Nesting, Schema, Shape};
use crate::value::Type;

/// From this depth on an engine is often slow: two elements a level, eight levels take seconds.
const DEEP: usize = 5;

/// From this depth on an engine may be slow: wider sets need fewer levels.
const SLOW: usize = 3;

/// Whether sets nest so deep in the schema that a walk of it should have a run of its own.
pub fn are_deep(schema: &Schema) -> bool {
    of_block(&schema.block) >= DEEP
}

/// Whether sets nest so deep that an engine is known to take longer than a run may.
pub fn may_be_slow(schema: &Schema) -> bool {
    of_block(&schema.block) >= SLOW
}

fn of_block(block: &Block) -> usize {
    let attributes = block.attributes.values().map(of_attribute);
    let blocks = block.block_types.values().map(|nested| level(nested.nesting) + of_block(&nested.block));
    attributes.chain(blocks).max().unwrap_or(0)
}

fn level(nesting: Nesting) -> usize {
    usize::from(nesting == Nesting::Set)
}

fn of_attribute(attribute: &Attribute) -> usize {
    match &attribute.shape {
        Shape::Leaf(ty) => of_type(ty),
        Shape::Nested(nested) => {
            level(nested.nesting) + nested.attributes.values().map(of_attribute).max().unwrap_or(0)
        }
    }
}

fn of_type(ty: &Type) -> usize {
    match ty {
        Type::Dynamic | Type::Bool | Type::Number | Type::String => 0,
        Type::Set(element) => 1 + of_type(element),
        Type::List(element) | Type::Map(element) => of_type(element),
        Type::Tuple(tuple) => tuple.elements().iter().map(of_type).max().unwrap_or(0),
        Type::Object(object) => object.attributes().iter().map(|attribute| of_type(&attribute.ty)).max().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;

    fn schema(attributes: &str, levels: usize) -> Schema {
        let innermost = format!(r#"{{"attributes": {attributes}}}"#);
        let outside = |block, _| format!(r#"{{"block_types": {{"s": {{"nesting_mode": "set", "block": {block}}}}}}}"#);
        let block = (0..levels).fold(innermost, outside);
        let json = Json::parse(&format!(r#"{{"version": 0, "block": {block}}}"#)).expect("JSON");
        Schema::from_json(&json).expect("a schema")
    }

    #[test]
    fn sets_count_in_blocks_nested_attributes_and_types() {
        let nested = r#"{"a": {"optional": true, "nested_type": {"nesting_mode": "set", "attributes": {
            "b": {"optional": true, "type": ["map", ["set", ["object", {"c": ["set", "string"]}]]]}}}}}"#;
        assert!(!are_deep(&schema("{}", DEEP - 1)) && are_deep(&schema("{}", DEEP)));
        assert!(!are_deep(&schema(nested, DEEP - 4)) && are_deep(&schema(nested, DEEP - 3)));
        assert!(!may_be_slow(&schema("{}", SLOW - 1)) && may_be_slow(&schema("{}", SLOW)));
    }
}
