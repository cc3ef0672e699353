//! Runs the reference planner on recorded runs of whole workspaces: `conform FILE…` prints how many passed, the others by the first kind of
//! difference, and what is left out; `conform --show ID FILE…` prints every difference of one.

use std::collections::BTreeMap;
use std::io::Read;
use std::process::ExitCode;

use planfuzz_workspace::run::Recorded;
use planfuzz_workspace_reference::Reference;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut shown = None;
    if arguments.first().is_some_and(|one| one == "--show") && arguments.len() > 1 {
        shown = Some(arguments.remove(1));
        arguments.remove(0);
    }
    let (mut passed, mut all) = (0, 0);
    let mut failed: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in &arguments {
        let text = match read(file) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{file}: {error}");
                return ExitCode::from(2);
            }
        };
        for line in text.lines() {
            all += 1;
            let recorded = match Recorded::read(line) {
                Ok(recorded) => recorded,
                Err(error) => {
                    failed.entry("cannot be read".into()).or_default().push(format!("line {all}: {error}"));
                    continue;
                }
            };
            if shown.as_ref().is_some_and(|id| *id != recorded.id) {
                continue;
            }
            let replay = recorded.replay(&Reference);
            if shown.is_some() {
                for difference in &replay.differences {
                    println!("{:?} {}", difference.kind, difference.text);
                }
            }
            match replay.differences.first() {
                None => passed += 1,
                Some(first) => failed.entry(format!("{:?}", first.kind)).or_default().push(recorded.id),
            }
        }
    }
    println!("{passed} of {all} passed");
    for (kind, ids) in &failed {
        println!("{kind} {}: {}", ids.len(), ids.join(" "));
    }
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn read(file: &str) -> std::io::Result<String> {
    let mut text = String::new();
    let bytes = std::fs::File::open(file)?;
    match file.ends_with(".gz") {
        true => flate2::read::GzDecoder::new(bytes).read_to_string(&mut text)?,
        false => std::io::BufReader::new(bytes).read_to_string(&mut text)?,
    };
    Ok(text)
}
