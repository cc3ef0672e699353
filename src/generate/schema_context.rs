//! What the cases of one schema share.

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::Schema;

use super::outline::BlockOutline;
use super::settings::Size;
use super::swarm::Swarm;

/// A schema, the dialect it is valid in, and the decisions that hold for all its cases.
#[derive(Clone, Debug)]
pub struct SchemaContext {
    /// The schema.
    pub(super) schema: Arc<Schema>,
    /// The form of the schema that values are made from.
    pub(super) outline: Arc<BlockOutline>,
    pub(super) dialect: Dialect,
    pub(super) size: Size,
    pub(super) swarm: Swarm,
    /// Whether -0 may be made: only where there are no sets (V56).
    pub(super) minus_zero: bool,
}

impl SchemaContext {
    /// A context with all features, for an existing schema.
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
