//! Variants of a case: reading a case costs more than asking planners, so each case is asked in several variants.

use planfuzz_core::planner::Planner;
use planfuzz_core::value::{Value, ValueError};

use crate::case::{Case, Merge, Task};

/// The case, and for a merge its variants: the second plan after the apply, the same created from null, a configuration
/// equal to the prior state, and the plan that the planner itself proposes. All share the schema.
pub(super) fn of(case: Case, planner: &dyn Planner) -> Vec<Case> {
    let Task::Merge(merge) = &case.task else { return vec![case] };
    let Merge { schema, prior, config, planned, actual } = merge;
    let with = |prior: &Value, config: &Value, planned: &Value, actual: &Value| Merge {
        schema: schema.clone(),
        prior: prior.clone(),
        config: config.clone(),
        planned: planned.clone(),
        actual: actual.clone(),
    };
    let null = Value::null(prior.ty().clone());
    let applied = known(actual);
    let mut merges = vec![
        with(&applied, config, planned, actual),
        with(&null, config, planned, &applied),
        with(prior, prior, actual, planned),
        with(prior, config, config, &known(config)),
    ];
    let proposed = crate::subject::guard(|| {
        let prepared = planner.prepare(schema, case.dialect);
        prepared.answer(planfuzz_core::planner::Request::ProposedNew { prior, config })
    });
    // A planner that refuses or panics does so in the case itself as well, where it is judged.
    if let Ok(Ok(planfuzz_core::planner::Answer::Value(proposed))) = proposed {
        merges.push(with(prior, config, &proposed, &known(&proposed)));
    }
    let dialect = case.dialect;
    let mut cases = vec![case];
    cases.extend(merges.into_iter().map(|merge| Case::new(dialect, Task::Merge(merge))));
    cases
}

/// The value with null for what is unknown.
fn known(value: &Value) -> Value {
    if value.is_wholly_known() {
        return value.clone();
    }
    let nulled = value.view().transform(&mut |_, part: Value| {
        let is_unknown = part.view().is_unknown();
        Ok::<_, ValueError>(if is_unknown { Value::null(part.ty().clone()) } else { part })
    });
    // Elements of one collection may then differ in type: there is no such value.
    nulled.unwrap_or_else(|_| Value::null(value.ty().clone()))
}
