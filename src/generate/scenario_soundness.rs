//! Properties of every generated scenario, checked over many.

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::Presence;
use planfuzz_core::schema::{Attribute, Block, Named};
use planfuzz_core::state::Stored;
use planfuzz_core::value::{Type, ValueRef};
use planfuzz_pipelines::model::{FaultName, Model, Style};
use planfuzz_pipelines::well_behaved::breaches;

use super::{Calls, Generator, Mix, Pipeline, Providers, Scenarios, Settings, Share};
use crate::case::{Call, Case, CaseFile, Op, Task};
use crate::scenario::{Outside, Scenario};
use crate::subject::{Outcome, Shared, Subject};

fn scenarios(settings: Settings, seed: u64) -> Scenarios {
    Scenarios::new(Generator::new(settings), seed)
}

fn scenario(case: &Case) -> &Scenario {
    match &case.task {
        Task::Call(Call::Scenario(scenario)) => scenario,
        other => panic!("no scenario: {other:?}"),
    }
}

#[test]
fn scenarios_read_back_as_themselves() {
    for (settings, count) in [(Settings::MIXED, 3_000), (Settings::HOSTILE, 300), (Settings::LARGE, 60)] {
        let mut scenarios = scenarios(settings, 7);
        for number in 0..count {
            let case = scenarios.case(number);
            let document = case.to_json();
            let read = CaseFile::from_json(&document)
                .unwrap_or_else(|problem| panic!("{number}: {problem}\n{}", document.to_compact()));
            assert_eq!(read.case.to_json().to_compact(), document.to_compact(), "{number}");
            assert_eq!(scenario(&read.case).model, scenario(&case).model, "{number}");
        }
    }
}

#[test]
fn schemas_are_valid_and_values_conform() {
    let mut scenarios = scenarios(Settings::MIXED, 8);
    for number in 0..3_000 {
        let case = scenarios.case(number);
        let scenario = scenario(&case);
        assert!(scenario.schema.is_valid(case.dialect), "{number}: {:?}", scenario.schema.problems(case.dialect));
        let ty = scenario.schema.implied_type(case.dialect);
        let conforms = |value: &planfuzz_core::value::Value, what: &str| {
            assert!(value.ty().conforms_to(&ty), "{number}: {what} {}", case.to_json().to_compact());
        };
        let objects = scenario.state.current.iter().chain(scenario.state.deposed.values());
        for object in objects {
            if let Stored::Value(value) = &object.stored {
                conforms(value, "stored");
                assert!(value.is_wholly_known(), "{number}");
            }
        }
        for value in &scenario.remote {
            conforms(value, "remote");
            assert!(value.is_wholly_known(), "{number}");
        }
        for step in &scenario.steps {
            for presence in std::iter::once(&step.presence).chain(&step.at_apply) {
                if let Presence::Configured(configured) = &**presence {
                    conforms(configured.config.value(), "config");
                    configured.at_validation.iter().for_each(|value| conforms(value, "at validation"));
                    configurable(&scenario.schema.block, configured.config.value().view(), number);
                }
            }
            for outside in &step.outside {
                match outside {
                    Outside::Appear(value) => conforms(value, "appears"),
                    Outside::Drift { path, value } => {
                        let at = crate::scenario::type_at(&ty, path).expect("a drift has a place in the schema");
                        assert!(value.ty().conforms_to(at) && value.is_wholly_known(), "{number}: {path}");
                    }
                    Outside::Vanish | Outside::Taint | Outside::Untaint => {}
                }
            }
        }
    }
}

/// S50: no computed attribute is configured.
fn configurable(block: &Block, value: ValueRef<'_>, number: u64) {
    if !value.is_present() {
        return;
    }
    attributes(&block.attributes, value, number);
    for (name, nested) in block.block_types.iter() {
        let Some(member) = value.member(name) else { continue };
        match member.ty() {
            Type::Object(_) if matches!(nested.nesting.name(), "single" | "group") => {
                configurable(&nested.block, member, number);
            }
            _ => member.children().for_each(|(_, element)| configurable(&nested.block, element, number)),
        }
    }
}

fn attributes(all: &Named<Attribute>, value: ValueRef<'_>, number: u64) {
    if !value.is_present() {
        return;
    }
    for (name, attribute) in all.iter() {
        let Some(member) = value.member(name) else { continue };
        assert!(attribute.optional || attribute.required || member.is_null(), "{number}: {name}");
        let Some(nested) = attribute.nested_type() else { continue };
        match nested.nesting.name() {
            "single" | "group" => attributes(&nested.attributes, member, number),
            _ => member.children().for_each(|(_, element)| attributes(&nested.attributes, element, number)),
        }
    }
}

#[test]
fn providers_that_are_meant_well_are_well_behaved() {
    let generator = Generator::new(Settings::MIXED);
    let (mut well, mut found) = (0, BTreeMap::new());
    for seed in 0..4_000_u64 {
        let bytes = bytes_of(seed);
        let mut bytes = arbitrary::Unstructured::new(&bytes);
        let context = generator.scenario_context(&mut bytes);
        if context.is_meant_well() {
            well += 1;
            for breach in breaches(&context.model) {
                *found.entry(format!("{breach:?}")).or_insert(0) += 1;
            }
        }
    }
    assert_eq!(found, BTreeMap::new());
    assert!((2_400..3_200).contains(&well), "{well}");
}

