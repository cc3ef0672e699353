//! Errors and warnings of providers as messages.

use planfuzz_core::planner::{Remark, Severity};

use super::messages::plugin::{Diagnostic, diagnostic};

/// The remarks as they are sent by the resource type `type_name`.
///
/// The name is their detail: what an engine prints about a destruction names no resource.
pub(crate) fn to_diagnostics(remarks: &[Remark], type_name: &str) -> Vec<Diagnostic> {
    let diagnostic = |remark: &Remark| Diagnostic {
        severity: severity(remark.severity).into(),
        summary: remark.summary.to_string(),
        detail: type_name.to_owned(),
        attribute: None,
    };
    remarks.iter().map(diagnostic).collect()
}

fn severity(severity: Severity) -> diagnostic::Severity {
    match severity {
        Severity::Error => diagnostic::Severity::Error,
        Severity::Warning => diagnostic::Severity::Warning,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_names_its_type() {
        let remark = |severity, summary: &str| Remark { severity, summary: summary.into() };
        let sent = to_diagnostics(&[remark(Severity::Error, "no"), remark(Severity::Warning, "hm")], "six_1");
        let want = [(1, "no", "six_1"), (2, "hm", "six_1")];
        let found: Vec<_> = sent.iter().map(|it| (it.severity, it.summary.as_str(), it.detail.as_str())).collect();
        assert_eq!(found, want);
    }
}
