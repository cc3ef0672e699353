//! Checks the rules of workspaces on recorded runs of engines, and on runs of the reference planner on the same workspaces.

mod common;

use std::collections::BTreeMap;

use common::{curated, recorded};
use planfuzz_workspace_reference::Reference;
use planfuzz_workspace_rules::{RULES, RuleReport, Run};

/// The files of recorded runs.
const RECORDED: [&str; 6] = [
    "terraform.jsonl.gz",
    "opentofu.jsonl.gz",
    "deposed.jsonl.gz",
    "flaws.jsonl.gz",
    "mended.jsonl.gz",
    "targets.jsonl.gz",
];

fn note(counts: &mut BTreeMap<&'static str, u64>, wrong: &mut Vec<String>, who: &str, held: &RuleReport) {
    for (info, count) in RULES.iter().zip(&held.checks) {
        *counts.entry(info.id).or_default() += count;
    }
    wrong.extend(held.broken.iter().map(|broken| format!("{who}: {} {}", broken.rule, broken.message)));
}

#[test]
fn no_recorded_run_breaks_a_rule_and_each_rule_is_held() {
    let (mut counts, mut wrong) = (BTreeMap::new(), Vec::new());
    for file in RECORDED {
        for recorded in recorded(file) {
            let replay = recorded.replay(&Reference);
            let engine = Run::of_engine(&recorded, &replay).expect("a run of an engine").check();
            note(&mut counts, &mut wrong, &format!("{} of the engine", recorded.id), &engine);
            let own = Run::of_planner(&recorded.workspace, replay.done(&recorded.command));
            let own = own.expect("a run of the reference").check();
            note(&mut counts, &mut wrong, &format!("{} of the reference", recorded.id), &own);
        }
    }
    for (name, step) in curated() {
        let own = Run::of_planner(&step.workspace, step.done());
        note(&mut counts, &mut wrong, &name, &own.expect("a run of the reference").check());
    }
    let short = |line: &String| line.chars().take(400).collect::<String>();
    let first: Vec<String> = wrong.iter().take(60).map(short).collect();
    assert!(wrong.is_empty(), "{} broken:\n{}", wrong.len(), first.join("\n"));
    let never: Vec<_> = counts.iter().filter(|(_, count)| **count == 0).collect();
    assert!(never.is_empty(), "never held: {never:?}");
}
