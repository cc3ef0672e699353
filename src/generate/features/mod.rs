//! Counts the features of generated cases.
//!
//! A generator that never makes something looks exactly like one under which nothing fails. So there is a row for each
//! schema feature, value feature, relation between the inputs and class of outcome, made by the code out of small enums,
//! and each row has a floor that a test with a fixed seed and size enforces. A feature that is known to matter and is not
//! generated yet has a row too, without a floor.

mod census;
mod expressions;
mod floors;
mod likeness;
mod outcome;
mod relations;
mod row;
mod scenarios;
mod schema;
mod values;
mod workspace_diagnostics;
mod workspace_moves;
mod workspaces;

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::planner::Prepared;
use planfuzz_language::expression::notation::ExpressionOutcome;
use planfuzz_workspace_cases::Played;

pub use census::Census;
pub use outcome::AnswerClass;

use super::outline::BlockOutline;
use crate::case::{Call, Case, ExpressionCall, Merge, Task};
use crate::scenario::Trace;
use row::{Change, DIALECTS, Feature, ROWS, Role};

/// How often each feature was hit. Tables of several workers add up.
#[derive(Clone, Debug, Default)]
pub struct Features {
    cases: u64,
    hits: Vec<u64>,
    scenarios: u64,
    trace_hits: Vec<u64>,
    expressions: u64,
    expression_hits: BTreeMap<String, u64>,
    workspaces: u64,
    workspace_hits: BTreeMap<&'static str, u64>,
}

/// The logarithm of a million.
const ONCE_IN_A_MILLION: f64 = 13.816;

/// One row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The feature: stable, dotted, in lower case.
    pub feature: String,
    /// How many cases had it.
    pub hits: u64,
    /// How many cases could have had it.
    pub draws: u64,
    /// The share of cases that had it, 0 to 1.
    pub share: f64,
    /// The least share that is accepted of the mixed preset in all dialects; `None` for a feature that is not generated yet.
    pub floor: Option<f64>,
}

impl Row {
    /// Whether the feature was hit less often than its floor, by more than chance explains: if its share were at the floor, so few
    /// hits in so many draws would occur once in a million times at most (Chernoff's bound). Never true with too few draws.
    pub fn is_below_floor(&self) -> bool {
        let Some(floor) = self.floor.filter(|floor| self.share < *floor) else { return false };
        let (expected, hits) = (floor * self.draws as f64, self.hits as f64);
        let surprise = expected - hits + if self.hits == 0 { 0.0 } else { hits * (hits / expected).ln() };
        surprise > ONCE_IN_A_MILLION
    }
}

impl Features {
    /// Counts the features of a case.
    pub fn observe(&mut self, case: &Case) {
        if let Task::Call(Call::Scenario(scenario)) = &case.task {
            let mut hits = scenarios::Hits::new();
            hits.observe(scenario, case.dialect);
            self.scenarios += 1;
            return self.add_trace_hits(&hits);
        }
        if let Task::Call(Call::Expression(call)) = &case.task {
            self.expressions += 1;
            return self.add_expression_hits(expressions::rows_of(call));
        }
        if let Task::Call(Call::Workspace(case)) = &case.task {
            self.workspaces += 1;
            return self.add_workspace_hits(workspaces::rows_of(case));
        }
        let mut hits = Hits::new();
        observe(case, &mut hits);
        self.cases += 1;
        self.add_hits(&hits);
    }

    /// Counts the outcomes of a scenario that [`Features::observe`] has counted.
    pub fn observe_trace(&mut self, trace: &Trace) {
        let mut hits = scenarios::Hits::new();
        hits.observe_trace(trace);
        self.add_trace_hits(&hits);
    }

    /// Counts the outcome of an expression that [`Features::observe`] has counted.
    pub fn observe_expression(&mut self, call: &ExpressionCall, outcome: &ExpressionOutcome) {
        self.add_expression_hits(expressions::rows_of_outcome(call, outcome));
    }

    /// Counts the outcomes of a workspace that [`Features::observe`] has counted.
    pub fn observe_played(&mut self, played: &Played) {
        self.add_workspace_hits(workspaces::rows_of_played(played));
    }

