//! How times grow with the elements of a set.

use planfuzz::workloads::{Computed, Timed, Workload, set_blocks};

use super::rows::{self, Row};
use super::timing::Effort;

/// Sets that are measured for their growth alone.
const LARGE: [usize; 3] = [10_000, 31_623, 100_000];

/// The least number of elements that counts: below it work that is done once shows.
const FROM: f64 = 100.0;

/// Prints the exponent of each operation on sets of 100 elements and more: 1 is linear, 2 quadratic. Sets larger than those
/// of `measured` are measured, and printed, first.
pub fn print(mut measured: Vec<Row>, effort: Effort) {
    if effort.takes_largest() {
        let large: Vec<Workload> = [Computed::First, Computed::Last]
            .into_iter()
            .flat_map(|order| LARGE.map(|elements| set_blocks(elements, order)))
            .collect();
        let large = rows::operations(&large, effort.in_few_rounds());
        rows::print(&large);
        measured.extend(large);
    }
    let rows = &measured;
    println!("| sets | operation | exponent | that of a deep clone |");
    println!("| --- | --- | ---: | ---: |");
    for sets in ["W3", "W3c"] {
        for op in Timed::ALL {
            let of = |time: fn(&Row) -> f64| exponent(points(rows, sets, op, time));
            if let (Some(own), Some(clone)) = (of(|row| row.optimized), of(|row| row.deep_clone)) {
                println!("| {sets} | {} | {own:.2} | {clone:.2} |", op.op());
            }
        }
    }
    println!();
}

/// Elements and time of each row of a kind of set.
fn points(rows: &[Row], sets: &str, op: Timed, time: fn(&Row) -> f64) -> Vec<(f64, f64)> {
    let of_kind = rows.iter().filter(|row| row.op == op);
    let sized = of_kind.filter_map(|row| {
        let (kind, elements) = row.workload.split_once('-')?;
        Some((elements.parse().ok().filter(|_| kind == sets)?, time(row)))
    });
    sized.filter(|(elements, _)| *elements >= FROM).collect()
}

/// The slope of the line of least squares through the logarithms; `None` for fewer than two points.
pub fn exponent(points: Vec<(f64, f64)>) -> Option<f64> {
    if points.len() < 2 {
        return None;
    }
    let logarithms: Vec<(f64, f64)> = points.iter().map(|(elements, time)| (elements.ln(), time.ln())).collect();
    let count = logarithms.len() as f64;
    let (x, y) = logarithms.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let covariance: f64 = logarithms.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let variance: f64 = logarithms.iter().map(|point| (point.0 - x).powi(2)).sum();
    Some(covariance / variance)
}
