//! The meaning of options: allowances, interrupts, names of files.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use planfuzz_reference::Reference;

use super::error::CliError;
use super::{files, signals};
use crate::compare::{Allowances, Arbiter, Judge, KnownDifferences};
use crate::subject::kill_programs;

/// The number of cores, at least 1.
pub fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// The judge of a command, with the known differences of engines and the allowances of the user's file.
///
/// # Errors
/// A file that cannot be read or has a line that is no allowance.
pub fn judge(allow: Option<&Path>) -> Result<Judge, CliError> {
    let known = KnownDifferences::embedded()
        .map_err(|problem| CliError::failed(format!("the known differences of this build: {problem}")))?;
    Ok(Judge { allowances: allowances(allow)?, known, arbiter: ARBITER, ..Judge::default() })
}

/// Decides what is right where a program is asked without a planner.
const ARBITER: Option<Arbiter> = Some(Arbiter(&Reference));

/// A judge without known differences or allowances.
pub fn judge_without_lists() -> Arc<Judge> {
    Arc::new(Judge { arbiter: ARBITER, ..Judge::default() })
}

/// The allowances of a file; empty without one.
///
/// # Errors
/// A file that cannot be read or has a line that is no allowance.
pub fn allowances(path: Option<&Path>) -> Result<Allowances, CliError> {
    let Some(path) = path else { return Ok(Allowances::default()) };
    let bytes = files::read(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|problem| CliError::in_file(path, problem))?;
    Allowances::parse(text).map_err(|problem| CliError::in_file(path, problem))
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

static FIRST_INTERRUPT: OnceLock<Instant> = OnceLock::new();

/// Whether the command ends by itself once [`INTERRUPTED`] is set.
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

/// Set when the user interrupts.
pub fn interrupted() -> &'static AtomicBool {
    &INTERRUPTED
}

/// When set, programs and engines are no longer waited for: those of a campaign. [`STOP_SHRINKING`] is for those used to make
/// findings small.
static STOP_ASKING: AtomicBool = AtomicBool::new(false);
static STOP_SHRINKING: AtomicBool = AtomicBool::new(false);

/// Set when subjects of a campaign are no longer waited for: its time is over, or the user interrupted.
pub fn stop_asking() -> &'static AtomicBool {
    &STOP_ASKING
}

/// Set when no more findings are made smaller.
pub fn stop_shrinking() -> &'static AtomicBool {
    &STOP_SHRINKING
}

/// How long after a signal another one is still the same wish: `timeout` sends its signal to the command and then to the group of the
/// command, and so do wrappers of commands in a terminal.
const ONE_WISH: Duration = Duration::from_millis(250);

/// From now on the command ends by itself, with its results so far, when the user interrupts. A second interrupt ends it at
/// once, unless it comes along with the first.
///
/// # Errors
/// As [`tidy_on_interrupts`].
pub fn watch_interrupts() -> Result<(), CliError> {
    IS_WATCHED.store(true, Ordering::Relaxed);
    tidy_on_interrupts()
}

/// Makes the command end at once when the user interrupts, with nothing left behind.
///
/// Signals that the command was started to ignore (`nohup`, `&` in a script) stay ignored.
///
/// # Errors
/// A platform that cannot watch signals.
pub fn tidy_on_interrupts() -> Result<(), CliError> {
    let handler = || {
        let first = *FIRST_INTERRUPT.get_or_init(Instant::now);
        let again = INTERRUPTED.swap(true, Ordering::Relaxed) && first.elapsed() > ONE_WISH;
        STOP_ASKING.store(true, Ordering::Relaxed);
        STOP_SHRINKING.store(true, Ordering::Relaxed);
        if again || !IS_WATCHED.load(Ordering::Relaxed) {
            IS_ENDING.store(true, Ordering::SeqCst);
            end_at_once();
        }
    };
    signals::watch(handler).map_err(|problem| CliError::failed(format!("cannot watch for interrupts: {problem}")))
}

/// Whether a thread other than the working one is ending the process.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Returns unless the process is being ended: the results of the work do not matter then.
pub fn stay_if_ending() {
    while IS_ENDING.load(Ordering::SeqCst) {
        std::thread::park();
    }
}

/// The exit code that shells use for an interrupted command.
const EXIT_INTERRUPTED: i32 = 130;

#[cfg(feature = "engine")]
fn end_at_once() {
    kill_programs();
    planfuzz_engine::process::end(EXIT_INTERRUPTED)
}

#[cfg(not(feature = "engine"))]
fn end_at_once() {
    kill_programs();
    std::process::exit(EXIT_INTERRUPTED)
}

/// A text as a file name: lower case words with dashes, short enough for any file system.
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    for char in text.chars().map(|char| char.to_ascii_lowercase()) {
        if char.is_ascii_alphanumeric() {
            slug.push(char);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(80);
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "case".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purpose_becomes_a_short_file_name() {
        assert_eq!(slug("M19: a set, é and \"b\"!"), "m19-a-set-and-b");
        assert_eq!(slug("…"), "case");
        assert!(slug(&"long ".repeat(50)).len() <= 80);
    }
}
