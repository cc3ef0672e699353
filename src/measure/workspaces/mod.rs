//! Planners of whole workspaces on the shapes of `planfuzz_workspace_cases::shapes`: what each operation costs an instance.
//!
//! `took.rs` measures one run, `session.rs` planning again after a change, `engine.rs` a real engine.

#[cfg(feature = "engine")]
mod engine;
mod session;
mod took;

use std::time::Duration;

use planfuzz_core::plans::Mode;
use planfuzz_workspace::{Planned, State, Workspace, WorkspacePlanner};
use planfuzz_workspace_cases::model::Simulated;
use planfuzz_workspace_cases::play::state_of;
use planfuzz_workspace_cases::shapes::{Shape, workspace};
use planfuzz_workspace_optimized::Optimized;
use took::Took;

pub use session::{LeafEdit, PlannedSession};
pub use took::Measured;

/// What an operation costs.
#[derive(Clone, Debug)]
pub struct Cost {
    /// Which operation: the name of a [`PlanOp`], `apply`, or that of a [`LeafEdit`].
    pub op: &'static str,
    /// Nanoseconds of processor time for each of what is counted.
    pub time: f64,
    /// What is counted.
    pub each: Each,
    /// Peak bytes for each instance, less what the process had before; `None` where the system does not report it.
    pub bytes: Option<u64>,
    /// Calls of providers.
    pub calls: u64,
}

/// The divisor of a cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Each {
    /// The instances of the workspace.
    Instance,
    /// One change of the workspace.
    Change,
}

/// The workspace that is measured.
#[derive(Clone, Copy, Debug)]
pub struct SizedShape {
    /// How it grows.
    pub shape: Shape,
    /// How many instances it has, more or less.
    pub instances: usize,
}

/// A plan that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanOp {
    /// Everything is created.
    Create,
    /// Nothing changes.
    NoChange,
    /// One leaf has another value.
    OneChanged,
    /// Everything is destroyed.
    Destroy,
}

