//! The phase that hunts planted faults: how many cases and how much time each takes tonight.
//!
//! Not every night has time for all. Each has an order of its own, so that over some nights all are hunted.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use planfuzz_files::draft;

use super::canary;
use super::context::Context;
use super::error::PhaseError;
use super::record::Kill;
use super::tables::lines;

/// The time to search for each fault. Most are found in a second, a few of planners of workspaces in a minute or two.
const TIME: &str = "5m";

/// The phase is skipped if less time is left.
const LEAST: Duration = Duration::from_secs(10);

/// What is kept of the time for making the last cases small and for writing the table.
const CLOSING: u32 = 10;

/// Hunts the faults, and keeps the table in the cache. `kills` has the previous table until the hunt ends, and tonight's afterwards.
///
/// # Errors
/// A table that cannot be read or written, no binary that has faults, too little time, a command that fails or takes too long, and the
/// end of the night.
pub fn hunt(context: &Context<'_>, kills: &mut Vec<Kill>) -> Result<(), PhaseError> {
    *kills = last(context)?;
    let program = canary::binary(context)?;
    let left = context.clock.left_of("kills");
    if left < LEAST {
        return Err(PhaseError::Skipped(format!("{:.0} s are too little for planted faults", left.as_secs_f64())));
    }
    let order = super::program::Order::new(&program, context.log("kills"))
        .with("kills")
        .with("--json")
        .option("--seed", super::worker::seed_of(&context.options.seed, "kills").to_string())
        .option("--time", TIME)
        .option("--within", format!("{}ms", (left - left / CLOSING).as_millis()))
        .option("--jobs", context.options.workers.to_string());
    let ended = order.run(context.clock.end_of("kills"), context.stop)?;
    // Exit code 1: some faults were missed, which the table shows.
    if !matches!(ended.code, Some(0 | 1)) {
        return Err(ended.error("kills"));
    }
    let printed = ended.printed()?;
    *kills = lines(&printed)?;
    let path = table(context);
    draft::write_whole(&path, |file| file.write_all(printed.as_bytes()))
        .map_err(|problem| PhaseError::of_file("write", &path, &problem))
}

/// The table of the last night that had one.
fn last(context: &Context<'_>) -> Result<Vec<Kill>, PhaseError> {
    let path = table(context);
    match fs::read_to_string(&path) {
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(problem) => Err(PhaseError::of_file("read", &path, &problem)),
        Ok(text) => lines(&text),
    }
}

fn table(context: &Context<'_>) -> PathBuf {
    context.options.cache.join("kills.jsonl")
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    use super::super::clock::Clock;
    use super::super::context::{Asked, Options};
    use super::*;

    const MISSED: &str =
        r#"{"fault":"b1","subject":"fault:b1","found":false,"cases":3,"seconds":0.5,"reason":"not within its bound"}"#;

    /// Hunts in a folder with a program that runs `script`, within so many seconds.
    fn hunted(folder: &Path, script: &str, seconds: u64) -> (Vec<Kill>, Result<(), PhaseError>) {
        let program = folder.join("planfuzz-faults");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        let options = Options {
            time: Duration::from_secs(seconds),
            workers: 1,
            seed: "7".to_owned(),
            commit: None,
            corpus: folder.to_owned(),
            cache: folder.to_owned(),
            binaries: Some(folder.to_owned()),
            allow: None,
            work: folder.join("work"),
            program,
            asked: Asked::default(),
        };
        let stop = AtomicBool::new(false);
        let clock = Clock::start(options.time);
        let context = Context { options: &options, clock, stop: &stop, report: &|_| {} };
        let mut kills = Vec::new();
        let result = hunt(&context, &mut kills);
        (kills, result)
    }

    #[test]
    fn a_table_is_kept_and_stands_in_for_one_that_cannot_be_made() {
        let folder = tempfile::tempdir().unwrap();
        let (kills, result) = hunted(folder.path(), &format!("echo '{MISSED}'; exit 1"), 600);
        assert!(result.is_ok(), "{result:?}");
        assert_eq!(
            (kills[0].found, kills[0].size, kills[0].reason.as_deref()),
            (false, None, Some("not within its bound"))
        );
        for (script, seconds) in [("exit 3", 600), ("echo no table", 600), ("exit 0", 10)] {
            let (again, result) = hunted(folder.path(), script, seconds);
            assert!(result.is_err(), "{script}");
            assert_eq!(again, kills, "{script}");
        }
        assert_eq!(fs::read_to_string(folder.path().join("kills.jsonl")).unwrap().trim(), MISSED);
    }
}
