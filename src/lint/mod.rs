//! Lint: checks the rules on finished plans and states.
//!
//! Each check is one function over one subject: a change, an output, a stored object, or the whole file ([`Run`]). Its outcome is that
//! the rule holds, does not apply, is broken, or cannot be checked for some reason; all outcomes are counted ([`Report`]).
//! `docs/lint.md` is generated from the list of checks ([`checks()`]).
//!
//! No message contains a value of the file, as any may be a secret. Paths end at sensitive parts.

mod case;
mod check;
mod checks;
mod configuration;
mod indexed_file;
mod legacy;
mod outcome;
mod page;
mod place;
mod report;
mod same;
mod sarif;
mod walk;

#[cfg(test)]
mod tests;

pub use case::{ChangeCase, List, ObjectCase, OutputCase, StateSide, Typed};
pub use check::{Check, Flag, Needs, Run, Severity};
pub use checks::checks;
pub use indexed_file::IndexedFile;
pub use outcome::{CheckOutcome, Fault, Why};
pub use page::page;
pub use report::{LintFinding, Report};
pub use sarif::{SarifFile, sarif};

use std::sync::Arc;

use planfuzz_core::value::{WrittenPath, WrittenStep};

use crate::artifact::{Artifact, Candidate, Catalogue};

/// Runs every check on an artifact that can be made on it. More can be made with given schemas.
pub fn lint(artifact: &Artifact, given: &Catalogue) -> Report {
    let file = IndexedFile::new(artifact, given);
    let mut report = Report::of(artifact);
    let wanted: Vec<&Check> = checks().filter(|check| check.kinds.contains(&artifact.kind)).collect();
    for case in file.changes() {
        report.count(case.typed.as_ref().ok());
        let address = case.change.id.to_string();
        for check in &wanted {
            if let Run::Change(run) = check.run {
                report.add(check, Some(&address), &case.change.place, confirmed_change(check, run, &case));
            }
        }
    }
    for case in file.objects() {
        report.count(case.typed.as_ref().ok());
        let address = case.object.id.to_string();
        for check in &wanted {
            if let Run::Object(run) = check.run {
                report.add(check, Some(&address), &case.object.place, confirmed_object(check, run, &case));
            }
        }
    }
    for case in file.outputs() {
        report.count(None);
        let address = format!("output.{}", case.output.name);
        for check in &wanted {
            if let Run::Output(run) = check.run {
                report.add(check, Some(&address), &case.output.place, run(&case));
            }
        }
    }
    for check in &wanted {
        if let Run::Whole(run) = check.run {
            report.add(check, None, "", run(&file));
        }
    }
    report
}

/// The outcome of a check, confirmed by every schema that the values fit: no file records the version of a provider, and a fault by one
/// schema may be none by another.
fn confirmed_change(check: &Check, run: fn(&ChangeCase<'_>) -> CheckOutcome, case: &ChangeCase<'_>) -> CheckOutcome {
    let outcome = run(case);
    let (CheckOutcome::Broken(faults), Ok(first)) = (&outcome, &case.typed) else { return outcome };
    if check.needs == Needs::Nothing {
        return outcome;
    }
    let change = case.change;
    let others = case.file.others(&change.id, &[&change.before, &change.after], None, first);
    let others = others.into_iter().map(|typed| run(&ChangeCase { typed: Ok(typed), ..*case }));
    excused(others).or_else(|| disputed(check, faults, first, &case.file.candidates(&change.id))).unwrap_or(outcome)
}

/// Likewise for an object.
fn confirmed_object(check: &Check, run: fn(&ObjectCase<'_>) -> CheckOutcome, case: &ObjectCase<'_>) -> CheckOutcome {
    let outcome = run(case);
    let (CheckOutcome::Broken(faults), Ok(first)) = (&outcome, &case.typed) else { return outcome };
    if check.needs == Needs::Nothing {
        return outcome;
    }
    let object = case.object;
    let others = case.file.others(&object.id, &[&object.value], object.schema_version, first);
    let others = others.into_iter().filter(|typed| typed.is_same_version);
    let others = others.map(|typed| run(&ObjectCase { typed: Ok(typed), ..*case }));
    excused(others).or_else(|| disputed(check, faults, first, &case.file.candidates(&object.id))).unwrap_or(outcome)
}

/// The first outcome by another schema that is no fault.
fn excused(mut others: impl Iterator<Item = CheckOutcome>) -> Option<CheckOutcome> {
    others.find(|outcome| !matches!(outcome, CheckOutcome::Broken(_)))
}

/// [`Why::Versions`] if any known schema of the type, fitting or not, differs in the flag that a fault is about.
fn disputed(check: &Check, faults: &[Fault], first: &Typed, candidates: &[Arc<Candidate>]) -> Option<CheckOutcome> {
    let Needs::Flag(flag) = check.needs else { return None };
    let own = &first.schema.schema.block;
    let is_disputed = |fault: &Fault| {
        let path = WrittenPath::parse(&fault.path).unwrap_or_default();
        let Some(WrittenStep::Attribute(name)) = path.steps().first() else { return false };
        candidates.iter().any(|other| !flag.is_same(name, own, &other.schema.block))
    };
    faults.iter().any(is_disputed).then_some(CheckOutcome::Cannot(Why::Versions))
}
