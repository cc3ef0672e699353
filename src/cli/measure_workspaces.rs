//! `measure --workspace`: planners of whole workspaces, and a real engine, on workspaces by shape and size.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::process::{Command, Stdio};

use planfuzz_core::json::Json;
use planfuzz_core::record;
use planfuzz_workspace_cases::shapes::Shape;
use planfuzz_workspace_optimized::Untraced;

use super::args::MeasureArgs;
use super::error::{CliError, Held};
use super::output;
use crate::measure::{Cost, Each, Gain, Measured, SizedShape};
use crate::night::record::WorkspaceCost;
use crate::subject::{OfWorkspaces, PlannerOfWorkspaces};

/// How often a plan is made; the least counts.
const ROUNDS: usize = 3;

/// How often a session plans each change again.
const SESSION_ROUNDS: usize = 20;

/// The optimized planner.
const OPTIMIZED: &str = "optimized";

/// The optimized planner without the trace of its calls; what it answers cannot be compared, so that it is no subject.
const UNTRACED: &str = "untraced";

/// The default subjects.
const USUAL: [&str; 4] = ["reference", OPTIMIZED, UNTRACED, OfWorkspaces::INCREMENTAL];

/// Measures a shape.
///
/// # Errors
/// Subjects that plan no workspaces, and plans that are refused.
pub fn run(args: &MeasureArgs, shape: Shape) -> Result<Held, CliError> {
    let workload = SizedShape { shape, instances: args.instances.get() };
    if workload.instances > shape.most() {
        let (most, found, name) = (shape.most(), workload.instances, shape.name());
        return Err(CliError::input(format!("expected at most {most} instances of {name}, found {found}")));
    }
    let named: Vec<&str> = match args.subjects.subjects.is_empty() {
        true => USUAL.to_vec(),
        false => args.subjects.subjects.iter().map(String::as_str).collect(),
    };
    if !args.subjects.ops.is_empty() || args.subjects.dialect.is_some() {
        return Err(CliError::input(
            "expected neither --op nor --dialect with --workspace: every shape is measured alike",
        ));
    }
    if let Some(workers) = args.workers {
        return of_workers(args, workload, &named, workers);
    }
    let rounds = if args.alone { 1 } else { ROUNDS };
    for name in named {
        let untraced = Untraced::default();
        let planner = match PlannerOfWorkspaces::of(name) {
            Some(planner) => Some(Measured::Traced(planner.0)),
            None => (name == UNTRACED).then_some(Measured::Untraced(&untraced)),
        };
        let costs = match planner {
            Some(planner) => workload.of_planner(planner, rounds),
            None if name == OfWorkspaces::INCREMENTAL => workload.of_session(SESSION_ROUNDS),
            None => of_engine(name, workload)?,
        };
        let mut costs = costs.map_err(|problem| CliError::failed(format!("{name}: {problem}")))?;
        if planner.is_some() && !args.alone && costs.iter().any(|cost| cost.bytes.is_some()) {
            let bytes = bytes_alone(name, workload)?;
            costs.iter_mut().for_each(|cost| cost.bytes = bytes.get(cost.op).copied());
        }
        for cost in &costs {
            report(args, name, workload, cost)?;
        }
    }
    Ok(Held::Yes)
}

/// The peak bytes of each operation, measured by a process of its own that returns to the system at once what it frees: a process that
/// keeps freed memory for later has a peak that depends on what it did before.
fn bytes_alone(name: &str, workload: SizedShape) -> Result<BTreeMap<String, u64>, CliError> {
    /// mimalloc reads it before `main`.
    const AT_ONCE: (&str, &str) = ("MIMALLOC_PURGE_DELAY", "0");

    let failed =
        |problem: &dyn std::fmt::Display| CliError::failed(format!("{name}: memory cannot be measured: {problem}"));
    let program = std::env::current_exe().map_err(|problem| failed(&problem))?;
    let instances = workload.instances.to_string();
    let words = ["measure", "--workspace", workload.shape.name(), "--instances", &instances, "--subject", name];
    let mut command = Command::new(program);
    let output =
        command.args(words).args(["--json", "--alone"]).env(AT_ONCE.0, AT_ONCE.1).stdin(Stdio::null()).output();
    let output = output.map_err(|problem| failed(&problem))?;
    if !output.status.success() {
        return Err(failed(&String::from_utf8_lossy(&output.stderr).trim()));
    }
    let text = String::from_utf8(output.stdout).map_err(|problem| failed(&problem))?;
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let line = Json::parse(line).map_err(|problem| failed(&problem))?;
        if let (Some(op), Some(bytes)) = (line.member("op"), line.member("bytes_per_instance")) {
            let op = op.expect_string().map_err(|problem| failed(&problem))?;
            found.insert(op.to_owned(), bytes.expect_u64().map_err(|problem| failed(&problem))?);
        }
    }
    Ok(found)
}

