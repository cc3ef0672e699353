//! Schemas and values without the optional markers of their types (S34), as messages to providers carry them.

use planfuzz_core::schema::{Attribute, Block, Schema, Shape};
use planfuzz_core::value::{Type, Value};

/// The schema without markers; `None` if it has none.
pub(super) fn schema(schema: &Schema) -> Option<Schema> {
    block_has_markers(&schema.block).then(|| {
        let mut schema = schema.clone();
        strip_block(&mut schema.block);
        schema
    })
}

/// The same value, of a type without markers.
pub(super) fn value(value: &Value) -> Value {
    Value::from_parts(value.ty().strip_optional(), value.node().clone())
}

fn block_has_markers(block: &Block) -> bool {
    block.attributes.values().any(has_markers) || block.block_types.values().any(|it| block_has_markers(&it.block))
}

fn has_markers(attribute: &Attribute) -> bool {
    match &attribute.shape {
        Shape::Leaf(ty) => Type::has_optional(ty),
        Shape::Nested(nested) => nested.attributes.values().any(has_markers),
    }
}

fn strip_block(block: &mut Block) {
    block.attributes.values_mut().for_each(strip);
    block.block_types.values_mut().for_each(|nested| strip_block(&mut nested.block));
}

fn strip(attribute: &mut Attribute) {
    match &mut attribute.shape {
        Shape::Leaf(ty) => *ty = ty.strip_optional(),
        Shape::Nested(nested) => nested.attributes.values_mut().for_each(strip),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lifecycle;
    use planfuzz_core::dialect::Dialect;
    use planfuzz_core::json::Json;

    /// S34, I03: a null without its markers, as the provider gets it, equals the proposed one; another value does not.
    #[test]
    fn s34_a_message_does_not_mention_optional_markers() {
        let json =
            r#"{"block": {"attributes": {"a": {"type": ["object", {"k": "string"}, ["k"]], "computed": true}}}}"#;
        let read = Schema::from_json(&Json::parse(json).expect("JSON")).expect("a schema");
        let dialect: Dialect = "terraform-1.11".parse().expect("a dialect");
        let ty = read.implied_type(dialect);
        let proposed = |text: &str| Value::from_json(&Json::parse(text).expect("JSON"), &ty).expect("a value");
        let (prior, config) = (Value::null(ty.clone()), proposed(r#"{"a": null}"#));
        let of = Lifecycle::new(&read, dialect);
        assert!(of.broken_merge(&prior, &config, &proposed(r#"{"a": null}"#)).is_none());
        assert!(of.broken_merge(&prior, &config, &proposed(r#"{"a": {"k": "x"}}"#)).is_some());
        assert!(schema(&schema(&read).expect("markers")).is_none());
    }
}
