//! Instructions and allocations of single calls, and of plans of workspaces: what a clock cannot tell on a busy machine.
//!
//! The bench runs itself under callgrind, a process for each workload, and reads what was counted within the calls alone.
//! One build counts the same every time, so a committed baseline holds the planners to what they cost
//! (`benches/instructions/baseline.json`).
//!
//! `cargo bench --bench instructions` prints the table as Markdown; with words behind `--` that are names of workloads, that
//! of these alone; `workspaces` names all shapes of workspaces.
//!
//! | option | does |
//! | --- | --- |
//! | `--check` | holds the figures against the baseline: exit code 1, and each line that is more than 5 % above it |
//! | `--write` | writes the baseline |
//! | `--baseline FILE` | another baseline, such as one that was written of another commit |
//! | `--keep FOLDER` | keeps what callgrind wrote, a file for each line, for `callgrind_annotate` |
//!
//! What the allocator needs for one call depends on all that was allocated before, so its instructions are told apart and not
//! held to anything; how often it is called is.
//!
//! A baseline is of one compiler, one callgrind, one C library and one kind of processor; with others `--check` says that
//! they are not comparable, and succeeds. Where there is no valgrind, or not Linux on x86-64, it says so and succeeds, unless
//! `PLANFUZZ_REQUIRE_VALGRIND` is set. Run by `cargo test --benches` it does every small work once, and counts nothing.

mod baseline;
mod callgrind;
mod machine;
#[path = "../common/numbers.rs"]
mod numbers;
mod table;
mod works;
mod workspaces;

use std::path::PathBuf;
use std::process::ExitCode;

use baseline::Baseline;
use planfuzz::workloads::Workload;

/// Where the baseline is that is committed.
const BASELINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions/baseline.json");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name] = &arguments[..]
        && flag == callgrind::CHILD
    {
        return works::count(name);
    }
    let options = Options::of(&arguments);
    if !options.is_bench {
        works::try_all();
        return ExitCode::SUCCESS;
    }
    if let Err(missing) = machine::can_count() {
        println!("nothing is counted: {missing}");
        return ExitCode::from(u8::from(std::env::var_os("PLANFUZZ_REQUIRE_VALGRIND").is_some()));
    }
    match options.run() {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(3)
        }
    }
}

/// What is to be done.
#[derive(Default)]
struct Options {
    is_bench: bool,
    check: bool,
    write: bool,
    keep: Option<PathBuf>,
    baseline: Option<PathBuf>,
    workloads: Vec<String>,
}

impl Options {
    fn of(arguments: &[String]) -> Options {
        let mut options = Options::default();
        let mut left = arguments.iter();
        while let Some(argument) = left.next() {
            match argument.as_str() {
                "--bench" => options.is_bench = true,
                "--check" => options.check = true,
                "--write" => options.write = true,
                "--keep" => options.keep = left.next().map(PathBuf::from),
                "--baseline" => options.baseline = left.next().map(PathBuf::from),
                name => options.workloads.extend(
                    works::names()
                        .into_iter()
                        .filter(|known| known == name || name == "workspaces" && Workload::named(known).is_none()),
                ),
            }
        }
        options
    }

    fn run(&self) -> Result<ExitCode, String> {
        let path = self.baseline.clone().unwrap_or(BASELINE.into());
        let machine = machine::Machine::here();
        if self.check {
            let differences = Baseline::read(&path)?.machine.differences(&machine);
            if !differences.is_empty() {
                println!("not comparable with {}: {}", path.display(), differences.join("; "));
                return Ok(ExitCode::SUCCESS);
            }
        }
        let names = if self.workloads.is_empty() { works::names() } else { self.workloads.clone() };
        let mut counted = Baseline { machine, lines: Vec::new() };
        for name in &names {
            counted.lines.extend(callgrind::lines(name, self.keep.as_deref())?);
        }
        if self.write {
            counted.write(&path)?;
        }
        if self.check {
            let held = Baseline::read(&path)?.holds(&counted, self.workloads.is_empty());
            return Ok(ExitCode::from(u8::from(!held)));
        }
        table::print(&counted);
        Ok(ExitCode::SUCCESS)
    }
}
