//! Properties of the mutator: its results are valid cases, and a function of its inputs.

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
fn mutated_and_crossed_cases_are_read_as_they_are_written() {
    for breed in [Breed::Merges, Breed::Scenarios, Breed::Workspaces] {
        for seed in 0..40 {
            for (step, case) in chain(breed, seed, 25).iter().enumerate() {
                let text = case.to_json().to_compact();
                let read = CaseFile::from_json(&Json::parse(&text).expect("JSON"));
                let read = read.unwrap_or_else(|problem| panic!("{breed:?} {seed}, step {step}: {problem}\n{text}"));
                assert_eq!(read.case.to_json().to_compact(), text, "{breed:?} {seed}, step {step}");
                if breed == Breed::Workspaces {
                    continue;
                }
                let schema = case.schema().expect("a schema");
                assert!(schema.problems(case.dialect).is_empty(), "{breed:?} {seed}, step {step}\n{text}");
                if let Task::Merge(merge) = &case.task {
                    let has_sets = super::super::outline::BlockOutline::of_schema(schema, case.dialect).has_sets();
                    assert!(!has_sets || !text.contains("-0}") && !text.contains("-0,"), "V56: {text}");
                    assert!(merge.prior.is_wholly_known(), "{breed:?} {seed}, step {step}\n{text}");
                }
            }
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_cases() {
    for breed in [Breed::Merges, Breed::Scenarios, Breed::Workspaces] {
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
fn pruned_cases_are_smaller() {
    for breed in [Breed::Merges, Breed::Scenarios, Breed::Workspaces] {
        for case in chain(breed, 3, 20) {
            let mutator = Mutator::new(breed, Settings::SMALL);
            if let Some(pruned) = mutator.pruned(&case, 5) {
                let length = |case: &Case| case.to_json().to_compact().len();
                assert!(length(&pruned) < length(&case), "{}", pruned.to_json().to_compact());
            }
        }
    }
}

#[test]
fn s50_configurations_of_traces_have_the_shape_of_a_configuration() {
    use planfuzz_core::planner::Presence;
    use planfuzz_core::schema::{Attribute, Block, Shape};
    use planfuzz_core::value::ValueRef;

    fn fits(of: &Attribute, value: ValueRef<'_>) -> bool {
        if !of.optional && !of.required {
            return value.is_null();
        }
        let Shape::Nested(nested) = &of.shape else { return true };
        let object = |object: ValueRef<'_>| {
            !object.is_present()
                || nested
                    .attributes
                    .iter()
                    .all(|(name, inner)| object.member(name).is_none_or(|part| fits(inner, part)))
        };
        match value.is_present() {
            false => true,
            true if value.ty().element().is_some() => value.children().all(|(_, element)| object(element)),
            true => object(value),
        }
    }

    fn block(schema: &Block, value: ValueRef<'_>) -> bool {
        let attributes =
            schema.attributes.iter().all(|(name, one)| value.member(name).is_none_or(|part| fits(one, part)));
        attributes
            && schema.block_types.iter().all(|(name, nested)| match value.member(name) {
                Some(part) if part.is_present() && Kind::of(nested.nesting).is_some() => {
                    part.children().all(|(_, element)| element.is_present() && block(&nested.block, element))
                }
                Some(part) if part.is_present() => block(&nested.block, part),
                _ => true,
            })
    }

    use super::super::value::entries::Kind;
    let mut seen = 0;
    for seed in 0..60 {
        for case in chain(Breed::Scenarios, seed, 25) {
            let Task::Call(Call::Scenario(scenario)) = &case.task else { continue };
            let presences = scenario.steps.iter().flat_map(|step| [Some(&step.presence), step.at_apply.as_ref()]);
            for presence in presences.flatten() {
                if let Presence::Configured(configured) = &**presence {
                    let value = configured.config.value().view();
                    seen += 1;
                    assert!(
                        !value.is_present() || block(&scenario.schema.block, value),
                        "{}",
                        case.to_json().to_compact()
                    );
                }
            }
        }
    }
    assert!(seen > 1_000, "{seen}");
}
