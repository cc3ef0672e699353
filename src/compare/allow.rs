//! Allowances: known findings, by signature, each with a reason. They are counted and not reported.

use std::collections::BTreeMap;

use planfuzz_core::json::{Json, JsonError, ObjectReader};

use super::verdict::Verdict;

/// Known findings.
#[derive(Clone, Debug, Default)]
pub struct Allowances {
    reasons: BTreeMap<String, String>,
}

/// A known finding.
#[derive(Clone, Debug)]
pub struct Allowance {
    /// The signature, as it is printed.
    pub signature: String,
    /// Why it is known and not mended: a link, a version.
    pub reason: String,
}

/// Why a file of allowances could not be read.
#[derive(Debug, thiserror::Error)]
pub enum AllowancesError {
    /// A line is no allowance.
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
    /// The first line that is no allowance, or gives no reason.
    pub fn parse(text: &str) -> Result<Allowances, AllowancesError> {
        let mut reasons = BTreeMap::new();
        for (line, allowance) in read_lines(text, read_allowance)? {
            if allowance.reason.trim().is_empty() {
                return Err(AllowancesError::NoReason { line });
            }
            reasons.insert(allowance.signature, allowance.reason);
        }
        Ok(Allowances { reasons })
    }

    /// The reason for which a finding of that signature is known; nothing for others.
    pub fn reason(&self, signature: &str) -> Option<&str> {
        self.reasons.get(signature).map(String::as_str)
    }

    /// The verdict itself, or `Tolerated` where it is a known finding.
    pub fn tolerate(&self, verdict: Verdict) -> Verdict {
        if self.reasons.is_empty() {
            return verdict;
        }
        let Some(signature) = verdict.signature() else {
            return verdict;
        };
        match self.reasons.get(&signature.to_string()) {
            Some(reason) => Verdict::Tolerated { signature: signature.clone(), name: None, reason: reason.clone() },
            None => verdict,
        }
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

fn read_allowance(json: &Json) -> Result<Allowance, JsonError> {
    let mut reader = ObjectReader::new(json, "an allowance")?;
    let signature = reader.required("signature", Json::expect_string)?.to_owned();
    let reason = reader.required("reason", Json::expect_string)?.to_owned();
    reader.finish()?;
    Ok(Allowance { signature, reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Op;
    use crate::compare::Signature;

    fn crash(kind: &str) -> Verdict {
        let signature = Signature {
            op: Op::ProposedNew,
            kind: kind.to_owned(),
            place: "root".to_owned(),
            subjects: "a".to_owned(),
        };
        Verdict::Crash { signature, message: String::new() }
    }

    #[test]
    fn a_known_finding_is_tolerated_and_no_other() {
        let line = r#"{"signature": "proposed_new crash:x root a", "reason": "mended in 2.0"}"#;
        let allowances = Allowances::parse(line).expect("an allowance");
        assert!(matches!(allowances.tolerate(crash("crash:x")), Verdict::Tolerated { .. }));
        assert!(matches!(allowances.tolerate(crash("crash:y")), Verdict::Crash { .. }));
    }

    #[test]
    fn an_allowance_needs_a_reason() {
        let error = Allowances::parse("\n{\"signature\": \"s\", \"reason\": \" \"}").expect_err("no reason");
        assert_eq!(error.to_string(), "line 2: expected a reason, found an empty one");
    }
}
