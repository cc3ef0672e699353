//! Recorded runs of engines pass.

use std::io::Read;
use std::path::Path;

use planfuzz_workspace::run::Recorded;
use planfuzz_workspace_optimized::Optimized;

fn runs(name: &str) -> Vec<Recorded> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus/recorded/workspaces");
    let bytes = std::fs::read(folder.join(name)).expect("the recorded runs");
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).expect("gzip");
    text.lines().map(|line| Recorded::read(line).expect("a recorded run")).collect()
}

fn pass(name: &str, least: usize) {
    let runs = runs(name);
    assert!(runs.len() >= least, "only {} runs", runs.len());
    let wrong: Vec<String> = runs
        .iter()
        .filter_map(|run| Some((run, run.replay(&Optimized).differences.into_iter().next()?)))
        .map(|(run, first)| format!("{}: {:?} {}", run.id, first.kind, first.text))
        .collect();
    assert!(wrong.is_empty(), "{} runs: {}", wrong.len(), wrong.join("\n"));
}

#[test]
fn terraform_runs_pass() {
    pass("terraform.jsonl.gz", 300);
}

#[test]
fn terraform_runs_of_flawed_configurations_pass() {
    pass("flaws.jsonl.gz", 13);
}

#[test]
fn terraform_runs_with_targets_after_instances_went_pass() {
    pass("targets.jsonl.gz", 6);
}

#[test]
fn terraform_runs_beside_deposed_objects_pass() {
    pass("deposed.jsonl.gz", 21);
}

#[test]
fn terraform_runs_that_the_reference_once_missed_pass() {
    pass("mended.jsonl.gz", 33);
}

#[test]
fn opentofu_runs_pass() {
    pass("opentofu.jsonl.gz", 140);
}
