//! Features of expressions: forms, operators, functions, the values in scope, and outcomes. Their rows are counted in shares of
//! expressions.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use planfuzz_core::value::Type;
use planfuzz_language::SourcePlace;
use planfuzz_language::expression::notation::{ExpressionOutcome, sensitive};
use planfuzz_language::expression::{BinaryOperator, Expression, Kind, Marked, UnaryOperator, parse};

use crate::case::ExpressionCall;
use crate::generate::expressions::functions;

/// The forms, the operators among them.
const FORMS: [&str; 34] = [
    "literal",
    "template",
    "template_join",
    "heredoc",
    "name",
    "variable",
    "attribute",
    "index",
    "splat",
    "negate",
    "not",
    "or",
    "and",
    "equal",
    "not_equal",
    "less",
    "less_or_equal",
    "greater",
    "greater_or_equal",
    "add",
    "subtract",
    "multiply",
    "divide",
    "modulo",
    "conditional",
    "call",
    "spread",
    "tuple",
    "object",
    "for_tuple",
    "for_object",
    "for_grouped",
    "for_condition",
    "unparsable",
];

/// The properties of a value in scope.
const SCOPE: [&str; 9] =
    ["null", "unknown", "unknown_type", "refined", "partly_unknown", "sensitive", "partly_sensitive", "empty", "none"];

/// The outcomes of an expression.
const OUTCOMES: [&str; 6] = ["known", "unknown", "null", "sensitive", "error", "several_errors"];

/// All rows, in a fixed order.
pub(super) static ROWS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let named = |of: &str, names: &[&str]| names.iter().map(|name| row(of, name)).collect::<Vec<_>>();
    let functions = functions();
    let mut rows = named("form", &FORMS);
    rows.extend(functions.iter().map(|name| row("function", name)));
    rows.extend(functions.iter().map(|name| row("function_in_a_value", name)));
    rows.extend(named("scope", &SCOPE));
    rows.extend(named("outcome", &OUTCOMES));
    rows
});

static PLACES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| ROWS.iter().map(String::as_str).collect());

/// Whether the table has the row.
pub(super) fn is_row(row: &str) -> bool {
    PLACES.contains(row)
}

fn row(of: &str, name: &str) -> String {
    format!("expression.{of}.{name}")
}

/// The least share of expressions that must have a row: about half of what was measured.
pub(super) fn floor(row: &str) -> f64 {
    match row.split('.').collect::<Vec<_>>().as_slice() {
        // The kinds of a signature are rarely wanted, and arguments that do not fit make most calls errors.
        [_, "function_in_a_value", _] => 0.0002,
        [_, "function", _] => 0.0015,
        [_, "form", "unparsable"] => 0.0003,
        [_, "form", "spread" | "heredoc" | "less" | "less_or_equal" | "greater" | "greater_or_equal"] => 0.004,
        [_, "form", "for_grouped" | "modulo" | "divide" | "negate"] => 0.004,
        [_, "form", _] => 0.006,
        [_, "scope", "none"] => 0.1,
        [_, "scope", "unknown_type"] => 0.002,
        [_, "scope", _] => 0.015,
        [_, "outcome", "several_errors" | "null"] => 0.004,
        _ => 0.02,
    }
}

/// The rows that an expression has.
pub(super) fn rows_of(call: &ExpressionCall) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    match parse(&call.expression, SourcePlace::default()) {
        Ok(tree) => forms(&tree, &call.expression, &mut found),
        Err(_) => _ = found.insert(row("form", "unparsable")),
    }
    call.scope.iter().for_each(|(_, value)| of_scope(value, &mut found));
    if call.scope.iter().next().is_none() {
        found.insert(row("scope", "none"));
    }
    found
}

/// The rows of an expression's outcome.
pub(super) fn rows_of_outcome(call: &ExpressionCall, outcome: &ExpressionOutcome) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    match outcome {
        Err(summaries) => {
            found.insert(row("outcome", "error"));
            if summaries.len() > 1 {
                found.insert(row("outcome", "several_errors"));
            }
        }
        Ok(value) => {
            let name = match &value.value {
                value if value.is_null() => "null",
                value if value.is_wholly_known() => "known",
                _ => "unknown",
            };
            found.insert(row("outcome", name));
            if !sensitive(value).is_empty() {
                found.insert(row("outcome", "sensitive"));
            }
            let all = rows_of(call);
            let calls = all.iter().filter_map(|row| row.strip_prefix("expression.function."));
            found.extend(calls.map(|name| row("function_in_a_value", name)));
        }
    }
    found
}

