//! What a workspace of a shape and size costs: `scale SHAPE INSTANCES [SUBJECT [ROUNDS]]` prints one JSON line for each operation, with
//! nanoseconds of processor time and bytes at the most an instance. What providers take is left out; the least of some rounds counts.

use std::process::ExitCode;
use std::time::Duration;

use cpu_time::ThreadTime;
use planfuzz_core::plans::Mode;
use planfuzz_workspace::{Answer, Applied, Call, Planned, Providers, State, Workspace, WorkspacePlanner};
use planfuzz_workspace_cases::model::Simulated;
use planfuzz_workspace_cases::play::state_of;
use planfuzz_workspace_cases::shapes::{Shape, workspace};
use planfuzz_workspace_optimized::Optimized;
use planfuzz_workspace_reference::Reference;

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

/// What an operation took, and what came of it.
struct Took<T> {
    time: Duration,
    came: T,
}

fn timed<T>(providers: &Simulated, mut run: impl FnMut(&mut dyn Providers) -> T) -> Took<T> {
    let mut timed = Timed { of: providers, took: Duration::ZERO };
    let begun = ThreadTime::now();
    let came = run(&mut timed);
    Took { time: begun.elapsed().saturating_sub(timed.took), came }
}

fn plan(planner: &dyn WorkspacePlanner, workspace: &Workspace, providers: &Simulated, rounds: usize) -> Took<Planned> {
    let mut best = timed(providers, |providers| planner.plan(workspace, providers));
    for _ in 1..rounds {
        let next = timed(providers, |providers| planner.plan(workspace, providers));
        best.time = best.time.min(next.time);
    }
    best
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (Some(shape), Some(count)) = (
        arguments.first().and_then(|name| Shape::from_name(name)),
        arguments.get(1).and_then(|text| text.parse::<usize>().ok()),
    ) else {
        eprintln!("expected a shape and a number of instances");
        return ExitCode::from(2);
    };
    let subject = arguments.get(2).map_or("optimized", String::as_str);
    let rounds = arguments.get(3).and_then(|text| text.parse().ok()).unwrap_or(3);
    let planner: &dyn WorkspacePlanner = if subject == "reference" { &Reference } else { &Optimized };
    match measure(planner, shape, count, rounds) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(3)
        }
    }
}

fn measure(
    planner: &dyn WorkspacePlanner,
    shape: Shape,
    count: usize,
    rounds: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let tell = |operation: &str, time: Duration, calls: usize, before: usize| {
        println!(
            "{{\"workspace\":\"{}\",\"instances\":{count},\"subject\":\"{}\",\"op\":\"{operation}\",\"ns_per_instance\":{:.0},\"calls\":{calls},\"bytes_per_instance\":{}}}",
            shape.name(),
            planner.name(),
            time.as_secs_f64() * 1e9 / count as f64,
            bytes(before) / count
        );
    };
    let (empty, providers) = workspace(&shape.files(count, false), None)?;
    let before = reset();
    let created = plan(planner, &empty, &providers, rounds);
    tell("create", created.time, created.came.trace.calls.len(), before);
    let Some(first) = &created.came.plan else { return Err(format!("no plan: {:?}", created.came.diagnostics).into()) };
    let before = reset();
    let applied: Took<Applied> = timed(&providers, |providers| planner.apply(&empty, first, providers));
    tell("apply", applied.time, applied.came.trace.calls.len(), before);
    let json = applied.came.state.to_json(&empty.schemas, empty.dialect)?;
    let state: State = state_of(&json)?;
    drop((created, applied, json));
    for (operation, changed, mode) in
        [("no_change", false, Mode::Normal), ("one_changed", true, Mode::Normal), ("destroy", false, Mode::Destroy)]
    {
        let (mut asked, providers) = workspace(&shape.files(count, changed), Some(state.clone()))?;
        asked.options.mode = mode;
        let before = reset();
        let planned = plan(planner, &asked, &providers, rounds);
        let changes =
            planned.came.plan.iter().flat_map(|plan| &plan.changes).filter(|change| !change.is_empty()).count();
        let expected = match operation {
            "no_change" => changes == 0,
            "one_changed" => (1..=count + 1).contains(&changes),
            _ => changes >= count,
        };
        if !expected {
            return Err(format!("{operation}: {changes} changes, {:?}", planned.came.diagnostics.first()).into());
        }
        tell(operation, planned.time, planned.came.trace.calls.len(), before);
    }
    Ok(())
}

/// The most bytes of memory that this process had since `reset`, beyond what it had then; nothing where the system does not say.
fn bytes(before: usize) -> usize {
    of_status("VmHWM:").saturating_sub(before)
}

/// Forgets the most; how much there is now.
fn reset() -> usize {
    // Where the system knows no such file, the most counts from the start of the process.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    of_status("VmRSS:")
}

fn of_status(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<usize>().ok()).unwrap_or(0) * 1024
}
