//! The costs of whole workspaces for the planners, by shape.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::number::{exact, short, time};
use crate::night::record::{Night, WorkspaceCost};

const REFERENCE: &str = "reference";
const OPTIMIZED: &str = "optimized";

/// The costs of the reference and of the optimized planner for the same operation.
type Pair<'a> = [Option<&'a WorkspaceCost>; 2];

/// The table of shapes, of a night that has measured some.
pub fn table(night: &Night) -> Markup {
    let costs = costs(night);
    let planned = rows(costs);
    if planned.is_empty() {
        return html! {};
    }
    let again: Vec<_> = costs.iter().filter_map(|cost| Some((cost, cost.ns_per_change?))).collect();
    html! {
        section {
            h2 { "Whole workspaces" }
            div.wide { table {
                thead { tr {
                    th { "shape" } th.n { "instances" } th { "asked" } th.n { "reference" } th.n { "optimized" } th.n { "faster" }
                } }
                tbody { @for (cost, [reference, optimized]) in &planned {
                    tr {
                        td { (cost.workspace) }
                        td.n { (exact(cost.instances)) }
                        td { (cost.op.replace('_', " ")) }
                        @for cost in [reference, optimized] { td.n { (shown(cost.and_then(|cost| cost.ns_per_instance), time)) } }
                        td.n { (shown(faster(*reference, *optimized), |ratio| format!("{} ×", short(ratio)))) }
                    }
                } }
            } }
            p.dim { "Processor time an instance, without the providers’, the least of some rounds." }
            @if !again.is_empty() { (of_sessions(&again)) }
        }
    }
}

fn of_sessions(costs: &[(&WorkspaceCost, f64)]) -> Markup {
    html! {
        details {
            summary { "Planned again after one change" }
            div.wide { table {
                thead { tr { th { "shape" } th.n { "instances" } th { "changed" } th.n { "time" } th.n { "calls" } } }
                tbody { @for (cost, took) in costs {
                    tr {
                        td { (cost.workspace) }
                        td.n { (exact(cost.instances)) }
                        td { (cost.op.trim_end_matches("_again")) }
                        td.n { (time(*took)) }
                        td.n { (exact(cost.calls)) }
                    }
                } }
            } }
        }
    }
}

/// The shapes that nights have measured, with how many times faster than the reference a plan without changes was each night.
pub fn lines(nights: &[Night]) -> Vec<(&str, Vec<Option<f64>>)> {
    let shapes: BTreeSet<&str> = nights.iter().flat_map(costs).map(|cost| cost.workspace.as_str()).collect();
    let of = |night: &Night, shape: &str| {
        let cost = |subject: &str| {
            costs(night)
                .iter()
                .find(|cost| cost.workspace == shape && cost.subject == subject && cost.op == "no_change")
        };
        faster(cost(REFERENCE), cost(OPTIMIZED))
    };
    shapes.into_iter().map(|shape| (shape, nights.iter().map(|night| of(night, shape)).collect())).collect()
}

fn costs(night: &Night) -> &[WorkspaceCost] {
    night.workspaces.as_deref().unwrap_or_default()
}

/// One entry for each shape and operation in the order of the record, with the costs of the reference and of the optimized
/// planner.
fn rows(costs: &[WorkspaceCost]) -> Vec<(&WorkspaceCost, Pair<'_>)> {
    let mut rows: Vec<(&WorkspaceCost, Pair<'_>)> = Vec::new();
    for cost in costs.iter().filter(|cost| cost.ns_per_instance.is_some()) {
        let Some(place) = [REFERENCE, OPTIMIZED].iter().position(|name| *name == cost.subject) else { continue };
        let is_same = |row: &&mut (&WorkspaceCost, _)| {
            (&row.0.workspace, row.0.instances, &row.0.op) == (&cost.workspace, cost.instances, &cost.op)
        };
        match rows.iter_mut().find(is_same) {
            Some((_, row)) => row[place] = Some(cost),
            None => {
                let mut row = [None; 2];
                row[place] = Some(cost);
                rows.push((cost, row));
            }
        }
    }
    rows
}

fn faster(reference: Option<&WorkspaceCost>, optimized: Option<&WorkspaceCost>) -> Option<f64> {
    let time = |cost: Option<&WorkspaceCost>| cost.and_then(|cost| cost.ns_per_instance).filter(|time| *time > 0.0);
    Some(time(reference)? / time(optimized)?)
}

fn shown<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or("–".to_owned(), show)
}
