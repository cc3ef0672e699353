//! Decides which schemas may be of the legacy SDK (K03).

use planfuzz_core::schema::{Block, Schema, Shape};
use planfuzz_core::value::Type;

/// Whether a schema may be one of the legacy SDK: it uses nothing that the legacy SDK cannot express.
pub fn may_be_legacy(schema: &Schema) -> bool {
    block_may(&schema.block)
}

fn block_may(block: &Block) -> bool {
    let attribute = |shape: &Shape| match shape {
        Shape::Nested(_) => false,
        Shape::Leaf(ty) => leaf_may(ty),
    };
    !block.computed
        && block.attributes.values().all(|it| attribute(&it.shape))
        && block.block_types.values().all(|nested| block_may(&nested.block))
}

/// Attributes whose elements are objects are blocks in the configuration of legacy providers: computed ones, and those of
/// the mode "attributes as blocks".
fn leaf_may(ty: &Type) -> bool {
    match ty {
        Type::Dynamic | Type::Tuple(_) | Type::Object(_) => false,
        Type::Bool | Type::Number | Type::String => true,
        Type::Map(element) => !matches!(**element, Type::Object(_)),
        Type::List(element) | Type::Set(element) => match &**element {
            Type::Object(object) => object.attributes().iter().all(|attribute| leaf_may(&attribute.ty)),
            element => leaf_may(element),
        },
    }
}
