//! Tries to kill the mutants: by the campaign first, on small cases and then on all sizes, then by the tests of the
//! library, slow ones only for those that no case reaches.

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

/// The time limit of one program of tests, which takes up to a minute without a mutant.
const TESTS_LIMIT: Duration = Duration::from_secs(300);

/// What a program of tests may take to be run for every mutant that is left; the others are run for those that no case reaches.
const QUICK: Duration = Duration::from_secs(10);

/// The result for a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether something distinguished it from the original.
    pub killed: bool,
    /// What distinguished it, or why nothing did.
    pub why: String,
}

impl Outcome {
    /// Whether no case of the campaign came to it.
    fn is_unreached(&self) -> bool {
        self.why.starts_with("unreached")
    }
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
        let left: Vec<&Mutant> = left.collect();
        let tests = self.tests(&left)?;
        for mutant in left {
            let is_unreached = outcomes[&mutant.id].is_unreached();
            let programs = tests[mutant.part()].iter().filter(|program| program.is_quick || is_unreached);
            for program in programs {
                if let Some(why) = program.kills(mutant, &self.work.join("tests.log"))? {
                    outcomes.insert(mutant.id, Outcome { killed: true, why });
                    break;
                }
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
        let built = self.programs(&arguments)?.into_iter().find(|built| built.name == "mutants");
        Ok(built.with_context(|| format!("cargo {} left no program", arguments.join(" ")))?.path)
    }

    /// The programs of tests of the parts that mutants are in, unit tests first.
    fn tests(&self, mutants: &[&Mutant]) -> Result<BTreeMap<&'static str, Vec<TestProgram>>> {
        let wanted = WRITINGS.iter().filter(|(_, part, _)| mutants.iter().any(|mutant| mutant.part() == *part));
        let built = wanted.map(|(folder, part, package)| {
            let mut built = self.programs(&["test", "-p", package, "--lib", "--tests", "--no-run"])?;
            built.sort_by_key(|built| !built.is_library);
            let home = self.tree.root().join(folder);
            let programs = built.into_iter().map(|built| TestProgram::new(built.path, home.clone()));
            Ok((*part, programs.collect::<Result<Vec<_>>>()?))
        });
        built.collect()
    }

    /// Builds programs.
    fn programs(&self, arguments: &[&str]) -> Result<Vec<Built>> {
        let output =
            self.cargo(arguments).arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "cargo {} failed", arguments.join(" "));
        let text = String::from_utf8_lossy(&output.stdout);
        let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let built = messages.filter_map(|message| {
            let target = &message["target"];
            Some(Built {
                name: target["name"].as_str()?.to_owned(),
                is_library: target["kind"][0] == "lib",
                path: message["executable"].as_str()?.into(),
            })
        });
        Ok(built.collect())
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
}

/// A program that was built.
struct Built {
    name: String,
    is_library: bool,
    path: PathBuf,
}

/// A program of tests, and the folder that it expects to be started in.
struct TestProgram {
    path: PathBuf,
    home: PathBuf,
    is_quick: bool,
}

impl TestProgram {
    /// A program that passes without a mutant: so a failure is a mutant's.
    fn new(path: PathBuf, home: PathBuf) -> Result<TestProgram> {
        let mut program = TestProgram { path, home, is_quick: false };
        let began = Instant::now();
        let passes = program.command().stdout(Stdio::null()).status()?.success();
        ensure!(passes, "{} fails without a mutant", program.path.display());
        program.is_quick = began.elapsed() <= QUICK;
        Ok(program)
    }

    fn command(&self) -> Command {
        let mut run = Command::new(&self.path);
        run.arg("--quiet").current_dir(&self.home).stderr(Stdio::null());
        run
    }

    /// Why the tests fail with a mutant; `None` if they pass.
    fn kills(&self, mutant: &Mutant, log: &Path) -> Result<Option<String>> {
        let mut run = self.command();
        run.env("PLANFUZZ_MUTANT", mutant.id.to_string());
        let mut child = run.stdout(fs::File::create(log)?).spawn()?;
        let began = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                let text = fs::read_to_string(log)?;
                let mut failed = text.lines().filter_map(|line| line.strip_prefix("    ")).map(str::trim);
                let failed = failed.find(|line| !line.is_empty() && !line.contains(' '));
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
