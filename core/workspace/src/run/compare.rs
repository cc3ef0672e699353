//! The comparison of the answers of a planner with a recorded run, one line for each difference.

use planfuzz_core::address::ResourceMode;
use planfuzz_core::json::Json;
use planfuzz_core::plans::{Action, AddressedChange};

use super::keys::{summary_with_known_keys, with_known_keys};
use super::read::Recorded;
use super::render::{diagnostic_text, plan_json, recorded_diagnostic};
use super::replay::Table;
use super::serial::rises;
use crate::canonical::canonical;
use crate::diagnostic::Diagnostic;
use crate::order::Trace;
use crate::plan::Plan;
use crate::planner::{Applied, Planned};
use crate::state::State;

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A call that the engine did not make.
    ExtraCall,
    /// A call that the engine made.
    MissingCall,
    /// A required order of calls that the recorded schedule does not keep.
    Order,
    /// Diagnostics.
    Diagnostics,
    /// Whether there is a plan at all.
    Plan,
    /// Changes of resources.
    Changes,
    /// Drift.
    Drift,
    /// Changes of outputs.
    Outputs,
    /// Checks.
    Checks,
    /// Relevant attributes.
    Relevant,
    /// The flags of the plan.
    Flags,
    /// The state afterwards.
    State,
    /// Whether the serial rose.
    Raised,
    /// The exit status.
    Exit,
    /// The recorded run cannot be used.
    Broken,
}

impl Kind {
    /// All of them, each with its word in answers to recorded runs.
    const WORDS: [(Kind, &'static str); 15] = [
        (Kind::ExtraCall, "extra_call"),
        (Kind::MissingCall, "missing_call"),
        (Kind::Order, "order"),
        (Kind::Diagnostics, "diagnostics"),
        (Kind::Plan, "plan"),
        (Kind::Changes, "changes"),
        (Kind::Drift, "drift"),
        (Kind::Outputs, "outputs"),
        (Kind::Checks, "checks"),
        (Kind::Relevant, "relevant"),
        (Kind::Flags, "flags"),
        (Kind::State, "state"),
        (Kind::Raised, "raised"),
        (Kind::Exit, "exit"),
        (Kind::Broken, "broken"),
    ];

    /// Its word in answers to recorded runs.
    pub fn word(self) -> &'static str {
        Kind::WORDS.iter().find(|(kind, _)| *kind == self).map_or("", |(_, word)| word)
    }

    /// The kind of a word.
    pub fn of_word(word: &str) -> Option<Kind> {
        Kind::WORDS.iter().find(|(_, known)| *known == word).map(|(kind, _)| *kind)
    }
}

/// A difference.
#[derive(Clone, Debug)]
pub struct Difference {
    /// What differs.
    pub kind: Kind,
    /// In one line.
    pub text: String,
}

/// The greatest length of the text of a difference, in bytes.
const MAX_TEXT: usize = 1500;

pub(super) fn push(differences: &mut Vec<Difference>, kind: Kind, text: String) {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    differences.push(Difference { kind, text: text[..end].to_owned() });
}

/// Compares the calls as a multiset, and checks the orders that must hold.
pub(super) fn calls(phase: &str, table: &Table<'_>, trace: &Trace, differences: &mut Vec<Difference>) {
    for broken in &table.broken {
        push(differences, Kind::Broken, format!("{phase}: {broken}"));
    }
    for key in &table.unknown {
        push(differences, Kind::ExtraCall, format!("{phase}: the engine does not call {key}"));
    }
    for exchange in table.unused() {
        push(differences, Kind::MissingCall, format!("{phase}: the engine calls {}", exchange.key));
    }
    if table.answered.len() != trace.calls.len() {
        let text = format!("{phase}: {} calls were made, {} are in the trace", table.answered.len(), trace.calls.len());
        push(differences, Kind::Broken, text);
        return;
    }
    for (first, then) in table.broken_orders(trace) {
        let text = format!("{phase}: {} does not wait for {}", trace.describe(then), trace.describe(first));
        push(differences, Kind::Order, text);
    }
}

