//! Compares two planners on one case: both run each step, from the state that the first planner left.
//!
//! Compared are diagnostics as multisets, the plan with both of its states, the state after an apply, every call with its request, and for
//! every two calls whether one must precede the other. A step that the second planner refuses counts neither as equal nor as different.

use std::collections::BTreeMap;

use planfuzz_core::json::Json;
use planfuzz_core::plans::{AddressedChange, OutputChange, RelevantAttribute};
use planfuzz_workspace::canonical;
use planfuzz_workspace::run::{Difference, Kind};
use planfuzz_workspace::{CallId, Diagnostic, Plan, Planned, State, Trace, Workspace, WorkspacePlanner, refused};

use crate::case::{Case, CaseError};
use crate::play::{self, PlayedStep, play};

/// What the texts of differences call the first planner.
pub const FIRST: &str = "the first planner";
/// What the texts of differences call the second planner.
pub const SECOND: &str = "the second planner";

/// How many pairs of calls with another order are shown of a step.
const MAX_SHOWN_ORDERS: usize = 5;

/// Whether two planners agree on a step.
#[derive(Debug)]
pub enum Agreement {
    /// Both did the same.
    Same,
    /// The second planner reports that it does not cover the step.
    Refused(String),
    /// What is different.
    Different(Vec<Difference>),
}

/// Runs a case on two planners; returns whether they agree, for each step.
///
/// # Errors
/// The case's files or state cannot be used.
pub fn agree(
    case: &Case,
    first: &dyn WorkspacePlanner,
    second: &dyn WorkspacePlanner,
) -> Result<Vec<Agreement>, CaseError> {
    let played = play(case, first)?;
    let begun = second.begin();
    let second = begun.as_deref().unwrap_or(second);
    Ok(played.steps.iter().map(|step| step_of(step, second)).collect())
}

/// Runs a played step on the second planner and compares.
pub fn step_of(step: &PlayedStep, second: &dyn WorkspacePlanner) -> Agreement {
    let (workspace, providers) = (step.workspace.clone(), step.providers.clone());
    let other = play::step_of(step.files.clone(), workspace, providers, step.command.clone(), second);
    if let Some(refused) =
        refused(second, &other.planned.diagnostics).or_else(|| refused(second, other.late_diagnostics()))
    {
        return Agreement::Refused(refused.to_owned());
    }
    let found = differences(step, &other);
    if found.is_empty() { Agreement::Same } else { Agreement::Different(found) }
}

/// The differences between what two planners did in one step.
pub fn differences(step: &PlayedStep, other: &PlayedStep) -> Vec<Difference> {
    let workspace = &step.workspace;
    let mut found = Vec::new();
    compare_planned(workspace, &step.planned, &other.planned, &mut found);
    diagnostics("apply", step.late_diagnostics(), other.late_diagnostics(), &mut found);
    match (&step.written, &other.written) {
        (None, None) => {}
        (Some(a), Some(b)) => states("state", workspace, [a, b], Kind::State, &mut found),
        (a, _) => {
            let text = format!("only {} writes a state", if a.is_some() { FIRST } else { SECOND });
            found.push(Difference { kind: Kind::State, text });
        }
    }
    match (&step.applied, &other.applied) {
        (None, None) => {}
        (Some(a), Some(b)) => {
            calls("apply", &a.trace, &b.trace, &mut found);
            states("state", workspace, [&a.state, &b.state], Kind::State, &mut found);
        }
        (a, _) => {
            let text = format!("only {} applies", if a.is_some() { FIRST } else { SECOND });
            found.push(Difference { kind: Kind::State, text });
        }
    }
    found
}

/// Compares what two planners planned.
fn compare_planned(workspace: &Workspace, a: &Planned, b: &Planned, found: &mut Vec<Difference>) {
    diagnostics("plan", &a.diagnostics, &b.diagnostics, found);
    calls("plan", &a.trace, &b.trace, found);
    match (&a.plan, &b.plan) {
        (None, None) => {}
        (Some(a), Some(b)) => plans(workspace, a, b, found),
        (a, _) => {
            let text = format!("only {} has a plan", if a.is_some() { FIRST } else { SECOND });
            found.push(Difference { kind: Kind::Plan, text });
        }
    }
}

