//! `B` of the rules: a block and the facts that follow from it alone.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Block, Nesting};
use planfuzz_core::value::{Text, Type, Value};

/// A block schema, with the facts that the rules need repeatedly computed once.
#[derive(Debug)]
pub(super) struct BlockSchema<'s> {
    /// The block itself: its attributes.
    pub block: &'s Block,
    /// The implied type (S30).
    pub ty: Type,
    /// The empty value (S35).
    pub empty: Value,
    /// The nested block types, by the bytes of their names.
    pub block_types: Vec<BlockType<'s>>,
}

/// A nested block type.
#[derive(Debug)]
pub(super) struct BlockType<'s> {
    pub name: &'s Text,
    pub nesting: Nesting,
    pub schema: BlockSchema<'s>,
}

impl<'s> BlockSchema<'s> {
    pub fn new(block: &'s Block, dialect: Dialect) -> BlockSchema<'s> {
        let block_types = block.block_types.iter().map(|(name, nested)| BlockType {
            name,
            nesting: nested.nesting,
            schema: BlockSchema::new(&nested.block, dialect),
        });
        let block_types: Vec<_> = block_types.collect();
        let ty = block.implied_type_around(dialect, block_types.iter().map(|nested| nested.schema.ty.clone()));
        let empty = block.empty_value_of(&ty);
        BlockSchema { block, ty, empty, block_types }
    }

    /// Whether a block anywhere inside is computed (S05).
    pub fn has_computed_blocks(&self) -> bool {
        self.block_types.iter().any(|nested| nested.schema.block.computed || nested.schema.has_computed_blocks())
    }
}
