//! The rules of workspaces, put to what engines were recorded to do, and to what the reference planner does with the same.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use planfuzz_core::json::Json;
use planfuzz_workspace::run::Recorded;
use planfuzz_workspace_cases::{Case, PlayedStep, play};
use planfuzz_workspace_reference::Reference;
use planfuzz_workspace_rules::{Held, RULES, Run};

fn recorded(name: &str) -> Vec<Recorded> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus/recorded/workspaces");
    let bytes = std::fs::read(folder.join(name)).expect("the recorded runs");
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).expect("gzip");
    text.lines().map(|line| Recorded::read(line).expect("a recorded run")).collect()
}

/// The steps of the curated cases that make plans.
fn curated() -> Vec<(String, PlayedStep)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus/workspace-cases");
    let paths = std::fs::read_dir(folder).expect("the cases").map(|entry| entry.expect("a file").path());
    let steps = paths.flat_map(|path| {
        let json = Json::parse(&std::fs::read_to_string(&path).expect("a case")).expect("JSON");
        let members = json.expect_object().expect("a case").iter().filter(|(name, _)| &**name != "format").cloned();
        let case = Case::from_json(&Json::Object(members.collect())).expect("a case");
        let played = play(&case, &Reference).expect("a case that can be played");
        played.steps.into_iter().map(move |step| (path.display().to_string(), step))
    });
    steps.filter(|(_, step)| step.command.plans()).collect()
}

fn note(counts: &mut BTreeMap<&'static str, u64>, wrong: &mut Vec<String>, who: &str, held: &Held) {
    for (info, count) in RULES.iter().zip(&held.checks) {
        *counts.entry(info.id).or_default() += count;
    }
    wrong.extend(held.broken.iter().map(|broken| format!("{who}: {} {}", broken.rule, broken.message)));
}

#[test]
fn no_recorded_run_breaks_a_rule_and_each_rule_is_held() {
    let (mut counts, mut wrong) = (BTreeMap::new(), Vec::new());
    for file in ["terraform.jsonl.gz", "opentofu.jsonl.gz"] {
        for recorded in recorded(file) {
            let replay = recorded.replay(&Reference);
            let engine = Run::of_engine(&recorded, &replay).expect("a run of an engine").check();
            note(&mut counts, &mut wrong, &format!("{} of the engine", recorded.id), &engine);
            let own = Run::of_planner(&recorded.workspace, &replay.planned, replay.applied.as_ref());
            let own = own.expect("a run of the reference").check();
            note(&mut counts, &mut wrong, &format!("{} of the reference", recorded.id), &own);
        }
    }
    for (name, step) in curated() {
        let own = Run::of_planner(&step.workspace, &step.planned, step.applied.as_ref());
        note(&mut counts, &mut wrong, &name, &own.expect("a run of the reference").check());
    }
    let short = |line: &String| line.chars().take(400).collect::<String>();
    let first: Vec<String> = wrong.iter().take(60).map(short).collect();
    assert!(wrong.is_empty(), "{} broken:\n{}", wrong.len(), first.join("\n"));
    let never: Vec<_> = counts.iter().filter(|(_, count)| **count == 0).collect();
    assert!(never.is_empty(), "never held: {never:?}");
}
