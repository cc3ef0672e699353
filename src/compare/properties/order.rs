//! Orders and names that must not affect the result.

use std::cell::Cell;

use planfuzz_core::value::{Type, Value, ValueRef};

use super::remake::inserted_backwards;
use super::trial::Trial;
use super::{PropertyResult, both, same, value_like};
use crate::case::Op;
use crate::compare::renaming::Renaming;

/// MP11: with distinct keys, sets that were built in another order are the same sets, and the same is proposed.
pub(super) fn set_order(trial: &Trial<'_>) -> PropertyResult {
    let (prior, config) = (&trial.merge.prior, &trial.merge.config);
    if !(has_order(prior.view()) || has_order(config.view())) || !trial.distinct_keys() {
        return None;
    }
    let backwards = |value: &Value| value_like(value, inserted_backwards(value.view()));
    let (other_prior, other_config) = (backwards(prior), backwards(config));
    let rebuilt = same(Op::ProposedNew, "the prior, its sets built backwards", prior.view(), other_prior.view())
        .and_then(|()| {
            same(Op::ProposedNew, "the configuration, its sets built backwards", config.view(), other_config.view())
        });
    if rebuilt.is_err() {
        return Some(rebuilt);
    }
    let after = trial.prepared.proposed_new(&other_prior, &other_config);
    let answers = both(Op::ProposedNew, "for sets that were built backwards", trial.proposed(), after)?;
    Some(answers.and_then(|(before, after)| {
        same(Op::ProposedNew, "proposed for sets that were built backwards", before.view(), after.view())
    }))
}

/// Whether there is a set of two elements or more.
fn has_order(value: ValueRef<'_>) -> bool {
    matches!(value.ty(), Type::Set(_)) && value.len() > 1
        || !value.ty().is_primitive() && value.children().any(|(_, part)| has_order(part))
}

/// The prefix of every renamed name. It keeps their order, and composes with no character that may follow it (V24).
const PREFIX: &str = "_";

/// MP12: renaming attributes and blocks without changing their order commutes with proposing.
pub(super) fn renaming(trial: &Trial<'_>) -> PropertyResult {
    let namesakes = Cell::default();
    let renaming = Renaming::new(trial.block(), PREFIX, &namesakes);
    let schema = renaming.schema(trial.merge.schema.version);
    let prepared = trial.planner.prepare(&schema, trial.dialect);
    let renamed = |value: &Value| renaming.value(value);
    let found = prepared.proposed_new(&renamed(&trial.merge.prior), &renamed(&trial.merge.config));
    let answers = both(Op::ProposedNew, "with other names", trial.proposed(), found)?;
    Some(answers.and_then(|(proposed, found)| {
        same(Op::ProposedNew, "proposed with other names", renamed(proposed).view(), found.view())
    }))
}
