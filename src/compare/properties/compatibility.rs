//! Compatibility of planned and actual objects.
//!
//! Computed blocks are left out: one that is null as planned is incompatible with itself, and one that is unknown
//! replaces all other checks of the object around it (C10).

use planfuzz_core::value::{Node, Path, Value};

use super::relation::Relation;
use super::remake::all_completed;
use super::trial::Trial;
use super::walk::{Members, rebuilt};
use super::{Breach, PropertyResult, no_violations, value_like};
use crate::case::{Merge, Op};

/// MP18: every object is compatible with itself.
pub(super) fn reflexivity(trial: &Trial<'_>) -> PropertyResult {
    let Merge { prior: _, config, planned, actual, .. } = trial.merge;
    if trial.schema_facts.computed_blocks {
        return None;
    }
    let value = [planned, config, actual][trial.choices(18).below(3)];
    let violations = trial.prepared.assert_object_compatible(value, value).ok()?;
    Some(no_violations(Op::AssertObjectCompatible, "an object against itself", &violations))
}

/// MP19: the proposed object is compatible with every way of replacing its plain unknowns.
pub(super) fn completion(trial: &Trial<'_>) -> PropertyResult {
    if trial.schema_facts.computed_blocks || !trial.config_facts.shaped {
        return None;
    }
    let proposed = trial.proposed()?;
    let mut choices = trial.choices(19);
    let vague = match proposed.is_wholly_known() {
        // The plan of a data resource has more unknowns.
        true => &trial.prepared.planned_data_resource(&trial.merge.config).ok()?,
        false => proposed,
    };
    if vague.is_wholly_known() {
        return None;
    }
    let actual = value_like(vague, all_completed(vague.view(), &mut choices));
    let violations = trial.prepared.assert_object_compatible(vague, &actual).ok()?;
    Some(no_violations(Op::AssertObjectCompatible, "a completion of what was proposed", &violations))
}

/// MP20: an object that is compatible with a plan stays compatible if attributes of the plan become unknown.
pub(super) fn less_known(trial: &Trial<'_>) -> PropertyResult {
    let Merge { planned, actual, .. } = trial.merge;
    if trial.schema_facts.computed_blocks || !planned.view().is_present() || !trial.incompatible()?.is_empty() {
        return None;
    }
    let mut choices = trial.choices(20);
    let mut changed = false;
    let node = rebuilt(Members::Block(trial.block()), planned.view(), &mut |kind, member| {
        let chosen = kind.attribute().is_some() && !member.is_unknown() && choices.below(2) == 0;
        changed |= chosen;
        chosen.then_some(Node::UNKNOWN)
    });
    if !changed {
        return None;
    }
    let violations = trial.prepared.assert_object_compatible(&value_like(planned, node), actual).ok()?;
    Some(no_violations(Op::AssertObjectCompatible, "against the plan with less known", &violations))
}

/// MP21: wholly known objects are compatible if they are equal; otherwise only as AC22 says.
pub(super) fn known_plans(trial: &Trial<'_>) -> PropertyResult {
    let Merge { prior, planned, actual, .. } = trial.merge;
    if trial.schema_facts.computed_blocks {
        return None;
    }
    let (left, right, compatible) = match (planned.is_wholly_known(), actual.is_wholly_known()) {
        (true, true) => (planned, actual, trial.incompatible()?.is_empty()),
        (true, false) => (planned, prior, is_compatible(trial, planned, prior)?),
        (false, true) => (prior, actual, is_compatible(trial, prior, actual)?),
        (false, false) => return None,
    };
    let message = match compatible {
        false if left == right => "equal objects, and not compatible",
        true => {
            let mut relation = Relation::new();
            let equal = relation.lenient(Members::Block(trial.block()), left.view(), right.view());
            if relation.decided(equal)? {
                return Some(Ok(()));
            }
            "compatible objects, and not equal"
        }
        false => return Some(Ok(())),
    };
    let (path, left, right) = super::first_difference(Path::root(), left.view(), right.view());
    let message = format!("{message}: {} and {}", super::shown(left), super::shown(right));
    Some(Err(Breach { op: Op::AssertObjectCompatible, path, message }))
}

fn is_compatible(trial: &Trial<'_>, planned: &Value, actual: &Value) -> Option<bool> {
    trial.prepared.assert_object_compatible(planned, actual).ok().map(|violations| violations.is_empty())
}
