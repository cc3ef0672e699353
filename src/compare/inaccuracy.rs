//! Inaccuracies of recordings of an engine.
//!
//! A vector holds the output of an engine as a reader understood it when it was recorded. Two kinds of output were read too coarsely: the
//! places of some errors of OpenTofu, which were read as the root, and violations at nested attributes that are sensitive by their
//! schema, which an engine reports at the attribute around them (AC10, by way of A31). An answer that differs from the recording only in
//! this is tolerated, under a name, and counted; everything else about it is compared as usual.

use std::collections::BTreeSet;
use std::sync::Arc;

use planfuzz_core::planner::{Diagnostic, summary};
use planfuzz_core::schema::{Attribute, Schema, Shape};
use planfuzz_core::value::WrittenPath;

use crate::scenario::Trace;
use crate::subject::Outcome;

/// An inaccuracy of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordingInaccuracy {
    /// Errors whose places were read as the root.
    PlaceReadAsRoot,
    /// Violations in an attribute with sensitive parts, reported as one.
    SensitiveReportedAsOne,
}

/// The summaries whose places were not read.
const UNPLACED: [&str; 2] = [summary::INVALID_RESPONSE, summary::EPHEMERAL_CONTEXT];

impl RecordingInaccuracy {
    /// The printed name.
    pub fn name(self) -> &'static str {
        match self {
            RecordingInaccuracy::PlaceReadAsRoot => "place-read-as-root",
            RecordingInaccuracy::SensitiveReportedAsOne => "sensitive-reported-as-one",
        }
    }

    /// The inaccuracy in a sentence.
    pub fn reason(self) -> &'static str {
        match self {
            RecordingInaccuracy::PlaceReadAsRoot => {
                "the recording has the root as the place of an error that names a place"
            }
            RecordingInaccuracy::SensitiveReportedAsOne => {
                "the recording has violations in a partly sensitive attribute as one of it"
            }
        }
    }

    /// The answer as the recording would show it, and the inaccuracy; `None` if the recording would show it unchanged.
    pub(super) fn as_recorded(
        schema: Option<&Schema>,
        recorded: &Outcome,
        got: &Outcome,
    ) -> Option<(RecordingInaccuracy, Outcome)> {
        match (recorded, got) {
            (Outcome::Trace(recorded), Outcome::Trace(got)) => {
                let trace = with_places_as_recorded(recorded, got)?;
                Some((RecordingInaccuracy::PlaceReadAsRoot, Outcome::Trace(Arc::new(trace))))
            }
            (Outcome::Paths(recorded), Outcome::Paths(got)) => {
                let reported = reported_as_one(schema?, recorded, got)?;
                Some((RecordingInaccuracy::SensitiveReportedAsOne, Outcome::Paths(reported)))
            }
            _ => None,
        }
    }
}

/// The run with the places of some errors moved to the root, if the recorded walk has all such errors there.
fn with_places_as_recorded(recorded: &Trace, got: &Trace) -> Option<Trace> {
    let mut trace = got.clone();
    let mut is_changed = false;
    for (recorded, step) in recorded.steps.iter().zip(&mut trace.steps) {
        is_changed |= unplace(&recorded.plan.plan.diagnostics, &mut step.plan.plan.diagnostics);
        if let (Some(recorded), Some(apply)) = (&recorded.apply, &mut step.apply) {
            is_changed |= unplace(&recorded.applied.diagnostics, &mut apply.applied.diagnostics);
        }
    }
    is_changed.then_some(trace)
}

fn unplace(recorded: &[Diagnostic], got: &mut [Diagnostic]) -> bool {
    let mut is_changed = false;
    for summary in UNPLACED {
        let mut alike = recorded.iter().filter(|diagnostic| diagnostic.summary == summary).peekable();
        if alike.peek().is_none() || alike.any(|diagnostic| !diagnostic.path.is_root()) {
            continue;
        }
        for diagnostic in got.iter_mut().filter(|got| got.summary == summary && !got.path.is_root()) {
            diagnostic.path = WrittenPath::default();
            is_changed = true;
        }
    }
    is_changed
}

/// The violations in a partly sensitive attribute merged into one at it, if the recording has one there.
fn reported_as_one(schema: &Schema, recorded: &[String], got: &[String]) -> Option<Vec<String>> {
    let is_partly_sensitive = |text: &&String| {
        let path = WrittenPath::parse(text).ok().and_then(|path| path.to_path());
        path.and_then(|path| schema.block.attribute_at(&path)).is_some_and(is_partly_sensitive)
    };
    let wholes: BTreeSet<&String> = recorded.iter().filter(is_partly_sensitive).collect();
    let is_within = |path: &str, whole: &str| path.strip_prefix(whole).is_some_and(|rest| rest.starts_with(['.', '[']));
    let mut reported = Vec::new();
    let mut joined = BTreeSet::new();
    for path in got {
        match wholes.iter().find(|whole| path == **whole || is_within(path, whole)) {
            None => reported.push(path.clone()),
            Some(whole) if joined.insert(*whole) => reported.push((*whole).clone()),
            Some(_) => {}
        }
    }
    (reported != got).then_some(reported)
}

/// Whether an attribute is not sensitive itself, but something in it is.
fn is_partly_sensitive(attribute: &Attribute) -> bool {
    let Shape::Nested(nested) = &attribute.shape else { return false };
    !attribute.sensitive && nested.attributes.values().any(|inner| inner.sensitive || is_partly_sensitive(inner))
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_core::json::Json;

    fn schema(attributes: &str) -> Schema {
        let text = format!(r#"{{"block":{{"attributes":{attributes}}}}}"#);
        Schema::from_json(&Json::parse(&text).expect("JSON")).expect("a schema")
    }

    const NESTED: &str = r#"{"a":{"optional":true,"nested_type":{"nesting_mode":"map","attributes":{
        "s":{"type":"string","optional":true,"sensitive":SENSITIVE},"t":{"type":"string","optional":true}}}}}"#;

    #[test]
    fn ac10_violations_in_a_partly_sensitive_attribute_are_one_where_the_recording_has_one() {
        let texts = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
        let got = texts(&[r#".a["k"].t"#, ".a", ".b"]);
        let sensitive = schema(&NESTED.replace("SENSITIVE", "true"));
        let want = Some(texts(&[".a", ".b"]));
        assert_eq!(reported_as_one(&sensitive, &texts(&[".a"]), &got), want);
        assert_eq!(reported_as_one(&sensitive, &texts(&[".ab"]), &got), None, "the recording has none there");
        let plain = schema(&NESTED.replace("SENSITIVE", "false"));
        assert_eq!(reported_as_one(&plain, &texts(&[".a"]), &got), None, "nothing is sensitive");
    }

    #[test]
    fn ld20_places_count_for_nothing_only_where_the_recording_has_the_root_for_all() {
        let error_at = |path: &str| {
            let path = if path.is_empty() { WrittenPath::default() } else { WrittenPath::parse(path).expect("a path") };
            Diagnostic::error(summary::INVALID_RESPONSE, path, "")
        };
        for (recorded, is_changed) in
            [(vec![error_at("")], true), (vec![error_at(""), error_at(".b")], false), (vec![], false)]
        {
            let mut got = [error_at(".a")];
            assert_eq!(unplace(&recorded, &mut got), is_changed);
            assert_eq!(got[0].path.is_root(), is_changed);
        }
        let mut other = [Diagnostic::error(summary::INVALID_PLAN, WrittenPath::parse(".a").expect("a path"), "")];
        assert!(!unplace(&[Diagnostic::error(summary::INVALID_PLAN, WrittenPath::default(), "")], &mut other));
    }
}