fn forms(tree: &Expression, text: &str, found: &mut BTreeSet<String>) {
    let mut waiting = vec![tree];
    while let Some(node) = waiting.pop() {
        waiting.extend(node.children());
        let starts = text.get(node.place.span.start as usize..).unwrap_or_default();
        for name in names(&node.kind, starts) {
            found.insert(row("form", name));
        }
        if let Kind::Call(name, ..) = &node.kind {
            let row = row("function", name.as_str());
            if is_row(&row) {
                found.insert(row);
            }
        }
    }
}

fn names(kind: &Kind, starts: &str) -> Vec<&'static str> {
    match kind {
        Kind::Literal(_) => vec!["literal"],
        Kind::Template(_) if starts.starts_with("<<") => vec!["template", "heredoc"],
        Kind::Template(_) => vec!["template"],
        Kind::Join(_) => vec!["template_join"],
        Kind::Root(_) => vec!["name"],
        Kind::Slot(_) => vec!["variable"],
        Kind::Attribute(..) => vec!["attribute"],
        Kind::Index(..) => vec!["index"],
        Kind::Splat(..) => vec!["splat"],
        Kind::Unary(UnaryOperator::Negate, _) => vec!["negate"],
        Kind::Unary(UnaryOperator::Not, _) => vec!["not"],
        Kind::Binary(operator, ..) => vec![operator_name(*operator)],
        Kind::Conditional(_) => vec!["conditional"],
        Kind::Call(_, _, true) => vec!["call", "spread"],
        Kind::Call(..) => vec!["call"],
        Kind::Tuple(_) => vec!["tuple"],
        Kind::Object(_) => vec!["object"],
        Kind::For(each) => {
            let made = if each.key.is_some() { "for_object" } else { "for_tuple" };
            let others = [(each.grouped, "for_grouped"), (each.condition.is_some(), "for_condition")];
            [made].into_iter().chain(others.into_iter().filter(|(is, _)| *is).map(|(_, name)| name)).collect()
        }
        Kind::Parentheses(_) => Vec::new(),
    }
}

fn operator_name(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Or => "or",
        BinaryOperator::And => "and",
        BinaryOperator::Equal => "equal",
        BinaryOperator::NotEqual => "not_equal",
        BinaryOperator::Less => "less",
        BinaryOperator::LessOrEqual => "less_or_equal",
        BinaryOperator::Greater => "greater",
        BinaryOperator::GreaterOrEqual => "greater_or_equal",
        BinaryOperator::Add => "add",
        BinaryOperator::Subtract => "subtract",
        BinaryOperator::Multiply => "multiply",
        BinaryOperator::Divide => "divide",
        BinaryOperator::Modulo => "modulo",
    }
}

fn of_scope(value: &Marked, found: &mut BTreeSet<String>) {
    let mut mark = |name: &str, is: bool| {
        if is {
            found.insert(row("scope", name));
        }
    };
    let is_unknown = value.value.is_unknown();
    let marks = sensitive(value);
    let is_whole = marks.iter().any(|path| path.is_root());
    mark("null", value.value.is_null());
    mark("unknown", is_unknown);
    mark("unknown_type", is_unknown && *value.ty() == Type::Dynamic);
    mark("refined", is_unknown && matches!(value.value.node(), planfuzz_core::value::Node::Unknown(Some(_))));
    mark("partly_unknown", !is_unknown && !value.value.is_wholly_known());
    mark("sensitive", is_whole);
    mark("partly_sensitive", !marks.is_empty() && !is_whole);
    let can_be_empty = matches!(value.ty(), Type::List(_) | Type::Set(_) | Type::Map(_));
    mark("empty", can_be_empty && !is_unknown && !value.value.is_null() && value.parts().is_empty());
}
