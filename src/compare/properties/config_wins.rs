//! Configured values are proposed unchanged.

use planfuzz_core::value::Path;

use super::trial::Trial;
use super::walk::{Kind, Members, Pair, in_step};
use super::{Breach, PropertyResult, same, shown};
use crate::case::Op;

/// MP03: at every leaf outside sets that is configured or unknown, the proposed object has the very same value.
pub(super) fn configured_leaves(trial: &Trial<'_>) -> PropertyResult {
    at_leaves(trial, &mut |pair| match pair.config.is_null() {
        true => None,
        false => Some(same(Op::ProposedNew, "a configured leaf", pair.config, pair.other)),
    })
}

/// MP04: at every leaf outside sets that is null and not computed, the proposed object has null.
pub(super) fn null_leaves(trial: &Trial<'_>) -> PropertyResult {
    at_leaves(trial, &mut |pair| match pair.kind {
        Kind::Leaf(attribute) if !attribute.computed && pair.config.is_null() => {
            let message = || format!("a null leaf that is not computed: found {}", shown(pair.other));
            let breach = || Breach { op: Op::ProposedNew, path: pair.path.clone(), message: message() };
            Some(if pair.other.is_null() { Ok(()) } else { Err(breach()) })
        }
        _ => None,
    })
}

/// Tests every leaf outside sets; the test returns `None` where it does not apply. Leaves inside a part that the
/// configuration has null or unknown as a whole are not visited. If the test applies to no leaf, the property does not apply.
fn at_leaves(
    trial: &Trial<'_>,
    test: &mut dyn FnMut(&Pair<'_, '_, '_>) -> Option<Result<(), Breach>>,
) -> PropertyResult {
    if !trial.config_facts.present {
        return None;
    }
    let proposed = trial.proposed()?.view();
    let mut applied = false;
    let held =
        in_step(Members::Block(trial.block()), trial.merge.config.view(), proposed, &Path::root(), &mut |pair| {
            if pair.kind.inside().is_some() {
                return Ok(());
            }
            let held = test(&pair);
            applied |= held.is_some();
            held.unwrap_or(Ok(())).map_err(|breach| Breach { path: pair.path.clone(), ..breach })
        });
    applied.then_some(held)
}
