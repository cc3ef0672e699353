//! Instructions and allocations of single calls, and of plans of workspaces: figures that a clock cannot give on a busy
//! machine.
//!
//! The bench runs itself under callgrind, a process for each workload, and reads what was counted within the calls alone. One
//! build counts the same every time, so the planners are compared with a committed baseline
//! (`benches/instructions/baseline.json`).
//!
//! `cargo bench --bench instructions` prints the table as Markdown; names of workloads after `--` limit it to these;
//! `workspaces` names all shapes of workspaces.
//!
//! | option | does |
//! | --- | --- |
//! | `--check` | compares the figures with the baseline: exit code 1, and each line that is more than 5 % above it |
//! | `--write` | writes the baseline |
//! | `--baseline FILE` | another baseline, such as one written for another commit |
//! | `--keep FOLDER` | keeps what callgrind wrote, a file for each line, for `callgrind_annotate` |
//!
//! The allocator's instructions for one call depend on all that was allocated before, so they are reported separately and not
//! compared; the number of its calls is compared.
//!
//! A baseline is for one compiler, one callgrind, one C library and one kind of processor; with others `--check` reports that
//! they are not comparable, and succeeds. Where there is no valgrind, or not Linux on x86-64, it reports that and succeeds,
//! unless `PLANFUZZ_REQUIRE_VALGRIND` is set. Run by `cargo test --benches` it does every small work once, and counts
//! nothing.

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

/// The committed baseline.
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

/// The options of the bench.
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
