//! Renders calls in order: calls of one line may run in parallel, and each waits for a call of the line before.

use planfuzz_workspace::{CallId, Trace};

use crate::report::line::{Line, Tone};

/// The most calls whose order is shown: every pair of them is compared.
const MAX_CALLS: usize = 600;

/// The calls of a trace, walk by walk.
pub(super) fn calls(heading: &str, trace: &Trace) -> Vec<Line> {
    let mut lines = vec![Line::of(Tone::Heading, heading)];
    if trace.calls.is_empty() {
        lines.push(Line::of(Tone::Dim, "none").indented(2));
        return lines;
    }
    if trace.calls.len() > MAX_CALLS {
        lines.push(Line::of(Tone::Dim, format!("{}: too many to be shown", trace.calls.len())).indented(2));
        return lines;
    }
    for (walk, of) in trace.order.walks.iter().enumerate() {
        let of_walk: Vec<CallId> =
            (0..trace.calls.len()).map(CallId).filter(|call| trace.calls[call.0].node.walk == walk).collect();
        if of_walk.is_empty() {
            continue;
        }
        lines.push(Line::of(Tone::Dim, &of.name).indented(2));
        for (number, level) in levels(trace, &of_walk).into_iter().enumerate() {
            let mut line = Line::of(Tone::Dim, format!("{:>3}  ", number + 1));
            let mut described: Vec<(Tone, String)> = level.iter().map(|call| described(trace, *call)).collect();
            // Those of one line have no order, so two planners that make the same calls have the same line.
            described.sort_by(|(_, one), (_, other)| one.cmp(other));
            for (index, (tone, text)) in described.into_iter().enumerate() {
                if index > 0 {
                    line = line.with(Tone::Dim, "  |  ");
                }
                line = line.with(tone, text);
            }
            lines.push(line.indented(2));
        }
    }
    lines
}

/// The calls by level: the length of the longest chain of calls that must precede each.
fn levels(trace: &Trace, calls: &[CallId]) -> Vec<Vec<CallId>> {
    let mut level_of = vec![0_usize; calls.len()];
    // In a trace, calls come after those that they wait for.
    for then in 0..calls.len() {
        for first in 0..then {
            if trace.must_precede(calls[first], calls[then]) {
                level_of[then] = level_of[then].max(level_of[first] + 1);
            }
        }
    }
    let count = level_of.iter().max().map_or(0, |most| most + 1);
    let mut levels = vec![Vec::new(); count];
    for (call, level) in calls.iter().zip(level_of) {
        levels[level].push(*call);
    }
    levels
}

fn described(trace: &Trace, call: CallId) -> (Tone, String) {
    let made = &trace.calls[call.0];
    let walk = trace.order.walks.get(made.node.walk);
    let node = walk.and_then(|walk| walk.nodes.get(made.node.node)).map_or("", String::as_str);
    let about = if made.visit.is_empty() { node } else { &made.visit };
    let has_failed = made.answer.remarks.iter().any(|remark| remark.is_error());
    let (tone, failed) = if has_failed { (Tone::Bad, " failed") } else { (Tone::Plain, "") };
    (tone, format!("{} {about}{failed}", made.call.request.name()))
}
