//! The laws of the mutator: what comes out is a case, and follows from what went in.

use planfuzz_core::json::Json;

use super::*;
use crate::case::CaseFile;

/// Cases of a breed, each made of the one before.
fn chain(breed: Breed, seed: u64, length: u64) -> Vec<Case> {
    let mutator = Mutator::new(breed, Settings::SMALL);
    let mut cases = vec![mutator.fresh(seed)];
    for step in 0..length {
        let next = match (step % 5, cases.len()) {
            (4, length) => mutator.crossed(&cases[length - 1], &cases[length / 2], seed ^ step),
            (_, length) => mutator.mutated(&cases[length - 1], seed.wrapping_mul(31) ^ step),
        };
        cases.push(next);
    }
    cases
}

#[test]
fn what_is_mutated_and_crossed_is_a_case_that_reads_as_it_is_written() {
    for breed in [Breed::Merges, Breed::Lives] {
        for seed in 0..40 {
            for (step, case) in chain(breed, seed, 25).iter().enumerate() {
                let text = case.to_json().to_compact();
                let read = CaseFile::from_json(&Json::parse(&text).expect("JSON"));
                let read = read.unwrap_or_else(|problem| panic!("{breed:?} {seed}, step {step}: {problem}\n{text}"));
                assert_eq!(read.case.to_json().to_compact(), text, "{breed:?} {seed}, step {step}");
                let schema = case.schema().expect("a schema");
                assert!(schema.problems(case.dialect).is_empty(), "{breed:?} {seed}, step {step}\n{text}");
                if let Task::Merge(merge) = &case.task {
                    assert!(merge.prior.is_wholly_known(), "{breed:?} {seed}, step {step}\n{text}");
                }
            }
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_cases() {
    for breed in [Breed::Merges, Breed::Lives] {
        let texts = |seed| chain(breed, seed, 10).iter().map(|case| case.to_json().to_compact()).collect::<Vec<_>>();
        assert_eq!(texts(7), texts(7));
        assert_ne!(texts(7), texts(8));
    }
}

#[test]
fn mutation_changes_something_mostly_and_keeps_something_mostly() {
    let mutator = Mutator::new(Breed::Merges, Settings::SMALL);
    let (mut changed, mut same_schema, total) = (0, 0, 400);
    for seed in 0..total {
        let case = mutator.fresh(seed / 8);
        let other = mutator.mutated(&case, seed);
        changed += u64::from(case.to_json() != other.to_json());
        let schemas = case.schema().zip(other.schema());
        same_schema += u64::from(schemas.is_some_and(|(one, other)| one == other));
    }
    assert!(changed * 10 > total * 8, "{changed} of {total} changed");
    assert!(same_schema * 10 > total * 4 && same_schema * 10 < total * 9, "{same_schema} of {total} of one schema");
}

#[test]
fn what_is_pruned_is_smaller() {
    for breed in [Breed::Merges, Breed::Lives] {
        for case in chain(breed, 3, 20) {
            let mutator = Mutator::new(breed, Settings::SMALL);
            if let Some(pruned) = mutator.pruned(&case, 5) {
                let length = |case: &Case| case.to_json().to_compact().len();
                assert!(length(&pruned) < length(&case), "{}", pruned.to_json().to_compact());
            }
        }
    }
}