/// Measures the gain of several workers.
fn of_workers(
    args: &MeasureArgs,
    workload: SizedShape,
    named: &[&str],
    workers: NonZeroUsize,
) -> Result<Held, CliError> {
    let have_several = [OPTIMIZED, UNTRACED];
    let named = if args.subjects.subjects.is_empty() { &have_several[..] } else { named };
    if named.iter().any(|name| !have_several.contains(name)) {
        return Err(CliError::input(format!(
            "expected only the subjects {OPTIMIZED} and {UNTRACED} with --workers: no other has several"
        )));
    }
    for name in named {
        let gains = workload.of_workers(*name == OPTIMIZED, workers, ROUNDS);
        for gain in gains.map_err(|problem| CliError::failed(format!("{workers} workers: {problem}")))? {
            report_gain(args, (name, workload), workers, &gain)?;
        }
    }
    Ok(Held::Yes)
}

fn report_gain(
    args: &MeasureArgs,
    (subject, workload): (&str, SizedShape),
    workers: NonZeroUsize,
    gain: &Gain,
) -> Result<(), CliError> {
    let (shape, instances) = (workload.shape.name(), workload.instances);
    let (op, one, many, times) = (gain.op, gain.one, gain.many, gain.times());
    if args.json {
        return output::json_line(&MeasuredGain {
            workspace: shape.to_owned(),
            instances: instances as u64,
            subject: subject.to_owned(),
            op: op.to_owned(),
            workers: workers.get() as u64,
            ns_per_instance_of_one: output::rounded(one, 1),
            ns_per_instance: output::rounded(many, 1),
            times_one: output::rounded(times, 2),
        });
    }
    output::line(&format!(
        "{shape:<12} {instances:>9} {subject:<11} {op:<12} {one:>12.0} ns by one worker {many:>12.0} ns by {workers}  {times:.2} times one"
    ))
}

/// What workers gain beside one, as a line of `--json` has it.
struct MeasuredGain {
    workspace: String,
    instances: u64,
    subject: String,
    op: String,
    workers: u64,
    ns_per_instance_of_one: f64,
    ns_per_instance: f64,
    times_one: f64,
}

record!(MeasuredGain, "a gain by workers":
    workspace, instances, subject, op, workers, ns_per_instance_of_one, ns_per_instance, times_one);

#[cfg(feature = "engine")]
fn of_engine(name: &str, workload: SizedShape) -> Result<Result<Vec<Cost>, String>, CliError> {
    use planfuzz_core::dialect::Dialect;
    use planfuzz_engine_workspaces::live::Live;
    use planfuzz_workspace_cases::generate::kit;

    let (binary, runs) = super::subjects::engine_binary(name)?;
    // The shapes are for this engine: the other one would take their providers from another registry.
    let engine = Dialect::TERRAFORM_1_11.engine();
    if binary.dialect().dialect.engine() != engine {
        return Err(CliError::input(format!("expected a Terraform for --workspace, found {name}")));
    }
    let sources = kit::sources(engine);
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    let mut live = Live::new(binary, runs, &sources).map_err(|problem| CliError::failed(problem.to_string()))?;
    let leader = PlannerOfWorkspaces::of(OPTIMIZED).ok_or_else(|| CliError::failed("no planner of workspaces"))?;
    Ok(workload.of_engine(&mut live, leader.0))
}

#[cfg(not(feature = "engine"))]
fn of_engine(name: &str, _: SizedShape) -> Result<Result<Vec<Cost>, String>, CliError> {
    Err(CliError::input(format!("expected a planner of workspaces, found {name:?}")))
}

/// The cost as a line of JSON has it.
fn record_of(subject: &str, workload: SizedShape, cost: &Cost) -> WorkspaceCost {
    let time = output::rounded(cost.time, 1);
    WorkspaceCost {
        workspace: workload.shape.name().to_owned(),
        instances: workload.instances as u64,
        subject: subject.to_owned(),
        op: cost.op.to_owned(),
        ns_per_instance: (cost.each == Each::Instance).then_some(time),
        ns_per_change: (cost.each == Each::Change).then_some(time),
        bytes_per_instance: cost.bytes,
        calls: cost.calls,
    }
}

fn report(args: &MeasureArgs, subject: &str, workload: SizedShape, cost: &Cost) -> Result<(), CliError> {
    if args.json {
        return output::json_line(&record_of(subject, workload, cost));
    }
    let (shape, instances) = (workload.shape.name(), workload.instances);
    let bytes = cost.bytes.map_or(String::new(), |bytes| format!("{bytes} bytes"));
    let (op, time, calls) = (cost.op, cost.time, cost.calls);
    let each = if cost.each == Each::Change { "a change" } else { "" };
    output::line(&format!(
        "{shape:<12} {instances:>9} {subject:<11} {op:<12} {time:>12.0} ns {each:<8} {bytes:>14}  {calls} calls"
    ))
}
