//! Tables of the page.

use maud::{Markup, html};

use super::number::{date, exact, percent, short, span, time};
use crate::generate::Row;
use crate::night::record::{CanaryOutcome, Feature, Kill, Night, PhaseOutcome, Spread, Timing};

/// The most nights that are listed.
const MAX_NIGHTS: usize = 30;

/// Planning times, a row for each size.
pub fn timing(night: &Night) -> Markup {
    if night.timing.is_empty() {
        return html! {};
    }
    let most = night.timing.iter().flat_map(|timing| [timing.reference, timing.optimized]).fold(0.0, f64::max);
    let has_clones = night.timing.iter().any(|timing| timing.clone.is_some());
    html! {
        section {
            h2 { "Optimized against reference" @if has_clones { " and deep clone" } }
            div.wide { table {
                thead { tr {
                    th { "cases" } th.n { "operations" } th { "reference" } th { "optimized" } @if has_clones { th { "deep clone" } }
                    th.n { "faster" } th.n { "least" }
                    @if has_clones { th.n { "of reference" } th.n { "p99" } th.n { "of deep clone" } th.n { "p99" } }
                } }
                tbody { @for timing in &night.timing { (timing_row(timing, most, has_clones)) } }
            } }
            p.dim { "Medians of single operations, planned in one process in turn. “Faster” is the median of the ratios, “least” the smallest." }
            @if has_clones {
                p.dim {
                    "“Of reference” and “of deep clone” are the median of what the optimized planner takes of the reference’s time, and of that of a deep clone of the configuration; "
                    "“p99” is what one operation in a hundred exceeds."
                }
            }
        }
    }
}

fn timing_row(timing: &Timing, most: f64, has_clones: bool) -> Markup {
    // Sizes are far apart: on a linear scale only the largest would be visible.
    let share = |time: f64| (100.0 * (1.0 + time).ln() / (1.0 + most).ln().max(1e-9)).clamp(1.0, 100.0);
    let bar = |class: &str, of: f64| {
        html! { td.bar { meter.(class) min="0" max="100" value={ (format!("{:.0}", share(of))) } {} (time(of)) } }
    };
    let times = |ratio: f64| format!("{} ×", short(ratio));
    let spread = |spread: &Option<Spread>| {
        let [median, p99] = spread.as_ref().map_or([None; 2], |spread| [Some(spread.median), Some(spread.p99)]);
        html! { @for ratio in [median, p99] { td.n { (ratio.map_or("–".to_owned(), times)) } } }
    };
    html! {
        tr {
            td { (timing.class) }
            td.n { (exact(timing.operations)) }
            (bar("s1", timing.reference)) (bar("s2", timing.optimized))
            @if has_clones { @match timing.clone { Some(clone) => (bar("s3", clone)), None => td { "–" } } }
            td.n { (times(timing.ratio)) }
            td.n { (times(timing.least)) }
            @if has_clones { (spread(&timing.to_reference)) (spread(&timing.to_clone)) }
        }
    }
}

/// The feature table: features below their floor first, the rest folded.
pub fn features(night: &Night) -> Markup {
    let below: Vec<&Feature> = night.features.iter().filter(|row| is_below_floor(row)).collect();
    let missing: Vec<&Feature> = night.features.iter().filter(|row| row.floor.is_none()).collect();
    let has_guided = night.targets.iter().any(|target| !target.tally.features.is_empty());
    let row = |row: &Feature| {
        let class = is_below_floor(row).then_some("remove");
        html! {
            tr {
                td.long { (row.feature) }
                td.n.(class.unwrap_or_default()) { (percent(row.share)) }
                td.n { @match row.floor { Some(floor) => (percent(floor)), None => "–" } }
                td.n { (short(row.hits as f64)) }
                @if has_guided { td.n { (guided(night, &row.feature)) } }
            }
        }
    };
    let table = |rows: &[&Feature]| {
        html! {
            div.wide { table {
                thead { tr {
                    th { "feature" } th.n { "share" } th.n { "floor" } th.n { "hits" } @if has_guided { th.n { "guided" } }
                } }
                tbody { @for of in rows { (row(of)) } }
            } }
        }
    };
    if night.features.is_empty() {
        return html! {};
    }
    let all: Vec<&Feature> = night.features.iter().collect();
    html! {
        section {
            h2 { "What the generator makes" }
            p {
                b { (exact(all.len() as u64)) } " features, "
                span.(if below.is_empty() { "add" } else { "remove" }) { (exact(below.len() as u64)) " below their floor" }
                ", " (exact(missing.len() as u64)) " not generated yet."
            }
            @if !below.is_empty() { (table(&below)) }
            @if !missing.is_empty() {
                details { summary { "Not generated yet" } p { @for (index, row) in missing.iter().enumerate() { @if index > 0 { ", " } code { (row.feature) } } } }
            }
            details { summary { "All features" } (table(&all)) }
        }
    }
}