    fn add_workspace_hits(&mut self, rows: BTreeSet<&'static str>) {
        rows.into_iter().for_each(|row| *self.workspace_hits.entry(row).or_default() += 1);
    }

    fn add_expression_hits(&mut self, rows: BTreeSet<String>) {
        for row in rows {
            if !expressions::is_row(&row) {
                no_row(&row);
            }
            *self.expression_hits.entry(row).or_default() += 1;
        }
    }

    /// Counts the answers of a planner to a case that [`Features::observe`] has counted. The planner is prepared for the case's
    /// schema and dialect.
    pub fn observe_outcomes(&mut self, case: &Case, planner: &dyn Prepared) {
        let mut hits = Hits::new();
        AnswerClass::of(case, planner).into_iter().for_each(|outcome| hits.mark(Feature::AnswerClass(outcome)));
        self.add_hits(&hits);
    }

    /// Adds the counts of another table.
    pub fn add(&mut self, other: &Features) {
        self.cases += other.cases;
        self.hits.resize(ROWS.len(), 0);
        self.hits.iter_mut().zip(&other.hits).for_each(|(mine, other)| *mine += other);
        self.scenarios += other.scenarios;
        self.trace_hits.resize(scenarios::ROWS.len(), 0);
        self.trace_hits.iter_mut().zip(&other.trace_hits).for_each(|(mine, other)| *mine += other);
        self.expressions += other.expressions;
        self.workspaces += other.workspaces;
        for (row, hits) in &other.workspace_hits {
            *self.workspace_hits.entry(row).or_default() += hits;
        }
        for (row, hits) in &other.expression_hits {
            *self.expression_hits.entry(row.clone()).or_default() += hits;
        }
    }

    /// How many cases were counted that are neither scenarios nor expressions.
    pub fn cases(&self) -> u64 {
        self.cases
    }

    /// How many scenarios were counted.
    pub fn scenarios(&self) -> u64 {
        self.scenarios
    }

    /// How many whole workspaces were counted.
    pub fn workspaces(&self) -> u64 {
        self.workspaces
    }

    /// All rows, in a fixed order: those of merges, and those of the other kinds of cases if any were counted.
    pub fn rows(&self) -> Vec<Row> {
        let is_bare = self.scenarios == 0 && self.expressions == 0 && self.workspaces == 0;
        let mut rows = if self.cases > 0 || is_bare { self.merge_rows() } else { Vec::new() };
        if self.scenarios > 0 {
            rows.extend(self.trace_rows());
        }
        if self.expressions > 0 {
            rows.extend(self.expression_rows());
        }
        if self.workspaces > 0 {
            rows.extend(self.workspace_rows());
        }
        rows
    }

    fn expression_rows(&self) -> impl Iterator<Item = Row> {
        expressions::ROWS.iter().map(|feature| {
            let hits = self.expression_hits.get(feature).copied().unwrap_or(0);
            let share = hits as f64 / self.expressions as f64;
            let floor = Some(expressions::floor(feature));
            Row { feature: feature.clone(), hits, draws: self.expressions, share, floor }
        })
    }

    fn workspace_rows(&self) -> impl Iterator<Item = Row> {
        workspaces::ROWS.iter().map(|(feature, floor)| {
            let hits = self.workspace_hits.get(feature).copied().unwrap_or(0);
            let share = hits as f64 / self.workspaces as f64;
            Row { feature: (*feature).to_owned(), hits, draws: self.workspaces, share, floor: Some(*floor) }
        })
    }

    fn trace_rows(&self) -> impl Iterator<Item = Row> {
        scenarios::ROWS.iter().enumerate().map(|(place, feature)| {
            let hits = self.trace_hits.get(place).copied().unwrap_or(0);
            let share = hits as f64 / self.scenarios as f64;
            Row { feature: feature.clone(), hits, draws: self.scenarios, share, floor: Some(scenarios::floor(feature)) }
        })
    }

