//! The life of one resource instance (lifecycle.md): plan and apply walks.

use super::Program;
use crate::planner::{Applied, ApplyRequest, Plan, PlanRequest, Provider, Refusal};
use crate::value::Path;

/// One instance's part of a plan walk.
pub(super) fn plan(_: &Program, _: &PlanRequest, _: &mut dyn Provider) -> Result<Plan, Refusal> {
    Err(Refusal::new("L", &Path::root(), "expected an operation of the merge"))
}

/// One instance's part of an apply walk.
pub(super) fn apply(_: &Program, _: &ApplyRequest, _: &mut dyn Provider) -> Result<Applied, Refusal> {
    Err(Refusal::new("A", &Path::root(), "expected an operation of the merge"))
}