/// The draws assumed for a feature that was never hit, as the record does not have them: no night has fewer.
const LEAST_DRAWS: u64 = 10_000;

/// Whether a feature is rarer than its floor by more than chance explains, as in `features`.
fn is_below_floor(row: &Feature) -> bool {
    let Feature { feature: _, hits, share, floor } = row;
    let draws = if *share > 0.0 { (*hits as f64 / share).round() as u64 } else { LEAST_DRAWS };
    Row { feature: String::new(), hits: *hits, draws, share: *share, floor: *floor }.is_below_floor()
}

/// How often the inputs of the targets have a feature: the share of the sampled inputs if their number is known, otherwise the
/// hits.
fn guided(night: &Night, feature: &str) -> String {
    let tallies = night.targets.iter().map(|target| &target.tally);
    let hit: Vec<(u64, Option<u64>)> =
        tallies.filter_map(|tally| Some((*tally.features.get(feature)?, tally.sampled))).collect();
    let hits: u64 = hit.iter().map(|(hits, _)| hits).sum();
    match hit.iter().map(|(_, sampled)| *sampled).sum::<Option<u64>>() {
        Some(sampled) if sampled > 0 => percent(hits as f64 / sampled as f64),
        _ if hit.is_empty() && night.targets.iter().any(|target| target.tally.sampled.is_some()) => percent(0.0),
        _ => short(hits as f64),
    }
}

/// The table of planted faults, of the last night that has one.
pub fn kills(night: Option<&Night>) -> Markup {
    let Some(night) = night else { return html! {} };
    let (mut found, missed): (Vec<&Kill>, Vec<&Kill>) = night.kills.iter().partition(|kill| kill.found);
    found.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let known = night.kills.iter().filter(|kill| kill.bug.is_some()).count();
    let median = found.get(found.len() / 2).map(|kill| kill.seconds);
    html! {
        section {
            h2 { "Planted faults" }
            p {
                span.(if missed.is_empty() { "add" } else { "remove" }) {
                    (exact(found.len() as u64)) " of " (exact(night.kills.len() as u64)) " found"
                }
                @if known > 0 { ", " (exact(known as u64)) " of them known bugs" }
                @if let (Some(median), Some(worst)) = (median, found.first()) {
                    ", after " (span(median)) " in the median and " (span(worst.seconds)) " at worst"
                }
                ", as of " (date(&night.started)) "."
            }
            @if !missed.is_empty() { (kill_table(&missed)) }
            @if !found.is_empty() { details { summary { "Found, the slowest first" } (kill_table(&found)) } }
        }
    }
}

fn kill_table(rows: &[&Kill]) -> Markup {
    let whose = |kill: &Kill| kill.subject.strip_prefix("provider:").map(|style| format!(" ({style})"));
    let word = |word: &Option<String>| word.clone().unwrap_or_else(|| "–".to_owned());
    html! {
        div.wide { table {
            thead { tr {
                th { "fault" } th { "bug" } th { "rule" } th { "found by" } th.n { "cases" } th.n { "time" } th.n { "smallest" } th { "" }
            } }
            tbody { @for kill in rows {
                tr {
                    td.long { (kill.fault) (whose(kill).unwrap_or_default()) }
                    td { (word(&kill.bug)) }
                    td { (word(&kill.rule)) }
                    td.long { (word(if kill.found { &kill.by } else { &kill.reason })) }
                    td.n { (exact(kill.cases)) }
                    td.n { (span(kill.seconds)) }
                    td.n { @match kill.size { Some(size) => { (exact(size)) " B" }, None => "–" } }
                    td { @if kill.found { span.badge.good { "found" } } @else { span.badge.bad { "missed" } } }
                }
            } }
        } }
    }
}

