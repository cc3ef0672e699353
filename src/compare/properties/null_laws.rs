//! What null priors and null configurations mean.

use super::bench::Bench;
use super::{Held, same};
use crate::case::Op;

/// MP01: nothing stays nothing, no configuration keeps the prior, and no prior is the empty value.
pub(super) fn nulls(bench: &Bench<'_>) -> Held {
    let (prior, config, null) = (&bench.merge.prior, &bench.merge.config, bench.null());
    let kept = bench.prepared.proposed_new(prior, &null).ok()?;
    let mut held = same(Op::ProposedNew, "proposed for no configuration", prior.view(), kept.view());
    if held.is_ok() && !prior.is_null() {
        let nothing = bench.prepared.proposed_new(&null, &null).ok()?;
        held = same(Op::ProposedNew, "proposed for nothing at all", null.view(), nothing.view());
    }
    if held.is_err() || config.is_null() {
        return Some(held);
    }
    let created = bench.prepared.proposed_new(&null, config).ok()?;
    let empty = bench.block().empty_value_of(&bench.ty);
    let grown = bench.prepared.proposed_new(&empty, config).ok()?;
    Some(same(Op::ProposedNew, "proposed without a prior", grown.view(), created.view()))
}

/// MP02: what is created is proposed as configured.
pub(super) fn creation(bench: &Bench<'_>) -> Held {
    let facts = &bench.config_facts;
    let rewritten = facts.unknown_set_element || facts.unknown_map_element && bench.dialect.merges_new_map_elements();
    // A typed null and the null of an empty prior differ (V06).
    let retyped = facts.typed_null && (bench.schema_facts.dynamic || bench.schema_facts.markers);
    if !facts.shaped || rewritten || retyped {
        return None;
    }
    let created = bench.prepared.proposed_new(&bench.null(), &bench.merge.config).ok()?;
    Some(same(Op::ProposedNew, "proposed without a prior", bench.merge.config.view(), created.view()))
}