/// The parts of a plan: the member, its kind, and what is not compared if a recording does not have it.
const PARTS: [(&str, Kind, &str); 8] = [
    ("changes", Kind::Changes, "changes, which the recording does not have"),
    ("drift", Kind::Drift, "drift, which the recording does not have"),
    ("outputs", Kind::Outputs, "changes of outputs, which the recording does not have"),
    ("checks", Kind::Checks, "checks, which the recording does not have"),
    ("relevant", Kind::Relevant, "relevant attributes, which the recording does not have"),
    ("applyable", Kind::Flags, "whether a plan can be applied, which the recording does not have"),
    ("complete", Kind::Flags, "whether a plan is complete, which the recording does not have"),
    ("errored", Kind::Flags, "whether a plan failed, which the recording does not have"),
];

/// Why relevant attributes are not compared.
const NOT_REPORTED: &str = "relevant attributes, which the planner does not report";

/// Why the serial of a state is not compared.
const BY_SCHEDULE: &str = "whether the serial rises, which the schedule decides (U92)";

/// Compares the plan, its diagnostics and its exit status; returns what is not compared, and why.
pub(super) fn planned(recorded: &Recorded, planned: &Planned, differences: &mut Vec<Difference>) -> Vec<&'static str> {
    let mut not_compared = Vec::new();
    diagnostics("plan", recorded, &planned.diagnostics, differences);
    let want = recorded.want.member("plan").unwrap_or(&Json::Null);
    let workspace = &recorded.workspace;
    match (&planned.plan, want) {
        (None, Json::Null) => {}
        (Some(_), Json::Null) => push(differences, Kind::Plan, "the engine wrote no plan".into()),
        (None, _) => push(differences, Kind::Plan, "the engine wrote a plan".into()),
        (Some(plan), want) => match plan_json(plan, &workspace.schemas, workspace.dialect) {
            Err(error) => push(differences, Kind::Plan, format!("the plan cannot be shown: {error}")),
            Ok(found) => {
                for (name, kind, unrecorded) in PARTS {
                    let Some(want) = want.member(name) else {
                        not_compared.push(unrecorded);
                        continue;
                    };
                    if name == "relevant" && found.member(name).is_none() {
                        not_compared.push(NOT_REPORTED);
                        continue;
                    }
                    let sorted = |json: &Json| canonical(&Json::object([(name, json.clone())]));
                    let found = sorted(found.member(name).unwrap_or(&Json::Null));
                    part(name, kind, &sorted(want), &found, differences);
                }
            }
        },
    }
    exit("plan", recorded, Some(planned.exit()), differences);
    not_compared
}

/// The result of an apply, or of a command that writes a state without one.
pub(super) struct After<'a> {
    /// The diagnostics of the apply.
    pub(super) diagnostics: &'a [Diagnostic],
    /// Its exit status; `None` if nothing was applied.
    pub(super) exit: Option<i64>,
    /// The state afterwards; `None` if none was written.
    pub(super) state: Option<&'a State>,
    /// The calls of the apply.
    pub(super) trace: &'a Trace,
    /// How many changes of the plan are visited; some may turn out to be no change (U42).
    pub(super) visited: usize,
    /// How many of them drop data resources: without a call, but followed by a write of the state like any other (U55).
    pub(super) dropped: usize,
}

impl<'a> After<'a> {
    /// The result of an apply, or of its refusal.
    pub(super) fn of_apply(
        applied: Option<&'a Applied>,
        (refused, trace): (&'a [Diagnostic], &'a Trace),
        plan: Option<&Plan>,
    ) -> After<'a> {
        let visited = plan.map_or(0, |plan| plan.changes.iter().filter(|change| !change.is_empty()).count());
        let is_dropped = |change: &&AddressedChange| {
            change.action() == Action::Delete && change.addr.resource.mode == ResourceMode::Data
        };
        let dropped = plan.map_or(0, |plan| plan.changes.iter().filter(is_dropped).count());
        let refusal = (!refused.is_empty()).then_some(1);
        After {
            diagnostics: applied.map_or(refused, |applied| &applied.diagnostics),
            exit: applied.map(Applied::exit).or(refusal),
            state: applied.map(|applied| &applied.state),
            trace,
            visited,
            dropped,
        }
    }
}

