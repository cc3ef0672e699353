//! The laws of the wire and of the targets, without a fuzzer.

use std::time::Duration;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    Applied, ApplyRequest, Plan, PlanRequest, Planner, Prepared, Provider, Refusal, Violation,
};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Value;
use planfuzz_reference::Reference;

use super::process::begin_with;
use super::replay::replay;
use super::result_writer::ResultWriter;
use super::*;
use crate::generate::{Breed, Mutator, Settings};
use crate::subject::InProcess;

const TARGETS: [(Target, Breed); 3] =
    [(Target::Planner, Breed::Merges), (Target::Lifecycle, Breed::Scenarios), (Target::Workspace, Breed::Workspaces)];

/// No mutation of bytes.
fn plain(_: &mut Vec<u8>, _: usize) {}

#[test]
fn inputs_are_the_same_in_both_forms() {
    for (_, breed) in TARGETS {
        let mutator = Mutator::new(breed, Settings::MIXED);
        for seed in 0..200 {
            let case = mutator.fresh(seed);
            let text = case.to_json().to_pretty();
            let bytes = wire::write(&case);
            assert!(wire::is_compact(&bytes) && !wire::is_compact(text.as_bytes()));
            assert!(bytes.len() * 2 < text.len(), "{} of {}", bytes.len(), text.len());
            for read in [wire::read(&bytes), wire::read(text.as_bytes())] {
                assert_eq!(read.expect("a case").to_json(), case.to_json());
            }
        }
    }
}

#[test]
fn both_planners_hold_on_inputs_of_the_mutator_and_next_to_nothing_is_rejected() {
    for (target, _) in TARGETS {
        let mut fuzzer = Fuzzer::new(target);
        let mut input = Vec::new();
        // A workspace costs as much as many others.
        let count = if target == Target::Workspace { 200 } else { 600 };
        for seed in 0..count {
            let before = input.clone();
            input = fuzzer.mutate(&input, 1 << 16, seed, &mut plain);
            if seed % 7 == 3 {
                input = fuzzer.cross(&input, &before, 1 << 16, seed);
            }
            match fuzzer.run(&input) {
                InputOutcome::Found(troubles) => {
                    let text = troubles.iter().map(|trouble| trouble.document.to_pretty());
                    panic!("{target:?}, seed {seed}: {}", text.collect::<String>());
                }
                InputOutcome::Held | InputOutcome::Rejected => {}
            }
        }
        let tally = fuzzer.tally();
        assert_eq!((tally.executions, tally.rejected, tally.found), (count, 0, 0), "{target:?}");
        assert!(tally.summary.comparisons > count, "{target:?}: {} comparisons", tally.summary.comparisons);
    }
}

#[test]
fn the_mutator_never_grows_inputs_that_are_to_be_smaller() {
    for (target, breed) in TARGETS {
        let mut fuzzer = Fuzzer::new(target);
        let mutator = Mutator::new(breed, Settings::SMALL);
        let mut still_cases = 0;
        for seed in 0..200 {
            let bytes = wire::write(&mutator.fresh(seed));
            let most = bytes.len() - bytes.len() / 4;
            let smaller = fuzzer.mutate(&bytes, most, seed, &mut plain);
            assert!(smaller.len() <= most);
            still_cases += u32::from(wire::read(&smaller).is_ok());
        }
        assert!(still_cases > 100, "{target:?}: {still_cases} of 200 are cases");
    }
}

#[test]
fn the_same_inputs_and_seeds_come_to_the_same() {
    for (target, _) in TARGETS {
        let play = || {
            let mut fuzzer = Fuzzer::new(target);
            let mut inputs = vec![fuzzer.mutate(b"", 4096, 1, &mut plain)];
            for seed in 0..60 {
                let next = fuzzer.mutate(&inputs[seed as usize / 2].clone(), 4096, seed, &mut plain);
                fuzzer.run(&next);
                inputs.push(next);
            }
            (inputs, fuzzer.tally().summary.comparisons)
        };
        assert_eq!(play(), play());
    }
}

/// A planner that is wrong on purpose: it proposes the configuration.
struct Wrong;

struct WrongPrepared<'a>(Box<dyn Prepared + 'a>);

impl Planner for Wrong {
    fn name(&self) -> &str {
        "wrong"
    }

    fn prepare<'a>(&self, schema: &'a Schema, dialect: Dialect) -> Box<dyn Prepared + 'a> {
        Box::new(WrongPrepared(Reference.prepare(schema, dialect)))
    }
}

