//! Runs the programs of a night: started on the leash, with a time limit, and ended with all their processes.
//!
//! All are started and waited for on the thread of the night, as the leash requires.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::error::PhaseError;
use crate::subject::groups;

/// How often a program is polled.
const LOOK: Duration = Duration::from_millis(50);

/// The most that is read of a program's output.
const MAX_PRINTED: u64 = 256 << 20;

/// The most characters of stderr in the error of a program.
const LAST_WORDS: usize = 300;

/// A program to run.
#[derive(Clone, Debug)]
pub struct Order {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Additions to its environment.
    pub environment: Vec<(&'static str, OsString)>,
    /// The path of its output, without an ending: stdout goes to `.out`, stderr to `.err`.
    pub log: PathBuf,
}

/// The result of a program.
#[derive(Debug)]
pub struct ProgramOutput {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    status: ExitStatus,
    log: PathBuf,
}

/// A running program; dropping it ends the program.
#[derive(Debug)]
pub struct Running {
    child: Child,
    log: PathBuf,
    is_over: bool,
}

impl Order {
    /// A program with no arguments, whose output goes to `log`.
    pub fn new(program: &Path, log: PathBuf) -> Order {
        Order { program: program.to_owned(), arguments: Vec::new(), environment: Vec::new(), log }
    }

    /// Adds an argument.
    #[must_use]
    pub fn with(mut self, argument: impl Into<OsString>) -> Order {
        self.arguments.push(argument.into());
        self
    }

    /// Adds an option and its value.
    #[must_use]
    pub fn option(self, name: &str, value: impl Into<OsString>) -> Order {
        self.with(name).with(value)
    }

    /// Adds a variable to its environment.
    #[must_use]
    pub fn variable(mut self, name: &'static str, value: impl Into<OsString>) -> Order {
        self.environment.push((name, value.into()));
        self
    }

    /// Starts it.
    ///
    /// # Errors
    /// A program that does not start, and a folder that cannot be written to.
    pub fn start(&self) -> io::Result<Running> {
        if let Some(folder) = self.log.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut command = heir(&self.program);
        command.args(&self.arguments).stdin(Stdio::null());
        command.stdout(File::create(self.log.with_extension("out"))?);
        command.stderr(File::create(self.log.with_extension("err"))?);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        Ok(Running { child: groups::spawn(&mut command)?, log: self.log.clone(), is_over: false })
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// A program that does not start, and the end of the time or of the night.
    pub fn run(&self, until: Instant, stop: &AtomicBool) -> Result<ProgramOutput, PhaseError> {
        let mut running = self.start().map_err(|problem| self.error(&problem))?;
        let begun = Instant::now();
        loop {
            if let Some(ended) = running.ended().map_err(|problem| self.error(&problem))? {
                return Ok(ended);
            }
            if stop.load(Ordering::Relaxed) {
                return Err(PhaseError::Interrupted);
            }
            if Instant::now() >= until {
                return Err(PhaseError::OverTime(format!("{} took longer than {:.0?}", self.name(), begun.elapsed())));
            }
            std::thread::sleep(LOOK);
        }
    }

    fn error(&self, problem: &io::Error) -> PhaseError {
        PhaseError::Failed(format!("{} cannot be run: {problem}", self.program.display()))
    }

    /// The program's name with the command, where it has one.
    fn name(&self) -> String {
        let name = self.program.file_name().unwrap_or_default().to_string_lossy();
        let word = self.arguments.first().map(|word| word.to_string_lossy()).filter(|word| !word.starts_with('-'));
        word.map_or_else(|| name.to_string(), |word| format!("{name} {word}"))
    }
}

/// The command that runs a program on the leash, where this build has one.
#[cfg(feature = "engine")]
fn heir(program: &Path) -> Command {
    planfuzz_engine::process::leash::heir(program)
}

#[cfg(not(feature = "engine"))]
fn heir(program: &Path) -> Command {
    Command::new(program)
}

impl Running {
    /// The result, once the program has ended.
    ///
    /// # Errors
    /// The system cannot wait for it.
    pub fn ended(&mut self) -> io::Result<Option<ProgramOutput>> {
        let status = groups::try_wait(&mut self.child)?;
        self.is_over = status.is_some();
        Ok(status.map(|status| ProgramOutput { code: status.code(), status, log: self.log.clone() }))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.is_over {
            groups::end(&mut self.child);
        }
    }
}

impl ProgramOutput {
    /// Its stdout.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn printed(&self) -> Result<String, PhaseError> {
        read(&self.log.with_extension("out"))
    }

    /// Its stderr.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn stderr(&self) -> Result<String, PhaseError> {
        read(&self.log.with_extension("err"))
    }

    /// The error of a program that should not have ended so.
    pub fn error(&self, name: &str) -> PhaseError {
        let errors = self.stderr().unwrap_or_default();
        // The last line that begins with `error`, or else the last lines.
        let error = errors.lines().rev().find(|line| line.starts_with("error"));
        let mut last: Vec<&str> = errors.lines().rev().filter(|line| !line.trim().is_empty()).take(3).collect();
        last.reverse();
        let mut words = error.map_or_else(|| last.join("; "), str::to_owned);
        if let Some((cut, _)) = words.char_indices().nth(LAST_WORDS) {
            words.truncate(cut);
            words.push('…');
        }
        PhaseError::Failed(format!("{name} ended with {}: {words}", self.status))
    }
}

/// Reads a file of text; invalid UTF-8 is replaced.
fn read(path: &Path) -> Result<String, PhaseError> {
    let unreadable = |problem: io::Error| PhaseError::Failed(format!("cannot read {}: {problem}", path.display()));
    if fs::metadata(path).map_err(unreadable)?.len() > MAX_PRINTED {
        return Err(PhaseError::Failed(format!("{} is larger than {} MiB", path.display(), MAX_PRINTED >> 20)));
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(folder: &Path, script: &str) -> Order {
        Order::new("/bin/sh".as_ref(), folder.join("log")).option("-c", script).variable("NIGHT", "dark")
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    #[test]
    fn output_and_exit_code_of_a_program_are_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let ended =
            shell(folder.path(), "echo $NIGHT; echo why >&2; exit 3").run(soon(), &AtomicBool::new(false)).unwrap();
        assert_eq!((ended.code, ended.printed().unwrap().as_str()), (Some(3), "dark\n"));
        assert_eq!(ended.error("sh").to_string(), "sh ended with exit status: 3: why");
    }

    #[test]
    fn a_program_that_takes_too_long_is_ended_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let order = shell(folder.path(), "sleep 600 & echo $!; wait");
        let until = Instant::now() + Duration::from_millis(500);
        let error = order.run(until, &AtomicBool::new(false)).unwrap_err();
        assert!(matches!(error, PhaseError::OverTime(_)), "{error}");
        let child: i32 = read(&folder.path().join("log.out")).unwrap().trim().parse().unwrap();
        let is_gone = || {
            let state = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
            state.is_empty() || state.contains(") Z ")
        };
        let until = soon();
        while !is_gone() {
            assert!(Instant::now() < until, "{child} lives");
            std::thread::sleep(LOOK);
        }
    }

    #[test]
    fn the_end_of_the_night_ends_it() {
        let folder = tempfile::tempdir().unwrap();
        let error = shell(folder.path(), "sleep 600").run(soon(), &AtomicBool::new(true)).unwrap_err();
        assert!(matches!(error, PhaseError::Interrupted));
        let missing = Order::new("/there/is/none".as_ref(), folder.path().join("log"));
        assert!(matches!(missing.run(soon(), &AtomicBool::new(false)), Err(PhaseError::Failed(_))));
    }
}
