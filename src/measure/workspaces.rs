//! Planners of whole workspaces on the shapes of `planfuzz_workspace_cases::shapes`: what each operation costs an instance.
//!
//! Time is that of the processor for this thread, and what providers take is left out; the least of some rounds counts, since nothing but
//! disturbance makes a round longer. Memory is the most that the process had beyond what it had before.

use std::time::Duration;

use cpu_time::ThreadTime;
use planfuzz_core::plans::Mode;
use planfuzz_workspace::{Answer, Call, Planned, Providers, State, Workspace, WorkspacePlanner};
use planfuzz_workspace_cases::model::Simulated;
use planfuzz_workspace_cases::play::state_of;
use planfuzz_workspace_cases::shapes::{Shape, workspace};

/// What an operation costs.
#[derive(Clone, Debug)]
pub struct Cost {
    /// Which operation: `create`, `apply`, `no_change`, `one_changed`, `destroy`.
    pub op: &'static str,
    /// Nanoseconds of processor time for each instance.
    pub time: f64,
    /// Bytes at the most for each instance; nothing where the system does not say.
    pub bytes: Option<u64>,
    /// Calls of providers.
    pub calls: u64,
}

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// How the workspace grows.
    pub shape: Shape,
    /// How many instances it has, more or less.
    pub instances: usize,
}

/// The operations whose plans are measured, whether a leaf is changed for them, and their modes.
const PLANS: [(&str, bool, Mode); 3] =
    [("no_change", false, Mode::Normal), ("one_changed", true, Mode::Normal), ("destroy", false, Mode::Destroy)];

/// Providers whose time is taken.
struct Timed<'s> {
    of: &'s Simulated,
    took: Duration,
}

impl Providers for Timed<'_> {
    fn call(&mut self, call: &Call) -> Answer {
        let begun = ThreadTime::now();
        let answer = self.of.answer(call);
        self.took += begun.elapsed();
        answer
    }
}

/// What came of something, the time it took, and the memory.
struct Took<T> {
    came: T,
    time: Duration,
    bytes: Option<u64>,
}

fn timed<T>(of: &Simulated, rounds: usize, mut run: impl FnMut(&mut dyn Providers) -> T) -> Took<T> {
    let before = begin();
    let mut once = || {
        let mut providers = Timed { of, took: Duration::ZERO };
        let begun = ThreadTime::now();
        let came = run(&mut providers);
        (came, begun.elapsed().saturating_sub(providers.took))
    };
    let (came, mut time) = once();
    let bytes = before.zip(of_status("VmHWM:")).map(|(before, most)| most.saturating_sub(before));
    for _ in 1..rounds {
        time = time.min(once().1);
    }
    Took { came, time, bytes }
}

impl Workload {
    fn cost(self, op: &'static str, (time, bytes): (Duration, Option<u64>), calls: usize) -> Cost {
        let instances = self.instances.max(1);
        Cost {
            op,
            time: time.as_secs_f64() * 1e9 / instances as f64,
            bytes: bytes.map(|bytes| bytes / instances as u64),
            calls: calls as u64,
        }
    }

    /// What each operation costs a planner.
    ///
    /// # Errors
    /// A plan that is refused, or is another than the operation makes.
    pub fn of_planner(self, planner: &dyn WorkspacePlanner, rounds: usize) -> Result<Vec<Cost>, String> {
        let Workload { shape, instances } = self;
        let unusable = |problem: &dyn std::fmt::Display| problem.to_string();
        let (empty, providers) =
            workspace(&shape.files(instances, false), None).map_err(|problem| unusable(&problem))?;
        let created = timed(&providers, rounds, |providers| planner.plan(&empty, providers));
        let mut costs = vec![self.of_plan("create", &created)];
        let first = created.came.plan.as_ref().ok_or_else(|| refusal(&created.came))?;
        let applied = timed(&providers, 1, |providers| planner.apply(&empty, first, providers));
        costs.push(self.cost("apply", (applied.time, applied.bytes), applied.came.trace.calls.len()));
        let json = applied.came.state.to_json(&empty.schemas, empty.dialect).map_err(|problem| unusable(&problem))?;
        let state: State = state_of(&json).map_err(|problem| unusable(&problem))?;
        drop((created, applied, json));
        for (op, is_changed, mode) in PLANS {
            let files = shape.files(instances, is_changed);
            let (mut asked, providers) =
                workspace(&files, Some(state.clone())).map_err(|problem| unusable(&problem))?;
            asked.options.mode = mode;
            let planned = timed(&providers, rounds, |providers| planner.plan(&asked, providers));
            self.expect(op, &planned.came)?;
            costs.push(self.of_plan(op, &planned));
        }
        Ok(costs)
    }

