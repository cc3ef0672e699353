//! The meaning of null priors and null configurations.

use super::trial::Trial;
use super::{PropertyResult, same};
use crate::case::Op;

/// MP01: null for null gives null, a null configuration keeps the prior, and a null prior is treated as the empty value.
pub(super) fn nulls(trial: &Trial<'_>) -> PropertyResult {
    let (prior, config, null) = (&trial.merge.prior, &trial.merge.config, trial.null());
    let kept = trial.prepared.proposed_new(prior, &null).ok()?;
    let mut held = same(Op::ProposedNew, "proposed for no configuration", prior.view(), kept.view());
    if held.is_ok() && !prior.is_null() {
        let nothing = trial.prepared.proposed_new(&null, &null).ok()?;
        held = same(Op::ProposedNew, "proposed for nothing at all", null.view(), nothing.view());
    }
    if held.is_err() || config.is_null() {
        return Some(held);
    }
    let created = trial.prepared.proposed_new(&null, config).ok()?;
    let empty = trial.block().empty_value_of(&trial.ty);
    let grown = trial.prepared.proposed_new(&empty, config).ok()?;
    Some(same(Op::ProposedNew, "proposed without a prior", grown.view(), created.view()))
}

/// MP02: on create, the configuration is proposed unchanged.
pub(super) fn creation(trial: &Trial<'_>) -> PropertyResult {
    let facts = &trial.config_facts;
    let rewritten = facts.unknown_set_element || facts.unknown_map_element && trial.dialect.merges_new_map_elements();
    // A null with its own type differs from the null of an empty prior (V06).
    let retyped = facts.typed_null && (trial.schema_facts.dynamic || trial.schema_facts.markers);
    if !facts.shaped || rewritten || retyped {
        return None;
    }
    let created = trial.prepared.proposed_new(&trial.null(), &trial.merge.config).ok()?;
    Some(same(Op::ProposedNew, "proposed without a prior", trial.merge.config.view(), created.view()))
}
