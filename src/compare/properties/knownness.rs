//! Unknowns of the configuration that become known between two plans.

use planfuzz_core::value::{Path, Value};

use super::relation::Relation;
use super::remake::completed;
use super::trial::Trial;
use super::{Breach, PropertyResult, no_violations, shown, value_like};
use crate::case::Op;

/// The object proposed for the configuration with its unknowns replaced, under the conditions of MP13: unknown only at attributes and
/// at blocks as a whole.
fn proposed_with_more_known(trial: &Trial<'_>) -> Option<Value> {
    let (config, facts) = (&trial.merge.config, &trial.config_facts);
    if !facts.present || facts.known || facts.unknown_element {
        return None;
    }
    let known = value_like(config, completed(config.view(), &mut trial.choices(13)));
    trial.prepared.proposed_new(&trial.merge.prior, &known).ok()
}

/// MP13: with more known, the proposed object differs only in replaced unknowns. If there are sets, their elements have no
/// computed attribute.
pub(super) fn monotone(trial: &Trial<'_>) -> PropertyResult {
    if trial.schema_facts.computed_in_sets {
        return None;
    }
    let known = proposed_with_more_known(trial)?;
    arises("proposed with more known", trial.proposed()?, &known, Op::ProposedNew)
}

/// MP14: without sets and without `dynamic` the second plan is compatible with the first.
pub(super) fn second_plan(trial: &Trial<'_>) -> PropertyResult {
    let facts = &trial.schema_facts;
    if facts.sets || facts.dynamic || facts.computed_blocks {
        return None;
    }
    let (first, second) = (trial.proposed()?, proposed_with_more_known(trial)?);
    let violations = trial.prepared.assert_object_compatible(first, &second).ok()?;
    Some(no_violations(Op::AssertObjectCompatible, "the plan with more known against the first", &violations))
}

/// MP23: the object proposed for any prior is the plan of a data resource with unknowns replaced. As in MP13 no element
/// is unknown: one that is taken as is for a short prior list (M17) is an object of unknowns in the data resource (M12).
pub(super) fn data_resources(trial: &Trial<'_>) -> PropertyResult {
    let maps_differ = trial.schema_facts.maps && !trial.dialect.merges_new_map_elements();
    // Members of an untyped block that are not in the schema stay if it is taken as is, and go if it is merged (M02).
    let facts = &trial.config_facts;
    if trial.schema_facts.sets || maps_differ || facts.unknown_element || facts.foreign {
        return None;
    }
    let vague = trial.prepared.planned_data_resource(&trial.merge.config).ok()?;
    arises("proposed against the plan of a data resource", &vague, trial.proposed()?, Op::PlannedDataResource)
}

fn arises(what: &str, vague: &Value, known: &Value, op: Op) -> PropertyResult {
    let mut relation = Relation::new();
    let answer = relation.arises(vague.view(), known.view());
    if relation.decided(answer)? {
        return Some(Ok(()));
    }
    let (path, vague, known) = super::first_difference(Path::root(), vague.view(), known.view());
    let message = format!("{what}: {} does not come from {} by replacing unknowns", shown(known), shown(vague));
    Some(Err(Breach { op, path, message }))
}
