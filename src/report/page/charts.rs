//! Charts of the values of the nights.

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};

use super::number::{date, short};
use super::plot::{Series, plot};
use crate::night::record::{Night, Target, Timing};

/// The most lines of a chart: more cannot be distinguished.
const MAX_LINES: usize = 4;

/// The charts.
///
/// # Errors
/// A chart that cannot be drawn.
pub fn charts(nights: &[Night]) -> Result<Markup, String> {
    let speed = |target: &Target| target.tally.speed();
    let mut speeds = of_targets(nights, speed);
    speeds.push(series("run", nights, |night| night.bulk.as_ref()?.speed()));
    let findings = vec![
        series("new", nights, |night| Some(night.new_findings() as f64)),
        series("known", nights, |night| Some((night.findings.len() - night.new_findings()) as f64)),
    ];
    let all = vec![
        ("Findings", "buckets", findings),
        ("Executions", "guided, a night", of_targets(nights, |target| Some(target.tally.executions as f64))),
        ("Speed", "comparisons a CPU second", speeds),
        ("Coverage", "edges", of_targets(nights, |target| Some(target.coverage? as f64))),
        ("Corpus", "files", of_targets(nights, |target| Some(target.corpus.files as f64))),
        ("Optimized against reference", "times faster, median", of_classes(nights, |timing| Some(timing.ratio))),
        ("Optimized against a deep clone", "times as long, median", of_classes(nights, of_clone)),
        ("Workspaces without a change", "times faster than the reference", of_shapes(nights)),
    ];
    // Charts without a value are left out: of nights without targets, and of records from before a number was recorded.
    let has_values = |lines: &[Series]| lines.iter().any(|line| line.values.iter().any(Option::is_some));
    let drawn = all
        .into_iter()
        .filter(|(_, _, lines)| has_values(lines))
        .map(|(title, unit, series)| chart(title, unit, series, nights));
    let drawn: Vec<Markup> = drawn.collect::<Result<_, String>>()?;
    Ok(html! {
        section {
            h2 { "Over the nights" }
            div.charts { @for chart in &drawn { (chart) } }
        }
    })
}

fn chart(title: &str, unit: &str, mut series: Vec<Series>, nights: &[Night]) -> Result<Markup, String> {
    series.truncate(MAX_LINES);
    let svg = plot(&series)?;
    let last = |series: &Series| series.values.iter().rev().find_map(|value| *value).map_or("–".to_owned(), short);
    let (first, final_one) = (nights.first(), nights.last());
    Ok(html! {
        figure {
            figcaption { b { (title) } " " span.dim { (unit) } }
            div.drawing role="img" aria-label={ (title) ", " (unit) ", over " (nights.len()) " nights" } { (PreEscaped(svg)) }
            div.ends.dim {
                @if let Some(night) = first { span { (date(&night.started)) } }
                @if nights.len() > 1 { @if let Some(night) = final_one { span { (date(&night.started)) } } }
            }
            div.legend {
                @for (index, series) in series.iter().enumerate() {
                    span { i.{ "s" (index + 1) } {} (series.name) " " b { (last(series)) } }
                }
            }
        }
    })
}

fn series(name: &str, nights: &[Night], of: impl Fn(&Night) -> Option<f64>) -> Series {
    Series { name: name.to_owned(), values: nights.iter().map(of).collect() }
}

/// A line for each target that any night had.
fn of_targets(nights: &[Night], of: fn(&Target) -> Option<f64>) -> Vec<Series> {
    let names: BTreeSet<&str> =
        nights.iter().flat_map(|night| &night.targets).map(|target| target.tally.target.as_str()).collect();
    let value =
        |night: &Night, name: &str| night.targets.iter().find(|target| target.tally.target == name).and_then(of);
    names.into_iter().map(|name| series(name, nights, |night| value(night, name))).collect()
}

/// A line for each shape, the least gains first, as not all are drawn.
fn of_shapes(nights: &[Night]) -> Vec<Series> {
    let mut lines: Vec<Series> = super::workspaces::lines(nights)
        .into_iter()
        .map(|(shape, values)| Series { name: shape.to_owned(), values })
        .collect();
    lines.retain(|line| line.values.iter().any(Option::is_some));
    let last = |series: &Series| series.values.iter().rev().find_map(|value| *value).unwrap_or(f64::INFINITY);
    lines.sort_by(|a, b| last(a).total_cmp(&last(b)));
    lines
}

fn of_clone(timing: &Timing) -> Option<f64> {
    Some(timing.to_clone.as_ref()?.median)
}

/// A line for each size of timed cases, in the order of the last night that has it.
fn of_classes(nights: &[Night], of: fn(&Timing) -> Option<f64>) -> Vec<Series> {
    let mut names: Vec<&str> = Vec::new();
    for timing in nights.iter().rev().flat_map(|night| &night.timing).filter(|timing| of(timing).is_some()) {
        if !names.contains(&timing.class.as_str()) {
            names.push(&timing.class);
        }
    }
    let value = |night: &Night, name: &str| night.timing.iter().find(|timing| timing.class == name).and_then(of);
    names.into_iter().map(|name| series(name, nights, |night| value(night, name))).collect()
}
