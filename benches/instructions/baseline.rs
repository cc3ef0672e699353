//! The baseline, and the comparison with it.

use std::fs;
use std::path::Path;

use planfuzz_core::json::{Json, JsonError, ObjectReader};

use super::machine::Machine;

/// How much more than its baseline a line may cost, in per cent; lines that cost less by more than that are reported.
const BOUND: u64 = 5;

/// The cost of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Instructions, without those of the allocator.
    pub instructions: u64,
    /// Instructions of the allocator. The cost of an allocation depends on all that were made before, so these are reported
    /// but not compared.
    pub allocator: u64,
    /// Calls that request memory from the C library.
    pub allocations: u64,
}

impl Count {
    /// All instructions.
    pub fn whole(&self) -> u64 {
        self.instructions + self.allocator
    }
}

/// One work on one workload.
#[derive(Clone, Debug)]
pub struct Line {
    /// The workload.
    pub workload: String,
    /// The work.
    pub name: String,
    /// Its cost.
    pub count: Count,
}

/// Lines, and the machine that they were counted on.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// The machine.
    pub machine: Machine,
    /// The lines, in the order of the tables.
    pub lines: Vec<Line>,
}

impl Baseline {
    /// Reads a file.
    ///
    /// # Errors
    /// A file that cannot be read, or is no baseline.
    pub fn read(path: &Path) -> Result<Baseline, String> {
        let inside = |problem: &dyn std::fmt::Display| format!("{}: {problem}", path.display());
        let text = fs::read_to_string(path).map_err(|problem| inside(&problem))?;
        Json::parse(&text).and_then(|json| Baseline::from_json(&json)).map_err(|problem| inside(&problem))
    }

    fn from_json(json: &Json) -> Result<Baseline, JsonError> {
        let mut reader = ObjectReader::new(json, "a baseline")?;
        let mut word = |name| reader.required(name, |json| json.expect_string().map(str::to_owned));
        let machine = Machine {
            rustc: word("rustc")?,
            valgrind: word("valgrind")?,
            libc: word("libc")?,
            processor: word("processor")?,
            build: word("build")?,
        };
        let workloads = reader.required("workloads", Json::expect_object)?;
        let mut lines = Vec::new();
        for (workload, works) in workloads {
            for (name, count) in works.expect_object()? {
                let mut reader = ObjectReader::new(count, "a count")?;
                let instructions = reader.required("instructions", Json::expect_u64)?;
                let allocator = reader.required("allocator", Json::expect_u64)?;
                let allocations = reader.required("allocations", Json::expect_u64)?;
                let count = Count { instructions, allocator, allocations };
                lines.push(Line { workload: workload.to_string(), name: name.to_string(), count });
            }
        }
        Ok(Baseline { machine, lines })
    }

    /// Writes the file. Workloads that were not counted now stay as they are in it, if it is of the same machine.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let before = Baseline::read(path).ok().filter(|before| before.machine == self.machine);
        let kept = before.iter().flat_map(|before| &before.lines);
        let kept = kept.filter(|line| self.lines.iter().all(|own| own.workload != line.workload));
        let lines: Vec<&Line> = self.lines.iter().chain(kept).collect();
        let of = |workload: &str| {
            let own = lines.iter().filter(|line| line.workload == workload);
            Json::object(own.map(|line| (line.name.as_str(), count(line.count))))
        };
        let mut counted = super::works::names();
        counted.retain(|name| lines.iter().any(|line| line.workload == *name));
        let workloads = Json::object(counted.iter().map(|name| (name.as_str(), of(name))));
        let machine = self.machine.members().map(|(name, word)| (name, Json::string(word)));
        let json = Json::object(machine.into_iter().chain([("workloads", workloads)]));
        fs::write(path, json.to_pretty()).map_err(|problem| format!("{}: {problem}", path.display()))
    }

    /// The count of a line.
    pub fn count(&self, workload: &str, name: &str) -> Option<Count> {
        let line = self.lines.iter().find(|line| line.workload == workload && line.name == name)?;
        Some(line.count)
    }

    /// Whether no line costs more than the bound allows; prints a message for each line that changed. With `all`, every line
    /// of the baseline should have been counted.
    pub fn holds(&self, counted: &Baseline, all: bool) -> bool {
        let mut above = 0;
        for Line { workload, name, count } in &counted.lines {
            let Some(before) = self.count(workload, name) else {
                println!("new: {workload} {name} is not in the baseline");
                continue;
            };
            let pairs = [
                ("instructions", before.instructions, count.instructions),
                ("allocations", before.allocations, count.allocations),
            ];
            for (what, before, now) in pairs {
                let ratio = now as f64 / before.max(1) as f64;
                if now * 100 > before * (100 + BOUND) {
                    println!("worse: {workload} {name}: {before} {what} before, {now} now, {ratio:.3} times as many");
                    above += 1;
                } else if now * 100 < before * (100 - BOUND) {
                    println!("better: {workload} {name}: {before} {what} before, {now} now, {ratio:.3} times as many");
                }
            }
        }
        for Line { workload, name, .. } in self.lines.iter().filter(|_| all) {
            if counted.count(workload, name).is_none() {
                println!("gone: {workload} {name} was not counted");
            }
        }
        println!("{} lines, {above} figures more than {BOUND} % above the baseline", counted.lines.len());
        above == 0
    }
}

fn count(count: Count) -> Json {
    let Count { instructions, allocator, allocations } = count;
    let members = [("instructions", instructions), ("allocator", allocator), ("allocations", allocations)];
    Json::object(members.map(|(name, number)| (name, Json::int(number))))
}
