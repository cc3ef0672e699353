//! `provider`: a real provider held to the contract. The work is done by the crate of that name.

use std::path::PathBuf;

use planfuzz_provider::{Held as Kept, ProviderArgs, ProviderError};

use super::error::{CliError, Held, with_causes};
use super::{output, settings};

/// Runs the command.
///
/// # Errors
/// A provider that cannot be asked, and bad input.
pub fn run(args: &ProviderArgs) -> Result<Held, CliError> {
    settings::watch_interrupts()?;
    let held = told(|out| planfuzz_provider::run(args, settings::stop_asking(), out).map(Some))?;
    held.ok_or_else(|| CliError::failed("the command has no result"))
}

/// Shows saved findings of providers again; nothing where the paths are not of such alone.
///
/// # Errors
/// Cases that cannot be read.
pub fn replay(paths: &[PathBuf], json: bool) -> Result<Option<Held>, CliError> {
    // What other sources there are is for others to say.
    if !paths.iter().all(|path| path.exists()) {
        return Ok(None);
    }
    told(|out| planfuzz_provider::replay(paths, json, out))
}

/// Prints what is told, line by line.
fn told(
    work: impl FnOnce(&mut dyn FnMut(&str)) -> Result<Option<Kept>, ProviderError>,
) -> Result<Option<Held>, CliError> {
    let mut closed = None;
    let kept = work(&mut |line| {
        // Whoever does not read any more does not keep what was created from being destroyed.
        if closed.is_none() {
            closed = output::line(line).err();
        }
    });
    if let Some(closed) = closed {
        return Err(closed);
    }
    match kept {
        Ok(kept) => Ok(kept.map(|kept| Held::from(kept == Kept::Yes))),
        Err(problem @ ProviderError::Place(_)) => Err(CliError::failed(with_causes(&problem))),
        Err(problem) => Err(CliError::input(with_causes(&problem))),
    }
}
