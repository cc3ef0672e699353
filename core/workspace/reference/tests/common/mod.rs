//! The runs on which the rules of workspaces are checked: recorded runs of engines, and runs of the reference planner on the curated cases.

use std::io::Read;
use std::path::Path;

use planfuzz_core::json::Json;
use planfuzz_workspace::run::Recorded;
use planfuzz_workspace_cases::{Case, PlayedStep, play};
use planfuzz_workspace_reference::Reference;

/// The runs of engines in a file of the corpus.
pub fn recorded(name: &str) -> Vec<Recorded> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus/recorded/workspaces");
    let bytes = std::fs::read(folder.join(name)).expect("the recorded runs");
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).expect("gzip");
    text.lines().map(|line| Recorded::read(line).expect("a recorded run")).collect()
}

/// The steps of the curated cases, each with the file of its case.
pub fn curated() -> Vec<(String, PlayedStep)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus/workspace-cases");
    let paths = std::fs::read_dir(folder).expect("the cases").map(|entry| entry.expect("a file").path());
    let steps = paths.flat_map(|path| {
        let json = Json::parse(&std::fs::read_to_string(&path).expect("a case")).expect("JSON");
        let members = json.expect_object().expect("a case").iter().filter(|(name, _)| &**name != "format").cloned();
        let case = Case::from_json(&Json::Object(members.collect())).expect("a case");
        let played = play(&case, &Reference).expect("a case that can be played");
        played.steps.into_iter().map(move |step| (path.display().to_string(), step))
    });
    steps.collect()
}
