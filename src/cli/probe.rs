//! `probe`.

use super::error::{CliError, Held};

/// Runs the command.
///
/// # Errors
/// None yet.
pub fn run<T>(_: &T) -> Result<Held, CliError> {
    Err(CliError::failed("not there yet"))
}
