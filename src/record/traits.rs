//! What a vector shows: its traits, which are pairs of a feature of the question and an outcome.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use planfuzz_core::json::Json;
use planfuzz_core::planner::{Diagnostic, Exchange};
use planfuzz_core::plans::{ActionReason, ResourceInstanceChange};
use planfuzz_core::value::Value;

use crate::case::{Call, Case, Merge, MergeCall, Task};
use crate::compare::{Place, PlaceKind};
use crate::generate::{rows_of, rows_of_trace};
use crate::scenario::{NoAnswer, Trace, Walk};
use crate::subject::Outcome;

/// One feature with one outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Trait(u64);

#[cfg(test)]
impl Trait {
    pub(super) fn of(number: u64) -> Trait {
        Trait(number)
    }
}

/// What the vector of a call and its outcome shows.
pub fn traits_of(case: &Case, call: &Call, outcome: &Outcome) -> Vec<Trait> {
    traits(call.op().name(), features_of(case, call), outcomes_of(call, outcome))
}

/// What a recorded run of a step shows, by the features of the whole case.
pub(super) fn traits_of_run(case: &Case, ended: &str) -> Vec<Trait> {
    traits("workspace_run", rows_of(case), BTreeSet::from([ended.to_owned()]))
}

fn traits(op: &str, mut features: Vec<String>, outcomes: BTreeSet<String>) -> Vec<Trait> {
    features.push("any".to_owned());
    let pairs = outcomes.into_iter().flat_map(|outcome| {
        features.iter().map(move |feature| {
            let mut hasher = DefaultHasher::new();
            (op, feature, &outcome).hash(&mut hasher);
            Trait(hasher.finish())
        })
    });
    pairs.collect()
}

/// The features of the operation's own inputs: what else was generated with them does not affect the answer.
fn features_of(case: &Case, call: &Call) -> Vec<String> {
    let Call::Merge(call) = call else {
        return rows_of(&Case::new(case.dialect, Task::Call(call.clone())));
    };
    let schema = call.schema().clone();
    let null = Value::null(schema.implied_type(case.dialect));
    let nothing = [(); 4].map(|()| null.clone());
    let [prior, config, planned, actual] = nothing;
    let merge = match call.clone() {
        MergeCall::ProposedNew { schema, prior, config } => Merge { schema, prior, config, planned, actual },
        MergeCall::PlannedDataResource { schema, config }
        | MergeCall::PrepareComputedBlocks { schema, value: config } => {
            Merge { schema, prior, config, planned, actual }
        }
        MergeCall::AssertPlanValid { schema, prior, config, planned } => {
            Merge { schema, prior, config, planned, actual }
        }
        MergeCall::AssertObjectCompatible { schema, planned, actual } => {
            Merge { schema, prior, config, planned, actual }
        }
        MergeCall::NormalizeLegacy { schema, value: planned } => Merge { schema, prior, config, planned, actual },
    };
    rows_of(&Case::new(case.dialect, Task::Merge(merge)))
}

/// The outcome, in classes.
fn outcomes_of(call: &Call, outcome: &Outcome) -> BTreeSet<String> {
    let mut outcomes = BTreeSet::from([outcome_in_words(call, outcome)]);
    match outcome {
        Outcome::Value(value) if !value.is_wholly_known() => {
            outcomes.insert("unknown inside".to_owned());
        }
        Outcome::Paths(paths) => outcomes.extend(paths.iter().map(|path| place_of(call, path))),
        Outcome::Want(want) => outcomes.extend(of_walk(call, want)),
        Outcome::Trace(trace) => outcomes.extend(of_trace(trace)),
        _ => {}
    }
    outcomes
}

/// The kind of an outcome, for people.
pub(super) fn outcome_in_words(call: &Call, outcome: &Outcome) -> String {
    let words = match outcome {
        Outcome::Value(value) => of_value(call, value),
        Outcome::Paths(paths) => match paths.len() {
            0 => "no violation",
            1 => "one violation",
            _ => "several violations",
        },
        Outcome::Want(want) => return walk_in_words(want),
        Outcome::Trace(trace) => return trace_in_words(trace),
        Outcome::Workspace(_) => "a whole workspace",
        Outcome::Refused(_) => "crash",
        Outcome::Crashed { .. } | Outcome::OverBudget { .. } | Outcome::LeftOut(_) => "no answer",
    };
    words.to_owned()
}

