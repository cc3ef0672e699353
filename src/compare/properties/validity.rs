//! Plans that must be valid.

use planfuzz_core::planner::Violation;
use planfuzz_core::value::{Path, Step};

use super::remake::with_member;
use super::shape::has_write_only_value;
use super::trial::Trial;
use super::{Breach, PropertyResult, no_violations};
use crate::case::{Merge, Op};

/// MP15: a provider that returns the proposed object makes a valid plan. Nested types of mode set have leaf-only elements and
/// distinct keys, and write-only values are proposed exactly as configured.
pub(super) fn proposed_is_valid(trial: &Trial<'_>) -> PropertyResult {
    let (facts, Merge { prior, config, .. }) = (&trial.schema_facts, trial.merge);
    if !trial.config_facts.shaped || facts.structured_nested_sets || facts.nested_sets && !trial.distinct_keys() {
        return None;
    }
    if rewrites_write_only(trial) {
        return None;
    }
    let violations = trial.prepared.assert_plan_valid(prior, config, trial.proposed()?).ok()?;
    Some(no_violations(Op::AssertPlanValid, "what was proposed, planned", &violations))
}

/// Whether the proposed object may differ from the configuration at a write-only attribute, where P05 c forbids
/// it: for a prior that holds a value (no engine stores any), in a nested type for an unknown element, which becomes an
/// object of unknowns (M12), and for a null of type `dynamic`, which may come with the prior's type.
fn rewrites_write_only(trial: &Trial<'_>) -> bool {
    let facts = &trial.schema_facts;
    if !trial.dialect.decides_write_only_first() || !(facts.computed_write_only || facts.nested_write_only) {
        return false;
    }
    facts.nested_write_only && (facts.dynamic || trial.config_facts.unknown_element)
        || has_write_only_value(trial.block(), trial.merge.prior.view())
}

/// MP16: the configuration is a valid plan, whatever the prior.
pub(super) fn config_is_valid(trial: &Trial<'_>) -> PropertyResult {
    let Merge { prior, config, .. } = trial.merge;
    if !trial.config_facts.shaped {
        return None;
    }
    let violations = trial.prepared.assert_plan_valid(prior, config, config).ok()?;
    Some(no_violations(Op::AssertPlanValid, "the configuration, planned", &violations))
}

/// MP17: replacing a planned attribute by its configured value removes its violations and leaves those of the others.
pub(super) fn locality(trial: &Trial<'_>) -> PropertyResult {
    let Merge { prior, config, planned, .. } = trial.merge;
    let attributes = &trial.block().attributes;
    if !trial.config_facts.present || !planned.view().is_present() || attributes.is_empty() {
        return None;
    }
    let before = trial.violations()?;
    let under = |violation: &&Violation| {
        let steps = violation.path.steps();
        matches!(steps.first(), Some(Step::Attribute(name)) if attributes.get(name).is_some())
    };
    // An attribute with a violation if there is one.
    let guilty = before.iter().find(under).map(|violation| violation.path.steps());
    let name = match guilty.as_deref() {
        Some([Step::Attribute(name), ..]) => name,
        _ => attributes.iter().nth(trial.choices(17).below(attributes.len()))?.0,
    };
    let index = planned.ty().as_object()?.index_of(name)?;
    let repaired = with_member(planned, index, config.view().member(name)?);
    let after = trial.prepared.assert_plan_valid(prior, config, &repaired).ok()?;
    let kept = before
        .iter()
        .filter(|violation| !matches!(violation.path.steps().first(), Some(Step::Attribute(first)) if first == name));
    let (want, found) = (sorted(kept), sorted(after.iter()));
    if want == found {
        return Some(Ok(()));
    }
    let message = format!("planned as configured: expected violations {want:?}, found {found:?}");
    Some(Err(Breach { op: Op::AssertPlanValid, path: Path::root().attribute(name), message }))
}

/// The paths of violations, sorted, repetitions kept.
fn sorted<'a>(violations: impl Iterator<Item = &'a Violation>) -> Vec<String> {
    let mut paths: Vec<String> = violations.map(|violation| violation.path.to_string()).collect();
    paths.sort_unstable();
    paths
}
