//! Inputs that the operations of a schema refuse because the engine crashes on them.

use crate::value::Path;

/// An input on which the engine of the dialect crashes. This crate does not crash on it but refuses it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("refused by {rule}{}{path}: {message}", if path.is_root() { "" } else { " at " })]
pub struct Crash {
    /// The rule of the specification that describes the crash.
    pub rule: &'static str,
    /// Where in the value.
    pub path: Path,
    /// What was expected and what was found.
    pub message: String,
}
