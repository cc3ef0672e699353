//! Tries to kill the mutants: by the campaign first, on small cases and then on all sizes, then by the unit tests of the
//! library.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::list::Mutant;
use crate::tree::{Tree, WRITINGS};

/// The time limit of one run of the unit tests.
const TESTS_LIMIT: Duration = Duration::from_secs(60);

/// The result for a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether something distinguished it from the original.
    pub killed: bool,
    /// What distinguished it, or why nothing did.
    pub why: String,
}

/// A hunt for mutants.
pub struct Hunt<'a> {
    /// The copy with the mutants.
    pub tree: &'a Tree,
    /// The folder of results, from which a stopped hunt continues.
    pub work: PathBuf,
    /// Processes at a time.
    pub jobs: usize,
    /// Processor seconds for each mutant and pool.
    pub seconds: u64,
}

impl Hunt<'_> {
    /// Tries all ways in turn, until one kills each mutant.
    ///
    /// # Errors
    /// A program that cannot be built or does not complete.
    pub fn all(&self, mutants: &[&Mutant]) -> Result<BTreeMap<u32, Outcome>> {
        let harness = self.harness()?;
        let mut outcomes = self.campaign(&harness, "near", mutants)?;
        let left: Vec<&Mutant> = mutants.iter().copied().filter(|mutant| !outcomes[&mutant.id].killed).collect();
        outcomes.extend(self.campaign(&harness, "far", &left)?);
        let left = left.into_iter().filter(|mutant| !outcomes[&mutant.id].killed);
        let tests = self.unit_tests()?;
        for mutant in left.collect::<Vec<_>>() {
            if let Some(why) = self.killed_by_tests(&tests[mutant.part()], mutant)? {
                outcomes.insert(mutant.id, Outcome { killed: true, why });
            }
        }
        Ok(outcomes)
    }

    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut cargo = Command::new("cargo");
        cargo.args(arguments).current_dir(self.tree.root());
        cargo
    }

    fn harness(&self) -> Result<PathBuf> {
        let arguments = ["build", "--release", "--example", "mutants", "--no-default-features", "--features", "faults"];
        self.built(&arguments, "mutants")
    }

    /// The programs of unit tests, by part.
    fn unit_tests(&self) -> Result<BTreeMap<&'static str, PathBuf>> {
        let built = WRITINGS.iter().map(|(_, part, package)| {
            let program = self.built(&["test", "-p", package, "--lib", "--no-run"], &package.replace('-', "_"))?;
            Ok((*part, program))
        });
        built.collect()
    }

    /// Builds a program, and returns its path.
    fn built(&self, arguments: &[&str], name: &str) -> Result<PathBuf> {
        let output =
            self.cargo(arguments).arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "cargo {} failed", arguments.join(" "));
        let text = String::from_utf8_lossy(&output.stdout);
        let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let programs = messages.filter(|message| message["target"]["name"] == name);
        let programs = programs.filter_map(|message| message["executable"].as_str().map(PathBuf::from));
        programs.last().with_context(|| format!("cargo {} left no program", arguments.join(" ")))
    }

    fn campaign(&self, harness: &Path, pool: &str, mutants: &[&Mutant]) -> Result<BTreeMap<u32, Outcome>> {
        let (parts, results) = (self.work.join(format!("{pool}.parts")), self.work.join(format!("{pool}.results")));
        let mut wanted = format!("# {:x} {}\n", fingerprint(harness)?, self.seconds);
        wanted.extend(mutants.iter().map(|mutant| format!("{} {}\n", mutant.id, mutant.part())));
        if fs::read_to_string(&parts).ok().as_deref() != Some(&wanted) {
            // Other mutants, or another program: results from before do not apply.
            fs::write(&parts, wanted)?;
            fs::write(&results, "")?;
        }
        let mut run = Command::new(harness);
        run.arg(&parts).arg(&results).args([self.jobs.to_string(), self.seconds.to_string(), pool.to_owned()]);
        ensure!(run.current_dir(self.tree.root()).status()?.success(), "the campaign did not come to its end");
        let mut outcomes = BTreeMap::new();
        for line in fs::read_to_string(&results)?.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let [id, verdict, why, cases] = words[..] else { continue };
            let why = match verdict {
                "killed" => format!("campaign: {why} ({pool}, case {cases})"),
                other => format!("{other} ({cases} cases)"),
            };
            outcomes.insert(id.parse()?, Outcome { killed: verdict == "killed", why });
        }
        let missing = mutants.iter().find(|mutant| !outcomes.contains_key(&mutant.id));
        ensure!(missing.is_none(), "nothing became of {:?}", missing.map(|mutant| &mutant.name));
        Ok(outcomes)
    }

    fn killed_by_tests(&self, tests: &Path, mutant: &Mutant) -> Result<Option<String>> {
        let log = self.work.join("tests.log");
        let mut run = Command::new(tests);
        run.arg("--quiet").env("PLANFUZZ_MUTANT", mutant.id.to_string());
        let mut child = run.stdout(fs::File::create(&log)?).stderr(Stdio::null()).spawn()?;
        let began = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                let text = fs::read_to_string(&log)?;
                let failed = text.lines().filter_map(|line| line.strip_prefix("    ")).find(|line| line.contains("::"));
                let failed = failed.unwrap_or("the tests died").to_owned();
                return Ok((!status.success()).then(|| format!("test: {failed}")));
            }
            if began.elapsed() > TESTS_LIMIT {
                child.kill()?;
                child.wait()?;
                return Ok(Some("test: no end".to_owned()));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn fingerprint(program: &Path) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    fs::read(program)?.hash(&mut hasher);
    Ok(hasher.finish())
}
