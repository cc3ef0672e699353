//! Judging one input: the planners answer it, and their answers are compared and checked.

use std::sync::Arc;

use planfuzz_core::json::Json;

use super::codecs::{Document, Reading};
use super::target::Target;
use super::{variants, wire};
use crate::case::{Call, Case, CaseFile, KeptFinding, Task};
use crate::compare::{Finding, Judge, Signature, Summary};
use crate::panel::{Extent, Panel};
use crate::subject::{InProcess, Subject};
use crate::triage::FindingFile;

/// One merge in so many is also checked for the metamorphic properties: they ask a planner some thirty times more.
const MERGES_EVERY: u32 = 4;

/// One scenario in so many: each property runs a scenario or two, and writes them.
const SCENARIO_EVERY: u32 = 60;

/// One workspace in so many: the laws run it some forty times more.
const WORKSPACES_EVERY: u32 = 40;

/// Judges the inputs of a target: a panel, kept from input to input.
pub struct InputJudge {
    target: Target,
    panel: Panel,
}

/// The outcome of an input.
#[derive(Debug)]
pub enum InputOutcome {
    /// It is no input of the target.
    Rejected,
    /// All checks hold.
    Held,
    /// Some checks fail.
    Found(Vec<WrittenFinding>),
}

/// A finding as it is written: of a case, or of a reader of bytes.
#[derive(Clone, Debug)]
pub struct WrittenFinding {
    /// The signature, shared by findings of one kind.
    pub signature: String,
    /// In words.
    pub what: String,
    /// The document: a case file, or a document of a codec, with the finding in it.
    pub document: Json,
}

impl InputJudge {
    /// A judge with the two planners.
    pub fn new(target: Target) -> InputJudge {
        InputJudge::of(target, vec![Box::new(InProcess::reference()), Box::new(InProcess::optimized())])
    }

    /// A judge with other subjects; the first is compared with every other.
    pub fn of(target: Target, subjects: Vec<Box<dyn Subject>>) -> InputJudge {
        // Known differences are those of engines, which are no subjects of a target.
        InputJudge { target, panel: Panel::new(subjects, Arc::new(Judge::default())) }
    }

    /// Judges an input; counts in the summary.
    pub fn run(&mut self, bytes: &[u8], summary: &mut Summary) -> InputOutcome {
        if self.target == Target::Codecs {
            return codec(bytes, summary);
        }
        match wire::read(bytes) {
            Ok(case) => self.judge(case, self.thorough(bytes), summary),
            Err(_) => InputOutcome::Rejected,
        }
    }

    /// Whether an input is also checked for the properties, as a function of its bytes alone: inputs in the readable form
    /// always are.
    pub fn thorough(&self, bytes: &[u8]) -> bool {
        let every = match self.target {
            Target::Planner | Target::Codecs => MERGES_EVERY,
            Target::Lifecycle => SCENARIO_EVERY,
            Target::Workspace => WORKSPACES_EVERY,
        };
        !wire::is_compact(bytes) || crc32fast::hash(bytes).is_multiple_of(every)
    }

    /// Judges a case, with the properties if `thorough`.
    pub fn judge(&mut self, case: Case, thorough: bool, summary: &mut Summary) -> InputOutcome {
        let is_workspace = matches!(case.task, Task::Call(Call::Workspace(_)));
        let has_problems = case.schema().is_some_and(|schema| !schema.problems(case.dialect).is_empty());
        if has_problems || is_workspace != (self.target == Target::Workspace) {
            return InputOutcome::Rejected;
        }
        let cases = match self.panel.subjects().first().and_then(|subject| subject.planner()) {
            Some(planner) => variants::of(case, planner),
            None => vec![case],
        };
        let batch = self.panel.answer(&cases);
        let judge = self.panel.judge().clone();
        let sitting = judge.sit(&cases[0]);
        let mut found: Vec<(&Case, Signature)> = Vec::new();
        for (index, case) in cases.iter().enumerate() {
            let mut findings = self.panel.judge_answers(&sitting, case, (&batch, index), summary).findings;
            if index == 0 && thorough {
                findings.extend(self.panel.properties(case, summary));
            }
            for Finding { signature, .. } in findings {
                if found.iter().all(|(_, other)| *other != signature) {
                    found.push((case, signature));
                }
            }
        }
        let written: Vec<WrittenFinding> =
            found.into_iter().map(|(case, signature)| self.written(case, &signature)).collect();
        if written.is_empty() { InputOutcome::Held } else { InputOutcome::Found(written) }
    }

    /// A finding with its answers: of the one operation alone if it shows there too.
    fn written(&mut self, whole: &Case, signature: &Signature) -> WrittenFinding {
        let names = self.panel.names();
        let text = signature.to_string();
        let narrow = whole.narrowed_to(signature.op);
        for case in narrow.iter().chain([whole]) {
            if let Some(finding) = self.panel.shown(case, signature, Extent::Whole) {
                let path = format!("{}.json", file_name(self.target, &text));
                let origin = format!("fuzz target {}", self.target.name());
                let file = FindingFile { case, finding: &finding, origin: &origin, subjects: &names, path: &path };
                let document = file.to_case_file().to_json();
                return WrittenFinding { signature: text, what: finding.what, document };
            }
        }
        // The finding does not show again: it is written as such.
        let what = "seen once, and not again".to_owned();
        let finding = KeptFinding::new(text.clone(), what.clone());
        let file = CaseFile { case: whole.clone(), finding: Some(finding) };
        WrittenFinding { signature: text, what, document: file.to_json() }
    }
}

/// The name of the file of a finding: one for each signature.
pub(super) fn file_name(target: Target, signature: &str) -> String {
    format!("{}-{:08x}", target.name(), crc32fast::hash(signature.as_bytes()))
}

fn codec(bytes: &[u8], summary: &mut Summary) -> InputOutcome {
    let Some(document) = Document::read(bytes) else { return InputOutcome::Rejected };
    summary.cases += 1;
    summary.checks += 1;
    match document.check() {
        Reading::Read | Reading::Refused => InputOutcome::Held,
        Reading::Broken { kind, message } => {
            let signature = document.signature(&kind);
            let document = document.to_json(Some(&KeptFinding::new(signature.clone(), message.clone())));
            InputOutcome::Found(vec![WrittenFinding { signature, what: message, document }])
        }
    }
}
