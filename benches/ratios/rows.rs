//! The tables of the planners and of msgpack.

use planfuzz::measure::{Contestant, on_fresh, on_same, times};
use planfuzz::workloads::{Timed, Workload};
use planfuzz_core::msgpack;
use planfuzz_core::planner::Planner;
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

use super::go;
use super::numbers::threes;
use super::timing::{Effort, medians};

/// One operation on one workload; times in nanoseconds.
pub struct Row {
    /// The workload's name.
    pub workload: String,
    /// The operation.
    pub op: Timed,
    /// The optimized planner, with fresh inputs.
    pub optimized: f64,
    /// A deep clone of the configuration.
    pub deep_clone: f64,
    /// The optimized planner, with the same inputs again.
    again: f64,
    reference: Option<f64>,
}

/// Measures every operation on every workload.
pub fn operations(workloads: &[Workload], effort: Effort) -> Vec<Row> {
    let pairs = workloads.iter().flat_map(|workload| Timed::ALL.map(|op| (workload, op)));
    pairs.map(|(workload, op)| row(workload, op, effort)).collect()
}

fn row(workload: &Workload, op: Timed, effort: Effort) -> Row {
    let prepare = |planner: &'static dyn Planner| planner.prepare(&workload.merge.schema, workload.dialect());
    let optimized = prepare(&Optimized);
    let reference = workload.for_reference.then(|| prepare(&Reference));
    let mut contestants =
        vec![on_fresh(workload.fresh(op), &*optimized), deep_clone(workload), on_same(workload.fresh(op), &*optimized)];
    contestants.extend(reference.iter().map(|reference| on_fresh(workload.fresh(op), &**reference)));
    let figures = medians(contestants, effort);
    Row {
        workload: workload.name.clone(),
        op,
        optimized: figures[0],
        deep_clone: figures[1],
        again: figures[2],
        reference: figures.get(3).copied(),
    }
}

fn deep_clone(workload: &Workload) -> Contestant<'_> {
    times(|| workload.merge.config.deep_clone())
}

/// Prints the operations as a table.
pub fn print(rows: &[Row]) {
    println!(
        "| workload | operation | optimized | asked again | deep clone | of deep clone | reference | reference / optimized | Go / optimized |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for row in rows {
        let Row { workload, op, optimized, deep_clone, again, reference } = row;
        println!(
            "| {workload} | {} | {} | {} | {} | {} | {} | {} | {} |",
            op.op(),
            nanoseconds(*optimized),
            nanoseconds(*again),
            nanoseconds(*deep_clone),
            times_as(Some(optimized / deep_clone)),
            reference.map_or(String::new(), nanoseconds),
            times_as(reference.map(|reference| reference / optimized)),
            times_as(go::merge(workload, *op).map(|go| go / optimized)),
        );
    }
    println!("\nTimes in ns. The last column divides by figures measured elsewhere: indicative.\n");
}

/// Measures msgpack on the prior states and prints the table.
pub fn codec(workloads: &[Workload], effort: Effort) {
    println!("| workload | bytes | encode | decode | deep clone | encode, Go / ours | decode, Go / ours |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for Workload { name, merge, .. } in workloads {
        let (prior, ty) = (&merge.prior, merge.prior.ty());
        let bytes = msgpack::encode(prior.view(), ty).expect("a state can be written");
        let contestants = vec![
            times(|| msgpack::encode(prior.view(), ty)),
            times(|| msgpack::decode(&bytes, ty)),
            times(|| prior.deep_clone()),
        ];
        let figures = medians(contestants, effort);
        let go = go::msgpack(name);
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} |",
            bytes.len(),
            nanoseconds(figures[0]),
            nanoseconds(figures[1]),
            nanoseconds(figures[2]),
            times_as(go.map(|[encode, _]| encode / figures[0])),
            times_as(go.map(|[_, decode]| decode / figures[1])),
        );
    }
    println!("\nTimes in ns; the value is the prior state. The last two columns are indicative.\n");
}

/// A time, with commas.
pub fn nanoseconds(time: f64) -> String {
    threes(&format!("{time:.0}"))
}

/// A ratio, empty where there is none.
pub fn times_as(ratio: Option<f64>) -> String {
    ratio.map_or(String::new(), |ratio| if ratio < 10.0 { format!("{ratio:.2}") } else { format!("{ratio:.0}") })
}
