//! `measure`: subjects timed on given cases, in process, decoding left out.
//!
//! All subjects are timed on one operation of one case in turn, in rounds of alternating order, so that what disturbs the
//! machine disturbs all of them alike. Compare figures of one run only.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{Planner, Prepared, Request};
use planfuzz_core::schema::Schema;

use super::args::MeasureArgs;
use super::error::{CliError, Held};
use super::output::{self, DIM, styled};
use super::{files, subjects};
use crate::case::{Case, Op, Task};
use crate::subject::{InProcess, Subject};

/// Rounds: each gives one figure for each subject.
const ROUNDS: usize = 31;

/// Runs the command.
///
/// # Errors
/// Files that cannot be read, and subjects that are no planners of this process.
pub fn run(args: &MeasureArgs) -> Result<Held, CliError> {
    let names = subjects::names(&args.subjects);
    let timed = names.iter().map(|name| subjects::in_process(name)).collect::<Result<Vec<InProcess>, _>>()?;
    let planners: Vec<&dyn Planner> = timed.iter().filter_map(|subject| subject.planner()).collect();
    let mut left_out = 0_u64;
    for (id, case) in cases(args)? {
        for op in case.ops() {
            let wanted = args.subjects.ops.is_empty() || args.subjects.ops.contains(&op);
            match case.schema().zip(case.request(op)).filter(|_| wanted) {
                Some((schema, request)) => {
                    let measured = measure(&planners, schema, case.dialect, request, args.time);
                    report(&id, op, &planners, &measured, args.json)?;
                }
                None => left_out += 1,
            }
        }
    }
    if left_out > 0 {
        output::say(&styled(
            DIM,
            format!("left out {left_out} operations: not asked for, or none that planners answer"),
        ));
    }
    Ok(Held::Yes)
}

/// The cases of the files, each with a name.
fn cases(args: &MeasureArgs) -> Result<Vec<(String, Case)>, CliError> {
    let (vectors, others): (Vec<PathBuf>, Vec<PathBuf>) = args.files.iter().cloned().partition(|path| is_lines(path));
    let mut cases = Vec::new();
    for path in files::case_files(&others)? {
        let case = files::read_case(&path)?.case;
        cases.push((path.display().to_string(), case));
    }
    let dialect = args.subjects.dialect.unwrap_or_default();
    for path in vectors {
        for vector in files::read_vectors(&path)? {
            if vector.known_op().is_none() || !vector.holds_in(dialect) {
                continue;
            }
            let (call, _) = vector.read(dialect).map_err(|problem| CliError::in_file(&path, problem))?;
            cases.push((vector.id.clone(), Case::new(dialect, Task::Call(call))));
        }
    }
    Ok(cases)
}

fn is_lines(path: &Path) -> bool {
    let name = path.display().to_string();
    name.trim_end_matches(".gz").ends_with(".jsonl")
}

/// Nanoseconds for one operation, one figure a round, ascending.
struct Figures(Vec<f64>);

impl Figures {
    fn median(&self) -> f64 {
        self.0[self.0.len() / 2]
    }

    fn p99(&self) -> f64 {
        self.0[(self.0.len() * 99 / 100).min(self.0.len() - 1)]
    }
}

fn measure(
    planners: &[&dyn Planner],
    schema: &Schema,
    dialect: Dialect,
    request: Request<'_>,
    time: Duration,
) -> Vec<(Figures, u64)> {
    let prepared: Vec<Box<dyn Prepared + '_>> =
        planners.iter().map(|planner| planner.prepare(schema, dialect)).collect();
    let share = time / (ROUNDS * planners.len().max(1)) as u32;
    let repeats: Vec<u32> = prepared.iter().map(|planner| repeats(&**planner, request, share)).collect();
    let mut figures = vec![Vec::with_capacity(ROUNDS); planners.len()];
    for round in 0..ROUNDS {
        for place in 0..planners.len() {
            let place = if round % 2 == 0 { place } else { planners.len() - 1 - place };
            let start = Instant::now();
            for _ in 0..repeats[place] {
                black_box(prepared[place].answer(black_box(request))).ok();
            }
            figures[place].push(start.elapsed().as_secs_f64() * 1e9 / f64::from(repeats[place]));
        }
    }
    let with_runs = figures.into_iter().zip(repeats).map(|(mut of_one, repeats)| {
        of_one.sort_by(f64::total_cmp);
        (Figures(of_one), u64::from(repeats) * ROUNDS as u64)
    });
    with_runs.collect()
}

/// How often an operation fits into a round.
fn repeats(planner: &dyn Prepared, request: Request<'_>, share: Duration) -> u32 {
    let mut count = 1_u32;
    loop {
        let start = Instant::now();
        for _ in 0..count {
            black_box(planner.answer(black_box(request))).ok();
        }
        let elapsed = start.elapsed();
        if elapsed >= share / 2 || count >= 1 << 20 {
            let fitting = f64::from(count) * share.as_secs_f64() / elapsed.as_secs_f64().max(1e-9);
            return (fitting as u32).clamp(1, 1 << 20);
        }
        count *= 2;
    }
}

fn report(
    id: &str,
    op: Op,
    planners: &[&dyn Planner],
    measured: &[(Figures, u64)],
    json: bool,
) -> Result<(), CliError> {
    for (planner, (figures, runs)) in planners.iter().zip(measured) {
        if json {
            let members = [
                ("id", Json::string(id)),
                ("op", Json::string(op.name())),
                ("subject", Json::string(planner.name())),
                ("ns_per_op", nanoseconds(figures.median())),
                ("p99_ns", nanoseconds(figures.p99())),
                ("runs", Json::int(*runs)),
            ];
            output::json_line(&Json::object(members))?;
        } else {
            let (median, p99) = (figures.median(), figures.p99());
            let name = planner.name();
            output::line(&format!("{name:<12} {op:<26} {median:>12.0} ns  p99 {p99:>12.0} ns  {}", styled(DIM, id)))?;
        }
    }
    Ok(())
}

fn nanoseconds(time: f64) -> Json {
    Json::Number(format!("{time:.1}").into())
}
