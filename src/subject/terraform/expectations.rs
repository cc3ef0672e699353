//! What the reference expects of a walk, which decides with whom the walk shares a run of the binary.
//!
//! A run that one walk stops is made again without it, and one of which the binary dies is divided until the culprit is alone. To
//! ask the reference first costs next to nothing beside that. It decides nothing else: where it is wrong the answers are the same,
//! and only come later.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{ApplyRequest, Exchange, PlanRequest, Planner, Prepared, Provider, Recorder};
use planfuzz_core::schema::Schema;
use planfuzz_engine::Expectation;
use planfuzz_reference::Reference;

use crate::guard::guard;

/// What is expected of a plan walk.
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

/// What is expected of an apply walk.
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

/// The reference's answer. A panic of it is its own affair, and nothing to go by.
fn asked<T>(schema: &Schema, dialect: Dialect, ask: impl FnOnce(&dyn Prepared) -> T) -> Option<T> {
    guard(|| ask(&*Reference.prepare(schema, dialect))).ok()
}
