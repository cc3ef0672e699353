//! The legacy form of objects.

use super::bench::Bench;
use super::{Held, same};
use crate::case::Op;

/// MP22: the legacy form is its own legacy form, and so is a known configuration.
pub(super) fn idempotence(bench: &Bench<'_>) -> Held {
    let (config, planned) = (&bench.merge.config, &bench.merge.planned);
    let once = bench.prepared.normalize_legacy(planned).ok()?;
    let twice = bench.prepared.normalize_legacy(&once).ok()?;
    let held = same(Op::NormalizeLegacy, "the legacy form of a legacy form", once.view(), twice.view());
    if held.is_err() || !bench.config_facts.shaped || !bench.config_facts.known {
        return Some(held);
    }
    let form = bench.prepared.normalize_legacy(config).ok()?;
    Some(same(Op::NormalizeLegacy, "the legacy form of a known configuration", config.view(), form.view()))
}
