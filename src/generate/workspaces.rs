//! Whole workspaces by number, and one for every pair of actions.

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_workspace_cases::generate::{Choices, Made, Settings as Size, case};
use planfuzz_workspace_cases::scope::Scope;

use super::settings::Settings;
use crate::case::{Call, Case, Task};

/// The workspaces of a seed.
#[derive(Clone, Debug)]
pub struct Workspaces {
    seed: u64,
    dialects: Vec<Dialect>,
    /// The sizes, in turns.
    sizes: Vec<Size>,
}

impl Workspaces {
    /// The workspaces of a seed. Dialects take turns. The sizes tiny, small and medium are those of the presets; the mixed preset takes all
    /// three in turns, and larger presets take medium.
    pub fn new(settings: &Settings, dialects: &[Dialect], seed: u64) -> Workspaces {
        let is = |preset: &Settings| preset.sizes == settings.sizes;
        let sizes = match () {
            () if is(&Settings::TINY) => vec![Size::TINY],
            () if is(&Settings::SMALL) => vec![Size::SMALL],
            () if is(&Settings::MIXED) => vec![Size::TINY, Size::SMALL, Size::MEDIUM],
            () => vec![Size::MEDIUM],
        };
        Workspaces { seed, dialects: dialects.to_vec(), sizes }
    }

    /// Workspace number `number`, with what the generator reports about its contents.
    pub fn made(&self, number: u64) -> Made {
        let dialect = self.dialects.get(number as usize % self.dialects.len().max(1)).copied().unwrap_or_default();
        let size = self.sizes[(number / self.dialects.len().max(1) as u64) as usize % self.sizes.len()];
        case(size, dialect, &mut Choices::seeded(self.seed, number))
    }

    /// Workspace number `number`.
    pub fn case(&self, number: u64) -> Case {
        of_workspace(self.made(number).case)
    }
}

/// Every pair of actions of two resources that depend on each other, and every way in which two instances can be stored, in each dialect.
pub fn all_small(dialects: &[Dialect]) -> impl Iterator<Item = Case> + Send + use<> {
    let all_of = |(scope, dialect): (Scope, Dialect)| (0..scope.count()).map(move |number| scope.case(number, dialect));
    let dialects = dialects.to_vec();
    let each = dialects.into_iter().flat_map(|dialect| Scope::ALL.map(|(scope, _)| (scope, dialect)));
    each.flat_map(all_of).map(of_workspace)
}

/// How many of them there are in so many dialects.
pub fn small_count(dialects: usize) -> u64 {
    (Scope::ALL.iter().map(|(scope, _)| scope.count()).sum::<usize>() * dialects) as u64
}

/// The suite's case for a workspace case.
pub fn of_workspace(mut case: planfuzz_workspace_cases::Case) -> Case {
    let purpose = case.purpose.take().unwrap_or_default();
    Case { purpose, dialect: case.dialect, task: Task::Call(Call::Workspace(Arc::new(case))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::CaseFile;

    #[test]
    fn workspaces_are_a_function_of_seed_and_number_and_read_back() {
        let workspaces = Workspaces::new(&Settings::MIXED, &Dialect::ALL, 3);
        for number in (0..300).rev() {
            let document = workspaces.case(number).to_json();
            assert_eq!(document, workspaces.case(number).to_json());
            let read = CaseFile::from_json(&document).expect("a case is written so that it can be read");
            assert_eq!(read.case.to_json(), document);
        }
    }

    #[test]
    fn small_workspaces_keep_what_they_are_for() {
        let all: Vec<Case> = all_small(&Dialect::ALL[..2]).collect();
        assert_eq!(all.len() as u64, small_count(2));
        let is_told = |case: &Case| ["A: ", "first: ", "at "].iter().any(|begin| case.purpose.starts_with(begin));
        assert!(all.iter().all(is_told));
    }
}