    fn merge_rows(&self) -> Vec<Row> {
        let row = |(place, feature): (usize, &Feature)| {
            let hits = self.hits.get(place).copied().unwrap_or(0);
            let share = if self.cases == 0 { 0.0 } else { hits as f64 / self.cases as f64 };
            Row { feature: feature.to_string(), hits, draws: self.cases, share, floor: feature.floor() }
        };
        ROWS.iter().enumerate().map(row).collect()
    }

    fn add_trace_hits(&mut self, hits: &scenarios::Hits) {
        self.trace_hits.resize(scenarios::ROWS.len(), 0);
        self.trace_hits.iter_mut().zip(&hits.0).for_each(|(count, hit)| *count += u64::from(*hit));
    }

    fn add_hits(&mut self, hits: &Hits) {
        self.hits.resize(ROWS.len(), 0);
        self.hits.iter_mut().zip(&hits.0).for_each(|(count, hit)| *count += u64::from(*hit));
    }
}

/// The rows that [`Features::observe`] would count for a case.
pub fn rows_of(case: &Case) -> Vec<String> {
    if let Task::Call(Call::Scenario(scenario)) = &case.task {
        let mut hits = scenarios::Hits::new();
        hits.observe(scenario, case.dialect);
        return hits.rows();
    }
    if let Task::Call(Call::Expression(call)) = &case.task {
        return expressions::rows_of(call).into_iter().collect();
    }
    if let Task::Call(Call::Workspace(case)) = &case.task {
        return workspaces::rows_of(case).into_iter().map(str::to_owned).collect();
    }
    let mut hits = Hits::new();
    observe(case, &mut hits);
    let hit = ROWS.iter().zip(&hits.0).filter(|(_, hit)| **hit);
    hit.map(|(row, _)| row.to_string()).collect()
}

/// The rows of a scenario's run, without those of the scenario.
pub fn rows_of_trace(trace: &Trace) -> Vec<String> {
    let mut hits = scenarios::Hits::new();
    hits.observe_trace(trace);
    hits.rows()
}

/// Panics because a feature has no row: it would be missing from the table, and nothing would check its floor.
fn no_row(feature: &dyn std::fmt::Display) -> ! {
    panic!("the table of features has no row for {feature}")
}

/// The features one case has.
struct Hits(Vec<bool>);

impl Hits {
    fn new() -> Hits {
        Hits(vec![false; ROWS.len()])
    }

    /// Marks a feature. Panics if it has no row, which is a bug of the observer or of the generator.
    fn mark(&mut self, feature: Feature) {
        match feature.place() {
            Some(place) => self.0[place] = true,
            None => no_row(&feature),
        }
    }

    fn mark_if(&mut self, feature: Feature, hit: bool) {
        if hit {
            self.mark(feature);
        }
    }
}

fn observe(case: &Case, hits: &mut Hits) {
    let Case { purpose: _, dialect, task } = case;
    let Task::Merge(Merge { schema, prior, config, planned, actual }) = task else { return };
    let name = dialect.to_string();
    if let Some(known) = DIALECTS.iter().find(|known| **known == name) {
        hits.mark(Feature::Dialect(known));
    }
    schema::observe(schema, hits);
    let outline = BlockOutline::of_schema(schema, *dialect);
    for (role, value) in
        [(Role::Prior, prior), (Role::Config, config), (Role::Planned, planned), (Role::Actual, actual)]
    {
        values::observe(&outline, role, value.view(), hits);
    }
    hits.mark(Feature::Change(match (prior.is_null(), config.is_null()) {
        (true, true) => Change::Nothing,
        (true, false) => Change::Create,
        (false, true) => Change::Destroy,
        (false, false) => Change::Update,
    }));
    relations::observe(&outline, [prior, config, planned, actual], hits);
}

#[cfg(test)]
mod tests {
    use planfuzz_core::planner::Planner;
    use planfuzz_optimized::Optimized;
    use planfuzz_reference::Reference;

    use super::*;
    use crate::generate::{Cases, Generator, Scenarios, Settings};
    use crate::scenario::{ScenarioProviders, play};

