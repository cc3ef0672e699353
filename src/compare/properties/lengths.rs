//! The number of elements in the proposed object.

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Path, ValueRef};

use super::trial::Trial;
use super::walk::{Members, in_step};
use super::{Breach, PropertyResult};
use crate::case::Op;

/// MP07: outside sets lengths and keys are those of the configuration. A set has at most as many elements as there, and exactly as
/// many if sets are leaf-only, keys are distinct and no element is unknown: an unknown element becomes an object of unknowns (M12),
/// which may equal another one if it has no attributes.
pub(super) fn lengths(trial: &Trial<'_>) -> PropertyResult {
    if !trial.config_facts.present {
        return None;
    }
    let proposed = trial.proposed()?.view();
    let exact = !trial.schema_facts.structured_sets && !trial.config_facts.unknown_element && trial.distinct_keys();
    let mut applied = false;
    let held =
        in_step(Members::Block(trial.block()), trial.merge.config.view(), proposed, &Path::root(), &mut |pair| {
            let Some((nesting, _)) = pair.kind.inside() else { return Ok(()) };
            if !pair.config.is_present() || matches!(nesting, Nesting::Single | Nesting::Group) {
                return Ok(());
            }
            applied = true;
            let (want, found) = (pair.config.len(), pair.other.len());
            let right = match nesting {
                Nesting::Set if exact => found == want,
                Nesting::Set => found <= want,
                Nesting::List => found == want,
                _ => keys(pair.config).eq(keys(pair.other)),
            };
            if right && pair.other.is_present() {
                return Ok(());
            }
            let message = format!("expected {want} elements as configured, found {found}, or other keys");
            Err(Breach { op: Op::ProposedNew, path: pair.path.clone(), message })
        });
    applied.then_some(held)
}

fn keys<'a>(map: ValueRef<'a>) -> impl Iterator<Item = &'a str> {
    map.entries().map(|(key, _)| key.as_str())
}