    fn of_plan(self, op: &'static str, took: &Took<Planned>) -> Cost {
        self.cost(op, (took.time, took.bytes), took.came.trace.calls.len())
    }

    /// Whether a plan is what the operation makes: what is fast and wrong is no figure.
    fn expect(self, op: &str, planned: &Planned) -> Result<(), String> {
        let changes = planned.plan.iter().flat_map(|plan| &plan.changes).filter(|change| !change.is_empty()).count();
        let is_expected = match op {
            "no_change" => changes == 0,
            "one_changed" => (1..=self.instances + 1).contains(&changes),
            _ => changes > 0,
        };
        match is_expected && !planned.is_errored() {
            true => Ok(()),
            false => Err(format!("{op}: {changes} changes; {}", refusal(planned))),
        }
    }

    /// What the plans cost a real engine: its own processor time, the providers' left out, as they are none of its processes.
    ///
    /// # Errors
    /// What keeps it from answering.
    #[cfg(feature = "engine")]
    pub fn of_engine(
        self,
        live: &mut planfuzz_engine_workspaces::live::Live,
        leader: &dyn WorkspacePlanner,
    ) -> Result<Vec<Cost>, String> {
        use planfuzz_core::json::Json;
        use planfuzz_engine_workspaces::live::Asked;
        use planfuzz_engine_workspaces::served::Served;
        use planfuzz_workspace_cases::Command;

        let Workload { shape, instances } = self;
        let unusable = |problem: &dyn std::fmt::Display| problem.to_string();
        let (empty, providers) =
            workspace(&shape.files(instances, false), None).map_err(|problem| unusable(&problem))?;
        let planned = leader.plan(&empty, &mut &providers);
        let first = planned.plan.as_ref().ok_or_else(|| refusal(&planned))?;
        let applied = leader.apply(&empty, first, &mut &providers);
        let stored = applied.state.to_json(&empty.schemas, empty.dialect).map_err(|problem| unusable(&problem))?;
        let mut costs = Vec::new();
        let create = [("create", false, Mode::Normal)];
        for (op, is_changed, mode) in create.into_iter().chain(PLANS) {
            let files = shape.files(instances, is_changed);
            let state = if op == "create" { Json::Null } else { stored.clone() };
            let known = (op != "create").then(|| applied.state.clone());
            let (mut workspace, providers): (Workspace, Simulated) =
                workspace(&files, known).map_err(|problem| unusable(&problem))?;
            workspace.options.mode = mode;
            let asked = Asked { files, state, workspace, command: Command::Plan };
            let (time, calls) = (live.plan_time, live.calls_seen);
            live.ask("measured", &asked, Served::simulated(providers)).map_err(|problem| unusable(&problem))?;
            let calls = (live.calls_seen - calls) as usize;
            costs.push(self.cost(op, (live.plan_time - time, None), calls));
        }
        Ok(costs)
    }
}

fn refusal(planned: &Planned) -> String {
    planned.diagnostics.first().map_or_else(|| "no plan".to_owned(), |told| told.summary.clone())
}

/// Forgets the most memory that there was; how much there is now.
fn begin() -> Option<u64> {
    // Where the system knows no such file, the most counts from the start of the process.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    of_status("VmRSS:")
}

fn of_status(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_workspace_optimized::Optimized;
    use planfuzz_workspace_reference::Reference;

    #[test]
    fn every_shape_is_measured_by_both_planners() {
        for (shape, name) in Shape::ALL {
            let workload = Workload { shape, instances: 20 };
            for planner in [&Reference as &dyn WorkspacePlanner, &Optimized] {
                let costs = workload.of_planner(planner, 1).expect(name);
                assert_eq!(costs.len(), 5, "{name}");
                assert!(costs.iter().all(|cost| cost.time > 0.0 && cost.calls > 0), "{name}: {costs:?}");
            }
        }
    }
}