/// The phases of the night with their times.
pub fn phases(night: &Night) -> Markup {
    html! {
        section {
            h2 { "How it was spent" }
            div.wide { table {
                thead { tr { th { "phase" } th.n { "time" } th { "" } th { "" } } }
                tbody { @for phase in &night.phases {
                    tr { td { (phase.name) } td.n { (span(phase.seconds)) } td { (phase_outcome(phase.outcome)) } td { (phase.reason.as_deref().unwrap_or_default()) } }
                } }
            } }
            @if !night.targets.is_empty() || night.bulk.is_some() { div.wide { table {
                thead { tr {
                    th { "target" } th.n { "executions" } th.n { "rejected" } th.n { "cases" } th.n { "comparisons" } th.n { "a CPU s" } th.n { "processes" }
                    th.n { "died" } th.n { "corpus" } th.n { "new" } th.n { "edges" }
                } }
                tbody { @for target in &night.targets {
                    tr {
                        td { (target.tally.target) }
                        td.n { (exact(target.tally.executions)) }
                        td.n { (exact(target.tally.rejected)) }
                        td.n { (exact(target.tally.cases)) }
                        td.n { (exact(target.tally.comparisons)) }
                        td.n { (target.tally.speed().map_or("–".to_owned(), short)) }
                        td.n { (exact(target.processes)) }
                        td.n { (exact(target.deaths)) }
                        td.n { (exact(target.corpus.files)) }
                        td.n { (exact(target.corpus.fresh)) }
                        td.n { (target.coverage.map_or("–".to_owned(), exact)) }
                    }
                }
                @if let Some(bulk) = &night.bulk { tr {
                    td { "run" } td.n { "–" } td.n { "–" }
                    td.n { (exact(bulk.cases)) }
                    td.n { (exact(bulk.comparisons)) }
                    td.n { (bulk.speed().map_or("–".to_owned(), short)) }
                    @for _ in 0..5 { td.n { "–" } }
                } } }
            } } }
        }
    }
}

fn phase_outcome(outcome: PhaseOutcome) -> Markup {
    let class = match outcome {
        PhaseOutcome::Done => "good",
        PhaseOutcome::Failed => "bad",
        PhaseOutcome::Skipped | PhaseOutcome::OverTime => "note",
    };
    html! { span.badge.(class) { (outcome.in_words()) } }
}

/// The last nights, a row for each.
pub fn nights(nights: &[Night]) -> Markup {
    html! {
        section {
            h2 { "Nights" }
            div.wide { table {
                thead { tr {
                    th { "night" } th.n { "new" } th.n { "known" } th.n { "comparisons" } th.n { "time" } th { "planted" } th { "not done" }
                } }
                tbody { @for night in nights.iter().rev().take(MAX_NIGHTS) { (row(night)) } }
            } }
        }
    }
}

fn row(night: &Night) -> Markup {
    let new = night.new_findings();
    let not_done: Vec<&str> = night
        .phases
        .iter()
        .filter(|phase| phase.outcome != PhaseOutcome::Done)
        .map(|phase| phase.name.as_str())
        .collect();
    html! {
        tr {
            td.day { (date(&night.started)) }
            td.n.(if new > 0 { "remove" } else { "" }) { (exact(new as u64)) }
            td.n { (exact((night.findings.len() - new) as u64)) }
            td.n { (short(night.comparisons() as f64)) }
            td.n { (span(night.seconds)) }
            td { @match night.canary.outcome {
                CanaryOutcome::Found => span.badge.good { "found" },
                CanaryOutcome::Missed => span.badge.bad { "missed" },
                CanaryOutcome::Absent => span.badge.note { "not tried" },
            } }
            td { (not_done.join(", ")) }
        }
    }
}