fn plans(workspace: &Workspace, a: &Plan, b: &Plan, found: &mut Vec<Difference>) {
    let change = |change: &AddressedChange| {
        let deposed = change.deposed().map_or(String::new(), |key| format!(" (deposed {})", key.as_str()));
        format!("{}{deposed}", change.addr)
    };
    by_name("changes", Kind::Changes, [&a.changes, &b.changes], (change, changed_parts), found);
    by_name("drift", Kind::Drift, [&a.drift, &b.drift], (change, changed_parts), found);
    let output = |output: &OutputChange| output.addr().to_string();
    by_name("outputs", Kind::Outputs, [&a.outputs, &b.outputs], (output, |_, _| "value".to_owned()), found);
    if a.checks != b.checks {
        let text = format!("checks: {} and {}", a.checks.plan_json().to_compact(), b.checks.plan_json().to_compact());
        found.push(Difference { kind: Kind::Checks, text });
    }
    let name = |one: &RelevantAttribute| format!("{} {}", one.resource, one.attribute);
    match (&a.relevant, &b.relevant) {
        (None, None) => {}
        (Some(of_a), Some(of_b)) => {
            by_name("relevant attributes", Kind::Relevant, [of_a, of_b], (name, |_, _| "place".to_owned()), found);
        }
        (of_a, _) => {
            let text = format!("only {} reports relevant attributes", if of_a.is_some() { FIRST } else { SECOND });
            found.push(Difference { kind: Kind::Relevant, text });
        }
    }
    let flags = |plan: &Plan| [plan.applyable, plan.complete, plan.errored];
    if flags(a) != flags(b) || a.mode != b.mode {
        let text = format!("applyable, complete, errored: {:?} and {:?}", flags(a), flags(b));
        found.push(Difference { kind: Kind::Flags, text });
    }
    states("prior", workspace, [&a.prior, &b.prior], Kind::State, found);
    states("previous", workspace, [&a.previous, &b.previous], Kind::State, found);
}

/// Which parts of two changes differ, as the beginning of a text: signatures see no more, and one bucket of all changes would hide most.
fn changed_parts(a: &AddressedChange, b: &AddressedChange) -> String {
    let (of_a, of_b) = (&a.planned, &b.planned);
    let action = format!("action {} and {}", a.action(), b.action());
    let parts = [
        (a.action() != b.action(), action.as_str()),
        (of_a.change.before != of_b.change.before, "before"),
        (of_a.change.after != of_b.change.after, "after"),
        (of_a.change.importing != of_b.change.importing, "import"),
        (of_a.reason != of_b.reason, "reason"),
        (of_a.required_replace != of_b.required_replace, "replacement"),
        (a.prev_run_addr() != b.prev_run_addr(), "move"),
        (a.provider != b.provider, "provider"),
        (of_a.private != of_b.private, "private"),
    ];
    let differing: Vec<&str> = parts.into_iter().filter(|(differs, _)| *differs).map(|(_, name)| name).collect();
    differing.join(", ")
}

/// Compares two lists without order; elements have names, and a text says in what two of one name differ.
fn by_name<T: PartialEq + std::fmt::Debug>(
    what: &str,
    kind: Kind,
    [a, b]: [&Vec<T>; 2],
    (name, parts): (impl Fn(&T) -> String, impl Fn(&T, &T) -> String),
    found: &mut Vec<Difference>,
) {
    let mut left: BTreeMap<String, Vec<&T>> = BTreeMap::new();
    b.iter().for_each(|one| left.entry(name(one)).or_default().push(one));
    for one in a {
        let others = left.get_mut(&name(one));
        match others.and_then(|others| others.iter().position(|other| *other == one).map(|at| others.swap_remove(at))) {
            Some(_) => {}
            None => {
                let others = left.get(&name(one)).cloned().unwrap_or_default();
                let parts = others.first().map_or_else(|| format!("only {FIRST}"), |other| parts(one, other));
                let text = format!("{what} of {}: {parts}: {FIRST} has {one:?}, {SECOND} {others:?}", name(one));
                found.push(Difference { kind, text });
            }
        }
    }
    // One difference each: minimizing a case keeps one of them, and need not keep all.
    if a.len() != b.len() {
        let extra = left.iter().filter(|(_, all)| !all.is_empty());
        found.extend(extra.map(|(name, _)| Difference { kind, text: format!("{what}: only {SECOND} has {name}") }));
    }
}

