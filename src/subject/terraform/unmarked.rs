//! Schemas without some of their sensitive attributes.
//!
//! The operations of the merge have no marks, but the walks that show them do: a mark inside a nested attribute merges all findings in the
//! attribute into one (L57), and a null beside one is a crash (S71). Sensitive attributes of a schema matter to the merge only at the
//! attributes of blocks (AC10), and to most of its operations not at all.

use std::sync::Arc;

use planfuzz_core::schema::{Attribute, Block, Schema, Shape};

/// The schema with nothing sensitive in it.
pub(super) fn everywhere(schema: &Arc<Schema>) -> Arc<Schema> {
    without(schema, Kept::Nothing)
}

/// The schema with nothing sensitive inside of a nested attribute; the attribute as a whole may be.
pub(super) fn inside_of_attributes(schema: &Arc<Schema>) -> Arc<Schema> {
    without(schema, Kept::OfBlocks)
}

/// The attributes that stay sensitive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Nothing,
    OfBlocks,
}

/// The schema without other sensitive attributes; the same `Arc` if there are none, which is the common case.
fn without(schema: &Arc<Schema>, kept: Kept) -> Arc<Schema> {
    if !block_has_sensitive(&schema.block, kept) {
        return schema.clone();
    }
    let mut schema = Schema::clone(schema);
    hush_block(&mut schema.block, kept);
    Arc::new(schema)
}

fn block_has_sensitive(block: &Block, kept: Kept) -> bool {
    block.attributes.values().any(|attribute| has_sensitive(attribute, kept))
        || block.block_types.values().any(|nested| block_has_sensitive(&nested.block, kept))
}

fn has_sensitive(attribute: &Attribute, kept: Kept) -> bool {
    let inside = |attribute: &Attribute| {
        attribute
            .nested_type()
            .is_some_and(|nested| nested.attributes.values().any(|member| has_sensitive(member, Kept::Nothing)))
    };
    kept == Kept::Nothing && attribute.sensitive || inside(attribute)
}

fn hush_block(block: &mut Block, kept: Kept) {
    block.attributes.values_mut().for_each(|attribute| hush(attribute, kept));
    block.block_types.values_mut().for_each(|nested| hush_block(&mut nested.block, kept));
}

fn hush(attribute: &mut Attribute, kept: Kept) {
    if kept == Kept::Nothing {
        attribute.sensitive = false;
    }
    if let Shape::Nested(nested) = &mut attribute.shape {
        nested.attributes.values_mut().for_each(|member| hush(member, Kept::Nothing));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r#"{"block": {
        "attributes": {
            "a": {"type": "string", "optional": true, "sensitive": true},
            "n": {"optional": true, "sensitive": true, "nested_type": {"nesting_mode": "list", "attributes": {
                "x": {"type": "string", "optional": true, "sensitive": true, "write_only": true},
                "m": {"optional": true, "nested_type": {"nesting_mode": "single", "attributes": {
                    "y": {"type": "string", "computed": true, "sensitive": true}}}}}}}},
        "block_types": {"b": {"nesting_mode": "set", "block": {"attributes": {
            "z": {"type": "string", "optional": true, "sensitive": true}}}}}}}"#;

    fn schema(text: &str) -> Arc<Schema> {
        Arc::new(Schema::parse(text).expect("a schema"))
    }

    #[test]
    fn ac10_the_attributes_of_blocks_stay_sensitive_where_that_matters() {
        let sensitive = ", \"sensitive\": true";
        let bare = schema(&SCHEMA.replace(sensitive, ""));
        assert_eq!(everywhere(&schema(SCHEMA)), bare);
        let kept = SCHEMA
            .replace(
                "\"x\": {\"type\": \"string\", \"optional\": true, \"sensitive\": true",
                "\"x\": {\"type\": \"string\", \"optional\": true",
            )
            .replace("\"computed\": true, \"sensitive\": true", "\"computed\": true");
        assert_eq!(inside_of_attributes(&schema(SCHEMA)), schema(&kept));
    }

    #[test]
    fn a_schema_without_sensitive_attributes_is_not_copied() {
        let bare = schema(&SCHEMA.replace(", \"sensitive\": true", ""));
        assert!(Arc::ptr_eq(&everywhere(&bare), &bare));
        let of_blocks =
            schema(r#"{"block": {"attributes": {"a": {"type": "string", "optional": true, "sensitive": true}}}}"#);
        assert!(Arc::ptr_eq(&inside_of_attributes(&of_blocks), &of_blocks));
    }
}
