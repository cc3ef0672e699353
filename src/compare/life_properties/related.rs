//! Scenarios that are made from one another as documents, and their lives as documents.
//!
//! What is added to a document has a mark in its name that occurs nowhere else. Taken out of the document of the life, it must leave the
//! document of the life that it was added to.

use planfuzz_core::json::Json;

use super::Subject;
use crate::case::lifecycle::Form;
use crate::case::scenario::Life;
use crate::case::{Case, CaseFile};

/// What no name of a case has.
pub(super) const MARK: &str = "zqx_";

impl Subject<'_> {
    /// The document of the case; nothing where it has the mark already.
    pub(super) fn document(&self) -> Option<&Json> {
        let unmarked = || Some(self.case.to_json()).filter(|document| !document.to_compact().contains(MARK));
        self.document.get_or_init(unmarked).as_ref()
    }

    /// The document of the life of the scenario in a document; nothing where that is none, or cannot be played.
    pub(super) fn life_in(&self, document: &Json) -> Option<Json> {
        let case = CaseFile::from_json(document).ok()?.case;
        if !case.schema()?.problems(case.dialect).is_empty() {
            return None;
        }
        let life = self.life_of(case.scenario()?)?;
        Some(written(&case, &life))
    }

    /// The document of the life.
    pub(super) fn life_document(&self) -> Json {
        written(self.case, &self.life)
    }
}

fn written(case: &Case, life: &Life) -> Json {
    case.schema().map_or(Json::Null, |schema| life.to_form(&schema.implied_type(case.dialect)))
}

/// How long what is shown of a document may be.
const SHOWN: usize = 120;

/// Expects two documents to be equal, and shows where they are not.
pub(super) fn same(what: &str, expected: &Json, found: &Json) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    let (expected, found) = (expected.to_compact(), found.to_compact());
    let at = expected.bytes().zip(found.bytes()).take_while(|(one, other)| one == other).count();
    let shown = |text: &str| text.chars().skip(at.saturating_sub(SHOWN / 2)).take(SHOWN).collect::<String>();
    Err(format!("{what}: expected …{}…, found …{}…", shown(&expected), shown(&found)))
}
