//! Whole workspaces: each shape in sizes that grow tenfold, by the reference, by the optimized planner with the trace of its calls, without
//! it alone and with all cores, planned again after one change, and by a real engine as far as it goes.
//!
//! The reference is compared with the planner that keeps a trace, as it does itself; the engine, which keeps none, with the one that does not.
//! A row is measured in one go. Time is processor time without the providers' part, except for the gain of workers, which is by the clock.
//! Everything is divided by the instances, so a figure that grows from size to size is a cost that grows faster than the input; the last
//! table has that as exponents.

use std::num::NonZeroUsize;

use planfuzz::measure::{Cost, Gain, Measured, SizedShape};
use planfuzz_workspace_cases::shapes::Shape;
use planfuzz_workspace_optimized::{Optimized, Untraced};
use planfuzz_workspace_reference::Reference;

use super::growth::exponent;
use super::timing::Effort;

/// How many instances.
const SIZES: [usize; 4] = [100, 1_000, 10_000, 100_000];

/// The same of a chain, whose stored lists are n²/2 names.
const CHAINED: [usize; 3] = [100, 300, 1_000];

/// The most instances that the reference is asked for.
const FOR_REFERENCE: usize = 1_000;

/// How often each plan is made; the least time counts.
const ROUNDS: usize = 3;

/// The costs of one workload.
struct Row {
    workload: SizedShape,
    optimized: Vec<Cost>,
    untraced: Vec<Cost>,
    reference: Vec<Cost>,
    engine: Vec<Cost>,
    again: Vec<Cost>,
    gains: Vec<Gain>,
}

/// Measures all shapes, or those that are named, and prints the tables. The engine is asked for so many instances at most.
pub fn print(named: &[Shape], engine: usize, effort: Effort) {
    println!(
        "| shape | instances | operation | optimized, µs | untraced, µs | reference / optimized | engine / untraced | untraced, all cores, times one | planned again, µs |"
    );
    println!("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | --- |");
    let mut rows = Vec::new();
    for (shape, _) in Shape::ALL.into_iter().filter(|(shape, _)| named.is_empty() || named.contains(shape)) {
        let sizes = if shape == Shape::Chain { &CHAINED[..] } else { &SIZES[..] };
        for &instances in sizes.iter().filter(|&&instances| effort.takes_instances(instances)) {
            let row = Row::of(SizedShape { shape, instances }, engine);
            row.print();
            rows.push(row);
        }
    }
    exponents(&rows);
}

impl Row {
    fn of(workload: SizedShape, engine: usize) -> Row {
        let of = |measured| workload.of_planner(measured, ROUNDS).expect("every shape is planned");
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let many = workload.shape != Shape::Chain;
        Row {
            workload,
            optimized: of(Measured::Traced(&Optimized)),
            untraced: of(Measured::Untraced(&Untraced::default())),
            reference: if workload.instances <= FOR_REFERENCE { of(Measured::Traced(&Reference)) } else { Vec::new() },
            engine: if workload.instances <= engine { of_engine(workload) } else { Vec::new() },
            again: workload.of_session(10 * ROUNDS).expect("every shape is planned again"),
            gains: if many {
                workload.of_workers(false, cores, ROUNDS).expect("every shape is shared out")
            } else {
                Vec::new()
            },
        }
    }

    fn print(&self) {
        let SizedShape { shape, instances } = self.workload;
        for cost in &self.optimized {
            let by = |one: Option<&Cost>, others| {
                one.zip(of_op(others, cost.op)).map_or(String::new(), |(one, other)| times(other.time / one.time))
            };
            let untraced = of_op(&self.untraced, cost.op);
            let gain =
                self.gains.iter().find(|gain| gain.op == cost.op).map_or(String::new(), |gain| times(gain.times()));
            let again = match cost.op {
                "one_changed" => self.again.iter().map(|cost| format!("{} {:.0}", cost.op, cost.time / 1e3)).collect(),
                _ => Vec::new(),
            };
            println!(
                "| {} | {instances} | {} | {:.2} | {} | {} | {} | {gain} | {} |",
                shape.name(),
                cost.op,
                cost.time / 1e3,
                untraced.map_or(String::new(), |cost| format!("{:.2}", cost.time / 1e3)),
                by(Some(cost), &self.reference),
                by(untraced, &self.engine),
                again.join(", ")
            );
        }
    }
}

#[cfg(feature = "engine")]
fn of_engine(workload: SizedShape) -> Vec<Cost> {
    use planfuzz_core::dialect::Dialect;
    use planfuzz_engine::process::{Binary, Runs, place};
    use planfuzz_engine_workspaces::live::Live;
    use planfuzz_workspace_cases::generate::kit;

    let sources = kit::sources(Dialect::TERRAFORM_1_11.engine());
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    let runs = Runs::open(&place()).expect("a place for what engines write");
    let binary = Binary::find(None, &runs).expect("--engine needs a real engine on the PATH");
    let mut live = Live::new(binary, runs, &sources).expect("an engine that starts");
    workload.of_engine(&mut live, &Optimized).expect("the engine answers")
}

#[cfg(not(feature = "engine"))]
fn of_engine(_: SizedShape) -> Vec<Cost> {
    panic!("--engine needs the feature `engine`")
}

/// How each operation of a shape grows: 1 is linear, 2 quadratic; for a chain, whose input is quadratic, 2 is as its input.
fn exponents(rows: &[Row]) {
    println!("\n| shape | operation | from | to | exponent of time | reference | engine |");
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: |");
    for (shape, name) in Shape::ALL {
        let own: Vec<&Row> = rows.iter().filter(|row| row.workload.shape == shape).collect();
        let (Some(first), Some(last)) = (own.first(), own.last()) else { continue };
        for cost in &first.optimized {
            let of = |costs: fn(&Row) -> &[Cost]| {
                let points = own.iter().filter_map(|row| {
                    let instances = row.workload.instances as f64;
                    let found = of_op(costs(row), cost.op)?;
                    Some((instances, found.time * instances))
                });
                exponent(points.collect()).map_or(String::new(), |exponent| format!("{exponent:.2}"))
            };
            println!(
                "| {name} | {} | {} | {} | {} | {} | {} |",
                cost.op,
                first.workload.instances,
                last.workload.instances,
                of(|row| &row.optimized),
                of(|row| &row.reference),
                of(|row| &row.engine),
            );
        }
    }
    println!();
}

/// The cost of an operation.
fn of_op<'c>(costs: &'c [Cost], op: &str) -> Option<&'c Cost> {
    costs.iter().find(|cost| cost.op == op)
}

fn times(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.2}") } else { format!("{ratio:.0}") }
}
