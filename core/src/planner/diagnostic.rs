//! The errors and warnings that a planner reports to its user.

use std::borrow::Cow;

use crate::value::WrittenPath;

/// An error or a warning of a planner.
///
/// Planners are compared on severity, summary and path, whatever the order.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The short summary, one of [`summary`] or the provider's own.
    pub summary: Cow<'static, str>,
    /// Where in the object; the root where Core names no place, and for a diagnostic of the provider.
    pub path: WrittenPath,
    /// The rule of the specification behind it, for people; empty for a diagnostic of the provider.
    pub rule: &'static str,
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The operation failed.
    Error,
    /// The operation succeeded, with a warning.
    Warning,
}

impl Diagnostic {
    /// An error of Core's at a path.
    pub fn error(summary: &'static str, path: WrittenPath, rule: &'static str) -> Diagnostic {
        Diagnostic { severity: Severity::Error, summary: summary.into(), path, rule }
    }

    /// A warning of Core's at a path.
    pub fn warning(summary: &'static str, path: WrittenPath, rule: &'static str) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, summary: summary.into(), path, rule }
    }

    /// Whether this is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The summaries of Core's own diagnostics (lifecycle.md).
pub mod summary {
    use crate::dialect::Dialect;

    /// `PIP`.
    pub const INVALID_PLAN: &str = "Provider produced invalid plan";
    /// `PIO`.
    pub const INVALID_OBJECT: &str = "Provider produced invalid object";
    /// `PNO`.
    pub const NULL_OBJECT: &str = "Provider produced null object";
    /// `IPR`.
    pub const INVALID_RESPONSE: &str = "Invalid provider response";
    /// `PIF`.
    pub const INCONSISTENT_FINAL_PLAN: &str = "Provider produced inconsistent final plan";
    /// `PIR`.
    pub const INCONSISTENT_RESULT: &str = "Provider produced inconsistent result after apply";
    /// `PRI`.
    pub const INVALID_RESULT: &str = "Provider returned invalid result object after apply";
    /// `CUV`.
    pub const UNKNOWN_CONFIGURATION: &str = "Configuration contains unknown value";
    /// `IRS`: the answer to an upgrade.
    pub const INVALID_STATE_UPGRADE: &str = "Invalid resource state upgrade";
    /// The result of an upgrade cannot be stored (L05).
    pub const UNSTORABLE_STATE_UPGRADE: &str = "Failed to encode result of resource state upgrade";
    /// `IRS`: a stored version above the schema's.
    pub const NEWER_PROVIDER: &str = "Resource instance managed by newer provider version";
    /// L56a.
    pub const DEFERRED: &str = "Provider deferred changes when Terraform did not allow deferrals";
    /// A05.
    pub const DEFERRED_DURING_APPLY: &str = "Resource deferred during apply, but not during plan";
    /// L03, Terraform.
    pub const EPHEMERAL: &str = Dialect::TERRAFORM_1_11.ephemeral_misused();
    /// L03, OpenTofu.
    pub const EPHEMERAL_CONTEXT: &str = Dialect::OPENTOFU_1_12.ephemeral_misused();
    /// L04.
    pub const REDUNDANT_IGNORE: &str = "Redundant ignore_changes element";
    /// L04.
    pub const UNSUPPORTED_ATTRIBUTE: &str = "Unsupported attribute";
    /// L04: the value has no element at this index.
    pub const INVALID_INDEX: &str = "Invalid index";
    /// L04: an index into a block that does not repeat.
    pub const INVALID_INDEX_OPERATION: &str = "Invalid index operation";
    /// L04: a name after a list of blocks.
    pub const INVALID_OPERATION: &str = "Invalid operation";
    /// L04: any step after a set of blocks.
    pub const INDEXED_SET: &str = "Cannot index a set value";
    /// L21.
    pub const IMPORT_NONE: &str = "Import returned no resources";
    /// L21.
    pub const IMPORT_MANY: &str = "Multiple import states not supported";
    /// L21.
    pub const IMPORT_NULL: &str = "Import returned null resource";
    /// L21.
    pub const IMPORT_WRITE_ONLY: &str = "Import returned a non-null value for a write-only attribute";
    /// L21.
    pub const IMPORT_ABSENT: &str = "Cannot import non-existent remote object";
    /// L129, OpenTofu: a warning.
    pub const FORGOTTEN: &str = "Resource will be removed from the state";
    /// L30.
    pub const PRECONDITION: &str = "Resource precondition failed";
    /// L113, A17.
    pub const POSTCONDITION: &str = "Resource postcondition failed";
    /// L103.
    pub const NO_TRIGGER: &str = "Reference to undeclared resource";
    /// L111, OpenTofu.
    pub const BAD_PREVENT_DESTROY: &str = "Invalid value for prevent_destroy";
    /// L154.
    pub const UNSUPPORTED_MODE: &str = "Unsupported plan mode";
    /// A15, A42.
    pub const PROVISIONER: &str = "Provisioner failed";
    /// A26: the call of the provider failed.
    pub const NO_ANSWER: &str = "Plugin did not respond";
    /// A16: the action creates last although the configuration creates first.
    pub const NOTHING_TO_RESTORE: &str = "Attempt to restore non-existent deposed object";
    /// A53.
    pub const NO_DEPOSED: &str = "Deposed object not found";
    /// A deferral in the answer to a read.
    pub const REFRESH_DEFERRED: &str = "Provider deferred changes when Terraform did not allow deferrals";
}