impl PlanOp {
    /// All of them with their names.
    pub const ALL: [(PlanOp, &'static str); 4] = [
        (PlanOp::Create, "create"),
        (PlanOp::NoChange, "no_change"),
        (PlanOp::OneChanged, "one_changed"),
        (PlanOp::Destroy, "destroy"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        PlanOp::ALL.iter().find(|(op, _)| *op == self).map_or("", |(_, name)| name)
    }

    fn mode(self) -> Mode {
        if self == PlanOp::Destroy { Mode::Destroy } else { Mode::Normal }
    }

    /// Checks that a plan is what the operation makes: the time of a wrong plan means nothing.
    fn expect(self, workload: SizedShape, planned: &Planned) -> Result<(), String> {
        let changes = planned.plan.iter().flat_map(|plan| &plan.changes).filter(|change| !change.is_empty()).count();
        let is_expected = match self {
            PlanOp::NoChange => changes == 0,
            PlanOp::OneChanged => (1..=workload.instances + 1).contains(&changes),
            PlanOp::Create | PlanOp::Destroy => changes > 0,
        };
        match is_expected && !planned.is_errored() {
            true => Ok(()),
            false => Err(format!("{}: {changes} changes; {}", self.name(), refusal(planned))),
        }
    }
}

impl SizedShape {
    fn cost(self, op: &'static str, (time, bytes): (Duration, Option<u64>), calls: usize) -> Cost {
        let instances = self.instances.max(1);
        Cost {
            op,
            time: time.as_secs_f64() * 1e9 / instances as f64,
            each: Each::Instance,
            bytes: bytes.map(|bytes| bytes / instances as u64),
            calls: calls as u64,
        }
    }

    /// The workload of a name: a shape and a number of instances, such as `for_each-100`.
    pub fn named(name: &str) -> Option<SizedShape> {
        let (shape, instances) = name.rsplit_once('-')?;
        Some(SizedShape { shape: Shape::from_name(shape)?, instances: instances.parse().ok()? })
    }

    /// The workspace that a plan is made of, and its providers. `stored` is the state that the workload left; not used
    /// to create everything.
    ///
    /// # Errors
    /// Files that are no workspace.
    pub fn asked(self, op: PlanOp, stored: Option<&State>) -> Result<(Workspace, Simulated), String> {
        let files = self.shape.files(self.instances, op == PlanOp::OneChanged);
        let stored = stored.filter(|_| op != PlanOp::Create);
        let (mut workspace, providers) = workspace(&files, stored.cloned()).map_err(|problem| problem.to_string())?;
        workspace.options.mode = op.mode();
        Ok((workspace, providers))
    }

    /// What is stored once everything is created, as a file has it.
    ///
    /// # Errors
    /// A plan that is refused.
    pub fn stored(self) -> Result<State, String> {
        let (empty, providers) = self.asked(PlanOp::Create, None)?;
        let planned = Optimized.plan(&empty, &mut &providers);
        let plan = planned.plan.as_ref().ok_or_else(|| refusal(&planned))?;
        read_back(&empty, &Optimized.apply(&empty, plan, &mut &providers).state)
    }

    /// What each operation costs a planner.
    ///
    /// # Errors
    /// A plan that is refused, or is another than the operation makes.
    pub fn of_planner(self, measured: Measured<'_>, rounds: usize) -> Result<Vec<Cost>, String> {
        let (empty, providers) = self.asked(PlanOp::Create, None)?;
        let created = measured.plan((&empty, &providers), rounds);
        PlanOp::Create.expect(self, &created.result)?;
        let mut costs = vec![self.of_took(PlanOp::Create.name(), &created)];
        let first = created.result.plan.as_ref().ok_or_else(|| refusal(&created.result))?;
        let applied = measured.apply((&empty, &providers), first);
        costs.push(self.of_took("apply", &applied));
        let stored = read_back(&empty, &applied.result.state)?;
        drop((created, applied));
        for op in [PlanOp::NoChange, PlanOp::OneChanged, PlanOp::Destroy] {
            let (asked, providers) = self.asked(op, Some(&stored))?;
            let planned = measured.plan((&asked, &providers), rounds);
            op.expect(self, &planned.result)?;
            costs.push(self.of_took(op.name(), &planned));
        }
        Ok(costs)
    }

    fn of_took<T>(self, op: &'static str, took: &Took<T>) -> Cost {
        self.cost(op, (took.time, took.bytes), took.calls)
    }
}

/// A state after it was written and read, without what a planner keeps in the state that it made.
fn read_back(workspace: &Workspace, state: &State) -> Result<State, String> {
    let json = state.to_json(&workspace.schemas, workspace.dialect).map_err(|problem| problem.to_string())?;
    state_of(&json).map_err(|problem| problem.to_string())
}

/// The planner's reason for having no plan.
pub(in crate::measure) fn refusal(planned: &Planned) -> String {
    planned.diagnostics.first().map_or_else(|| "no plan".to_owned(), |diagnostic| diagnostic.summary.clone())
}

#[cfg(test)]
mod tests {
    use planfuzz_workspace_optimized::Untraced;
    use planfuzz_workspace_reference::Reference;

    use super::*;

    #[test]
    fn every_shape_is_measured_by_both_planners() {
        for (shape, name) in Shape::ALL {
            let workload = SizedShape { shape, instances: 20 };
            let untraced = Untraced::default();
            let (reference, optimized) = (Measured::Traced(&Reference), Measured::Traced(&Optimized));
            for measured in [reference, optimized, Measured::Untraced(&untraced)] {
                let costs = workload.of_planner(measured, 1).expect(name);
                assert_eq!(costs.len(), 5, "{name}");
                // Times are not checked: a pause in the providers' turn may be longer than all of a small plan.
                assert!(costs.iter().all(|cost| cost.calls > 0), "{name}: {costs:?}");
            }
            let costs = workload.of_session(1).expect(name);
            assert!(costs.iter().all(|cost| cost.time > 0.0 && cost.calls > 0), "{name}: {costs:?}");
        }
    }
}
