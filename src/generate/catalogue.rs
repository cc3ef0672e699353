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
    /// The outlines, filled in at first use: without and with group nested types, the only thing that the dialect changes (S31).
    outlines: [OnceLock<Arc<BlockOutline>>; 2],
}

impl Catalogue {
    /// A catalogue of resource types by name. They are visited in this order, cyclically.
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

    /// The name of the type at an index.
    pub fn name(&self, index: usize) -> Option<&str> {
        self.entries.get(index).map(|entry| entry.name.as_str())
    }

    /// The schema at an index, taken modulo the number of types, and its outline.
    pub(super) fn at(&self, index: usize, dialect: Dialect) -> Option<(Arc<Schema>, Arc<BlockOutline>)> {
        let entry = self.entries.get(index.checked_rem(self.entries.len())?)?;
        let outline = entry.outlines[usize::from(dialect.has_group_nested_types())]
            .get_or_init(|| Arc::new(BlockOutline::of_schema(&entry.schema, dialect)));
        Some((entry.schema.clone(), outline.clone()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, Nesting, Shape};
    use planfuzz_core::value::{Text, Type, ValueRef};

    use super::*;
    use crate::case::Task;
    use crate::generate::{Cases, Generator, Settings};

    /// A block of `width` list blocks in one another, `depth` deep, an optional attribute in each.
    fn wide(width: usize, depth: usize) -> Block {
        let mut attribute = Attribute::new(Shape::Leaf(Type::String));
        attribute.optional = true;
        let attributes = Named::new(vec![(Text::new("a"), attribute)]);
        let count = if depth == 0 { 0 } else { width };
        let nested = |index: usize| {
            let block = wide(width, depth - 1);
            let name = Text::new(&format!("b{index}"));
            (name, NestedBlock { nesting: Nesting::List, block, min_items: i64::from(index == 0), max_items: 0 })
        };
        Block { attributes, block_types: Named::new((0..count).map(nested).collect()), ..Block::default() }
    }

    fn catalogue(types: Vec<(&str, Block)>) -> Arc<Catalogue> {
        let named = |(name, block): (&str, Block)| (name.to_owned(), Schema { version: 0, block });
        Arc::new(Catalogue::new(types.into_iter().map(named)))
    }

    fn only_real(catalogue: Arc<Catalogue>) -> Cases {
        let settings = Settings { only_real: true, cases_per_schema: 1, ..Settings::MIXED };
        Cases::new(Generator::new(settings).with_catalogue(catalogue), 3)
    }

    fn parts(value: ValueRef<'_>) -> usize {
        1 + value.children().map(|(_, child)| parts(child)).sum::<usize>()
    }

    #[test]
    fn every_type_gets_its_turn() {
        let types = (0..7).map(|depth| (["a", "b", "c", "d", "e", "f", "g"][depth], wide(1, depth))).collect();
        let catalogue = catalogue(types);
        let mut cases = only_real(catalogue.clone());
        let seen: BTreeSet<usize> = (0..7)
            .map(|number| {
                let Task::Merge(merge) = cases.case(number).task else { unreachable!("generated cases are merges") };
                catalogue
                    .entries
                    .iter()
                    .position(|entry| Arc::ptr_eq(&entry.schema, &merge.schema))
                    .expect("a real one")
            })
            .collect();
        assert_eq!(seen.len(), 7);
    }

    #[test]
    fn a_share_of_the_schemas_is_real_and_all_of_those_take_turns() {
        let catalogue = catalogue(vec![("a", wide(1, 1)), ("b", wide(2, 1)), ("c", wide(3, 1))]);
        let settings = Settings { cases_per_schema: 1, real: 64, ..Settings::TINY };
        let mut cases = Cases::new(Generator::new(settings).with_catalogue(catalogue.clone()), 0);
        let mut counts = [0; 3];
        for number in 0..1200 {
            let Task::Merge(merge) = cases.case(number).task else { unreachable!("generated cases are merges") };
            let real = catalogue.entries.iter().position(|entry| Arc::ptr_eq(&entry.schema, &merge.schema));
            real.into_iter().for_each(|index| counts[index] += 1);
        }
        assert_eq!(counts, [100; 3]);
    }

    #[test]
    fn values_of_a_schema_with_thousands_of_blocks_stay_small_and_reach_every_block() {
        let mut cases = only_real(catalogue(vec![("big", wide(14, 3))]));
        let mut reached = BTreeSet::new();
        for number in 0..2500 {
            let Task::Merge(merge) = cases.case(number).task else { unreachable!("generated cases are merges") };
            // Fuel for 1,200 parts, and each block that uses one is 15 members wide.
            assert!(parts(merge.prior.view()) < 1200 * 15, "case {number}: {}", parts(merge.prior.view()));
            for (name, blocks) in merge.prior.view().entries().filter(|(_, blocks)| !blocks.is_empty()) {
                reached.insert(name.to_string());
                for (inner, _) in blocks
                    .children()
                    .flat_map(|(_, block)| block.entries().filter(|(_, inner)| !inner.is_empty()).collect::<Vec<_>>())
                {
                    reached.insert(format!("{name}.{inner}"));
                }
            }
        }
        assert_eq!(reached.len(), 14 + 14 * 14, "each block type of the first two levels");
    }

    #[test]
    fn types_that_a_dialect_refuses_are_named() {
        let mut bad = wide(1, 1);
        bad.attributes.values_mut().for_each(|attribute| attribute.optional = false);
        let types = [("good", wide(1, 1)), ("bad", bad)];
        let named = types.map(|(name, block)| (name.to_owned(), Schema { version: 0, block }));
        let (valid, refused) = Catalogue::new(named).valid_in(&Dialect::ALL);
        assert_eq!((valid.len(), valid.name(0), refused), (1, Some("good"), vec!["bad".to_owned()]));
    }
}
