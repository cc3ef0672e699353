//! Features of scenarios and of their runs. Their rows are counted in shares of scenarios.

mod floors;
mod model;
mod outcome;
mod scenario;

use std::collections::HashMap;
use std::sync::LazyLock;

use planfuzz_core::dialect::Dialect;

pub(super) use floors::floor;

use crate::scenario::{Scenario, Trace};

/// Called with each row that is seen.
type Mark<'m> = &'m mut dyn FnMut(&str);

/// All rows, in a fixed order.
pub(super) static ROWS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let named = |rows: &[&str], of: &str| rows.iter().map(|row| format!("{of}.{row}")).collect::<Vec<_>>();
    let mut rows: Vec<String> = scenario::dialect_rows().map(|row| format!("scenario.{row}")).collect();
    rows.extend(named(scenario::ROWS, "scenario"));
    rows.extend(named(model::ROWS, "model"));
    rows.extend(model::fault_rows().map(|row| format!("model.{row}")));
    rows.extend(named(outcome::ROWS, "trace"));
    rows.extend(outcome::listed_rows().map(|row| format!("trace.{row}")));
    rows
});

static PLACES: LazyLock<HashMap<&'static str, usize>> =
    LazyLock::new(|| ROWS.iter().enumerate().map(|(place, row)| (row.as_str(), place)).collect());

/// The rows that one scenario has.
pub(super) struct Hits(pub(super) Vec<bool>);

impl Hits {
    pub(super) fn new() -> Hits {
        Hits(vec![false; ROWS.len()])
    }

    /// Marks a row. Panics if the table has no such row, which is a bug of the observer.
    pub(super) fn mark(&mut self, of: &str, row: &str) {
        match PLACES.get(format!("{of}.{row}").as_str()) {
            Some(place) => self.0[*place] = true,
            None => super::no_row(&format_args!("{of}.{row}")),
        }
    }

    /// Marks the features of a scenario.
    pub(super) fn observe(&mut self, scenario: &Scenario, dialect: Dialect) {
        scenario::observe(scenario, dialect, &mut |row| self.mark("scenario", row));
        model::observe(&scenario.model, &mut |row| self.mark("model", row));
    }

    /// The rows by name.
    pub(super) fn rows(&self) -> Vec<String> {
        ROWS.iter().zip(&self.0).filter(|(_, hit)| **hit).map(|(row, _)| row.clone()).collect()
    }

    /// Marks the outcomes of the scenario's run.
    pub(super) fn observe_trace(&mut self, trace: &Trace) {
        outcome::observe(trace, &mut |row| self.mark("trace", row));
    }
}
