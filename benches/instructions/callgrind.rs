//! Runs this bench under callgrind, and reads callgrind's output.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::baseline::{Count, Line};
use super::works::COUNTED;

/// The option that makes this bench the counted side.
pub const CHILD: &str = "--counted";

/// The functions that request memory from the C library.
const ALLOCATORS: [&str; 6] = ["malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"];

/// The functions that free memory, under all names in the library.
const FREE: [&str; 3] = ["free", "cfree", "cfree@GLIBC_2.2.5"];

/// Counts everything on a workload.
///
/// # Errors
/// A failure of callgrind, or unexpected output.
pub fn lines(workload: &str, keep: Option<&Path>) -> Result<Vec<Line>, String> {
    let folder = tempfile::tempdir().map_err(|problem| format!("cannot make a folder: {problem}"))?;
    let names = run(workload, folder.path())?;
    // A part is written whenever the counted function returns; the last one, of the end of the process, has no number.
    let mut lines = Vec::new();
    for (number, (units, name)) in (1..).zip(&names) {
        let part = folder.path().join(format!("out.{number}"));
        let bytes = fs::read(&part).map_err(|problem| format!("cannot read {}: {problem}", part.display()))?;
        let count = count_of(&String::from_utf8_lossy(&bytes), *units)?;
        if let Some(keep) = keep {
            let kept = keep.join(format!("{workload} {name}.callgrind").replace(' ', "-"));
            let copied = fs::create_dir_all(keep).and_then(|()| fs::copy(&part, &kept));
            copied.map_err(|problem| format!("cannot write {}: {problem}", kept.display()))?;
        }
        lines.push(Line { workload: workload.to_owned(), name: name.clone(), count });
    }
    Ok(lines)
}

/// Runs the counted side, and returns the names of its lines, each with the divisor of its count.
fn run(workload: &str, folder: &Path) -> Result<Vec<(u64, String)>, String> {
    let this = std::env::current_exe().map_err(|problem| format!("this program has no path: {problem}"))?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--quiet", "--combine-dumps=no", "--dump-instr=yes", "--compress-pos=no"]);
    command.arg(format!("--callgrind-out-file={}", folder.join("out").display()));
    // One pattern for both options: if two match a function, callgrind uses one.
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
    let lines = String::from_utf8_lossy(&output.stdout);
    let read = lines.lines().map(|line| {
        let (units, name) = line.split_once(' ')?;
        Some((units.parse().ok().filter(|units| *units > 0)?, name.to_owned()))
    });
    read.collect::<Option<_>>().ok_or_else(|| format!("{workload}: expected a number and a name in each line: {lines}"))
}

/// The count in one part of callgrind's output, divided by the units.
fn count_of(part: &str, units: u64) -> Result<Count, String> {
    let total = part.lines().find_map(|line| line.strip_prefix("totals: ")?.trim().parse::<u64>().ok());
    let Some(total) = total.filter(|total| *total > 0) else {
        return Err("callgrind counted nothing: is the counted function known by its name?".to_owned());
    };
    let memory = Memory::of(part);
    let allocations: u64 = memory.first.values().map(|(_, times)| times).sum();
    Ok(Count {
        instructions: total.saturating_sub(memory.instructions) / units,
        allocator: memory.instructions / units,
        allocations: allocations / units,
    })
}

/// The C library's work for memory.
#[derive(Default)]
struct Memory<'a> {
    /// Instructions of calls from elsewhere, with everything that they call.
    instructions: u64,
    /// How often the first instruction of each allocator was executed, with its address: callgrind's own numbers of calls
    /// include those outside of the counted function.
    first: HashMap<&'a str, (u64, u64)>,
}

impl<'a> Memory<'a> {
    /// Parses a part. A function is named once, as `fn=(12) malloc`, and referred to as `(12)` from then on. The lines after it
    /// are the costs of its instructions, `0x1234 0 7` with the address first, except for the line after `calls=`, which is the
    /// cost of the callee.
    fn of(part: &'a str) -> Memory<'a> {
        let mut names: HashMap<&str, &str> = HashMap::new();
        let mut memory = Memory::default();
        let (mut function, mut callee, mut is_call) = ("", "", false);
        for line in part.lines() {
            if let Some(named) = line.strip_prefix("fn=") {
                function = name_of(named, &mut names);
            } else if let Some(named) = line.strip_prefix("cfn=") {
                callee = name_of(named, &mut names);
            } else if line.starts_with("calls=") {
                is_call = true;
            } else if let Some((address, cost)) = instruction(line) {
                match std::mem::take(&mut is_call) {
                    true if is_of_memory(callee) && !is_of_memory(function) => memory.instructions += cost,
                    true => {}
                    false if ALLOCATORS.contains(&function) => memory.executed(function, address, cost),
                    false => {}
                }
            }
        }
        memory
    }

    fn executed(&mut self, allocator: &'a str, address: u64, times: u64) {
        let first = self.first.entry(allocator).or_insert((address, 0));
        match address.cmp(&first.0) {
            Ordering::Less => *first = (address, times),
            Ordering::Equal => first.1 += times,
            Ordering::Greater => {}
        }
    }
}

fn is_of_memory(function: &str) -> bool {
    ALLOCATORS.contains(&function) || FREE.contains(&function)
}

/// An address, and how often the instruction there was executed.
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
    // A recursive function has a number after its name, a function of another file the name of its file before it.
    known.split('\'').next().unwrap_or(known)
}
