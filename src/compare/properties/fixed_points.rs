//! Proposing where nothing is to be done.

use super::bench::Bench;
use super::{Held, same};
use crate::case::Op;

/// MP08: with the configuration itself as the prior, the configuration is proposed.
pub(super) fn config_as_prior(bench: &Bench<'_>) -> Held {
    let config = &bench.merge.config;
    if !bench.config_facts.shaped || !bench.config_facts.known {
        return None;
    }
    let proposed = bench.prepared.proposed_new(config, config).ok()?;
    Some(same(Op::ProposedNew, "proposed on the configuration itself", config.view(), proposed.view()))
}

/// MP09: for a wholly known configuration, without sets or with leaf-only sets and distinct keys, proposing on what was
/// proposed changes nothing.
pub(super) fn idempotence(bench: &Bench<'_>) -> Held {
    if !bench.config_facts.known || bench.config_facts.foreign || bench.schema_facts.structured_sets {
        return None;
    }
    if bench.schema_facts.sets && !bench.distinct_keys() {
        return None;
    }
    let once = bench.proposed()?;
    let twice = bench.prepared.proposed_new(once, &bench.merge.config).ok()?;
    Some(same(Op::ProposedNew, "proposed on what was proposed", once.view(), twice.view()))
}
