//! Diagnostics of a configuration: with the engine's summary, and a place.

use std::fmt;

use crate::place::SourcePlace;

/// Whether the diagnostic ends the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Ends the command.
    Error,
    /// Does not end the command.
    Warning,
}

/// An error or a warning. The summary is the engine's, letter by letter; the detail is our own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The engine's summary.
    pub summary: String,
    /// An explanation in a sentence or two.
    pub detail: String,
    /// The place; `None` if it has none.
    pub place: Option<SourcePlace>,
    /// The address in the machine-readable form; mostly `None`.
    pub address: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(summary: impl Into<String>, detail: impl Into<String>, place: SourcePlace) -> Self {
        Self {
            severity: Severity::Error,
            summary: summary.into(),
            detail: detail.into(),
            place: Some(place),
            address: None,
        }
    }

    /// A warning at a place.
    pub fn warning(summary: impl Into<String>, detail: impl Into<String>, place: SourcePlace) -> Self {
        Self { severity: Severity::Warning, ..Self::error(summary, detail, place) }
    }

    /// The same without a place.
    pub fn without_place(self) -> Self {
        Self { place: None, ..self }
    }

    /// The same about an address.
    pub fn about(self, address: impl Into<String>) -> Self {
        Self { address: Some(address.into()), ..self }
    }

    /// Whether it ends the command.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        })
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.summary)?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, ": {}", self.detail) }
    }
}