fn of_value(call: &Call, value: &Value) -> &'static str {
    let Call::Merge(call) = call else { return "a value" };
    let (prior, config) = match call {
        MergeCall::ProposedNew { prior, config, .. } => (Some(prior), config),
        MergeCall::PlannedDataResource { config, .. } => (None, config),
        MergeCall::NormalizeLegacy { value, .. } | MergeCall::PrepareComputedBlocks { value, .. } => (None, value),
        MergeCall::AssertPlanValid { .. } | MergeCall::AssertObjectCompatible { .. } => return "a value",
    };
    match (value, prior) {
        (value, _) if value.is_null() => "null",
        (value, _) if value == config => "as given",
        (value, Some(prior)) if value == prior => "as before",
        _ => "another value",
    }
}

fn place_of(call: &Call, path: &str) -> String {
    let place = Place::Text(path.to_owned());
    call.schema().map_or_else(|| path.to_owned(), |schema| PlaceKind::of(&schema.block, &place).to_string())
}

/// The result of a recorded walk: the action, or that there are errors.
fn walk_in_words(want: &Json) -> String {
    if !want.items_of("errors").is_empty() {
        return "errors".to_owned();
    }
    let action = want.member("action").and_then(|action| action.expect_string().ok());
    action.unwrap_or("applied").to_owned()
}

fn of_walk(call: &Call, want: &Json) -> Vec<String> {
    let list = |name: &str| want.items_of(name);
    let text = |json: &Json, name: &str| json.member(name).map_or_else(String::new, Json::to_compact);
    let mut outcomes = vec![
        format!("reason {}", text(want, "action_reason")),
        format!("{} requests", list("requests").len()),
        format!("{} deposed", list("deposed").len()),
        format!("replaced: {}", !list("replace_paths").is_empty()),
        format!("sensitive: {}", !list("after_sensitive").is_empty()),
    ];
    if let Some(state) = want.member("state") {
        outcomes.push(format!("tainted {}", text(state, "tainted")));
    }
    for error in list("errors") {
        let path = error.member("path").and_then(|path| path.expect_string().ok()).unwrap_or_default();
        outcomes.push(format!("{} in {}", text(error, "summary"), place_of(call, path)));
    }
    outcomes
}

/// How a run ended, and the furthest that its steps got.
fn trace_in_words(trace: &Trace) -> String {
    if let Some(stopped) = &trace.stopped {
        let how = match stopped.halt {
            NoAnswer::Refused(_) => "refused",
            NoAnswer::Crashed { .. } => "crash",
            NoAnswer::OverBudget { .. } | NoAnswer::LeftOut(_) => "no answer",
        };
        let walk = match stopped.walk {
            Walk::Plan => "plan",
            Walk::Apply => "apply",
        };
        return format!("{how} in {walk}");
    }
    let is_errored = trace
        .steps
        .iter()
        .any(|step| step.plan.plan.is_errored() || step.apply.as_ref().is_some_and(|apply| apply.applied.is_errored()));
    let applied = trace.steps.iter().any(|step| step.apply.is_some());
    match (is_errored, applied) {
        (true, _) => "errors",
        (false, true) => "applied",
        (false, false) => "planned",
    }
    .to_owned()
}

fn of_trace(trace: &Trace) -> Vec<String> {
    let mut outcomes = rows_of_trace(trace);
    for step in &trace.steps {
        outcomes.push(format!("plan calls {}", calls(&step.plan.exchanges)));
        outcomes.extend(step.plan.plan.changes.iter().map(change));
        outcomes.extend(step.plan.plan.diagnostics.iter().map(diagnostic));
        if let Some(apply) = &step.apply {
            outcomes.push(format!("apply calls {}", calls(&apply.exchanges)));
            outcomes.extend(apply.applied.diagnostics.iter().map(diagnostic));
        }
    }
    if let Some(stopped) = &trace.stopped
        && let NoAnswer::Crashed { site, .. } = &stopped.halt
    {
        outcomes.push(format!("crash at {site}"));
    }
    outcomes
}

/// The calls of a walk, in order.
fn calls(exchanges: &[Exchange]) -> String {
    let calls: Vec<_> = exchanges.iter().map(|exchange| exchange.name().to_string()).collect();
    calls.join(" ")
}

fn change(change: &ResourceInstanceChange) -> String {
    let reason = match change.reason {
        ActionReason::None => "none",
        reason => reason.name(),
    };
    let of = if change.deposed.is_some() { "deposed " } else { "" };
    format!("{of}{} because {reason}", change.change.action.name())
}

fn diagnostic(diagnostic: &Diagnostic) -> String {
    let at = if diagnostic.path.is_root() { "" } else { " inside" };
    format!("{:?} {}{at}", diagnostic.severity, diagnostic.summary)
}
