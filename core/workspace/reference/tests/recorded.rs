//! Runs the reference planner on recorded runs of whole workspaces: every one passes.

use std::io::Read;
use std::path::Path;

use planfuzz_workspace::run::Recorded;
use planfuzz_workspace_reference::Reference;

/// Runs the planner on the recorded runs of a file, of which there are at least `least`.
fn conform(name: &str, least: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus/recorded/workspaces");
    let bytes = std::fs::read(folder.join(name)).expect("the recorded runs");
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).expect("gzip");
    let mut wrong = Vec::new();
    for line in text.lines() {
        let recorded = Recorded::read(line).expect("a recorded run");
        if let Some(first) = recorded.replay(&Reference).differences.first() {
            wrong.push(format!("{}: {:?} {}", recorded.id, first.kind, first.text));
        }
    }
    let count = text.lines().count();
    assert!(count >= least, "only {count} runs");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn terraform_runs_pass() {
    conform("terraform.jsonl.gz", 300);
}

#[test]
fn terraform_runs_of_flawed_configurations_pass() {
    conform("flaws.jsonl.gz", 13);
}

#[test]
fn terraform_runs_with_targets_after_instances_went_pass() {
    conform("targets.jsonl.gz", 6);
}

#[test]
fn terraform_runs_beside_deposed_objects_pass() {
    conform("deposed.jsonl.gz", 21);
}

#[test]
fn terraform_runs_that_the_reference_once_missed_pass() {
    conform("mended.jsonl.gz", 33);
}

#[test]
fn opentofu_runs_pass() {
    conform("opentofu.jsonl.gz", 140);
}
