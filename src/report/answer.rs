//! Renders answers: one alone, or two with their differences marked.

use planfuzz_core::json::Json;
use planfuzz_core::planner::Request;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Type, Value};

use super::columns::side_by_side;
use super::line::{Line, Tone};
use super::transcript::Transcript;
use super::workspace;
use super::write::{change, value};
use crate::case::{Call, Case, Op, ProviderCall, Task};
use crate::subject::{Outcome, want_of};

/// How much of a change is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Unchanged parts too.
    Full,
    /// Unchanged parts are only counted.
    Changes,
}

/// A subject's answer to an operation of a case. Values are rendered as changes where the operation changes one.
pub fn answer(case: &Case, op: Op, outcome: &Outcome, detail: Detail) -> Vec<Line> {
    render(case, op, outcome, Some(detail))
}

/// An answer as a change with this detail; `None` renders it as it is.
fn render(case: &Case, op: Op, outcome: &Outcome, detail: Option<Detail>) -> Vec<Line> {
    let call = match &case.task {
        Task::Merge(merge) => merge.call(op, case.dialect).map(Call::Merge),
        Task::Call(call) => Some(call.clone()),
    };
    match (outcome, &call) {
        (Outcome::Value(after), Some(Call::Merge(call))) => of_request(call.schema(), call.request(), after, detail),
        (Outcome::Value(after), _) => vec![Line::of(Tone::Plain, after.to_json(&Type::Dynamic).to_compact())],
        (Outcome::Paths(paths), call) => of_paths(paths, matches!(call, Some(Call::Merge(_)))),
        (Outcome::Want(json), Some(Call::Provider(call))) => of_provider(call, json, case, detail),
        (Outcome::Want(json), _) => vec![Line::of(Tone::Plain, json.to_compact())],
        (Outcome::Workspace(answer), _) => workspace::answer(answer),
        (Outcome::Trace(trace), Some(Call::Scenario(scenario))) => {
            Transcript::new(&scenario.schema, case.dialect).run(scenario, trace)
        }
        (Outcome::Trace(_), call) => {
            let want = call.as_ref().and_then(|call| want_of(call, outcome, case.dialect));
            vec![Line::of(Tone::Plain, want.map_or_else(String::new, |want| want.to_compact()))]
        }
        (Outcome::Refused(message), _) => vec![Line::of(Tone::Change, format!("refused: {message}"))],
        (Outcome::Crashed { .. } | Outcome::OverBudget { .. }, _) => vec![Line::of(Tone::Bad, outcome.in_words())],
        (Outcome::LeftOut(_), _) => vec![Line::of(Tone::Dim, outcome.in_words())],
    }
}

/// The answer of a provider: the object, as a change of the first of its inputs, and the other members.
fn of_provider(call: &ProviderCall, want: &Json, case: &Case, detail: Option<Detail>) -> Vec<Line> {
    let ty = call.declared_type(case.dialect);
    let written = ["planned", "value", "new_state"].into_iter().find_map(|name| want.member(name));
    let answer = written.and_then(|json| Value::from_json(json, &ty).ok());
    let (Some(provider), Some(answer)) = (call.provider(), answer) else {
        return vec![Line::of(Tone::Plain, want.to_compact())];
    };
    let mut lines = match (call.values().first(), detail) {
        (Some((_, before)), Some(detail)) => change(&provider.schema, before, &answer, detail),
        _ => value(&provider.schema, &answer),
    };
    if want.member("error") == Some(&Json::Bool(true)) {
        lines.push(Line::of(Tone::Change, "with an error"));
    }
    if let Some(Json::Array(paths)) = want.member("requires_replace") {
        let paths = paths.iter().filter_map(|path| path.expect_string().ok());
        lines.extend(paths.map(|path| Line::of(Tone::Change, format!("requires replacement: {path}"))));
    }
    lines
}

fn of_request(schema: &Schema, request: Request<'_>, after: &Value, detail: Option<Detail>) -> Vec<Line> {
    let before = match request {
        Request::ProposedNew { prior, config: _ } => Some(prior),
        Request::NormalizeLegacy { value } | Request::PrepareComputedBlocks { value } => Some(value),
        _ => None,
    };
    match (before, detail) {
        (Some(before), Some(detail)) => change(schema, before, after, detail),
        _ => value(schema, after),
    }
}

