//! What a schema's operations refuse because the engine crashes there.

use crate::value::Path;

/// An input on which the engine of the dialect crashes. Nothing here crashes: it is refused.
#[derive(Clone, Debug, thiserror::Error)]
#[error("refused by {rule}{}{path}: {message}", if path.is_root() { "" } else { " at " })]
pub struct Crash {
    /// The rule of the specification that says so.
    pub rule: &'static str,
    /// Where in the value.
    pub path: Path,
    /// What was expected and what was found.
    pub message: String,
}
