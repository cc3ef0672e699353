//! Recorded runs of engines: those of Terraform pass, those of OpenTofu are refused in so many words.

use std::io::Read;
use std::path::Path;

use planfuzz_workspace::run::Recorded;
use planfuzz_workspace_optimized::{NOT_COVERED, Optimized};

fn runs(name: &str) -> Vec<Recorded> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus/recorded/workspaces");
    let bytes = std::fs::read(folder.join(name)).expect("the recorded runs");
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).expect("gzip");
    text.lines().map(|line| Recorded::read(line).expect("a recorded run")).collect()
}

#[test]
fn terraform_runs_pass() {
    let runs = runs("terraform.jsonl.gz");
    assert!(runs.len() >= 300, "only {} runs", runs.len());
    let wrong: Vec<String> = runs
        .iter()
        .filter_map(|run| Some((run, run.replay(&Optimized).differences.into_iter().next()?)))
        .map(|(run, first)| format!("{}: {:?} {}", run.id, first.kind, first.text))
        .collect();
    assert!(wrong.is_empty(), "{} runs: {}", wrong.len(), wrong.join("\n"));
}

#[test]
fn opentofu_runs_are_refused() {
    for run in runs("opentofu.jsonl.gz") {
        let planned = run.replay(&Optimized).planned;
        assert!(planned.plan.is_none() && planned.trace.calls.is_empty(), "{}", run.id);
        assert!(planned.diagnostics.iter().all(|one| one.summary.starts_with(NOT_COVERED)), "{}", run.id);
    }
}
