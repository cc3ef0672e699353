//! Planners of whole workspaces on the shapes of `planfuzz_workspace_cases::shapes`: what each operation costs an instance.
//!
//! Time is processor time of this thread, less what the providers need to answer the same calls; the least of some
//! rounds counts, since disturbance only makes a round longer. Memory is the peak of the process, less what it had
//! before; it means something only in a process that returns to the system at once what it frees. Calls of a planner that lists none are those of the optimized planner, which makes the same.

use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;
use planfuzz_core::address::Notation;
use planfuzz_core::plans::Mode;
use planfuzz_core::state::{InstanceState, Status};
use planfuzz_workspace::{Answer, Applied, Call, Made, Plan, Planned, Providers, State, Workspace, WorkspacePlanner};
use planfuzz_workspace_cases::model::Simulated;
use planfuzz_workspace_cases::play::state_of;
use planfuzz_workspace_cases::shapes::{Shape, leaf, workspace};
use planfuzz_workspace_optimized::edits::Edit;
use planfuzz_workspace_optimized::{Library, Optimized, Replanned, Session, Untraced};

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

/// A change of one leaf, after which a session plans again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafEdit {
    /// Its file.
    File,
    /// Its stored object.
    Object,
}

impl LeafEdit {
    /// Both of them with their names.
    pub const ALL: [(LeafEdit, &'static str); 2] = [(LeafEdit::File, "file_again"), (LeafEdit::Object, "object_again")];
}

/// Providers that measure their own time: for operations of few calls.
struct Timed<'s> {
    of: &'s Simulated,
    took: Duration,
    calls: u64,
}

impl Providers for Timed<'_> {
    fn call(&mut self, call: &Call) -> Answer {
        self.calls += 1;
        let begun = ThreadTime::now();
        let answer = self.of.answer(call);
        self.took += begun.elapsed();
        answer
    }
}

/// A result, the time it took, and the memory.
struct Took<T> {
    result: T,
    time: Duration,
    bytes: Option<u64>,
    calls: usize,
}

/// A planner that is measured.
#[derive(Clone, Copy)]
pub enum Measured<'p> {
    /// One that lists its calls.
    Traced(&'p dyn WorkspacePlanner),
    /// The optimized planner without its trace.
    Untraced(&'p Untraced),
}

impl<'p> Measured<'p> {
    fn planner(self) -> &'p dyn WorkspacePlanner {
        match self {
            Measured::Traced(planner) => planner,
            Measured::Untraced(planner) => planner,
        }
    }

    /// The calls that the planner makes but does not list; `run` is what makes them.
    fn unlisted(self, run: impl Fn(&Optimized) -> Vec<Made>) -> Option<Vec<Made>> {
        match self {
            Measured::Traced(_) => None,
            Measured::Untraced(_) => Some(run(&Optimized)),
        }
    }

    fn plan(self, (asked, of): (&Workspace, &Simulated), rounds: usize) -> Took<Planned> {
        let unlisted = self.unlisted(|planner| planner.plan(asked, &mut &*of).trace.calls);
        timed(of, unlisted, rounds, |providers| self.planner().plan(asked, providers))
    }

    fn apply(self, (asked, of): (&Workspace, &Simulated), plan: &Plan) -> Took<Applied> {
        let unlisted = self.unlisted(|planner| planner.apply(asked, plan, &mut &*of).trace.calls);
        timed(of, unlisted, 1, |providers| self.planner().apply(asked, plan, providers))
    }
}

/// An answer of a planner that may list its calls.
trait Traced {
    fn calls(&self) -> &[Made];
}

impl Traced for Planned {
    fn calls(&self) -> &[Made] {
        &self.trace.calls
    }
}

impl Traced for Applied {
    fn calls(&self) -> &[Made] {
        &self.trace.calls
    }
}

