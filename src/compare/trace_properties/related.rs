//! Scenarios that are derived from one another as documents, and their runs as documents.
//!
//! A part that is added to a document has a mark in its name that occurs nowhere else. Removing it from the document of the derived run
//! must give the document of the original run.

use planfuzz_core::json::Json;

use super::Subject;
use crate::case::lifecycle::Form;
use crate::case::scenario::Trace;
use crate::case::{Case, CaseFile};

/// A text that no name of a case contains.
pub(super) const MARK: &str = "zqx_";

impl Subject<'_> {
    /// The document of the case; `None` if it contains the mark already.
    pub(super) fn document(&self) -> Option<&Json> {
        let unmarked = || Some(self.case.to_json()).filter(|document| !document.to_compact().contains(MARK));
        self.document.get_or_init(unmarked).as_ref()
    }

    /// The document of the run of the derived scenario in a document; `None` if it is not a valid scenario, or cannot be played. See
    /// [`super::answered`].
    pub(super) fn trace_in(&self, what: &str, document: &Json) -> Option<Result<Json, String>> {
        let case = CaseFile::from_json(document).ok()?.case;
        if !case.schema()?.problems(case.dialect).is_empty() {
            return None;
        }
        let trace = self.trace_of(what, case.scenario()?)?;
        Some(trace.map(|trace| written(&case, &trace)))
    }

    /// The document of the run.
    pub(super) fn trace_document(&self) -> Json {
        written(self.case, &self.trace)
    }
}

fn written(case: &Case, trace: &Trace) -> Json {
    case.schema().map_or(Json::Null, |schema| trace.to_form(&schema.implied_type(case.dialect)))
}

/// The length of the part of a document that is shown.
const SHOWN: usize = 120;

/// Expects two documents to be equal; the error shows where they differ.
pub(super) fn same(what: &str, expected: &Json, found: &Json) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    let (expected, found) = (expected.to_compact(), found.to_compact());
    let at = expected.bytes().zip(found.bytes()).take_while(|(one, other)| one == other).count();
    let shown = |text: &str| text.chars().skip(at.saturating_sub(SHOWN / 2)).take(SHOWN).collect::<String>();
    Err(format!("{what}: expected …{}…, found …{}…", shown(&expected), shown(&found)))
}
