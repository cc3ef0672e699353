//! A subject that answers several dialects: one program, started once for each.

use planfuzz_core::dialect::Dialect;

use super::outcome::{LeftOut, Outcome};
use super::{Effort, Subject};
use crate::case::Shown;
use crate::case::{Case, Op};

/// One program, started for each of some dialects. Operations of other dialects are left out.
pub struct EachDialect {
    started: Vec<(Dialect, Box<dyn Subject>)>,
    name: String,
}

impl EachDialect {
    /// The subject; `started` must not be empty.
    pub fn new(started: Vec<(Dialect, Box<dyn Subject>)>) -> EachDialect {
        let name = started.first().map(|(_, subject)| subject.name().to_owned()).unwrap_or_default();
        EachDialect { started, name }
    }

    fn in_dialect(&self, dialect: Dialect) -> Option<&dyn Subject> {
        self.started.iter().find(|(of, _)| *of == dialect).map(|(_, subject)| &**subject)
    }
}

impl Subject for EachDialect {
    fn name(&self) -> &str {
        &self.name
    }

    fn signed(&self) -> String {
        self.started.first().map_or_else(String::new, |(_, subject)| subject.signed())
    }

    fn can(&self, op: Op, dialect: Dialect) -> bool {
        self.in_dialect(dialect).is_some_and(|subject| subject.can(op, dialect))
    }

    fn shows(&self) -> Shown {
        self.started.first().map_or(Shown::Whole, |(_, subject)| subject.shows())
    }

    fn batch_size(&self) -> u64 {
        self.started.iter().map(|(_, subject)| subject.batch_size()).max().unwrap_or(1)
    }

    fn effort(&self) -> Effort {
        let mut all = Effort::default();
        self.started.iter().for_each(|(_, subject)| all.add(subject.effort()));
        all
    }

    fn trouble(&self) -> Option<String> {
        self.started.iter().find_map(|(_, subject)| subject.trouble())
    }

    fn answer(&mut self, cases: &[Case]) -> Vec<Vec<Outcome>> {
        let left_out = |case: &Case| vec![Outcome::LeftOut(LeftOut::OtherDialect); case.ops().len()];
        let mut outcomes: Vec<Vec<Outcome>> = cases.iter().map(left_out).collect();
        for (dialect, subject) in &mut self.started {
            let places: Vec<usize> = (0..cases.len()).filter(|place| cases[*place].dialect == *dialect).collect();
            let asked: Vec<Case> = places.iter().map(|place| cases[*place].clone()).collect();
            if asked.is_empty() {
                continue;
            }
            for (place, answers) in places.into_iter().zip(subject.answer(&asked)) {
                outcomes[place] = answers;
            }
        }
        outcomes
    }
}

#[cfg(test)]
mod tests {
    use planfuzz_reference::Reference;

    use super::*;
    use crate::generate::{Cases, Generator, Settings};
    use crate::subject::InProcess;

    #[test]
    fn each_case_goes_to_the_one_of_its_dialect_in_its_place() {
        let dialects = [Dialect::ALL[0], Dialect::ALL[1]];
        let one = |dialect| (dialect, Box::new(InProcess::new(Reference)) as Box<dyn Subject>);
        let mut subject = EachDialect::new(dialects.map(one).into());
        let generator = Generator::new(Settings::TINY).in_dialects(&Dialect::ALL);
        let mut cases = Cases::new(generator, 7);
        let cases: Vec<Case> = (0..60).map(|number| cases.case(number)).collect();
        let expected = InProcess::new(Reference).answer(&cases);
        for ((case, got), expected) in cases.iter().zip(subject.answer(&cases)).zip(expected) {
            match dialects.contains(&case.dialect) {
                true => assert_eq!(format!("{got:?}"), format!("{expected:?}")),
                false => assert!(got.iter().all(|one| matches!(one, Outcome::LeftOut(LeftOut::OtherDialect)))),
            }
        }
    }
}
