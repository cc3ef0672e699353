//! Printing: colour where a terminal reads it, JSON where a program does.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use anstyle::{AnsiColor, Style};
use planfuzz_core::json::Field;
use planfuzz_core::record;

use super::error::CliError;

/// For errors and findings.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// For checks that hold.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// For remarks that a reader may want to look at.
pub const NOTE: Style = AnsiColor::Yellow.on_default();
/// For secondary text.
pub const DIM: Style = Style::new().dimmed();
/// For headings.
pub const HEAD: Style = Style::new().bold();

/// A text in a style, which is dropped if the stream is no terminal.
pub fn styled(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A number with its noun: `1 night`, `2 nights`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A number to so many digits behind the point.
pub fn rounded(number: f64, digits: i32) -> f64 {
    let scale = 10_f64.powi(digits);
    (number * scale).round() / scale
}

/// Prints a line of results on standard output.
///
/// # Errors
/// Standard output is closed: the reader has enough, and the command ends.
pub fn line(text: &str) -> Result<(), CliError> {
    writeln!(anstream::stdout(), "{text}").map_err(|problem| stdout_gone(&problem))
}

/// Prints bytes as they are on standard output.
///
/// # Errors
/// As [`line()`].
pub fn bytes(bytes: &[u8]) -> Result<(), CliError> {
    io::stdout().write_all(bytes).map_err(|problem| stdout_gone(&problem))
}

/// A finding as lines of `--json` have it.
pub struct PrintedFinding {
    /// Its signature.
    pub signature: String,
    /// What differs or is broken, in words.
    pub what: String,
}

record!(PrintedFinding, "a finding": signature, what);

/// Prints a record as a line on standard output.
///
/// # Errors
/// As [`line()`].
pub fn json_line(record: &impl Field) -> Result<(), CliError> {
    writeln!(io::stdout(), "{}", record.write().to_compact()).map_err(|problem| stdout_gone(&problem))
}

/// Prints a message on standard error.
pub fn report(text: &str) {
    // stderr is closed: drop the message; stdout and the exit code are unaffected.
    writeln!(anstream::stderr(), "{text}").ok();
}

/// Prints a warning on standard error, each text once.
pub fn warn_once(text: &str) {
    report_once(&format!("{} {text}", styled(NOTE, "warning:")));
}

/// Prints a message on standard error, each text once.
pub fn report_once(text: &str) {
    static REPORTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    // Nothing panics under the lock.
    let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    if reported.insert(text.to_owned()) {
        report(text);
    }
}

/// Prints why a command ends without a result.
pub fn error(error: &CliError) {
    if matches!(error, CliError::ReaderGone) {
        return;
    }
    report(&format!("{} {error}", styled(BAD, "error:")));
    if let CliError::Input { hint: Some(hint), .. } = error {
        report(&format!("  {} {hint}", styled(DIM, "next:")));
    }
}

/// The error for a problem of standard output.
pub fn stdout_gone(problem: &io::Error) -> CliError {
    if problem.kind() == io::ErrorKind::BrokenPipe {
        return CliError::ReaderGone;
    }
    CliError::failed(format!("cannot write to standard output: {problem}"))
}