impl Prepared for WrongPrepared<'_> {
    fn proposed_new(&self, _: &Value, config: &Value) -> Result<Value, Refusal> {
        assert!(!config.is_null(), "it dies of that");
        Ok(config.clone())
    }

    fn planned_data_resource(&self, config: &Value) -> Result<Value, Refusal> {
        self.0.planned_data_resource(config)
    }

    fn assert_plan_valid(&self, prior: &Value, config: &Value, planned: &Value) -> Result<Vec<Violation>, Refusal> {
        self.0.assert_plan_valid(prior, config, planned)
    }

    fn assert_object_compatible(&self, planned: &Value, actual: &Value) -> Result<Vec<Violation>, Refusal> {
        self.0.assert_object_compatible(planned, actual)
    }

    fn normalize_legacy(&self, value: &Value) -> Result<Value, Refusal> {
        self.0.normalize_legacy(value)
    }

    fn prepare_computed_blocks(&self, value: &Value) -> Result<Value, Refusal> {
        self.0.prepare_computed_blocks(value)
    }

    fn plan(&self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, Refusal> {
        self.0.plan(request, provider)
    }

    fn apply(&self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, Refusal> {
        self.0.apply(request, provider)
    }
}

#[test]
fn a_planner_that_is_wrong_is_found_and_one_that_panics_is_a_verdict() {
    let subjects: Vec<Box<dyn crate::subject::Subject>> =
        vec![Box::new(InProcess::new(Reference)), Box::new(InProcess::new(Wrong))];
    let mut fuzzer = Fuzzer::with(Target::Planner, InputJudge::of(Target::Planner, subjects));
    let (mut input, mut signatures) = (Vec::new(), std::collections::BTreeSet::new());
    for seed in 0..300 {
        input = fuzzer.mutate(&input, 1 << 16, seed, &mut plain);
        let InputOutcome::Found(troubles) = fuzzer.run(&input) else { continue };
        for trouble in troubles {
            // The written document is a case that shows the finding again.
            let bytes = trouble.document.to_pretty();
            let InputOutcome::Found(again) = fuzzer.run(bytes.as_bytes()) else {
                panic!("it is not seen again:\n{bytes}")
            };
            assert!(again.iter().any(|again| again.signature == trouble.signature), "{bytes}");
            signatures.insert(trouble.signature);
        }
    }
    let with = |word: &str| signatures.iter().any(|signature| signature.contains(word));
    assert!(with("proposed_new diverge:") && with("crash:") && with("rule_broken:"), "{signatures:?}");
}

#[test]
fn a_replay_in_which_nothing_was_checked_does_not_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let code = || replay(Target::Planner, vec![folder.path().to_owned()]).expect("files").exit_code();
    assert_eq!(code(), 2);
    std::fs::write(folder.path().join("none.json"), "no case").expect("written");
    assert_eq!(code(), 2);
    let case = Mutator::new(Breed::Merges, Settings::SMALL).fresh(3);
    std::fs::write(folder.path().join("case.json"), wire::write(&case)).expect("written");
    assert_eq!(code(), 0);
    assert!(replay(Target::Planner, vec![folder.path().join("missing")]).is_err());
}

#[test]
fn exported_inputs_are_read_again_under_the_same_name() {
    let mutator = Mutator::new(Breed::Merges, Settings::SMALL);
    let bytes = wire::write(&mutator.fresh(3));
    let kept = export(Target::Planner, &bytes).expect("a case");
    let again = export(Target::Planner, kept.document.to_pretty().as_bytes()).expect("a case");
    assert_eq!((kept.name, kept.document), (again.name, again.document));
    assert!(export(Target::Planner, b"{}").is_none() && export(Target::Codecs, &[0x0f]).is_none());
    let raw = Document { codec: Codec::Msgpack, bytes: b"\"bool\"\n\xc3".as_slice().into() }.to_raw();
    let kept = export(Target::Codecs, &raw).expect("a document");
    assert!(kept.name.starts_with("msgpack-"), "{}", kept.name);
    assert_eq!(Document::read(kept.document.to_compact().as_bytes()).expect("a document").to_raw(), raw);
}

#[test]
fn features_are_counted_in_a_sample_of_the_inputs() {
    for (target, breed) in TARGETS {
        let mutator = Mutator::new(breed, Settings::SMALL);
        let mut fuzzer = Fuzzer::new(target);
        for seed in 0..640 {
            fuzzer.run(&wire::write(&mutator.fresh(seed)));
        }
        fuzzer.run(b"no case");
        assert_eq!(fuzzer.tally().features.rows().iter().map(|row| row.hits).sum::<u64>(), 0, "not while it judges");
        fuzzer.take_stock();
        let features = &fuzzer.tally().features;
        let sampled = features.cases() + features.scenarios() + features.workspaces();
        assert!((2..40).contains(&sampled), "{target:?}: {sampled}");
        let has = |row: &str| features.rows().iter().any(|of| of.feature.starts_with(row) && of.hits > 0);
        let row = match breed {
            Breed::Merges => "schema.",
            Breed::Scenarios => "trace.",
            Breed::Workspaces => "workspace.",
        };
        assert!(has(row), "{target:?}");
        let json = fuzzer.tally().to_json(target.name(), Duration::ZERO, Duration::ZERO);
        assert_eq!(json.member("sampled"), Some(&Json::int(sampled)));
        assert!(json.member("features").is_some_and(|hits| hits.expect_object().is_ok_and(|hits| hits.len() > 10)));
    }
}

#[test]
fn counts_are_written_when_the_process_ends_though_nothing_was_mutated() {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("tally.json");
    let writer = ResultWriter::of(Target::Planner, None, Some(path.clone()));
    // A thread stands for the process.
    let process = std::thread::spawn(move || {
        begin_with(writer, Target::Planner);
        let mutator = Mutator::new(Breed::Merges, Settings::TINY);
        (0..200).for_each(|seed| assert!(run(&wire::write(&mutator.fresh(seed)))));
    });
    process.join().expect("it ends");
    let tally = Json::parse(&std::fs::read_to_string(path).expect("a file")).expect("JSON");
    assert_eq!(tally.member("executions"), Some(&Json::int(200_u64)));
    assert!(tally.member("features").is_some_and(|hits| *hits != Json::Object(Vec::new())), "{tally:?}");
}