/// Compares the result of the apply; returns what is not compared, and why.
pub(super) fn applied(
    recorded: &Recorded,
    result: &After<'_>,
    differences: &mut Vec<Difference>,
) -> Option<&'static str> {
    diagnostics("apply", recorded, result.diagnostics, differences);
    exit("apply", recorded, result.exit, differences);
    let before = without_identity(&recorded.state);
    let workspace = &recorded.workspace;
    let after = match result.state {
        None => Ok(before.clone()),
        Some(state) => state.to_json(&workspace.schemas, workspace.dialect),
    };
    let after = match after {
        Ok(after) => without_identity(&with_known_keys(&after, &recorded.state)),
        Err(error) => {
            push(differences, Kind::State, format!("the state cannot be written: {error}"));
            return None;
        }
    };
    let raised = rises(workspace.dialect.engine(), &before, &after, result);
    let want =
        without_identity(&with_known_keys(recorded.want.member("state").unwrap_or(&Json::Null), &recorded.state));
    part("state", Kind::State, &want, &after, differences);
    if let Some(raised) = raised
        && recorded.want.member("raised").is_some_and(|want| *want != Json::Bool(raised))
    {
        push(
            differences,
            Kind::Raised,
            format!("the serial of the engine's state {}", if raised { "stays" } else { "rises" }),
        );
    }
    raised.is_none().then_some(BY_SCHEDULE)
}

pub(super) fn without_identity(state: &Json) -> Json {
    let Json::Object(members) = canonical(state) else { return Json::Null };
    let is_kept = |name: &str| !["serial", "lineage", "terraform_version"].contains(&name);
    let is_empty = |name: &str, value: &Json| name == "check_results" && *value == Json::Null;
    Json::Object(members.into_iter().filter(|(name, value)| is_kept(name) && !is_empty(name, value)).collect())
}

fn exit(phase: &str, recorded: &Recorded, found: Option<i64>, differences: &mut Vec<Difference>) {
    let want = recorded.want.member("exit").and_then(|exit| exit.member(phase));
    let found = found.map(Json::int);
    if want != found.as_ref() {
        let text = |exit: Option<&Json>| exit.map_or("not at all".into(), Json::to_compact);
        let text = format!("{phase}: ends with {}, the engine with {}", text(found.as_ref()), text(want));
        push(differences, Kind::Exit, text);
    }
}

fn diagnostics(phase: &str, recorded: &Recorded, found: &[Diagnostic], differences: &mut Vec<Difference>) {
    let want = recorded.want.member("diagnostics").and_then(|all| all.member(phase));
    let want = want.and_then(|want| want.expect_array().ok()).unwrap_or_default();
    let mut want: Vec<String> = want.iter().map(recorded_diagnostic).collect();
    let known = |one: &Diagnostic| {
        let summary = summary_with_known_keys(&one.summary, &recorded.state);
        diagnostic_text(&Diagnostic { summary, ..one.clone() })
    };
    for found in found.iter().map(known) {
        match want.iter().position(|want| *want == found) {
            Some(index) => drop(want.swap_remove(index)),
            None => push(differences, Kind::Diagnostics, format!("{phase}: the engine does not report: {found}")),
        }
    }
    for missing in want {
        push(differences, Kind::Diagnostics, format!("{phase}: the engine reports: {missing}"));
    }
}

/// Reports the places in which two documents differ.
pub(super) fn part(path: &str, kind: Kind, want: &Json, found: &Json, differences: &mut Vec<Difference>) {
    let mut lines = Vec::new();
    descend(path, want, found, &mut lines);
    for line in lines {
        push(differences, kind, line);
    }
}

fn descend(path: &str, want: &Json, found: &Json, lines: &mut Vec<String>) {
    match (want, found) {
        _ if want == found => {}
        (Json::Object(a), Json::Object(b)) => {
            for (name, value) in a {
                match found.member(name) {
                    Some(other) => descend(&format!("{path}.{name}"), value, other, lines),
                    None => lines.push(format!("{path}.{name}: missing, the engine has {}", value.to_compact())),
                }
            }
            for (name, value) in b.iter().filter(|(name, _)| want.member(name).is_none()) {
                lines.push(format!("{path}.{name}: {}, the engine has none", value.to_compact()));
            }
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                descend(&format!("{path}[{index}]"), a, b, lines);
            }
        }
        (Json::Array(a), Json::Array(b)) => {
            // Each element is used up by one that equals it, so that one too many is a difference, too.
            let mut extra: Vec<&Json> = b.iter().collect();
            for item in a {
                match extra.iter().position(|other| *other == item) {
                    Some(at) => drop(extra.remove(at)),
                    None => lines.push(format!("{path}: missing, the engine has {}", item.to_compact())),
                }
            }
            lines.extend(extra.iter().map(|item| format!("{path}: the engine has no {}", item.to_compact())));
        }
        _ => lines.push(format!("{path}: {}, the engine has {}", found.to_compact(), want.to_compact())),
    }
}
