//! Tests of the generator's guarantees.

use std::collections::BTreeSet;

use arbitrary::Unstructured;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Node, Range, Text, Type, Value, ValueRef};

use super::outline::BlockOutline;
use super::settings::{Settings, Size};
use super::{Cases, Generator};
use crate::case::{Case, Merge, Task};

/// Checks that the payload is one of the type, at every depth, and satisfies V40 to V57.
fn check_payload(value: ValueRef<'_>) {
    let parts = value.node().parts();
    match (value.ty(), value.node()) {
        (_, Node::Null) => {}
        (Type::Dynamic, Node::Unknown(record)) => assert!(record.is_none(), "V40: a record on dynamic"),
        (ty, Node::Unknown(Some(record))) => match (&record.range, ty) {
            (Range::Any, _) => {}
            (Range::String { prefix }, Type::String) => assert!(!prefix.is_empty()),
            (Range::Number { min, max }, Type::Number) => {
                if let (Some(min), Some(max)) = (min, max) {
                    assert!(min.value.compare(&max.value).is_lt(), "V43: a known number");
                }
                assert!(min.is_some() || max.is_some());
            }
            (Range::Length { min, max }, ty) if ty.is_collection() => assert!(min < max, "V43: a known collection"),
            other => panic!("V40: {other:?}"),
        },
        (_, Node::Unknown(None))
        | (Type::Bool, Node::Bool(_))
        | (Type::Number, Node::Number(_))
        | (Type::String, Node::String(_))
        | (Type::List(_), Node::Seq(_)) => {}
        (Type::Set(element), Node::Seq(_)) => {
            let elements: Vec<Value> =
                parts.iter().map(|part| Value::from_parts((**element).clone(), part.clone())).collect();
            let again = Value::set(element, elements).expect("one type");
            assert_eq!(again.node().parts().len(), parts.len(), "V96: a set built again from itself");
        }
        (Type::Tuple(tuple), Node::Seq(_)) => assert_eq!(tuple.len(), parts.len()),
        (Type::Object(object), Node::Seq(_)) => assert_eq!(object.len(), parts.len()),
        (Type::Map(_), Node::Map(map)) => {
            assert!(map.keys().windows(2).all(|pair| pair[0] < pair[1]), "keys ascend");
            assert_eq!(map.keys().len(), parts.len());
        }
        (ty, node) => panic!("a payload {node:?} of type {ty:?}"),
    }
    value.children().for_each(|(_, child)| check_payload(child));
}

fn check_case(case: &Case) {
    let Task::Merge(Merge { schema, prior, config, planned, actual }) = &case.task else { panic!("a merge") };
    assert!(schema.is_valid(case.dialect), "{:?}", schema.problems(case.dialect));
    let ty = schema.implied_type(case.dialect);
    for (role, value) in [("prior", prior), ("config", config), ("planned", planned), ("actual", actual)] {
        assert!(value.ty().conforms_to(&ty), "{role}: {:?} does not conform to {ty:?}", value.ty());
        check_payload(value.view());
    }
    assert!(prior.is_wholly_known(), "prior {prior:?}");
}

/// Checks that the case is the same after writing and reading it, as a corpus entry must be.
fn check_round_trip(case: &Case) {
    let Task::Merge(Merge { schema, .. }) = &case.task else { panic!("a merge") };
    assert_eq!(Schema::from_json(&schema.to_json()).as_ref(), Ok(&**schema));
    let ty = schema.implied_type(case.dialect);
    for value in values(case) {
        let again = Value::from_json(&value.to_json(&ty), &ty);
        assert_eq!(again.as_ref(), Ok(value));
    }
}

fn parts(value: ValueRef<'_>) -> usize {
    1 + value.children().map(|(_, child)| parts(child)).sum::<usize>()
}

fn values(case: &Case) -> [&Value; 4] {
    let Task::Merge(Merge { schema: _, prior, config, planned, actual }) = &case.task else { panic!("a merge") };
    [prior, config, planned, actual]
}

/// A case as text, for comparisons.
fn text(case: &Case) -> String {
    format!("{case:?}")
}

#[test]
fn every_preset_makes_valid_cases_only() {
    for (name, settings) in Settings::PRESETS {
        let mut cases = Cases::new(Generator::new(settings), 7);
        let count = if name == "large" { 100 } else { 1500 };
        for number in 0..count {
            let case = cases.case(number);
            check_case(&case);
            check_round_trip(&case);
        }
    }
}

