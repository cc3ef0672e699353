//! The context of a night: its folders, its programs, its time, and the receiver of its progress.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::clock::Clock;
use super::error::PhaseError;
use super::program::Order;

/// The coverage-guided targets, each with its part of the time of fuzzing.
pub const TARGETS: [(&str, u32); 4] = [("planner", 30), ("lifecycle", 30), ("workspace", 30), (CODECS, 10)];

/// The target whose inputs are documents for readers instead of cases.
pub const CODECS: &str = "codecs";

/// Why a phase is left out where the user named subjects.
pub const OWN_PLANNERS: &str = "it is about the planners of planfuzz, and subjects were named";

/// The options of a night.
#[derive(Clone, Debug)]
pub struct Options {
    /// The time it has.
    pub time: Duration,
    /// The number of fuzzing processes that run at a time.
    pub workers: usize,
    /// The seed of all random choices: a number or a commit id.
    pub seed: String,
    /// The commit that is tested, where it is known.
    pub commit: Option<String>,
    /// The committed corpus: folders of cases.
    pub corpus: PathBuf,
    /// The folder that is kept from night to night: the distilled corpora and all findings.
    pub cache: PathBuf,
    /// The folder with the binaries of the targets, and `planfuzz-faults`.
    pub binaries: Option<PathBuf>,
    /// The user's file of known findings.
    pub allow: Option<PathBuf>,
    /// The folder of this night alone; its content is removed at the start.
    pub work: PathBuf,
    /// The program itself.
    pub program: PathBuf,
    /// The subjects and operations.
    pub asked: Asked,
}

/// The subjects and operations of a night.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The user's subjects, the first of which is compared with every other; empty for the planners of planfuzz.
    pub subjects: Vec<String>,
    /// Subjects, dialect and operations, as options of `run` and `triage`.
    pub arguments: Vec<OsString>,
    /// Schemas and resource types, as options of `run` and `features`.
    pub schemas: Vec<OsString>,
}

impl Asked {
    /// Whether the user named subjects.
    pub fn is_of_user(&self) -> bool {
        !self.subjects.is_empty()
    }
}

/// The context of a night.
pub struct Context<'a> {
    /// Its options.
    pub options: &'a Options,
    /// Its clock.
    pub clock: Clock,
    /// Set when the user interrupts.
    pub stop: &'a AtomicBool,
    /// Called with messages about the progress.
    pub report: &'a dyn Fn(&str),
}

impl Context<'_> {
    /// A command of this program, whose output goes to files of that name.
    pub fn command(&self, log: &str, arguments: &[&str]) -> Order {
        let order = Order::new(&self.options.program, self.log(log));
        arguments.iter().fold(order, |order, argument| order.with(argument))
    }

    /// The path of a program's output, without an ending.
    pub fn log(&self, name: &str) -> PathBuf {
        self.options.work.join("log").join(name)
    }

    /// The distilled corpus of a target.
    pub fn corpus(&self, target: &str) -> PathBuf {
        self.options.cache.join("corpus").join(target)
    }

    /// The folder for every case that is found, as soon as it is found.
    pub fn findings(&self) -> PathBuf {
        self.options.cache.join("findings")
    }

    /// The folder for the findings of a target: documents of readers are no cases.
    pub fn findings_of(&self, target: &str) -> PathBuf {
        if target == CODECS { self.options.cache.join(CODECS) } else { self.findings() }
    }

    /// The folder for the small cases of triage.
    pub fn triaged(&self) -> PathBuf {
        self.options.cache.join("triaged")
    }

    /// The folder for findings that show nothing any more.
    pub fn gone(&self) -> PathBuf {
        self.options.cache.join("gone")
    }

    /// The folder for findings that cannot be read any more.
    pub fn unreadable(&self) -> PathBuf {
        self.options.cache.join("unreadable")
    }

    /// The folder in which the processes of a target write what they explore, a folder each.
    pub fn explored(&self, target: &str) -> PathBuf {
        self.options.work.join("explored").join(target)
    }

    /// The binary of a target.
    ///
    /// # Errors
    /// A missing binary; [`PhaseError::Skipped`] if none is to be used.
    pub fn binary(&self, target: &str) -> Result<PathBuf, PhaseError> {
        if self.options.asked.is_of_user() {
            return Err(PhaseError::Skipped(OWN_PLANNERS.to_owned()));
        }
        let Some(folder) = &self.options.binaries else {
            return Err(PhaseError::Skipped("no --binaries: nothing is guided by coverage".to_owned()));
        };
        let path = folder.join(target);
        if path.is_file() { Ok(path) } else { Err(PhaseError::Failed(format!("there is no {}", path.display()))) }
    }

    /// Whether the user interrupted the night.
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The folders that a target starts from: the distilled corpus of the nights before, and the committed ones except those of other
    /// targets and recorded vectors. The documents of `codecs` are no cases, so that target gets its own only.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn seeds_of(&self, target: &str) -> Result<Vec<PathBuf>, PhaseError> {
        let mut seeds = folders_in(&self.options.corpus)?;
        seeds.retain(|folder| {
            let name = folder.file_name().unwrap_or_default();
            let is_cases = name != "recorded" && TARGETS.iter().all(|(other, _)| name != *other);
            name == target || (is_cases && target != CODECS)
        });
        let cached = self.corpus(target);
        seeds.extend(cached.is_dir().then_some(cached));
        Ok(seeds)
    }
}

/// The folders in a folder, sorted; empty if the folder does not exist.
pub fn folders_in(folder: &Path) -> Result<Vec<PathBuf>, PhaseError> {
    let unreadable = |problem| PhaseError::of_file("read", folder, &problem);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}

/// An option of libFuzzer.
pub fn flag(name: &str, value: impl AsRef<std::ffi::OsStr>) -> OsString {
    let mut flag = OsString::from(format!("-{name}="));
    flag.push(value);
    flag
}
