//! Cases from cases: a mutated case, one of the parts of two, and a smaller one.
//!
//! Problem: what breaks a planner often lies close to a case that a fuzzer found, and no generator draws its neighbours. Idea: a case is
//! changed by its structure. Steps are added with an edit that people make, taken out, or done with other options and failures
//! (`steps.rs`); parts of its documents are replaced, removed or copied (`documents.rs`). Guarantee: the result reads back as a case, and
//! depends only on the cases and the choices.

mod documents;
mod steps;

use std::collections::BTreeMap;

use planfuzz_core::json::Json;

use crate::case::{Case, edited};
use crate::generate::Choices;
use crate::parts::{at, count, without};

/// How many steps a mutated case has at most: each one costs a plan and an apply.
const MOST_STEPS: usize = 6;

/// How many attempts to find a part that can be taken out.
const TRIES: usize = 16;

/// A case like this one, one to three changes away.
pub fn mutated(case: &Case, choices: &mut Choices<'_>) -> Case {
    let mut mutated = Case { purpose: None, ..case.clone() };
    for _ in 0..1 + choices.below(3) {
        match choices.below(100) {
            0..30 => steps::edit(&mut mutated, choices),
            30..55 => documents::change(&mut mutated, choices),
            55..85 => steps::change(&mut mutated, choices),
            _ => steps::rearrange(&mut mutated, choices),
        }
    }
    read_back(mutated).unwrap_or_else(|| case.clone())
}

/// A case of the parts of two: blocks of the second one in the first one's files, or the second one's steps after some of the first one's.
/// If their providers differ, the first one mutated.
pub fn crossed(one: &Case, other: &Case, choices: &mut Choices<'_>) -> Case {
    if one.providers != other.providers || one.dialect.engine() != other.dialect.engine() {
        return mutated(one, choices);
    }
    let mut crossed = Case { purpose: None, ..one.clone() };
    if choices.chance(50) {
        documents::graft(&mut crossed, other, choices);
    } else {
        steps::follow(&mut crossed, other, choices);
    }
    read_back(crossed).unwrap_or_else(|| one.clone())
}

/// A smaller case: without a step, or without a part of a document; `None` if no attempt succeeded.
pub fn pruned(case: &Case, choices: &mut Choices<'_>) -> Option<Case> {
    let document = case.to_json();
    let is_taken = |name: &str| ["files", "steps", "state"].contains(&name);
    let members = document.expect_object().ok()?;
    let roots: Vec<usize> = (0..members.len()).filter(|index| is_taken(&members[*index].0)).collect();
    (0..TRIES).find_map(|_| {
        let mut place = vec![*choices.pick(&roots)?];
        loop {
            let parts = count(at(&document, &place)?);
            if parts == 0 || place.len() > 1 && choices.chance(40) {
                break;
            }
            place.push(choices.below(parts));
        }
        let smaller = without(&document, &place).filter(|_| place.len() > 1)?;
        Case::from_json(&smaller).ok()
    })
}

/// The case written and read again; `None` if the result is not a case.
fn read_back(case: Case) -> Option<Case> {
    Case::from_json(&case.to_json()).ok()
}

/// The files in a step, after the edits before it.
fn files_in(case: &Case, step: usize) -> BTreeMap<String, Json> {
    let mut files = case.files.clone();
    case.steps.iter().take(step + 1).for_each(|step| edited(&mut files, step));
    files
}

#[cfg(test)]
mod tests {
    use planfuzz_core::dialect::Dialect;

    use super::*;
    use crate::generate::{Settings, case};

    fn fresh(seed: u64) -> Case {
        let dialect = Dialect::ALL[seed as usize % Dialect::ALL.len()];
        case(Settings::SMALL, dialect, &mut Choices::seeded(seed, 0)).case
    }

    fn length(case: &Case) -> usize {
        case.to_json().to_compact().len()
    }

    #[test]
    fn made_cases_read_back_and_follow_from_the_choices() {
        for seed in 0..60 {
            let (mut one, other) = (fresh(seed), fresh(seed + 4));
            for number in 0..12 {
                let next = |choices: &mut Choices<'_>| match number % 4 {
                    3 => crossed(&one, &other, choices),
                    _ => mutated(&one, choices),
                };
                let made = next(&mut Choices::seeded(seed, number));
                let text = made.to_json().to_compact();
                assert_eq!(text, next(&mut Choices::seeded(seed, number)).to_json().to_compact());
                assert_eq!(text, Case::parse(&text).expect("a case").to_json().to_compact());
                assert!(made.steps.len() <= MOST_STEPS.max(one.steps.len()));
                one = made;
            }
        }
    }

    #[test]
    fn nearly_every_mutation_changes_the_case() {
        let changed = (0..400).filter(|seed| {
            let one = fresh(*seed);
            mutated(&one, &mut Choices::seeded(*seed, 1)).to_json() != one.to_json()
        });
        let changed = changed.count();
        assert!(changed > 350, "{changed} of 400");
    }

    #[test]
    fn a_crossed_case_has_parts_of_both() {
        let has_both = (0..200).filter(|seed| {
            let (one, other) = (fresh(*seed), fresh(seed + 400));
            let crossed = crossed(&one, &other, &mut Choices::seeded(*seed, 1));
            let is_alone = |case: &Case| case.to_json() == crossed.to_json();
            !is_alone(&one) && !is_alone(&other)
        });
        let has_both = has_both.count();
        assert!(has_both > 150, "{has_both} of 200");
    }

    #[test]
    fn a_pruned_case_becomes_smaller_to_the_end() {
        for seed in 0..20 {
            let mut case = fresh(seed);
            let before = length(&case);
            for number in 0..200 {
                let Some(pruned) = pruned(&case, &mut Choices::seeded(seed, number)) else { break };
                assert!(length(&pruned) < length(&case));
                case = pruned;
            }
            assert!(length(&case) < before);
        }
    }
}
