//! The legacy form of objects.

use super::trial::Trial;
use super::{PropertyResult, same};
use crate::case::Op;

/// MP22: normalising a legacy form does not change it, nor does normalising a known configuration.
pub(super) fn idempotence(trial: &Trial<'_>) -> PropertyResult {
    let (config, planned) = (&trial.merge.config, &trial.merge.planned);
    let once = trial.prepared.normalize_legacy(planned).ok()?;
    let twice = trial.prepared.normalize_legacy(&once).ok()?;
    let held = same(Op::NormalizeLegacy, "the legacy form of a legacy form", once.view(), twice.view());
    if held.is_err() || !trial.config_facts.shaped || !trial.config_facts.known {
        return Some(held);
    }
    let form = trial.prepared.normalize_legacy(config).ok()?;
    Some(same(Op::NormalizeLegacy, "the legacy form of a known configuration", config.view(), form.view()))
}
