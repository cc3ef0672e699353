//! The page of the nights: one HTML file that shows everything in their records, without scripts or other files.
//!
//! Strings of records are escaped by the templates: no part of them becomes markup.

mod charts;
mod finding;
mod number;
mod plot;
mod tables;
mod workspaces;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::night::History;
use crate::night::record::{CanaryOutcome, End, Night, PhaseOutcome};
use number::{date, exact, short, span};

const STYLE: &str = include_str!("style.css");

/// The page of a history, which has at least one night.
///
/// # Errors
/// A history without a night, and a plot that cannot be drawn.
pub fn page(history: &History) -> Result<String, String> {
    let Some(night) = history.nights.last() else { return Err("there is no night to show".to_owned()) };
    let charts = charts::charts(&history.nights)?;
    Ok(html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "planfuzz: the night of " (date(&night.started)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (head(night))
                main {
                    (tiles(night))
                    (finding::section(night))
                    (finding::earlier(&history.nights))
                    (charts)
                    (tables::timing(night))
                    (workspaces::table(night))
                    (tables::features(night))
                    (tables::kills(history.nights.iter().rev().find(|night| !night.kills.is_empty())))
                    (tables::phases(night))
                    (tables::nights(&history.nights))
                }
                footer {
                    "Made by planfuzz " (env!("CARGO_PKG_VERSION")) " of " (exact(history.nights.len() as u64)) @if history.nights.len() == 1 { " night. " } @else { " nights. " }
                    "Everything here is in their records."
                }
            }
        }
    }
    .into_string())
}

fn head(night: &Night) -> Markup {
    let (class, text) = verdict(night);
    html! {
        header {
            h1 { "The night of " time datetime=(night.started) { (date(&night.started)) } }
            p.verdict.(class) { (text) }
            p.dim {
                "seed " code { (night.seed) }
                @if let Some(commit) = &night.commit { ", commit " code { (commit) } }
                @if let Some(subjects) = &night.subjects { ", comparing " @for (place, name) in subjects.iter().enumerate() {
                    @if place > 0 { ", " } code { (name) }
                } }
                ", planfuzz " (night.version) ", " (exact(night.workers)) @if night.workers == 1 { " worker, " } @else { " workers, " } (span(night.seconds))
                " of " (span(night.minutes * 60.0))
                @if night.end == End::Interrupted { ", interrupted" }
            }
        }
    }
}

/// The night in a few words: the worst about it.
fn verdict(night: &Night) -> (&'static str, String) {
    let failed: Vec<&str> = night
        .phases
        .iter()
        .filter(|phase| phase.outcome == PhaseOutcome::Failed)
        .map(|phase| phase.name.as_str())
        .collect();
    match (night.new_findings(), night.findings.len()) {
        _ if night.canary.outcome == CanaryOutcome::Missed => {
            ("bad", format!("A planted mistake was missed, so this night proves nothing: {}", night.canary.reason))
        }
        (1, _) => ("bad", "1 new finding".to_owned()),
        (new @ 2.., _) => ("bad", format!("{new} new findings")),
        _ if !failed.is_empty() => ("bad", format!("Not done: {}", failed.join(", "))),
        _ if !night.is_sorted() => ("bad", "What was found is not sorted: it is in the cache".to_owned()),
        _ if night.comparisons() == 0 => ("bad", "Nothing was compared".to_owned()),
        (0, known) => {
            let found = match known {
                0 => "Nothing was found".to_owned(),
                1 => "Nothing new: 1 known finding".to_owned(),
                _ => format!("Nothing new: {known} known findings"),
            };
            match &night.not_tried()[..] {
                [] => ("good", found),
                not_tried => {
                    ("note", format!("{found}, but not everything was tried: without {}", not_tried.join(", ")))
                }
            }
        }
    }
}

fn tiles(night: &Night) -> Markup {
    let seconds: f64 = night.targets.iter().map(|target| target.tally.cpu_seconds).sum::<f64>()
        + night.bulk.as_ref().map_or(0.0, |bulk| bulk.cpu_seconds);
    let speed = if seconds > 0.0 { short(night.comparisons() as f64 / seconds) } else { "–".to_owned() };
    let files: u64 = night.targets.iter().map(|target| target.corpus.files).sum();
    let fresh: u64 = night.targets.iter().map(|target| target.corpus.fresh).sum();
    let coverage: u64 = night.targets.iter().filter_map(|target| target.coverage).sum();
    let counted = |count: u64| (short(count as f64), exact(count));
    let tile = |name: &str, (big, small): (String, String)| {
        html! { div.tile { span.name { (name) } b { (big) } span.small { (small) } } }
    };
    let canary = match night.canary.outcome {
        CanaryOutcome::Found => ("found".to_owned(), format!("after {} cases", exact(night.canary.cases))),
        CanaryOutcome::Missed => ("missed".to_owned(), night.canary.reason.clone()),
        CanaryOutcome::Absent => ("not tried".to_owned(), night.canary.reason.clone()),
    };
    html! {
        section.tiles aria-label="Numbers of the night" {
            (tile("comparisons", counted(night.comparisons())))
            (tile("a CPU second", (speed, "comparisons".to_owned())))
            (tile("cases", counted(night.cases())))
            (tile("checks of rules", counted(night.checks())))
            @if !night.targets.is_empty() {
                (tile("guided executions", counted(night.executions())))
                (tile("corpus", (short(files as f64), format!("{} new", exact(fresh)))))
                (tile("coverage", (short(coverage as f64), "edges, all targets".to_owned())))
            }
            (tile("planted mistakes", canary))
        }
    }
}

#[cfg(test)]
mod tests;
