//! Cases from cases: one step of a structural mutator, and the cross of two cases.
//!
//! Both work on cases, never on bytes: the result is a case again, valid in its dialect, its values of the type of its
//! schema. It follows from the cases and the seed alone, so a fuzzer that starts twice from the same corpus with the same
//! seed makes the same cases twice.

mod fit;
mod merges;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use arbitrary::Unstructured;
use planfuzz_core::dialect::Dialect;
use planfuzz_workspace_cases as workspaces;
use planfuzz_workspace_cases::generate::{Choices, Settings as Size};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

pub(super) use fit::{Knowledge, fitted};

use super::dice::Dice;
use super::generator::Generator;
use super::scenario::changed;
use super::settings::Settings;
use super::workspaces::of_workspace;
use crate::case::{Call, Case, Merge, Task};
use crate::scenario::Scenario;

/// The mutations that make a case anew, of 256.
const FRESH: u8 = 32;

/// The mutations that change the dialect alone, of 256.
const DIALECT: u8 = 6;

/// Bytes of dice for one step.
const ENTROPY: usize = 2048;

/// The kind of cases that a mutator makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breed {
    /// Merges.
    Merges,
    /// Scenarios.
    Scenarios,
    /// Whole workspaces.
    Workspaces,
}

/// Makes cases from cases.
#[derive(Debug)]
pub struct Mutator {
    breed: Breed,
    generator: Generator,
    dialects: Vec<Dialect>,
}

impl Mutator {
    /// A mutator of cases of one breed. The settings are for the cases that it makes anew.
    pub fn new(breed: Breed, settings: Settings) -> Mutator {
        Mutator { breed, generator: Generator::new(settings), dialects: Dialect::ALL.to_vec() }
    }

    /// A case made anew.
    pub fn fresh(&self, seed: u64) -> Case {
        let bytes = entropy(seed, ENTROPY * 4);
        let mut dice = Unstructured::new(&bytes);
        match self.breed {
            Breed::Merges => self.generator.case(&mut dice),
            Breed::Scenarios => {
                let context = self.generator.scenario_context(&mut dice);
                let bytes = entropy(!seed, ENTROPY * 4);
                self.generator.scenario_in(&context, &mut Unstructured::new(&bytes))
            }
            Breed::Workspaces => {
                let dialect = self.dialects[seed as usize % self.dialects.len()];
                of_workspace(workspaces::generate::case(Size::SMALL, dialect, &mut Choices::seeded(seed, 0)).case)
            }
        }
    }

    /// A case like this one. A case of another breed is replaced by a fresh one.
    pub fn mutated(&self, case: &Case, seed: u64) -> Case {
        let bytes = entropy(seed, ENTROPY);
        let mut bytes = Unstructured::new(&bytes);
        let mut dice = Dice::new(&mut bytes);
        if dice.chance(FRESH) {
            return self.fresh(seed);
        }
        if dice.chance(DIALECT)
            && let Some(case) = self.in_other_dialect(case, *dice.pick(&self.dialects))
        {
            return case;
        }
        let dialect = case.dialect;
        match (self.breed, &case.task) {
            (Breed::Merges, Task::Merge(merge)) => {
                let merge = merges::mutated(&mut dice, self.generator.plain_pools(), merge, dialect);
                Case::new(dialect, Task::Merge(merge))
            }
            (Breed::Merges, Task::Call(Call::Merge(call))) => {
                let merge = merges::lifted(&mut dice, self.generator.plain_pools(), call, dialect);
                Case::new(dialect, Task::Merge(merge))
            }
            (Breed::Scenarios, Task::Call(Call::Scenario(scenario))) => {
                case_of(dialect, changed::mutated(&mut dice, &self.generator, scenario, dialect))
            }
            (Breed::Workspaces, Task::Call(Call::Workspace(case))) => {
                of_workspace(workspaces::mutate::mutated(case, &mut Choices::seeded(seed, 1)))
            }
            _ => self.fresh(seed),
        }
    }

    /// A case with parts of two; a mutation of the first one if they have nothing in common.
    pub fn crossed(&self, one: &Case, other: &Case, seed: u64) -> Case {
        let bytes = entropy(seed, ENTROPY);
        let mut bytes = Unstructured::new(&bytes);
        let mut dice = Dice::new(&mut bytes);
        let dialect = one.dialect;
        match (self.breed, &one.task, &other.task) {
            (Breed::Merges, Task::Merge(first), Task::Merge(second)) => {
                match second.schema.problems(dialect).is_empty() {
                    true => Case::new(dialect, Task::Merge(merges::crossed(&mut dice, first, second, dialect))),
                    false => self.mutated(one, seed),
                }
            }
            (Breed::Scenarios, Task::Call(Call::Scenario(first)), Task::Call(Call::Scenario(second))) => {
                case_of(dialect, changed::crossed(&mut dice, first, second, dialect))
            }
            (Breed::Workspaces, Task::Call(Call::Workspace(first)), Task::Call(Call::Workspace(second))) => {
                of_workspace(workspaces::mutate::crossed(first, second, &mut Choices::seeded(seed, 1)))
            }
            _ => self.mutated(one, seed),
        }
    }

    /// A smaller case: without a member of its schema, a step of its scenario, or a part of its workspace. `None` if there is none.
    pub fn pruned(&self, case: &Case, seed: u64) -> Option<Case> {
        let task = match &case.task {
            Task::Merge(merge) => Task::Merge(merges::pruned(merge, case.dialect, seed)?),
            Task::Call(Call::Scenario(scenario)) => {
                Task::Call(Call::Scenario(Arc::new(changed::pruned(scenario, seed)?)))
            }
            Task::Call(Call::Workspace(case)) => {
                return workspaces::mutate::pruned(case, &mut Choices::seeded(seed, 1)).map(of_workspace);
            }
            Task::Call(_) => return None,
        };
        Some(Case::new(case.dialect, task))
    }

    /// The same case in another dialect: a workspace in a dialect of the same engine, where its providers are found; a merge if its
    /// schema is valid there and of the same type.
    fn in_other_dialect(&self, case: &Case, dialect: Dialect) -> Option<Case> {
        if let Task::Call(Call::Workspace(workspace)) = &case.task {
            let is_other = dialect != case.dialect && dialect.engine() == case.dialect.engine();
            return is_other.then(|| of_workspace(workspaces::Case { dialect, ..(**workspace).clone() }));
        }
        let Task::Merge(Merge { schema, .. }) = &case.task else { return None };
        let same = schema.problems(dialect).is_empty()
            && schema.implied_type(dialect) == schema.implied_type(case.dialect)
            && dialect != case.dialect;
        same.then(|| Case::new(dialect, case.task.clone()))
    }
}

fn case_of(dialect: Dialect, scenario: Scenario) -> Case {
    Case::new(dialect, Task::Call(Call::Scenario(Arc::new(scenario))))
}

fn entropy(seed: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    Xoshiro256PlusPlus::seed_from_u64(seed).fill_bytes(&mut bytes);
    bytes
}
