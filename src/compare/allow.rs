//! Allowances: known findings, by signature, each with a reason. They are counted and not reported.

use std::collections::BTreeMap;

use planfuzz_core::json::{Field as _, Json, JsonError};
use planfuzz_core::record;

use super::signature::Signature;

/// Known findings.
#[derive(Clone, Debug, Default)]
pub struct Allowances {
    reasons: BTreeMap<Signature, String>,
    /// Allowances whose signatures this build cannot read: those of readers of bytes, and of other builds.
    others: BTreeMap<String, String>,
}

/// A known finding.
#[derive(Clone, Debug)]
pub struct Allowance {
    /// The signature in printed form.
    pub signature: String,
    /// Why it is known and not fixed: a link, a version.
    pub reason: String,
}

record!(Allowance, "an allowance": signature, reason);

/// Why a file of allowances could not be read.
#[derive(Debug, thiserror::Error)]
pub enum AllowancesError {
    /// A line is not an allowance.
    #[error("line {line}: {problem}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        #[source]
        problem: JsonError,
    },
    /// An allowance without a reason excuses nothing.
    #[error("line {line}: expected a reason, found an empty one")]
    NoReason {
        /// The line, from 1.
        line: usize,
    },
}

impl Allowances {
    /// Reads JSON Lines, one `{"signature": …, "reason": …}` a line; blank lines are skipped.
    ///
    /// # Errors
    /// The first line that is not an allowance, or gives no reason.
    pub fn parse(text: &str) -> Result<Allowances, AllowancesError> {
        let mut allowances = Allowances::default();
        for (line, allowance) in read_lines(text, Allowance::read)? {
            if allowance.reason.trim().is_empty() {
                return Err(AllowancesError::NoReason { line });
            }
            match allowance.signature.parse() {
                Ok(signature) => _ = allowances.reasons.insert(signature, allowance.reason),
                Err(_) => _ = allowances.others.insert(allowance.signature, allowance.reason),
            }
        }
        Ok(allowances)
    }

    /// Whether nothing is allowed.
    pub fn is_empty(&self) -> bool {
        self.reasons.is_empty() && self.others.is_empty()
    }

    /// Why a finding of that signature is known; `None` if it is not.
    pub fn reason_of(&self, signature: &Signature) -> Option<&str> {
        self.reasons.get(signature).map(String::as_str)
    }

    /// Why a finding is known, given its signature as text: that of a subject or of a reader of bytes.
    pub fn reason(&self, text: &str) -> Option<&str> {
        let of_subject = text.parse().ok().and_then(|signature| self.reason_of(&signature));
        of_subject.or_else(|| self.others.get(text).map(String::as_str))
    }
}

/// Reads JSON Lines, each with its number; blank lines are skipped.
pub(super) fn read_lines<T>(
    text: &str,
    read: impl Fn(&Json) -> Result<T, JsonError>,
) -> Result<Vec<(usize, T)>, AllowancesError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let numbered = lines.map(|(index, text)| {
        let line = index + 1;
        let read = Json::parse(text).and_then(|json| read(&json));
        read.map(|read| (line, read)).map_err(|problem| AllowancesError::Line { line, problem })
    });
    numbered.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_known_finding_has_its_reason_and_no_other() {
        let lines = r#"{"signature": "proposed_new crash:x root a", "reason": "mended in 2.0"}
{"signature": "codecs law:x json", "reason": "by design"}"#;
        let allowances = Allowances::parse(lines).expect("allowances");
        let reason = |text: &str| allowances.reason_of(&text.parse().expect("a signature"));
        assert_eq!(reason("proposed_new crash:x root a"), Some("mended in 2.0"));
        assert_eq!(reason("proposed_new crash:y root a"), None);
        assert_eq!(allowances.reason("codecs law:x json"), Some("by design"));
        assert_eq!(allowances.reason("proposed_new crash:x root a"), Some("mended in 2.0"));
        assert_eq!(allowances.reason("codecs law:y json"), None);
    }

    #[test]
    fn an_allowance_needs_a_reason() {
        let error = Allowances::parse("\n{\"signature\": \"s\", \"reason\": \" \"}").expect_err("no reason");
        assert_eq!(error.to_string(), "line 2: expected a reason, found an empty one");
    }
}
