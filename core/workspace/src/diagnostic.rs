//! The diagnostics of a planner of workspaces: severity, summary, address; compared as a multiset (G127).

use planfuzz_core::address::AbsResourceInstance;
use planfuzz_core::dialect::Engine;
pub use planfuzz_core::planner::Severity;

/// An error or a warning.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The summary, letter by letter the engine's.
    pub summary: String,
    /// The address that the engine names in its machine-readable form, if it names one.
    pub address: Option<String>,
}

impl Diagnostic {
    /// An error without an address.
    pub fn error(summary: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Error, summary: summary.into(), address: None }
    }

    /// G15: the error for an instance of a type without a schema, where nothing was validated before.
    pub fn no_schema(address: &AbsResourceInstance, engine: Engine) -> Diagnostic {
        let engine = engine.title();
        Diagnostic::error(format!(
            "no schema available for {address} to validate for self-references; this is a bug in {engine} and should be reported"
        ))
    }

    /// A warning without an address.
    pub fn warning(summary: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, summary: summary.into(), address: None }
    }

    /// The same about an address.
    #[must_use]
    pub fn about(self, address: impl Into<String>) -> Diagnostic {
        Diagnostic { address: Some(address.into()), ..self }
    }

    /// Whether it reports a cycle of nodes, or a node that waits for itself (G11, U37).
    pub fn goes_round(&self) -> bool {
        ["Cycle: ", "Self reference: "].iter().any(|start| self.summary.starts_with(start))
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
