//! What the cases of one schema have in common.

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::Schema;

use super::outline::BlockOutline;
use super::settings::Size;
use super::swarm::Swarm;

/// A schema, the dialect it is valid in, and what is decided for all its cases.
#[derive(Clone, Debug)]
pub struct SchemaContext {
    /// The schema.
    pub(super) schema: Arc<Schema>,
    /// The schema as values are made from it.
    pub(super) outline: Arc<BlockOutline>,
    pub(super) dialect: Dialect,
    pub(super) size: Size,
    pub(super) swarm: Swarm,
    /// Whether -0 may be made: only where there are no sets (V56).
    pub(super) minus_zero: bool,
}

impl SchemaContext {
    /// A world with all features, for a schema that is there.
    pub(super) fn of_schema(schema: Arc<Schema>, dialect: Dialect, size: Size) -> SchemaContext {
        let outline = Arc::new(BlockOutline::of_schema(&schema, dialect));
        SchemaContext { minus_zero: !outline.has_sets(), schema, outline, dialect, size, swarm: Swarm::default() }
    }

    /// The schema.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The dialect.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The same for another schema.
    pub(super) fn with_schema(self, schema: Schema) -> SchemaContext {
        let outline = Arc::new(BlockOutline::of_schema(&schema, self.dialect));
        SchemaContext { minus_zero: !outline.has_sets(), outline, schema: Arc::new(schema), ..self }
    }
}
