//! The optimized planner with colliding hashes: right, except where it relies on a hash alone.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{
    Applied, ApplyRequest, Plan, PlanRequest, Planner, Prepared, Provider, Refusal, Violation,
};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Value, with_weak_hashes};
use planfuzz_optimized::Optimized;
use planfuzz_workspace::{Planned, Providers, Workspace, WorkspacePlanner};

use crate::subject::of_workspaces::eager;

/// The planner.
#[derive(Clone, Copy, Debug, Default)]
pub struct WeakHash;

impl WeakHash {
    /// Its name as a subject.
    pub const NAME: &str = "weak-hash";
}

impl Planner for WeakHash {
    fn name(&self) -> &str {
        WeakHash::NAME
    }

    fn prepare<'s>(&self, schema: &'s Schema, dialect: Dialect) -> Box<dyn Prepared + 's> {
        Box::new(Weak(with_weak_hashes(|| Optimized.prepare(schema, dialect))))
    }
}

/// The optimized planner of workspaces with several workers, all of them with the same hashes.
impl WorkspacePlanner for WeakHash {
    fn name(&self) -> &str {
        WeakHash::NAME
    }

    fn refusal(&self) -> Option<&str> {
        eager().refusal()
    }

    fn plan(&self, workspace: &Workspace, providers: &mut dyn Providers) -> Planned {
        with_weak_hashes(|| eager().plan(workspace, providers))
    }

    fn apply(
        &self,
        workspace: &Workspace,
        plan: &planfuzz_workspace::Plan,
        providers: &mut dyn Providers,
    ) -> planfuzz_workspace::Applied {
        with_weak_hashes(|| eager().apply(workspace, plan, providers))
    }
}

struct Weak<'s>(Box<dyn Prepared + 's>);

impl Prepared for Weak<'_> {
    fn proposed_new(&self, prior: &Value, config: &Value) -> Result<Value, Refusal> {
        with_weak_hashes(|| self.0.proposed_new(prior, config))
    }

    fn planned_data_resource(&self, config: &Value) -> Result<Value, Refusal> {
        with_weak_hashes(|| self.0.planned_data_resource(config))
    }

    fn assert_plan_valid(&self, prior: &Value, config: &Value, planned: &Value) -> Result<Vec<Violation>, Refusal> {
        with_weak_hashes(|| self.0.assert_plan_valid(prior, config, planned))
    }

    fn assert_object_compatible(&self, planned: &Value, actual: &Value) -> Result<Vec<Violation>, Refusal> {
        with_weak_hashes(|| self.0.assert_object_compatible(planned, actual))
    }

    fn normalize_legacy(&self, value: &Value) -> Result<Value, Refusal> {
        with_weak_hashes(|| self.0.normalize_legacy(value))
    }

    fn prepare_computed_blocks(&self, value: &Value) -> Result<Value, Refusal> {
        with_weak_hashes(|| self.0.prepare_computed_blocks(value))
    }

    fn plan(&self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, Refusal> {
        with_weak_hashes(|| self.0.plan(request, provider))
    }

    fn apply(&self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, Refusal> {
        with_weak_hashes(|| self.0.apply(request, provider))
    }
}
