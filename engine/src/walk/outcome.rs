//! The outcome of a run for one walk.

use planfuzz_core::planner::{Configured, Diagnostic, Exchange, Presence, ValidateConfig};
use planfuzz_core::value::Value;

use super::EngineError;
use super::diagnostics::{AssignedDiagnostics, assign_diagnostics};
use super::directory::root_text;
use super::runner::Runner;
use super::settle::{Attempt, End, Spoiled, Walk, WalkInRun};
use crate::job::LeftOut;
use crate::process::{RunDir, RunOutcome};
use crate::server::{AnswerError, Finished, Log};
use crate::workdir::File;

/// The calls of a walk; an error if the provider could not be called or its answer could not be sent.
pub(super) fn asked(log: &Log) -> Result<Vec<Exchange>, LeftOut> {
    if let Some(failure) = log.failures().next() {
        return Err(match &failure.error {
            AnswerError::Unsendable(what) => LeftOut::Unsendable(what),
            AnswerError::Undecodable(_) | AnswerError::NotServed(_) => LeftOut::Unreadable(failure.method),
            AnswerError::Panicked(_) | AnswerError::Dead => LeftOut::Panicked,
            AnswerError::Hung => LeftOut::Hung,
        });
    }
    Ok(log.exchanges().cloned().collect())
}

/// Whether a walk has an error; true if its diagnostics are unknown.
pub(super) fn has_error(of_walk: &Result<Vec<Diagnostic>, LeftOut>) -> bool {
    of_walk.as_ref().map_or(true, |diagnostics| diagnostics.iter().any(Diagnostic::is_error))
}

/// The output of a run that ended by itself; for any other run, its outcome.
fn printed<T>(ended: RunOutcome, logs: &[Log]) -> Result<Vec<u8>, Attempt<T>> {
    let spoiled = match ended {
        RunOutcome::Finished(finished) => return Ok(finished.stdout),
        RunOutcome::Interrupted => return Err(Attempt::Interrupted),
        RunOutcome::Crashed(crash) => Spoiled::Crashed { site: crash.site, message: crash.message },
        RunOutcome::TimedOut { limit } => Spoiled::TimedOut(limit),
    };
    Err(Attempt::Spoiled(spoiled, logs.iter().map(|log| asked(log).unwrap_or_default()).collect()))
}

/// What a run that ended by itself has for each of its walks.
pub(super) struct Reported {
    /// The calls.
    pub(super) logs: Vec<Log>,
    /// The diagnostics, or why they cannot be determined.
    pub(super) of_walk: Vec<Result<Vec<Diagnostic>, LeftOut>>,
}

/// Runs a command in a directory with its configuration, and assigns what it prints to the walks; without that, the outcome of the run.
pub(super) fn reported<R: Walk>(
    runner: &mut Runner,
    (dir, files): (&RunDir, &[File]),
    args: &[&str],
    walks: &[WalkInRun<'_, R>],
) -> Result<Result<Reported, Attempt<R::Answer>>, EngineError> {
    let (ended, Finished { logs, .. }) = runner.run(dir, args, walks)?;
    let output = match printed(ended, &logs) {
        Ok(output) => output,
        Err(attempt) => return Ok(Err(attempt)),
    };
    let AssignedDiagnostics { of_walk, is_unclear } = assign_diagnostics(&output, &root_text(files), walks, &logs);
    Ok(if is_unclear { Err(Attempt::Unclear) } else { Ok(Reported { logs, of_walk }) })
}

/// Whether the engine evaluated the configuration as intended, as far as the calls show.
///
/// `is_plan`: whether a static validation comes first.
pub(super) fn is_as_meant(presence: &Presence, exchanges: &[Exchange], is_plan: bool) -> bool {
    let Presence::Configured(configured) = presence else { return true };
    let mut validated = exchanges.iter().filter_map(|exchange| match exchange {
        Exchange::Validate(ValidateConfig { config }, _) => Some(config),
        _ => None,
    });
    let first = if is_plan { validated.next() } else { None };
    first.is_none_or(|config| *config == configured.at_static_validation())
        && validated.all(|config| is_config(configured, config))
}

fn is_config(configured: &Configured, config: &Value) -> bool {
    config == configured.config.value()
}

/// The end of a walk with this answer, unless the engine evaluated another configuration.
pub(super) fn answered<T>(answer: T, exchanges: Vec<Exchange>, is_as_meant: bool) -> End<T> {
    if is_as_meant { End::Answer(answer, exchanges) } else { End::LeftOut(LeftOut::OtherConfiguration) }
}