    fn count(settings: Settings, cases: u64) -> Features {
        let mut source = Cases::new(Generator::new(settings), 1);
        let mut features = Features::default();
        for number in 0..cases {
            let case = source.case(number);
            let Task::Merge(merge) = &case.task else { unreachable!("generated cases are merges") };
            features.observe(&case);
            features.observe_outcomes(&case, &*Optimized.prepare(&merge.schema, case.dialect));
        }
        features
    }

    /// The rows below their floor.
    fn below(features: &Features) -> Vec<String> {
        let low = features.rows().into_iter().filter(Row::is_below_floor);
        low.map(|row| format!("{} {:.5}", row.feature, row.share)).collect()
    }

    #[test]
    #[should_panic(expected = "no row for scenario.misspelt")]
    fn a_misspelt_row_of_scenarios_ends_the_count() {
        scenarios::Hits::new().mark("scenario", "misspelt");
    }

    #[test]
    #[should_panic(expected = "no row for expression.misspelt")]
    fn a_misspelt_row_of_expressions_ends_the_count() {
        Features::default().add_expression_hits(BTreeSet::from(["expression.misspelt".to_owned()]));
    }

    #[test]
    #[should_panic(expected = "no row for workspace.misspelt")]
    fn a_misspelt_row_of_workspaces_ends_the_count() {
        workspaces::mark(&mut BTreeSet::new(), true, "workspace.misspelt");
    }

    #[test]
    fn every_row_is_above_its_floor() {
        let features = count(Settings::MIXED, 20_000);
        assert_eq!(below(&features), Vec::<String>::new());
        let rows = features.rows();
        let made = rows.iter().filter(|row| row.feature.starts_with("never_generated.") && row.hits > 0);
        assert_eq!(made.map(|row| &row.feature).collect::<Vec<_>>(), Vec::<&String>::new());
    }

    #[test]
    fn every_row_of_scenarios_is_above_its_floor() {
        let mut source = Scenarios::new(Generator::new(Settings::MIXED), 1);
        let mut providers = ScenarioProviders::default();
        let mut features = Features::default();
        for number in 0..20_000 {
            let case = source.case(number);
            let Task::Call(Call::Scenario(scenario)) = &case.task else { unreachable!("a scenario") };
            features.observe(&case);
            let mut remote = providers.provider_of(scenario).expect("a model that can be played");
            let planner = Reference.prepare(&scenario.schema, case.dialect);
            features.observe_trace(&play(scenario, &mut &*planner, &mut remote));
        }
        assert_eq!(features.scenarios(), 20_000);
        assert_eq!(below(&features), Vec::<String>::new());
    }

    #[test]
    fn a_lost_feature_falls_below_its_floor() {
        // Nine in ten features off, each on its own.
        let features = count(Settings { swarm: 230, ..Settings::MIXED }, 10_000);
        let low = below(&features);
        for lost in ["value.planned.record_prefix", "schema.block_set.block.map", "value.config.unknown_nested_element"]
        {
            assert!(low.iter().any(|row| row.starts_with(lost)), "{lost} was not missed");
        }
    }

    #[test]
    fn rows_have_names_of_their_own_and_only_missing_ones_have_no_floor() {
        let rows = Features::default().rows();
        let names: BTreeSet<&String> = rows.iter().map(|row| &row.feature).collect();
        assert_eq!(names.len(), rows.len());
        let is_without =
            |row: &Row| row.feature.starts_with("not_generated.") || row.feature.starts_with("never_generated.");
        assert!(rows.iter().all(|row| row.floor.is_none() == is_without(row)));
    }

    #[test]
    fn tables_of_workers_add_up() {
        let mut sum = count(Settings::TINY, 50);
        sum.add(&count(Settings::TINY, 70));
        assert_eq!(sum.cases(), 120);
        let hits = |features: &Features| features.rows().iter().map(|row| row.hits).sum::<u64>();
        assert_eq!(hits(&sum), hits(&count(Settings::TINY, 50)) + hits(&count(Settings::TINY, 70)));
    }
}
