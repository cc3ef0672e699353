//! Laws that hold for every input: what tests, fuzzers and people put bytes to.

use crate::check::Schemas;
use crate::config::load;
use crate::diagnostic::Diagnostic;
use crate::json::write_module;
use crate::sources::Sources;

/// The two syntaxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// `.tf`
    Native,
    /// `.tf.json`
    Json,
}

/// A file is read, written as JSON syntax, read again and written again: nothing is refused on the way, and both texts are the same.
/// Says whether the file was taken; one with errors need not be.
///
/// # Errors
/// The law that is broken.
pub fn round_trip(bytes: &[u8], syntax: Syntax) -> Result<bool, &'static str> {
    let name = match syntax {
        Syntax::Native => "main.tf",
        Syntax::Json => "main.tf.json",
    };
    let Some(first) = written(name, bytes) else { return Ok(false) };
    let Some(second) = written("main.tf.json", first.as_bytes()) else {
        return Err("what is written is read without errors");
    };
    if first == second { Ok(true) } else { Err("what is written is read as the same") }
}

/// The module of one file as JSON syntax; nothing for one with errors.
fn written(name: &str, bytes: &[u8]) -> Option<String> {
    let mut sources = Sources::new();
    sources.add(name, bytes).ok()?;
    let loaded = load(&sources, "");
    if loaded.diagnostics.iter().any(Diagnostic::is_error) {
        return None;
    }
    let schemas = Schemas::default();
    // The checks must bear whatever is read.
    crate::check::validate(&loaded.configuration, &sources, &schemas);
    Some(write_module(&loaded.configuration.module, &sources, &schemas).to_text())
}
