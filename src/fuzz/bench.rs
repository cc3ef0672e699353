//! One input, put to the planners and judged.

use planfuzz_core::json::Json;

use super::codecs::{Document, Reading};
use super::fuzzer::Target;
use super::{variants, wire};
use crate::case::Case;
use crate::compare::{Answers, Judge, KnownDifferences, Summary};
use crate::subject::{InProcess, Subject};
use crate::triage::{FindingFile, confirm};

/// One input in so many is put to the metamorphic properties too: they ask a planner some thirty times more.
const PROPERTIES_EVERY: u32 = 4;

/// Planners and a judge, kept from input to input.
pub struct Bench {
    target: Target,
    subjects: Vec<Box<dyn Subject>>,
    judge: Judge,
}

/// What came of an input.
#[derive(Debug)]
pub enum Came {
    /// It is no input of the target.
    Rejected,
    /// Everything held.
    Held,
    /// Something did not.
    Found(Vec<Trouble>),
}

/// What did not hold, as it is written down.
#[derive(Clone, Debug)]
pub struct Trouble {
    /// What findings of one kind share.
    pub signature: String,
    /// In words.
    pub what: String,
    /// The document: a case file, or a document of a codec, with the finding in it.
    pub document: Json,
}

impl Bench {
    /// The two planners.
    pub fn new(target: Target) -> Bench {
        Bench::of(target, vec![Box::new(InProcess::reference()), Box::new(InProcess::optimized())])
    }

    /// Other subjects; the first is compared with every other.
    pub fn of(target: Target, subjects: Vec<Box<dyn Subject>>) -> Bench {
        let known = KnownDifferences::embedded().unwrap_or_default();
        Bench { target, subjects, judge: Judge { known, ..Judge::default() } }
    }

    /// Puts an input to them; counts in the summary.
    pub fn run(&mut self, bytes: &[u8], summary: &mut Summary) -> Came {
        if self.target == Target::Codecs {
            return codec(bytes, summary);
        }
        match wire::read(bytes) {
            Ok(case) => self.judge(case, Bench::thorough(bytes), summary),
            Err(_) => Came::Rejected,
        }
    }

    /// Whether an input is put to the properties too, as a function of its bytes alone: whatever is kept in a file that people
    /// read is.
    pub fn thorough(bytes: &[u8]) -> bool {
        !wire::is_compact(bytes) || crc32fast::hash(bytes).is_multiple_of(PROPERTIES_EVERY)
    }

    /// Judges a case, where it is to be `thorough` with the properties.
    pub fn judge(&mut self, case: Case, thorough: bool, summary: &mut Summary) -> Came {
        if case.schema().is_some_and(|schema| !schema.problems(case.dialect).is_empty()) {
            return Came::Rejected;
        }
        let cases = match self.subjects.first().and_then(|subject| subject.planner()) {
            Some(planner) => variants::of(case, planner),
            None => vec![case],
        };
        let answers: Vec<_> = self.subjects.iter_mut().map(|subject| subject.answer(&cases)).collect();
        let sitting = self.judge.sit(&cases[0]);
        let mut troubled = Vec::new();
        for (index, case) in cases.iter().enumerate() {
            let answers: Vec<Answers<'_>> = self
                .subjects
                .iter()
                .zip(&answers)
                .map(|(subject, outcomes)| Answers::of(&**subject, &outcomes[index]))
                .collect();
            let mut found = sitting.judge(case, &answers, summary);
            if index == 0 && thorough {
                let subjects = self.subjects.iter();
                found
                    .extend(subjects.flat_map(|subject| self.judge.properties_of(case, &**subject, |_| true, summary)));
            }
            troubled.extend(found.into_iter().map(|found| (case.narrowed_to(found.op), case.clone(), found)));
        }
        drop(sitting);
        let mut troubles: Vec<Trouble> = Vec::new();
        for (narrow, whole, found) in troubled {
            let Some(signature) = found.verdict.signature().map(ToString::to_string) else { continue };
            if troubles.iter().all(|trouble| trouble.signature != signature) {
                troubles.push(self.trouble(narrow, whole, signature));
            }
        }
        if troubles.is_empty() { Came::Held } else { Came::Found(troubles) }
    }

    /// A finding with its answers: of the one operation alone where it shows there too.
    fn trouble(&mut self, narrow: Option<Case>, whole: Case, signature: String) -> Trouble {
        let names: Vec<String> = self.subjects.iter().map(|subject| subject.name().to_owned()).collect();
        for case in narrow.into_iter().chain([whole.clone()]) {
            let confirmed = confirm(&case, &mut self.subjects, &self.judge, &mut Summary::default());
            let same = confirmed.iter().find(|confirmed| {
                confirmed.found.verdict.signature().is_some_and(|probe| probe.to_string() == signature)
            });
            if let Some(confirmed) = same {
                let what = crate::triage::what(&confirmed.found.verdict);
                let path = format!("{}.json", file_name(self.target, &signature));
                let origin = format!("fuzz target {}", self.target.name());
                let file = FindingFile { case: &case, confirmed, origin: &origin, subjects: &names, path: &path };
                return Trouble { signature, what, document: file.to_case_file().to_json() };
            }
        }
        // It was seen and is not seen again: that is told as it is.
        let what = "seen once, and not again".to_owned();
        let finding = Json::object([("signature", Json::string(&signature)), ("what", Json::string(&what))]);
        let file = crate::case::CaseFile { case: whole, finding: Some(finding) };
        Trouble { signature, what, document: file.to_json() }
    }
}

/// The name of the file of a finding: one for each signature.
pub(super) fn file_name(target: Target, signature: &str) -> String {
    format!("{}-{:08x}", target.name(), crc32fast::hash(signature.as_bytes()))
}

fn codec(bytes: &[u8], summary: &mut Summary) -> Came {
    let Some(document) = Document::read(bytes) else { return Came::Rejected };
    summary.cases += 1;
    summary.checks += 1;
    match document.check() {
        Reading::Read | Reading::Refused => Came::Held,
        Reading::Broken { kind, message } => {
            let signature = document.signature(&kind);
            let finding = [("signature", Json::string(&signature)), ("what", Json::string(&message))];
            let document = document.to_json(Some(Json::object(finding)));
            Came::Found(vec![Trouble { signature, what: message, document }])
        }
    }
}
