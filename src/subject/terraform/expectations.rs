//! The reference's expectation for a walk, which decides with which other walks it shares a run of the binary.
//!
//! If one walk stops a run, the run is made again without it; if the binary crashes in a run, the run is divided until the culprit
//! is alone. Compared with that, asking the reference first costs next to nothing. The expectation decides nothing else: if it is
//! wrong the answers are the same, but come later.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{ApplyRequest, Exchange, PlanRequest, Planner, Prepared, Provider, Recorder};
use planfuzz_core::schema::Schema;
use planfuzz_engine::Expectation;
use planfuzz_reference::Reference;

use crate::guard::guard;

/// The expectation for a plan walk.
pub(super) fn of_plan(
    (schema, dialect): (&Schema, Dialect),
    request: &PlanRequest,
    mut provider: impl Provider,
) -> Expectation {
    let mut recorder = Recorder::new(&mut provider);
    let plan = asked(schema, dialect, |planner| planner.plan(request, &mut recorder));
    let exchanges = recorder.into_exchanges();
    let is_validated_only = || exchanges.iter().all(|exchange| matches!(exchange, Exchange::Validate(..)));
    match plan {
        Some(Err(_)) => Expectation::Fatal,
        Some(Ok(plan)) if plan.is_errored() && is_validated_only() => Expectation::Refused,
        Some(Ok(_)) | None => Expectation::Good,
    }
}

/// The expectation for an apply walk.
pub(super) fn of_apply(
    (schema, dialect): (&Schema, Dialect),
    request: &ApplyRequest,
    mut provider: impl Provider,
) -> Expectation {
    match asked(schema, dialect, |planner| planner.apply(request, &mut provider)) {
        Some(Err(_)) => Expectation::Fatal,
        Some(Ok(_)) | None => Expectation::Good,
    }
}

/// The reference's answer; `None` if it panics.
fn asked<T>(schema: &Schema, dialect: Dialect, ask: impl FnOnce(&dyn Prepared) -> T) -> Option<T> {
    guard(|| ask(&*Reference.prepare(schema, dialect))).ok()
}