fn diagnostics(phase: &str, a: &[Diagnostic], b: &[Diagnostic], found: &mut Vec<Difference>) {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    a.sort();
    b.sort();
    if a != b {
        let only = |a: &[Diagnostic], b: &[Diagnostic]| -> Vec<String> {
            let mut rest = b.to_vec();
            let is_extra = |one: &&Diagnostic| match rest.iter().position(|other| other == *one) {
                Some(at) => {
                    rest.swap_remove(at);
                    false
                }
                None => true,
            };
            a.iter().filter(is_extra).map(|one| format!("{} ({:?})", one.summary, one.address)).collect()
        };
        let text = format!("{phase}: only {FIRST} reports {:?}, only {SECOND} {:?}", only(&a, &b), only(&b, &a));
        found.push(Difference { kind: Kind::Diagnostics, text });
    }
}

fn states(what: &str, workspace: &Workspace, states: [&State; 2], kind: Kind, found: &mut Vec<Difference>) {
    let [a, b] = states.map(|state| match state.to_json(&workspace.schemas, workspace.dialect) {
        Ok(json) => canonical(&json),
        Err(error) => Json::String(error.to_string().into()),
    });
    if a != b {
        let mut parts = Vec::new();
        differing(what, &a, &b, &mut parts);
        found.push(Difference { kind, text: parts.join("; ") });
    }
}

fn differing(path: &str, a: &Json, b: &Json, parts: &mut Vec<String>) {
    match (a, b) {
        _ if a == b => {}
        (Json::Object(members), Json::Object(others)) if members.len() == others.len() => {
            for (name, value) in members {
                differing(&format!("{path}.{name}"), value, b.member(name).unwrap_or(&Json::Null), parts);
            }
        }
        (Json::Array(items), Json::Array(others)) if items.len() == others.len() => {
            items
                .iter()
                .zip(others)
                .enumerate()
                .for_each(|(at, (a, b))| differing(&format!("{path}[{at}]"), a, b, parts));
        }
        _ => parts.push(format!("{path}: {} and {}", a.to_compact(), b.to_compact())),
    }
}

/// Compares calls by visit, by request, and by the order in which they have to be made.
fn calls(phase: &str, a: &Trace, b: &Trace, found: &mut Vec<Difference>) {
    let mut left: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for index in (0..b.calls.len()).rev() {
        left.entry(b.describe(CallId(index))).or_default().push(index);
    }
    let mut pairs = Vec::with_capacity(a.calls.len());
    for (index, made) in a.calls.iter().enumerate() {
        let text = a.describe(CallId(index));
        match left.get_mut(&text).and_then(Vec::pop) {
            None => {
                found.push(Difference { kind: Kind::MissingCall, text: format!("{phase}: {SECOND} does not {text}") })
            }
            Some(other) => {
                if made.call != b.calls[other].call {
                    let text = format!("{phase}: {text} sends {:?} and {:?}", made.call, b.calls[other].call);
                    found.push(Difference { kind: Kind::ExtraCall, text });
                }
                pairs.push((CallId(index), CallId(other)));
            }
        }
    }
    for (text, all) in left.iter().filter(|(_, all)| !all.is_empty()) {
        let text = format!("{phase}: only {SECOND} does {text}, {} times", all.len());
        found.push(Difference { kind: Kind::ExtraCall, text });
    }
    let mut shown = 0;
    for (first, other_first) in &pairs {
        for (then, other_then) in &pairs {
            let (wants, has) = (a.must_precede(*first, *then), b.must_precede(*other_first, *other_then));
            if wants != has {
                if shown == MAX_SHOWN_ORDERS {
                    return;
                }
                shown += 1;
                let [x, y] = [first, then].map(|call| a.describe(*call));
                let text = format!("{phase}: {y} waits for {x}: {wants} and {has}");
                found.push(Difference { kind: Kind::Order, text });
            }
        }
    }
}