/// Paths, repetitions counted.
fn of_paths(paths: &[String], violations: bool) -> Vec<Line> {
    if paths.is_empty() {
        let text = if violations { "no violation" } else { "no path" };
        return vec![Line::of(Tone::Good, text)];
    }
    let sign = if violations { "violation at " } else { "" };
    let runs = paths.chunk_by(|a, b| a == b);
    runs.map(|run| {
        let path = if run[0].is_empty() { "the root" } else { run[0].as_str() };
        let line = Line::of(if violations { Tone::Change } else { Tone::Plain }, format!("{sign}{path}"));
        if run.len() == 1 { line } else { line.with(Tone::Dim, format!("  ({} times)", run.len())) }
    })
    .collect()
}

/// Two answers to an operation as they are, side by side or one below the other, with differing lines marked. If the renderings
/// are equal but the answers are not, the answers follow as they are written in files.
pub fn compare(case: &Case, op: Op, first: (&str, &Outcome), second: (&str, &Outcome), width: usize) -> Vec<Line> {
    let left = render(case, op, first.1, None);
    let right = render(case, op, second.1, None);
    let mut lines = side_by_side((first.0, &left), (second.0, &right), width);
    if left == right {
        let [one, other] = [first, second].map(|(name, outcome)| (name, written(case, op, outcome)));
        if one.1 != other.1 {
            lines.push(Line::of(Tone::Bad, "The difference does not show in this notation; as written in files:"));
            lines.extend([one, other].map(|(name, text)| Line::of(Tone::Plain, format!("{name}: {text}"))));
        }
    }
    lines
}

fn written(case: &Case, op: Op, outcome: &Outcome) -> String {
    let narrowed = case.narrowed_to(op).map(|case| case.task);
    let Some(Task::Call(call)) = narrowed else { return outcome.in_words() };
    want_of(&call, outcome, case.dialect).map_or_else(|| outcome.in_words(), |want| want.to_compact())
}

#[cfg(test)]
mod tests {
    use super::super::line::plain;
    use super::*;
    use crate::case::CaseFile;

    const CASE: &str = r#"{"format": 1, "dialect": "terraform-1.11", "op": "proposed_new",
        "schema": {"block": {"attributes": {"a": {"type": "string", "optional": true}}}},
        "prior": {"a": "x"}, "config": {"a": "y"}}"#;

    fn case() -> Case {
        CaseFile::from_json(&Json::parse(CASE).unwrap()).unwrap().case
    }

    fn object(a: &str) -> Outcome {
        Outcome::Value(Value::object(vec![("a".into(), Value::string(a))]))
    }

    #[test]
    fn violations_are_listed_with_repetitions_counted() {
        let of = |paths: &[&str]| {
            let paths = paths.iter().map(|path| (*path).to_owned()).collect();
            plain(&answer(&case(), Op::ProposedNew, &Outcome::Paths(paths), Detail::Full))
        };
        assert_eq!(of(&[]), "no violation\n");
        assert_eq!(of(&["", ".a", ".a"]), "violation at the root\nviolation at .a  (2 times)\n");
    }

    #[test]
    fn answers_that_differ_are_marked() {
        let (first, second) = (object("y"), Outcome::Refused("no".to_owned()));
        let text = plain(&compare(&case(), Op::ProposedNew, ("one", &first), ("two", &second), 100));
        assert_eq!(text, "one       two\na = \"y\" ! refused: no\n");
    }

    #[test]
    fn a_difference_that_is_cut_away_is_shown_all_the_same() {
        let long = "x".repeat(100);
        let (first, second) = (object(&format!("{long}1")), object(&format!("{long}2")));
        let text = plain(&compare(&case(), Op::ProposedNew, ("one", &first), ("two", &second), 100));
        assert!(text.contains("does not show in this notation"), "{text}");
        assert!(text.contains("x1\"") && text.contains("x2\""), "{text}");
        let same = plain(&compare(&case(), Op::ProposedNew, ("one", &first), ("two", &first), 100));
        assert!(!same.contains("does not show"), "{same}");
    }
}
