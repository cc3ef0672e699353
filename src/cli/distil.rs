//! `distil`: reduces a big corpus to a small one of readable files.
//!
//! libFuzzer's merge finds the inputs that the code of this build needs. If there is no room for all of them, inputs come first
//! that have a feature of the generator which no smaller one has.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::args::DistilArgs;
use super::error::{CliError, Held};
use super::output::{self, DIM, styled};
use super::{files, settings};
use crate::fuzz::{Fuzzer, InputOutcome, Kept, Target, export, wire};
use crate::generate::rows_of;

/// The longest input that is taken: a corpus is to be read by people.
const LONGEST: u64 = 64 << 10;

/// Runs the command.
///
/// # Errors
/// Folders that cannot be read or have no inputs, a binary that cannot be run or fails, or keeps nothing.
pub fn run(args: &DistilArgs) -> Result<Held, CliError> {
    settings::tidy_on_interrupts()?;
    let inputs = Inputs::read(args.target, &args.folders)?;
    let name = args.target.name();
    if inputs.readable.is_empty() {
        let message = format!("expected inputs of {name} to distil, found none in {} files", inputs.read);
        return Err(CliError::input(message).with_hint("name the folders that the target and the campaigns filled"));
    }
    let place = tempfile::tempdir().map_err(|problem| CliError::failed(format!("no temporary folder: {problem}")))?;
    let mut chosen = merged(args, &inputs, place.path())?;
    let Dropped { failing, rejected } = drop_unfit(args.target, &inputs, &mut chosen);
    let reached = chosen.len();
    let ranked = ranked(&inputs, chosen);
    let limit = args.kib.map_or(usize::MAX, |kib| kib.saturating_mul(1024));
    let mut room = limit;
    let (chosen, beyond): (Vec<&String>, Vec<&String>) = ranked.iter().partition(|name| {
        let size = inputs.readable[*name].len();
        let fits = size <= room;
        room -= if fits { size } else { 0 };
        fits
    });
    if args.prune && chosen.is_empty() {
        let message =
            format!("expected inputs of {name} that hold and have room, found none: --prune would empty the corpus");
        return Err(CliError::input(message).with_hint("planfuzz triage tells what they show; --kib gives them room"));
    }
    fs::create_dir_all(&args.output).map_err(|problem| CliError::writing(&args.output, problem))?;
    let (mut bytes, mut names) = (0, BTreeSet::new());
    for name in &chosen {
        let text = &inputs.readable[*name];
        bytes += text.len();
        files::write(&args.output.join(name), text.as_bytes())?;
        names.insert(name.as_str());
    }
    let removed = if args.prune { prune(&args.output, &names)? } else { 0 };
    let Inputs { read, others, too_long, readable, .. } = &inputs;
    let others = others + rejected;
    output::report(&styled(
        DIM,
        format!("{read} files, {others} of them no inputs of {name}, {too_long} longer than {} KiB", LONGEST >> 10),
    ));
    output::line(&format!(
        "{} of {} inputs kept, {} KiB; {}",
        chosen.len(),
        readable.len() - rejected,
        bytes.div_ceil(1024),
        match args.binary {
            Some(_) => format!("{reached} reach what there is to reach"),
            None => "which code they reach is not known without --binary".to_owned(),
        }
    ))?;
    if !beyond.is_empty() {
        output::line(&format!("{} more have no room in {} KiB", beyond.len(), args.kib.unwrap_or_default()))?;
    }
    if failing > 0 {
        output::line(&format!("{failing} do not hold and are not kept: see planfuzz triage"))?;
    }
    if removed > 0 {
        output::line(&format!("{removed} that are not needed any more removed"))?;
    }
    Ok(Held::Yes)
}

/// The inputs to choose from.
struct Inputs {
    /// The readable text of each input, by the name of its file.
    readable: BTreeMap<String, String>,
    /// The bytes for libFuzzer: compact where the file is.
    raw: BTreeMap<String, Vec<u8>>,
    /// Files that were found.
    read: usize,
    /// Those that are no inputs.
    others: usize,
    /// Those that are longer than people read.
    too_long: usize,
}

/// Inputs that are not kept, by reason.
struct Dropped {
    /// They show findings, which do not belong in a corpus.
    failing: usize,
    /// They are cases of another target.
    rejected: usize,
}

impl Inputs {
    fn read(target: Target, folders: &[PathBuf]) -> Result<Inputs, CliError> {
        let mut inputs = Inputs { readable: BTreeMap::new(), raw: BTreeMap::new(), read: 0, others: 0, too_long: 0 };
        let mut pending = folders.to_vec();
        while let Some(path) = pending.pop() {
            let unreadable = |problem| CliError::input(format!("cannot read {}: {problem}", path.display()));
            if path.is_dir() {
                for entry in fs::read_dir(&path).map_err(unreadable)? {
                    pending.push(entry.map_err(unreadable)?.path());
                }
                continue;
            }
            inputs.read += 1;
            if fs::metadata(&path).map_err(unreadable)?.len() > LONGEST {
                inputs.too_long += 1;
                continue;
            }
            let bytes = fs::read(&path).map_err(unreadable)?;
            match export(target, &bytes) {
                Some(kept) => {
                    let mut text = kept.document.to_pretty();
                    text.push('\n');
                    inputs.raw.insert(kept.name.clone(), bytes);
                    inputs.readable.insert(kept.name, text);
                }
                None => inputs.others += 1,
            }
        }
        Ok(inputs)
    }
}