#[test]
fn providers_are_as_they_are_asked_for() {
    for pipeline in [Pipeline::Framework, Pipeline::Sdk] {
        for name in FaultName::ALL {
            let providers = Providers { fault: Some(*name), pipeline: Some(pipeline) };
            let mut scenarios = scenarios(Settings { providers, ..Settings::SMALL }, 9);
            let mut planted = 0;
            for case in (0..40).map(|number| scenarios.case(number)) {
                let model = &scenario(&case).model;
                assert!(model.faults.iter().all(|fault| fault.name == *name));
                planted += model.faults.len();
                assert!(pipeline == Pipeline::Sdk || matches!(model.style, Style::Framework { .. }));
                // A schema that the SDK cannot declare is written with the framework.
                let well = Model { faults: Vec::new(), ..Model::clone(model) };
                assert_eq!(breaches(&well), Vec::new());
            }
            let has_place = pipeline == Pipeline::Framework || *name != FaultName::ApplyDynamicType;
            assert!(!has_place || planted >= 30, "{name:?}: in {planted}");
        }
    }
}

/// Bytes of dice.
fn bytes_of(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    (0..8_192).map(|_| next()).collect()
}

#[test]
fn scenarios_are_a_function_of_the_seed_and_the_number() {
    let text = |case: Case| case.to_json().to_compact();
    let (mut forwards, mut backwards) = (scenarios(Settings::SMALL, 1), scenarios(Settings::SMALL, 1));
    let forward: Vec<String> = (0..60).map(|number| text(forwards.case(number))).collect();
    let mut backward: Vec<String> = (0..60).rev().map(|number| text(backwards.case(number))).collect();
    backward.reverse();
    assert_eq!(forward, backward);
    assert!(forward.iter().collect::<BTreeSet<_>>().len() > 55, "scenarios differ from one another");
}

#[test]
fn a_mix_has_every_merge_scenario_call_and_expression_once() {
    let generators = || [(); 4].map(|()| Generator::new(Settings::TINY));
    let mut mix = Mix::new(generators(), 3, Share::All);
    let mixed: BTreeSet<String> = (0..100).map(|number| mix.case(number).to_json().to_compact()).collect();
    let mut merges = Mix::new(generators(), 3, Share::Merges);
    let mut scenarios = Mix::new(generators(), 3, Share::Scenarios);
    let mut apart: BTreeSet<String> = (0..56).map(|number| merges.case(number).to_json().to_compact()).collect();
    apart.extend((0..8).map(|number| scenarios.case(number).to_json().to_compact()));
    let mut calls = Mix::new(generators(), 3, Share::Calls(Calls::ALL));
    apart.extend((0..32).map(|number| calls.case(number).to_json().to_compact()));
    let mut expressions = Mix::new(generators(), 3, Share::Expressions);
    apart.extend((0..4).map(|number| expressions.case(number).to_json().to_compact()));
    assert_eq!(mixed, apart);
}

/// Of 22,000 calls, the least number of each operation, and of those the least number whose answer is not an error.
const FLOORS: (usize, usize) = (150, 60);

/// The same for the steps of providers; the small ones are rarely drawn alone.
const FLOORS_OF_STEPS: (usize, usize) = (20, 10);

#[test]
fn calls_are_of_every_operation_and_mostly_answered() {
    let generators = [(); 4].map(|()| Generator::new(Settings::MIXED).in_dialects(&[Dialect::default()]));
    let mut mix = Mix::new(generators, 5, Share::Calls(Calls::ALL));
    let mut counts: BTreeMap<Op, (usize, usize)> = BTreeMap::new();
    for number in 0..22_000 {
        let case = mix.case(number);
        let answer = Shared::default().answer(std::slice::from_ref(&case)).remove(0).remove(0);
        let is_error = match &answer {
            Outcome::Want(want) => want.member("error").is_some_and(|error| *error != Json::Bool(false)),
            answer => !matches!(answer, Outcome::Value(_) | Outcome::Paths(_)),
        };
        let count = counts.entry(case.ops()[0]).or_default();
        *count = (count.0 + 1, count.1 + usize::from(!is_error));
    }
    for op in Op::ALL.iter().filter(|op| op.is_shared()) {
        let (asked, answered) = counts.get(op).copied().unwrap_or_default();
        let floors = if op.is_provider() { FLOORS_OF_STEPS } else { FLOORS };
        assert!(asked >= floors.0 && answered >= floors.1, "{op}: {asked} asked, {answered} answered: {counts:?}");
    }
}

#[test]
fn a_generator_keeps_to_its_dialects() {
    let mut scenarios = Scenarios::new(Generator::new(Settings::TINY).in_dialects(&[Dialect::OPENTOFU_1_12]), 0);
    assert!((0..100).all(|number| scenarios.case(number).dialect == Dialect::OPENTOFU_1_12));
}

#[test]
fn bytes_that_ran_out_make_a_scenario() {
    let generator = Generator::new(Settings::MIXED);
    let mut bytes = arbitrary::Unstructured::new(&[]);
    let context = generator.scenario_context(&mut bytes);
    let case = generator.scenario_in(&context, &mut bytes);
    assert_eq!(scenario(&case).steps.len(), 1);
}
