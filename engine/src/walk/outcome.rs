//! What a run said of one walk.

use planfuzz_core::planner::{Configured, Diagnostic, Exchange, Presence, ValidateConfig};
use planfuzz_core::value::Value;

use super::settle::{Attempt, End, Spoiled};
use crate::job::LeftOut;
use crate::process::RunOutcome;
use crate::server::{AnswerError, Log};

/// What was asked for a walk; why it is no answer, where the provider could not be asked or could not answer.
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

/// Whether an error was told of a walk, as far as is known.
pub(super) fn has_error(told: &Result<Vec<Diagnostic>, LeftOut>) -> bool {
    told.as_ref().map_or(true, |diagnostics| diagnostics.iter().any(Diagnostic::is_error))
}

/// What a run that ended by itself printed; what any other run came to.
pub(super) fn printed<T>(ended: RunOutcome, logs: &[Log]) -> Result<Vec<u8>, Attempt<T>> {
    let spoiled = match ended {
        RunOutcome::Finished(finished) => return Ok(finished.stdout),
        RunOutcome::Interrupted => return Err(Attempt::Interrupted),
        RunOutcome::Crashed(crash) => Spoiled::Crashed { site: crash.site, message: crash.message },
        RunOutcome::TimedOut { limit } => Spoiled::TimedOut(limit),
    };
    Err(Attempt::Spoiled(spoiled, logs.iter().map(|log| asked(log).unwrap_or_default()).collect()))
}

/// Whether the engine evaluated the configuration to what was meant, as far as it shows.
///
/// `is_plan`: whether there is a static validation before.
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

/// The end of a walk whose answer is there, unless it is not that of the question.
pub(super) fn answered<T>(answer: T, exchanges: Vec<Exchange>, is_as_meant: bool) -> End<T> {
    if is_as_meant { End::Answer(answer, exchanges) } else { End::LeftOut(LeftOut::OtherConfiguration) }
}