#[test]
fn s30_the_outline_of_a_schema_has_its_implied_type() {
    let generator = Generator::new(Settings::MIXED);
    let mut cases = Cases::new(generator, 11);
    for number in (0..4000).step_by(4) {
        let case = cases.case(number);
        let Task::Merge(Merge { schema, .. }) = &case.task else { panic!("a merge") };
        let outline = BlockOutline::of_schema(schema, case.dialect);
        assert_eq!(outline.ty, schema.implied_type(case.dialect));
    }
}

#[test]
fn no_bytes_make_a_plain_valid_case() {
    for (_, settings) in Settings::PRESETS {
        let case = Generator::new(settings).case(&mut Unstructured::new(&[]));
        check_case(&case);
        assert!(parts(values(&case)[0].view()) < 20);
    }
}

#[test]
fn any_bytes_make_a_valid_case() {
    let generator = Generator::new(Settings::MIXED);
    for byte in 0..=255 {
        for length in [1, 7, 60, 900] {
            check_case(&generator.case(&mut Unstructured::new(&vec![byte; length])));
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_cases_in_any_order() {
    let cases = |seed| Cases::new(Generator::new(Settings::SMALL), seed);
    let forward: Vec<String> = {
        (0..60)
            .map({
                let mut cases = cases(1);
                move |n| text(&cases.case(n))
            })
            .collect()
    };
    let mut other = cases(1);
    let mut backward: Vec<String> = (0..60).rev().map(|number| text(&other.case(number))).collect();
    backward.reverse();
    assert_eq!(forward, backward);
    let mut elsewhere = cases(2);
    let different: Vec<String> = (0..60).map(|number| text(&elsewhere.case(number))).collect();
    assert_ne!(forward, different);
    assert!(forward.iter().collect::<BTreeSet<_>>().len() > 55, "cases differ from one another");
}

#[test]
fn hostile_cases_stay_bounded() {
    let mut cases = Cases::new(Generator::new(Settings::HOSTILE), 3);
    // Four values from one another, each with its own fuel for what it adds.
    let bound = 12 * usize::from(Size::HOSTILE.value_fuel);
    for number in 0..2000 {
        let case = cases.case(number);
        for value in values(&case) {
            assert!(parts(value.view()) < bound, "case {number} has {} parts", parts(value.view()));
        }
    }
}

#[test]
fn a_generator_keeps_to_its_dialects() {
    let mut cases = Cases::new(Generator::new(Settings::TINY).in_dialects(&[Dialect::OPENTOFU_1_12]), 0);
    assert!((0..100).all(|number| cases.case(number).dialect == Dialect::OPENTOFU_1_12));
}

#[test]
fn s51_a_strict_configuration_has_no_null_or_unknown_blocks_inside_collections() {
    let settings = Settings { loose: 0, ..Settings::SMALL };
    let mut cases = Cases::new(Generator::new(settings), 5);
    for number in 0..3000 {
        let case = cases.case(number);
        let Task::Merge(Merge { schema, config, .. }) = &case.task else { panic!("a merge") };
        for (name, nested) in schema.block.block_types.iter() {
            let Some(member) = config.view().member(name) else { continue };
            let in_collection = !matches!(nested.nesting.name(), "single" | "group");
            if in_collection && config.view().is_present() {
                assert!(!member.is_null(), "case {number}: {name} is null");
                assert!(member.children().all(|(_, block)| block.is_present()), "case {number}: {name}");
            } else if !in_collection {
                assert!(!member.is_unknown(), "case {number}: {name} is unknown");
            }
        }
    }
}

#[test]
fn s50_a_strict_configuration_sets_no_computed_attribute() {
    let settings = Settings { loose: 0, ..Settings::SMALL };
    let mut cases = Cases::new(Generator::new(settings), 6);
    for number in 0..3000 {
        let case = cases.case(number);
        let Task::Merge(Merge { schema, config, .. }) = &case.task else { panic!("a merge") };
        let computed = |name: &Text| {
            schema.block.attributes.get(name).is_some_and(|attribute| !attribute.optional && !attribute.required)
        };
        let set = config.view().entries().find(|(name, member)| computed(name) && !member.is_null());
        assert!(set.is_none(), "case {number}: {set:?}");
    }
}