/// Times `run`. Reading a clock for each call would cost as much as some planners, so the providers' part is measured
/// by answering the same calls again.
fn timed<T: Traced>(
    of: &Simulated,
    unlisted: Option<Vec<Made>>,
    rounds: usize,
    mut run: impl FnMut(&mut dyn Providers) -> T,
) -> Took<T> {
    let before = begin();
    let mut least = [Duration::MAX; 2];
    let mut once = || {
        let begun = ThreadTime::now();
        let result = run(&mut &*of);
        let whole = begun.elapsed();
        let made = unlisted.as_deref().unwrap_or_else(|| result.calls());
        let begun = ThreadTime::now();
        made.iter().for_each(|made| drop(black_box(of.answer(&made.call))));
        for (least, time) in least.iter_mut().zip([whole, begun.elapsed()]) {
            *least = time.min(*least);
        }
        result
    };
    let result = once();
    let bytes = before.zip(of_status("VmHWM:")).map(|(before, most)| most.saturating_sub(before));
    (1..rounds).for_each(|_| drop(once()));
    let calls = unlisted.as_deref().unwrap_or_else(|| result.calls()).len();
    Took { time: least[0].saturating_sub(least[1]), bytes, calls, result }
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

    /// What planning again after one change costs a session of the optimized planner: of a file with one block, and of
    /// a stored object. The plan itself is not returned: that would take time in proportion to its length.
    ///
    /// # Errors
    /// A plan that is refused, or is made again as a whole.
    pub fn of_session(self, rounds: usize) -> Result<Vec<Cost>, String> {
        let library = Library::default();
        let mut standing = self.session(&library)?;
        LeafEdit::ALL.into_iter().map(|(edit, name)| again(&mut standing, edit, name, rounds)).collect()
    }

    /// A session that has planned the workload with one leaf more, and edits of this leaf: each there and back.
    ///
    /// # Errors
    /// A plan that is refused.
    pub fn session(self, library: &Library) -> Result<PlannedSession<'_>, String> {
        let unusable = |problem: &dyn std::fmt::Display| problem.to_string();
        let mut files = self.shape.files(self.instances, false);
        files.extend([leaf(false)]);
        let (mut workspace, providers) = workspace(&files, None).map_err(|problem| unusable(&problem))?;
        let planned = Optimized.plan(&workspace, &mut &providers);
        let plan = planned.plan.as_ref().ok_or_else(|| refusal(&planned))?;
        let applied = Optimized.apply(&workspace, plan, &mut &providers);
        drop(planned);
        let state = read_back(&workspace, &applied.state)?;
        drop(applied);
        let address =
            Notation { engine: workspace.dialect.engine() }.instance(LEAF).map_err(|problem| unusable(&problem))?;
        let stored = state.instance(&address).cloned().ok_or("no leaf is stored")?;
        let mut tainted = stored.clone();
        tainted.current.iter_mut().for_each(|object| object.status = Status::Tainted);
        workspace.state = Some(state);
        let mut session = Session::new(library, workspace);
        session.plan(&mut &providers);
        let file = |changed| {
            let (path, json) = leaf(changed);
            Edit::File(path, Some(json.to_compact().into_bytes()))
        };
        let object = |instance: &InstanceState| Edit::Object(address.clone(), instance.clone());
        let (file, object) = ([file(true), file(false)], [object(&tainted), object(&stored)]);
        Ok(PlannedSession { session, providers, file, object })
    }

    fn of_took<T>(self, op: &'static str, took: &Took<T>) -> Cost {
        self.cost(op, (took.time, took.bytes), took.calls)
    }

    /// What the plans cost a real engine: its own processor time, without the providers, which are no processes of it.
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

/// A session that has planned, and edits that change one leaf and change it back.
pub struct PlannedSession<'a> {
    /// The session.
    pub session: Session<'a>,
    /// Its providers.
    pub providers: Simulated,
    file: [Edit; 2],
    object: [Edit; 2],
}

impl PlannedSession<'_> {
    /// An edit, and the one that reverts it.
    pub fn edits(&self, of: LeafEdit) -> &[Edit; 2] {
        match of {
            LeafEdit::File => &self.file,
            LeafEdit::Object => &self.object,
        }
    }
}

/// A state after it was written and read, without what a planner keeps in the state that it made.
fn read_back(workspace: &Workspace, state: &State) -> Result<State, String> {
    let json = state.to_json(&workspace.schemas, workspace.dialect).map_err(|problem| problem.to_string())?;
    state_of(&json).map_err(|problem| problem.to_string())
}

/// The address of the object of [`leaf`].
const LEAF: &str = "w_thing.leaf0";

/// Plans again after each of some edits, in rounds; the least counts.
fn again(standing: &mut PlannedSession<'_>, edit: LeafEdit, op: &'static str, rounds: usize) -> Result<Cost, String> {
    let (mut least, mut calls) = (Duration::MAX, 0);
    let edits = standing.edits(edit).clone();
    let PlannedSession { session, providers: of, .. } = standing;
    for edit in edits.iter().cycle().take(edits.len() * rounds.max(1)) {
        let mut providers = Timed { of, took: Duration::ZERO, calls: 0 };
        let edit = edit.clone();
        let begun = ThreadTime::now();
        session.edit(edit).map_err(|problem| problem.to_string())?;
        let replanned = session.replan(&mut providers);
        least = least.min(begun.elapsed().saturating_sub(providers.took));
        calls = providers.calls;
        if let Replanned::Whole(why) = replanned {
            return Err(format!("{op}: everything was planned again: {why}"));
        }
        let news: Vec<String> = session.news().map(|change| change.addr.to_string()).collect();
        if news != [LEAF] {
            return Err(format!("{op}: {news:?} was planned again"));
        }
    }
    Ok(Cost { op, time: least.as_secs_f64() * 1e9, each: Each::Change, bytes: None, calls })
}

/// The planner's reason for having no plan.
pub(super) fn refusal(planned: &Planned) -> String {
    planned.diagnostics.first().map_or_else(|| "no plan".to_owned(), |diagnostic| diagnostic.summary.clone())
}

/// Resets the memory peak; returns the present memory.
fn begin() -> Option<u64> {
    // Where the system has no such file, the peak counts from the start of the process.
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
    use planfuzz_workspace_reference::Reference;

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
