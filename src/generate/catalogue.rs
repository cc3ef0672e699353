//! Real schemas: the resource types of `terraform providers schema -json` files.

use std::sync::{Arc, OnceLock};

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::Schema;

use super::outline::BlockOutline;

/// Resource types that cases are made for beside the invented ones.
#[derive(Debug, Default)]
pub struct Catalogue {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    name: String,
    schema: Arc<Schema>,
    /// The outline, once somebody asked: with and without group nested types, all that a dialect changes in it (S31).
    outlines: [OnceLock<Arc<BlockOutline>>; 2],
}

impl Catalogue {
    /// A catalogue of resource types by name. They are visited in this order, round and round.
    pub fn new(types: impl IntoIterator<Item = (String, Schema)>) -> Catalogue {
        let entry = |(name, schema)| Entry { name, schema: Arc::new(schema), outlines: Default::default() };
        Catalogue { entries: types.into_iter().map(entry).collect() }
    }

    /// Only the types that are valid in each of the dialects, and the names of the others.
    pub fn valid_in(self, dialects: &[Dialect]) -> (Catalogue, Vec<String>) {
        let valid = |entry: &Entry| dialects.iter().all(|dialect| entry.schema.is_valid(*dialect));
        let (entries, others): (Vec<_>, Vec<_>) = self.entries.into_iter().partition(valid);
        (Catalogue { entries }, others.into_iter().map(|entry| entry.name).collect())
    }

    /// How many types there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The name of the type at a place.
    pub fn name(&self, index: usize) -> Option<&str> {
        self.entries.get(index).map(|entry| entry.name.as_str())
    }

    /// The schema at a place, round and round, and its outline.
    pub(super) fn at(&self, index: usize, dialect: Dialect) -> Option<(Arc<Schema>, Arc<BlockOutline>)> {
        let entry = self.entries.get(index.checked_rem(self.entries.len())?)?;
        let outline = entry.outlines[usize::from(dialect.has_group_nested_types())]
            .get_or_init(|| Arc::new(BlockOutline::of_schema(&entry.schema, dialect)));
        Some((entry.schema.clone(), outline.clone()))
    }
}
