//! Comparison of stored states and of diagnostics.

use planfuzz_core::planner::{Applied, Diagnostic, Severity};
use planfuzz_core::state::{InstanceState, Object, Stored};
use planfuzz_core::value::WrittenPath;

use super::comparator::{Apart, Comparator};
use super::document::is_written_as;
use crate::compare::difference::Class;
use crate::subject::Shown;

const CLASS: Class = Class::State;

/// Compares the results of two applies.
pub(super) fn compare_applied(comparator: &mut Comparator<'_>, first: &Applied, second: &Applied) -> Result<(), Apart> {
    let Applied { state, diagnostics } = first;
    let saved = compare_states(comparator, state, &second.state);
    comparator.go_past(saved.map_err(|apart| apart.within("saved")))?;
    comparator.go_past(compare_diagnostics(diagnostics, &second.diagnostics))
}

/// Compares two states of the instance.
pub(super) fn compare_states(
    comparator: &mut Comparator<'_>,
    first: &InstanceState,
    second: &InstanceState,
) -> Result<(), Apart> {
    let InstanceState { current, deposed } = first;
    let current = (current.as_ref(), second.current.as_ref());
    comparator.option(CLASS, "current", current, object).map_err(|apart| apart.within("current"))?;
    if !deposed.keys().eq(second.deposed.keys()) {
        return Err(Apart::new(CLASS, "what is deposed"));
    }
    for ((key, first), second) in deposed.iter().zip(second.deposed.values()) {
        object(comparator, first, second).map_err(|apart| apart.within(&format!("deposed {}", key.as_str())))?;
    }
    Ok(())
}

fn object(comparator: &mut Comparator<'_>, first: &Object, second: &Object) -> Result<(), Apart> {
    let Object { stored, private, status, dependencies, create_before_destroy, sensitive, skip_destroy } = first;
    match (stored, &second.stored) {
        (Stored::Value(first), Stored::Value(second)) => comparator.value(CLASS, "value", first, second)?,
        (Stored::Raw { version, attributes }, Stored::Raw { version: other, attributes: others }) => {
            comparator.same(CLASS, "version", version, other)?;
            comparator.same(CLASS, "raw", attributes, others)?;
        }
        // In a file, an object that was not upgraded looks like an upgraded one if it has the schema's version.
        (Stored::Value(value), Stored::Raw { version, attributes })
        | (Stored::Raw { version, attributes }, Stored::Value(value))
            if comparator.shown() == Shown::Observed
                && comparator.is_present(*version)
                && is_written_as(comparator.declared(), value, attributes) => {}
        _ => return Err(Apart::new(CLASS, "value")),
    }
    comparator.same(CLASS, "status", status, &second.status)?;
    comparator.same(CLASS, "private", private, &second.private)?;
    comparator.same(CLASS, "dependencies", dependencies, &second.dependencies)?;
    comparator.same(CLASS, "create_before_destroy", create_before_destroy, &second.create_before_destroy)?;
    comparator.paths(Class::Sensitive, "sensitive", sensitive, &second.sensitive)?;
    comparator.same(CLASS, "skip_destroy", skip_destroy, &second.skip_destroy)
}

/// Compares diagnostics as multisets of severity, summary and path. The difference is the first that one side has more often.
pub(super) fn compare_diagnostics(first: &[Diagnostic], second: &[Diagnostic]) -> Result<(), Apart> {
    let (first, second) = (sorted(first), sorted(second));
    let mut pairs = first.iter().zip(&second);
    let only = match pairs.find(|(first, second)| first != second) {
        Some((first, second)) => Some(first.min(second)),
        None => first.get(second.len()).or_else(|| second.get(first.len())),
    };
    match only {
        None => Ok(()),
        Some((_, summary, path)) => {
            Err(Apart { class: Class::Diagnostics, part: format!("{summary:?}"), path: WrittenPath::clone(path) })
        }
    }
}

fn sorted(diagnostics: &[Diagnostic]) -> Vec<(Severity, &str, &WrittenPath)> {
    let mut sorted: Vec<_> = diagnostics
        .iter()
        .map(|Diagnostic { severity, summary, path, rule: _ }| (*severity, &**summary, path))
        .collect();
    sorted.sort_unstable();
    sorted
}
