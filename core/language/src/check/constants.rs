//! Checks of values that are known before anything is planned (E77, E78, E100, E101, E127, E130).

use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Node, Type, Value};

use super::values::Values;
use crate::config::{Output, Rule, Variable, Written};
use crate::diagnostic::{Diagnostic, Severity};
use crate::expression::{EPHEMERAL, Marked, SENSITIVE};

/// The diagnostic of an invalid count (E101).
pub(super) fn count_problem(count: &Marked, written: &Written) -> Option<Diagnostic> {
    let invalid = |detail: &str| Some(Diagnostic::error("Invalid count argument", detail, written.start()));
    if count.marks.own.has(EPHEMERAL) {
        return invalid(
            "The given \"count\" argument value is ephemeral: how many instances there are has to be kept.",
        );
    }
    let Ok(number) = convert(&count.value, &Type::Number) else {
        let detail = "Invalid expression value: a number is required.";
        return Some(Diagnostic::error("Incorrect value type", detail, written.start()));
    };
    if number.is_unknown() {
        return None;
    }
    let Some(number) = number.view().as_number().cloned() else {
        return invalid("The given \"count\" argument value is null. An integer is required.");
    };
    match number.to_i64() {
        Some(0..) => None,
        _ if number.is_whole() => invalid("The given \"count\" argument value is unsuitable: it is out of range."),
        _ => invalid("The given \"count\" argument value is unsuitable: a whole number is required."),
    }
}

/// The diagnostic of an invalid `for_each` (E100, E77, E78).
pub(super) fn for_each_problem(each: &Marked, written: &Written) -> Option<Diagnostic> {
    let problem = |summary: &str, detail: &str| {
        let detail = format!("The given \"for_each\" argument value is unsuitable: {detail}.");
        Some(Diagnostic::error(summary, detail, written.start()))
    };
    const INVALID: &str = "Invalid for_each argument";
    const INVALID_SET: &str = "Invalid for_each set argument";
    if each.marks.own.has(SENSITIVE) || each.marks.own.has(EPHEMERAL) {
        return problem(INVALID, "keys of instances are shown and kept, so it must be neither sensitive nor ephemeral");
    }
    if each.value.is_null() {
        return problem(INVALID, "it is null");
    }
    let element = match each.ty() {
        Type::Dynamic | Type::Map(_) | Type::Object(_) => return None,
        Type::Set(element) => element,
        _ => return problem(INVALID, "it must be a map, or set of strings"),
    };
    let parts = if each.value.is_unknown() { &[] } else { each.value.node().parts() };
    if parts.iter().any(|part| matches!(part, Node::Null)) {
        return problem(INVALID_SET, "a set must not hold null");
    }
    if !parts.is_empty() && !matches!(**element, Type::String | Type::Dynamic) {
        return problem(INVALID_SET, "a set must hold strings alone");
    }
    None
}

/// The diagnostic of an output's value (E77, E78).
pub(super) fn output_problem(output: &Output, value: &Marked, written: &Written, is_root: bool) -> Option<Diagnostic> {
    let is = |flag: &Option<crate::config::Constant<bool>>| flag.as_ref().is_some_and(|flag| flag.value);
    let problem = |summary: &str, detail: &str| Some(Diagnostic::error(summary, detail, written.place()));
    let marks = value.marks.all();
    match (is(&output.ephemeral), marks.has(EPHEMERAL)) {
        (true, _) if is_root => return None,
        // A whole with an ephemeral part is not ephemeral itself.
        (true, _) if !value.marks.own.has(EPHEMERAL) => {
            return problem("Value not allowed in ephemeral output", "The value is not ephemeral.");
        }
        (false, true) => return ephemeral_problem(value, written),
        _ => {}
    }
    if is_root && marks.has(SENSITIVE) && !is(&output.sensitive) {
        return problem("Output refers to sensitive values", "The output has to be declared sensitive.");
    }
    None
}

