//! What plans cost a real engine.

use planfuzz_core::json::Json;
use planfuzz_engine_workspaces::live::{Asked, Live};
use planfuzz_engine_workspaces::served::Served;
use planfuzz_workspace::WorkspacePlanner;
use planfuzz_workspace_cases::Command;

use super::{Cost, PlanOp, SizedShape, refusal};

impl SizedShape {
    /// What the plans cost a real engine: its own processor time, without the providers, which are no processes of it.
    ///
    /// # Errors
    /// What keeps it from answering.
    pub fn of_engine(self, live: &mut Live, leader: &dyn WorkspacePlanner) -> Result<Vec<Cost>, String> {
        let (empty, providers) = self.asked(PlanOp::Create, None)?;
        let planned = leader.plan(&empty, &mut &providers);
        let first = planned.plan.as_ref().ok_or_else(|| refusal(&planned))?;
        let applied = leader.apply(&empty, first, &mut &providers);
        let written = |problem: &dyn std::fmt::Display| problem.to_string();
        let stored = applied.state.to_json(&empty.schemas, empty.dialect).map_err(|problem| written(&problem))?;
        let mut costs = Vec::new();
        for (op, name) in PlanOp::ALL {
            let (workspace, providers) = self.asked(op, Some(&applied.state))?;
            let files = self.shape.files(self.instances, op == PlanOp::OneChanged);
            let state = if op == PlanOp::Create { Json::Null } else { stored.clone() };
            let asked = Asked { files, state, workspace, command: Command::Plan };
            let (time, calls) = (live.plan_time, live.calls_seen);
            live.ask("measured", &asked, Served::simulated(providers)).map_err(|problem| written(&problem))?;
            let calls = (live.calls_seen - calls) as usize;
            costs.push(self.cost(name, (live.plan_time - time, None), calls));
        }
        Ok(costs)
    }
}
