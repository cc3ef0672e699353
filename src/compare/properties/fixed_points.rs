//! Proposing for inputs that need no change.

use super::trial::Trial;
use super::{PropertyResult, same};
use crate::case::Op;

/// MP08: if the prior is the configuration itself, the configuration is proposed.
pub(super) fn config_as_prior(trial: &Trial<'_>) -> PropertyResult {
    let config = &trial.merge.config;
    if !trial.config_facts.shaped || !trial.config_facts.known {
        return None;
    }
    let proposed = trial.prepared.proposed_new(config, config).ok()?;
    Some(same(Op::ProposedNew, "proposed on the configuration itself", config.view(), proposed.view()))
}

/// MP09: for a wholly known configuration, without sets or with leaf-only sets and distinct keys, proposing with the proposed object as
/// the prior changes nothing.
pub(super) fn idempotence(trial: &Trial<'_>) -> PropertyResult {
    if !trial.config_facts.known || trial.config_facts.foreign || trial.schema_facts.structured_sets {
        return None;
    }
    if trial.schema_facts.sets && !trial.distinct_keys() {
        return None;
    }
    let once = trial.proposed()?;
    let twice = trial.prepared.proposed_new(once, &trial.merge.config).ok()?;
    Some(same(Op::ProposedNew, "proposed on what was proposed", once.view(), twice.view()))
}
