//! `measure`: times subjects on given cases, or both planners and a deep clone on built-in ones; in process, without
//! decoding.
//!
//! All take turns on one operation of one case, so that disturbances of the machine affect all alike. Compare figures of
//! one run only.

use std::time::Duration;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Planner, Prepared};
use planfuzz_core::record;

use super::args::MeasureArgs;
use super::error::{CliError, Held};
use super::given::{Kind, Sources};
use super::output::{self, DIM, HEAD, styled};
use super::subjects;
use crate::case::{Case, MergeCall, Op};
use crate::measure::{self, Figures, Pace};
use crate::night::record::{Spread, Timing};
use crate::subject::{InProcess, Subject};

/// Rounds: each gives one figure for each subject.
const ROUNDS: usize = 31;

/// The time for an operation of a given case, and of a built-in case, of which there are hundreds.
const GIVEN: Duration = Duration::from_millis(50);
const BUILT_IN: Duration = Duration::from_millis(5);

/// Runs the command.
///
/// # Errors
/// Files that cannot be read, and subjects that are no planners of this process.
pub fn run(args: &MeasureArgs) -> Result<Held, CliError> {
    match args.workspace {
        Some(shape) => super::measure_workspaces::run(args, shape),
        None if args.files.is_empty() => built_in(args),
        None => given(args),
    }
}

fn given(args: &MeasureArgs) -> Result<Held, CliError> {
    let time = args.time.unwrap_or(GIVEN);
    let names = subjects::planner_names(&args.subjects);
    let subjects = names.iter().map(|name| subjects::in_process_alone(name)).collect::<Result<Vec<InProcess>, _>>()?;
    let planners: Vec<&dyn Planner> = subjects.iter().filter_map(|subject| subject.planner()).collect();
    let (mut timed, mut left_out) = (0_u64, 0_u64);
    for (id, case) in cases(args)? {
        for op in case.ops() {
            let wanted = args.subjects.ops.is_empty() || args.subjects.ops.contains(&op);
            let call = || Some(MergeCall::of_request(case.schema()?, case.request(op)?));
            match call().filter(|_| wanted) {
                Some(call) => {
                    let measured = measure(&planners, &call, case.dialect, time);
                    report(&id, op, &planners, &measured, args.json)?;
                    timed += 1;
                }
                None => left_out += 1,
            }
        }
    }
    if left_out > 0 {
        output::report(&styled(DIM, format!("left out {left_out} operations: not asked for, or none of the merge")));
    }
    match timed {
        0 => Err(CliError::input("expected operations of the merge to time, found none")),
        _ => Ok(Held::Yes),
    }
}

/// The cases of the files, each with a name. Vectors of other operations and dialects are skipped.
fn cases(args: &MeasureArgs) -> Result<Vec<(String, Case)>, CliError> {
    let dialect = args.subjects.one_dialect()?;
    let mut cases = Vec::new();
    for given in Sources::of_cases(&args.files)?.documents() {
        let name = given.place.display().to_string();
        match given.read(None)? {
            Kind::Case(file) => cases.push((name, file.case)),
            Kind::Call(id, case) if dialect.is_none_or(|dialect| dialect == case.dialect) => cases.push((id, *case)),
            Kind::Call(..) => {}
            Kind::Codec(..) => {
                return Err(CliError::input(format!(
                    "{name}: expected a case, found a document for a reader of bytes"
                )));
            }
        }
    }
    Ok(cases)
}

fn measure(planners: &[&dyn Planner], call: &MergeCall, dialect: Dialect, time: Duration) -> Vec<Figures> {
    let prepared: Vec<Box<dyn Prepared + '_>> =
        planners.iter().map(|planner| planner.prepare(call.schema(), dialect)).collect();
    let contestants = prepared.iter().map(|planner| measure::on_fresh(call.fresh(), &**planner)).collect();
    measure::take_turns(contestants, Pace::within(time, ROUNDS, planners.len()))
}

fn report(id: &str, op: Op, planners: &[&dyn Planner], measured: &[Figures], json: bool) -> Result<(), CliError> {
    for (planner, figures) in planners.iter().zip(measured) {
        if json {
            output::json_line(&MeasuredOp {
                id: id.to_owned(),
                op: op.name().to_owned(),
                subject: planner.name().to_owned(),
                ns_per_op: output::rounded(figures.median(), 1),
                p99_ns: output::rounded(figures.p99(), 1),
                runs: figures.runs(),
            })?;
        } else {
            let (median, p99) = (figures.median(), figures.p99());
            let name = planner.name();
            output::line(&format!("{name:<12} {op:<26} {median:>12.0} ns  p99 {p99:>12.0} ns  {}", styled(DIM, id)))?;
        }
    }
    Ok(())
}

/// What an operation of a case costs a planner, as a line of `--json` has it.
struct MeasuredOp {
    id: String,
    op: String,
    subject: String,
    /// The median, in nanoseconds.
    ns_per_op: f64,
    p99_ns: f64,
    runs: u64,
}

record!(MeasuredOp, "a measured operation": id, op, subject, ns_per_op, p99_ns, runs);

/// Measures the built-in corpus, and prints each class as soon as it is done.
fn built_in(args: &MeasureArgs) -> Result<Held, CliError> {
    let choice = &args.subjects;
    if !choice.subjects.is_empty() || !choice.ops.is_empty() || choice.dialect.is_some() {
        let problem = "expected files for --subject, --op and --dialect: what is built in is always measured alike";
        return Err(CliError::input(problem));
    }
    if !args.json {
        output::line(&styled(HEAD, HEADING))?;
    }
    for class in measure::corpus() {
        if let Some(timing) = measure::class(&class, args.time.unwrap_or(BUILT_IN)) {
            if args.json { output::json_line(&timing)? } else { output::line(&row(&timing))? }
        }
    }
    if !args.json {
        output::report(&styled(
            DIM,
            "nanoseconds are medians; ratios are those of single operations: median, 99th percentile",
        ));
    }
    Ok(Held::Yes)
}

const HEADING: &str = "class         operations  reference ns  optimized ns  deep clone ns  optimized / reference  optimized / deep clone";

fn row(timing: &Timing) -> String {
    let Timing { class, operations, reference, optimized, clone, to_reference, to_clone, .. } = timing;
    let clone = clone.map_or(String::new(), |clone| format!("{clone:.0}"));
    let [to_reference, to_clone] = [to_reference, to_clone].map(|spread| spread.as_ref().map_or(String::new(), both));
    format!(
        "{class:<13} {operations:>10}  {reference:>12.0}  {optimized:>12.0}  {clone:>13}  {to_reference:>21}  {to_clone:>22}"
    )
}

fn both(Spread { median, p99 }: &Spread) -> String {
    format!("{median:.2}, p99 {p99:.2}")
}
