//! Where a night is: its folders, its programs, its time, and who is told.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::clock::Clock;
use super::error::PhaseError;
use super::program::Order;

/// The coverage-guided targets, each with its part of the time of fuzzing.
pub const TARGETS: [(&str, u32); 4] = [("planner", 30), ("lifecycle", 30), ("workspace", 30), (CODECS, 10)];

/// The target whose inputs are documents for readers.
pub const CODECS: &str = "codecs";

/// Why a phase is left out where the user named subjects.
pub const OWN_PLANNERS: &str = "it is about the planners of planfuzz, and subjects were named";

/// What a night is asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// The time it has.
    pub time: Duration,
    /// How many processes fuzz at a time.
    pub workers: usize,
    /// What all random choices come from: a number or a commit id.
    pub seed: String,
    /// The commit that is tested, where it is known.
    pub commit: Option<String>,
    /// The committed corpus: folders of cases.
    pub corpus: PathBuf,
    /// What goes on from night to night: the distilled corpora and all that was found.
    pub cache: PathBuf,
    /// Where the binaries of the targets are, and `planfuzz-faults`.
    pub binaries: Option<PathBuf>,
    /// Known findings of the user.
    pub allow: Option<PathBuf>,
    /// What is only of this night; what is there is removed.
    pub work: PathBuf,
    /// The program itself.
    pub program: PathBuf,
    /// Whom and what it asks.
    pub asked: Asked,
}

/// Whom and what a night asks.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The subjects of the user, the first of which is compared with every other; none for the planners of planfuzz.
    pub subjects: Vec<String>,
    /// Subjects, dialect and operations, as options of `run` and `triage`.
    pub arguments: Vec<OsString>,
    /// Schemas and resource types, as options of `run` and `features`.
    pub schemas: Vec<OsString>,
}

impl Asked {
    /// Whether the night is about a planner of the user's.
    pub fn is_of_user(&self) -> bool {
        !self.subjects.is_empty()
    }
}

/// The context of a night.
pub struct Context<'a> {
    /// What it was asked for.
    pub options: &'a Options,
    /// Its clock.
    pub clock: Clock,
    /// Set when it is told to end.
    pub stop: &'a AtomicBool,
    /// Who is told how far it is.
    pub tell: &'a dyn Fn(&str),
}

impl Context<'_> {
    /// A command of this program, whose output goes to files of that name.
    pub fn command(&self, log: &str, arguments: &[&str]) -> Order {
        let order = Order::new(&self.options.program, self.log(log));
        arguments.iter().fold(order, |order, argument| order.with(argument))
    }

    /// The name of the files of what a program prints.
    pub fn log(&self, name: &str) -> PathBuf {
        self.options.work.join("log").join(name)
    }

    /// The distilled corpus of a target.
    pub fn corpus(&self, target: &str) -> PathBuf {
        self.options.cache.join("corpus").join(target)
    }

    /// Where every case that is found goes, as soon as it is found.
    pub fn findings(&self) -> PathBuf {
        self.options.cache.join("findings")
    }

    /// Where what a target finds goes: documents of readers are no cases.
    pub fn findings_of(&self, target: &str) -> PathBuf {
        if target == CODECS { self.options.cache.join(CODECS) } else { self.findings() }
    }

    /// Where the small cases of triage are.
    pub fn triaged(&self) -> PathBuf {
        self.options.cache.join("triaged")
    }

    /// Where findings go that show nothing any more.
    pub fn gone(&self) -> PathBuf {
        self.options.cache.join("gone")
    }

    /// Where findings go that nobody can read any more.
    pub fn unreadable(&self) -> PathBuf {
        self.options.cache.join("unreadable")
    }

    /// Where the processes of a target write what they explore, a folder each.
    pub fn explored(&self, target: &str) -> PathBuf {
        self.options.work.join("explored").join(target)
    }

    /// The binary of a target.
    ///
    /// # Errors
    /// None where there has to be one.
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

    /// Whether the night was told to end.
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Folders that a target starts from: the distilled corpus of the nights before, and the committed ones but those of other targets
    /// and recorded vectors. The documents of `codecs` are no cases, so it has its own alone.
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

/// The folders in a folder, sorted; none where there is no such folder.
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