/// The inputs that the merge keeps; all of them if no binary is named.
fn merged(args: &DistilArgs, inputs: &Inputs, place: &Path) -> Result<BTreeSet<String>, CliError> {
    let Some(binary) = &args.binary else { return Ok(inputs.readable.keys().cloned().collect()) };
    // Inputs that fail are not kept; the merge goes on with the others, and writes nothing to the user's folders.
    let [all, kept, failing] = ["all", "kept", "failing"].map(|name| place.join(name));
    for folder in [&all, &kept, &failing] {
        fs::create_dir(folder).map_err(|problem| CliError::writing(folder, problem))?;
    }
    for (name, bytes) in &inputs.raw {
        files::write(&all.join(name), bytes)?;
    }
    let ended = Command::new(binary)
        .args([
            "-merge=1".to_owned(),
            format!("-use_counters={}", u8::from(args.fine)),
            format!("-max_len={LONGEST}"),
            "-rss_limit_mb=4096".to_owned(),
            format!("-artifact_prefix={}/", failing.display()),
        ])
        .env(crate::fuzz::FINDINGS, &failing)
        .env_remove(crate::fuzz::TALLY)
        .args([&kept, &all])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|problem| CliError::input(format!("cannot run {}: {problem}", binary.display())))?;
    if !ended.status.success() {
        let stderr = String::from_utf8_lossy(&ended.stderr);
        let last: Vec<&str> = stderr.lines().rev().take(5).collect();
        let last = last.into_iter().rev().collect::<Vec<_>>().join("\n");
        return Err(CliError::failed(format!("{} did not merge: {}\n{last}", binary.display(), ended.status)));
    }
    let unreadable = |problem| CliError::failed(format!("cannot read {}: {problem}", kept.display()));
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(&kept).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let bytes = fs::read(&path).map_err(unreadable)?;
        if let Some(kept) = export(args.target, &bytes) {
            names.insert(kept.name);
        }
    }
    if names.is_empty() {
        let message = format!("{} merged {} inputs and kept none of them", binary.display(), inputs.raw.len());
        let hint = format!("name the binary of the target {}, built with a fuzzer", args.target.name());
        return Err(CliError::input(message).with_hint(hint));
    }
    Ok(names)
}

/// Removes inputs that do not belong in the corpus; returns how many.
fn drop_unfit(target: Target, inputs: &Inputs, chosen: &mut BTreeSet<String>) -> Dropped {
    let mut fuzzer = Fuzzer::new(target);
    let mut dropped = Dropped { failing: 0, rejected: 0 };
    chosen.retain(|name| match fuzzer.run(inputs.readable[name].as_bytes()) {
        InputOutcome::Held => true,
        InputOutcome::Found(_) => {
            dropped.failing += 1;
            false
        }
        InputOutcome::Rejected => {
            dropped.rejected += 1;
            false
        }
    });
    dropped
}

/// The inputs in order of preference: the smallest for each feature, then the others, the smallest first.
fn ranked(inputs: &Inputs, chosen: BTreeSet<String>) -> Vec<String> {
    let rows = |name: &String| match wire::read(inputs.readable[name].as_bytes()) {
        Ok(case) => rows_of(&case),
        // Documents of codecs have no features.
        Err(_) => Vec::new(),
    };
    let mut ordered: Vec<&String> = chosen.iter().collect();
    ordered.sort_by_key(|name| inputs.readable[*name].len());
    let mut covered: BTreeSet<String> = BTreeSet::new();
    let (mut wanted, mut others) = (Vec::new(), Vec::new());
    for name in ordered {
        let rows = rows(name);
        let is_new = rows.iter().any(|row| !covered.contains(row));
        covered.extend(rows);
        if is_new { wanted.push(name.clone()) } else { others.push(name.clone()) }
    }
    wanted.extend(others);
    wanted
}

/// Removes files of a corpus that are not kept, if this command wrote them.
fn prune(folder: &Path, kept: &BTreeSet<&str>) -> Result<usize, CliError> {
    let unreadable = |problem| CliError::input(format!("cannot read {}: {problem}", folder.display()));
    let mut removed = 0;
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if Kept::is_name(name) && !kept.contains(name) {
            fs::remove_file(&path).map_err(|problem| CliError::writing(&path, problem))?;
            removed += 1;
        }
    }
    Ok(removed)
}