/// The diagnostic of an ephemeral value that would be kept (E78).
pub(super) fn ephemeral_problem(value: &Marked, written: &Written) -> Option<Diagnostic> {
    let detail = "Values that are ephemeral cannot be kept.";
    let is_ephemeral = value.marks.all().has(EPHEMERAL);
    is_ephemeral.then(|| Diagnostic::error("Ephemeral value not allowed", detail, written.place()))
}

/// Checks a precondition of an output; its message is evaluated first (E130, E157).
pub(super) fn rule_problems(rule: &Rule, values: &Values<'_>, summary: &str, diagnostics: &mut Vec<Diagnostic>) {
    let (Some(condition), Some(message)) = (&rule.condition, &rule.error_message) else { return };
    let Some(text) = values.of(&message.written, diagnostics) else { return };
    if text.value.is_null() || convert(&text.value, &Type::String).is_err() {
        let place = message.written.place();
        diagnostics.push(Diagnostic::error("Invalid error message", "The message has to be a text.", place));
        return;
    }
    let marks = text.marks.all();
    let hidden = [(SENSITIVE, "sensitive"), (EPHEMERAL, "ephemeral")].into_iter().find(|(mark, _)| marks.has(*mark));
    if let Some((_, values)) = hidden {
        let summary = format!("Error message refers to {values} values");
        let detail = format!("The message is not shown, as it refers to {values} values.");
        diagnostics.push(Diagnostic::warning(summary, detail, message.written.place()));
    }
    let Some(value) = values.of(&condition.written, diagnostics) else { return };
    let place = condition.written.place();
    match holds(&value.value) {
        None => {
            let detail = "The condition has to be true or false.";
            diagnostics.push(Diagnostic::error("Invalid condition result", detail, place));
        }
        Some(false) => diagnostics.push(Diagnostic::error(summary, "The condition does not hold.", place)),
        Some(true) => {}
    }
}

/// Whether a condition holds; an unknown one does, and `None` means that it is no condition.
fn holds(condition: &Value) -> Option<bool> {
    if condition.is_unknown() {
        return Some(true);
    }
    let condition = convert(condition, &Type::Bool).ok().filter(|condition| !condition.is_null())?;
    Some(condition.view().as_bool() == Some(true))
}

/// The diagnostic of a value that a call passes to a variable: constants are checked by the validations (E127).
pub(super) fn input_problem(
    variable: &Variable,
    child: &Values<'_>,
    value: &Marked,
    written: &Written,
) -> Option<Diagnostic> {
    if variable.ephemeral.as_ref().is_none_or(|flag| !flag.value)
        && let Some(problem) = ephemeral_problem(value, written)
    {
        return Some(problem);
    }
    let value = value.convert(&variable.ty.ty().strip_optional())?;
    let within = child.with_variable(&variable.name.text, &value);
    let fails = |rule: &Rule| {
        let condition = within.of(&rule.condition.as_ref()?.written, &mut Vec::new())?;
        let holds = holds(&condition.value).filter(|holds| !holds)?;
        // E130: a failed validation whose message is unknown is not reported.
        let message = rule.error_message.as_ref().and_then(|message| within.of(&message.written, &mut Vec::new()));
        message.is_none_or(|message| !message.value.is_unknown()).then_some(holds)
    };
    if !value.value.is_wholly_known() || variable.validations.iter().find_map(fails).is_none() {
        return None;
    }
    let detail = "The value does not hold to a validation of the variable.";
    Some(Diagnostic::error("Invalid value for variable", detail, written.place()))
}

/// The warning of a message in JSON whose template cannot be evaluated; its text is used as it is (E130).
pub(super) fn message_warning(rule: &Rule, values: &Values<'_>) -> Option<Diagnostic> {
    let message = rule.error_message.as_ref().filter(|message| matches!(message.written, Written::Json(_)))?;
    let mut faults = Vec::new();
    values.of(&message.written, &mut faults);
    let fault = faults.pop()?;
    let warning =
        Diagnostic::error("Validation error message expression is invalid", fault.detail, message.written.place());
    Some(Diagnostic { severity: Severity::Warning, ..warning })
}
