//! The corpus that is measured where no other is given: the same questions on every machine and in every night, as long as
//! the generator stays as it is.

use std::ops::RangeInclusive;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::{Value, ValueRef};

use crate::case::{Case, Merge, MergeCall, Task};
use crate::generate::{Cases, Generator, Settings};
use crate::workloads::{Timed, Workload};

/// The sizes, each with a name and the nodes that a configuration of it has.
const SIZES: [(&str, RangeInclusive<usize>); 4] =
    [("1-9 nodes", 1..=9), ("10-49 nodes", 10..=49), ("50-249 nodes", 50..=249), ("250+ nodes", 250..=usize::MAX)];

/// The name of the class of workloads, which have a size each.
const WORKLOADS: &str = "workloads";

/// The presets that cases are drawn from, in turn, so that each size has cases of every preset.
const PRESETS: [Settings; 4] = [Settings::TINY, Settings::SMALL, Settings::MEDIUM, Settings::LARGE];

/// The seed of the cases.
const SEED: u64 = 1;

/// Cases of a size: with three operations each just over a hundred questions.
const CASES: usize = 34;

/// Schemas that are drawn from a preset at most.
const MOST_SCHEMAS: u64 = 2_000;

/// Questions of about one size.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name.
    pub name: &'static str,
    /// The questions.
    pub items: Vec<Item>,
}

/// One question.
#[derive(Clone, Debug)]
pub struct Item {
    /// The engine version whose decisions count.
    pub dialect: Dialect,
    /// The operation and its inputs.
    pub call: MergeCall,
    /// The configuration: what a deep clone is made of.
    pub config: Value,
}

/// The corpus: generated cases by size, smallest first, and the workloads that both planners answer in reasonable time.
/// Each case gives a question for each of [`Timed::ALL`]. Cases without a configuration are left out, as there is
/// nothing to clone for comparison.
pub fn corpus() -> Vec<Class> {
    let mut sizes = SIZES.map(|(name, _)| Class { name, items: Vec::new() });
    let mut drawn = PRESETS.map(|preset| Cases::new(generator(preset), SEED));
    for schema in 0..MOST_SCHEMAS {
        if sizes.iter().all(is_full) {
            break;
        }
        for cases in &mut drawn {
            sort_in(&mut sizes, &cases.case(schema));
        }
    }
    let workloads = Workload::all().into_iter().filter(|workload| workload.for_reference);
    let items = workloads.flat_map(|workload| items(workload.dialect(), &workload.merge)).collect();
    sizes.into_iter().chain([Class { name: WORKLOADS, items }]).collect()
}

/// A schema for each case: cases that share one are much alike.
fn generator(preset: Settings) -> Generator {
    Generator::new(Settings { cases_per_schema: 1, ..preset }).in_dialects(&[Dialect::default()])
}

fn sort_in(sizes: &mut [Class], case: &Case) {
    let Task::Merge(merge) = &case.task else { return };
    if merge.config.is_null() || merge.config.is_unknown() {
        return;
    }
    let size = nodes(merge.config.view());
    let class = SIZES.iter().zip(sizes).find(|((_, nodes), _)| nodes.contains(&size));
    if let Some((_, class)) = class.filter(|(_, class)| !is_full(class)) {
        class.items.extend(items(case.dialect, merge));
    }
}

fn is_full(class: &Class) -> bool {
    class.items.len() >= CASES * Timed::ALL.len()
}

fn items(dialect: Dialect, merge: &Merge) -> Vec<Item> {
    let item = |op: Timed| {
        let call = MergeCall::of_request(&merge.schema, op.request(merge));
        Item { dialect, call, config: merge.config.clone() }
    };
    Timed::ALL.map(item).into()
}

/// How many nodes a value has, itself among them.
pub fn nodes(value: ValueRef<'_>) -> usize {
    1 + value.children().map(|(_, child)| nodes(child)).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_its_cases_whenever_it_is_made() {
        let classes = corpus();
        for class in &classes[..SIZES.len()] {
            assert_eq!(class.items.len(), CASES * Timed::ALL.len(), "{}", class.name);
        }
        assert!(classes[SIZES.len()].items.len() >= 20);
        let calls = |classes: &[Class]| {
            let items = classes.iter().flat_map(|class| &class.items);
            items.map(|item| format!("{:?}", item.call)).collect::<Vec<_>>()
        };
        assert!(calls(&classes) == calls(&corpus()));
    }
}
