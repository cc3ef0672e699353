//! The regression cases that are kept, to decide whether a finding is new.

use std::collections::BTreeMap;

use super::replay::Replay;
use crate::case::Case;
use crate::compare::Signature;

/// Regression cases, by signature and by question.
#[derive(Clone, Debug, Default)]
pub struct Regressions {
    /// The file of the first case that shows a signature: the mistake is not fixed, or not in these subjects.
    shown: BTreeMap<Signature, String>,
    /// The file of each question.
    asked: BTreeMap<String, String>,
}

impl Regressions {
    /// Adds a case and what these subjects show in it.
    pub fn add(&mut self, path: &str, case: &Case, replay: &Replay) {
        for finding in &replay.seen {
            self.shown.entry(finding.signature.clone()).or_insert_with(|| path.to_owned());
        }
        self.asked.entry(question(case)).or_insert_with(|| path.to_owned());
    }

    /// Why a signature is known, if a kept case shows it too. A case that holds makes nothing known.
    pub fn reason_of(&self, signature: &Signature) -> Option<String> {
        self.shown.get(signature).map(|path| format!("{path} shows it too"))
    }

    /// Why a case is known, if it is kept.
    pub fn reason_of_case(&self, case: &Case) -> Option<String> {
        self.asked.get(&question(case)).map(|path| format!("it comes down to {path}"))
    }
}

/// The document of a case without its purpose: equal for cases that ask the same.
pub fn question(case: &Case) -> String {
    Case { purpose: String::new(), ..case.clone() }.to_json().to_compact()
}
