//! Comparison of requests to a provider.

use planfuzz_core::planner::{
    ApplyChange, Exchange, ImportState, PlanChange, RawState, ReadData, ReadResource, UpgradeState, ValidateConfig,
};
use planfuzz_core::value::Value;

use super::Calls;
use super::comparator::{Apart, Comparator};
use super::document::is_same;
use crate::compare::difference::Class;
use crate::subject::Shown;

const CLASS: Class = Class::Request;

/// Compares the calls of a walk in order. Calls whose order an engine does not fix are matched first.
pub(super) fn compare(comparator: &mut Comparator<'_>, first: Calls<'_>, second: Calls<'_>) -> Result<(), Apart> {
    let of_several = first.of_several || second.of_several;
    let (first, second) = (first.exchanges, second.exchanges);
    if comparator.shown() == Shown::Observed {
        let (first, mut second) = (each_upgrade_once(comparator, first), each_upgrade_once(comparator, second));
        if of_several {
            order_like(comparator, &first, &mut second);
        }
        return in_order(comparator, &first, &second);
    }
    in_order(comparator, &first.iter().collect::<Vec<_>>(), &second.iter().collect::<Vec<_>>())
}

/// The calls, with only the first of equal upgrades, because an engine makes one at each read (L05).
fn each_upgrade_once<'e>(comparator: &mut Comparator<'_>, exchanges: &'e [Exchange]) -> Vec<&'e Exchange> {
    let mut kept: Vec<&Exchange> = Vec::with_capacity(exchanges.len());
    for exchange in exchanges {
        let is_upgrade = matches!(exchange, Exchange::Upgrade(..));
        if !is_upgrade || !kept.iter().any(|kept| request(comparator, kept, exchange).is_ok()) {
            kept.push(exchange);
        }
    }
    kept
}

/// Puts the calls of `second` into the order of `first`, as far as they match; the others keep their order at the end. The walks of
/// different objects are in no particular order, and within one the calls follow from each other.
fn order_like(comparator: &mut Comparator<'_>, first: &[&Exchange], second: &mut [&Exchange]) {
    for index in 0..first.len().min(second.len()) {
        let like = (index..second.len()).find(|at| request(comparator, first[index], second[*at]).is_ok());
        if let Some(at) = like {
            second[index..=at].rotate_right(1);
        }
    }
}

fn in_order(comparator: &mut Comparator<'_>, first: &[&Exchange], second: &[&Exchange]) -> Result<(), Apart> {
    for (index, (first, second)) in first.iter().zip(second).enumerate() {
        let (number, call) = (index + 1, first.name());
        request(comparator, first, second).map_err(|apart| match apart {
            Some(apart) => apart.within(&format!("request {number} ({call})")),
            None => Apart::new(CLASS, format!("request {number} ({call} or {})", second.name())),
        })?;
    }
    if first.len() == second.len() {
        return Ok(());
    }
    let (longer, index) = if first.len() > second.len() { (first, second.len()) } else { (second, first.len()) };
    Err(Apart::new(CLASS, format!("request {} ({}), made by one", index + 1, longer[index].name())))
}

/// Compares two calls; `Err(None)` if they are calls of different kinds.
fn request(comparator: &mut Comparator<'_>, first: &Exchange, second: &Exchange) -> Result<(), Option<Apart>> {
    match (first, second) {
        (Exchange::Validate(first, _), Exchange::Validate(second, _)) => {
            let (ValidateConfig { config: first }, ValidateConfig { config: second }) = (first, second);
            comparator.value(CLASS, "config", first, second)
        }
        (Exchange::Upgrade(first, _), Exchange::Upgrade(second, _)) => upgrade(comparator, first, second),
        (Exchange::Read(first, _), Exchange::Read(second, _)) => {
            let ReadResource { current, private } = first;
            comparator
                .value(CLASS, "current", current, &second.current)
                .and_then(|()| comparator.same(CLASS, "private", private, &second.private))
        }
        (Exchange::Plan(first, _), Exchange::Plan(second, _)) => {
            let PlanChange { prior, config, proposed, private } = first;
            values(
                comparator,
                [
                    ("prior", prior, &second.prior),
                    ("config", config, &second.config),
                    ("proposed", proposed, &second.proposed),
                ],
            )
            .and_then(|()| comparator.same(CLASS, "private", private, &second.private))
        }
        (Exchange::Apply(first, _), Exchange::Apply(second, _)) => {
            let ApplyChange { prior, config, planned, private } = first;
            values(
                comparator,
                [
                    ("prior", prior, &second.prior),
                    ("config", config, &second.config),
                    ("planned", planned, &second.planned),
                ],
            )
            .and_then(|()| comparator.same(CLASS, "private", private, &second.private))
        }
        (Exchange::Import(first, _), Exchange::Import(second, _)) => {
            let ImportState { id } = first;
            comparator.same(CLASS, "id", id, &second.id)
        }
        (Exchange::ReadData(first, _), Exchange::ReadData(second, _)) => {
            let ReadData { config } = first;
            comparator.value(CLASS, "config", config, &second.config)
        }
        _ => return Err(None),
    }
    .map_err(Some)
}

fn values(comparator: &mut Comparator<'_>, pairs: [(&str, &Value, &Value); 3]) -> Result<(), Apart> {
    pairs.into_iter().try_for_each(|(part, first, second)| comparator.value(CLASS, part, first, second))
}

fn upgrade(comparator: &mut Comparator<'_>, first: &UpgradeState, second: &UpgradeState) -> Result<(), Apart> {
    comparator.same(CLASS, "version", &first.version, &second.version)?;
    match (&first.state, &second.state) {
        (RawState::Value(first), RawState::Value(second)) => comparator.value(CLASS, "state", first, second),
        // On the wire both are documents, and members of documents have no order.
        (first, second) if comparator.shown() == Shown::Observed => match is_same(comparator.declared(), first, second)
        {
            true => Ok(()),
            false => Err(Apart::new(CLASS, "raw")),
        },
        (RawState::Json(first), RawState::Json(second)) => comparator.same(CLASS, "raw", first, second),
        _ => Err(Apart::new(CLASS, "state")),
    }
}
