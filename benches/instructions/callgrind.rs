//! This bench under callgrind, and what callgrind writes.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::baseline::{Count, Line};
use super::works::{CALLS, COUNTED};

/// The option with which this bench is the side that is counted.
pub const CHILD: &str = "--counted";

/// What asks the C library for memory.
const ALLOCATORS: [&str; 6] = ["malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"];

/// Counts everything on a workload.
///
/// # Errors
/// What failed: callgrind, or its output is not as expected.
pub fn lines(workload: &str, keep: Option<&Path>) -> Result<Vec<Line>, String> {
    let folder = tempfile::tempdir().map_err(|problem| format!("cannot make a folder: {problem}"))?;
    let names = run(workload, folder.path())?;
    // A part is written whenever the counted function is left; the last one, of the end of the process, has no number.
    let mut lines = Vec::new();
    for (number, name) in (1..).zip(&names) {
        let part = folder.path().join(format!("out.{number}"));
        let bytes = fs::read(&part).map_err(|problem| format!("cannot read {}: {problem}", part.display()))?;
        let count = count_of(&String::from_utf8_lossy(&bytes))?;
        if let Some(keep) = keep {
            let kept = keep.join(format!("{workload} {name}.callgrind").replace(' ', "-"));
            let copied = fs::create_dir_all(keep).and_then(|()| fs::copy(&part, &kept));
            copied.map_err(|problem| format!("cannot write {}: {problem}", kept.display()))?;
        }
        lines.push(Line { workload: workload.to_owned(), name: name.clone(), count });
    }
    Ok(lines)
}

/// Runs the counted side, and gives the names of its lines.
fn run(workload: &str, folder: &Path) -> Result<Vec<String>, String> {
    let this = std::env::current_exe().map_err(|problem| format!("this program has no path: {problem}"))?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--quiet", "--combine-dumps=no", "--dump-instr=yes", "--compress-pos=no"]);
    command.arg(format!("--callgrind-out-file={}", folder.join("out").display()));
    // One pattern for both: of two that fit a function, callgrind knows one.
    command.args(["--toggle-collect", "--dump-after"].map(|option| format!("{option}=*{COUNTED}")));
    let output = command.arg(this).args([CHILD, workload]).stdin(Stdio::null()).output();
    let output = output.map_err(|problem| format!("cannot start valgrind: {problem}"))?;
    if !output.status.success() {
        return Err(format!(
            "{workload} under callgrind: {}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// What one part of callgrind's output says of one call.
fn count_of(part: &str) -> Result<Count, String> {
    let total = part.lines().find_map(|line| line.strip_prefix("totals: ")?.trim().parse::<u64>().ok());
    match total {
        Some(total) if total > 0 => Ok(Count { instructions: total / CALLS, allocations: allocations(part) / CALLS }),
        _ => Err("callgrind counted nothing: is the counted function known by its name?".to_owned()),
    }
}

/// How often allocators were called: how often the first instruction of each was executed, since callgrind's own numbers of
/// calls are not of the counted function alone.
///
/// A function is named once, as `fn=(12) malloc`, and called `(12)` from then on. Lines behind it are what its instructions
/// cost, `0x1234 0 7` with the address first, but for the line behind `calls=`, which is what the callee cost.
fn allocations(part: &str) -> u64 {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut first: HashMap<&str, (u64, u64)> = HashMap::new();
    let (mut function, mut is_callee) = ("", false);
    for line in part.lines() {
        if let Some(named) = line.strip_prefix("fn=") {
            function = name_of(named, &mut names);
        } else if let Some(named) = line.strip_prefix("cfn=") {
            name_of(named, &mut names);
        } else if line.starts_with("calls=") {
            is_callee = true;
        } else if let Some((address, cost)) = instruction(line) {
            if !std::mem::take(&mut is_callee) && ALLOCATORS.contains(&function) {
                let known = first.entry(function).or_insert((address, 0));
                match address.cmp(&known.0) {
                    Ordering::Less => *known = (address, cost),
                    Ordering::Equal => known.1 += cost,
                    Ordering::Greater => {}
                }
            }
        }
    }
    first.values().map(|(_, times)| times).sum()
}

/// An address, and how often what is there was executed.
fn instruction(line: &str) -> Option<(u64, u64)> {
    let mut words = line.strip_prefix("0x")?.split(' ');
    let address = u64::from_str_radix(words.next()?, 16).ok()?;
    Some((address, words.nth(1)?.parse().ok()?))
}

fn name_of<'a>(function: &'a str, names: &mut HashMap<&'a str, &'a str>) -> &'a str {
    let (id, name) = function.split_once(' ').unwrap_or((function, ""));
    if !name.is_empty() {
        names.insert(id, name);
    }
    let known = names.get(id).copied().unwrap_or_default();
    // A function within itself has a number behind its name, one in another file that of the file before it.
    known.split('\'').next().unwrap_or(known)
}
