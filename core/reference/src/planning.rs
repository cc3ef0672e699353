//! The schema in a dialect, as all of planning uses it.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::Schema;

use super::block_schema::BlockSchema;

/// A schema in a dialect, read once.
#[derive(Debug)]
pub(super) struct Planning<'s> {
    pub(super) dialect: Dialect,
    pub(super) source: &'s Schema,
    pub(super) schema: BlockSchema<'s>,
}
