//! Conditions: how one is evaluated, how severe a false one is, and postconditions, which check the result of a visit.

use planfuzz_core::address::{AbsResourceInstance, InstanceKey};
use planfuzz_core::planner::summary;
use planfuzz_core::value::{Type, Value};
use planfuzz_language::check::{NameScope, RuleOf};
use planfuzz_language::config::{self, Written};
use planfuzz_workspace::{CheckKind, Diagnostic, Severity, Status};

use crate::evaluation::{EPHEMERAL, Evaluated, Marked, SENSITIVE};
use crate::marks;
use crate::phases::from_language;
use crate::values::{At, Repeated};
use crate::walk::{Purpose, Walk};

/// The result of a condition.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Whether it holds.
    pub status: Status,
    /// The message if it does not hold.
    pub message: Option<String>,
    /// Its diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// The result of a visit before its postconditions.
#[derive(Clone, Copy, Debug)]
pub struct VisitOutcome {
    /// Whether there was no error.
    pub is_fine: bool,
    /// Whether postconditions are checked.
    pub looks: bool,
}

fn references_to_self(rule: &config::Rule) -> usize {
    crate::layout::rule_references(rule).iter().filter(|reference| &*reference.root == "self").count()
}

impl Walk<'_, '_, '_> {
    /// Checks postconditions, and reports the status of a visit to the check table.
    pub fn hold_postconditions(
        &mut self,
        block: usize,
        address: &AbsResourceInstance,
        repeated: &Repeated,
        own: Option<Marked>,
        outcome: VisitOutcome,
        (mut status, mut failures): (Status, Vec<String>),
    ) -> bool {
        let of = &self.layout.blocks[block];
        let rules = &of.resource.lifecycle.postconditions;
        let VisitOutcome { mut is_fine, looks } = outcome;
        // The missing object is unknown in walks that plan nothing, and after a call that left nothing.
        let is_looked_for = is_fine && self.purpose.plans_nothing() || looks && self.purpose == Purpose::Apply;
        let is_nowhere = own.is_none() && is_looked_for;
        let own = own.or(is_nowhere.then(|| Value::unknown(Type::Dynamic).into()));
        let is_missed = is_nowhere && self.misses(address);
        match own {
            Some(own) if looks => {
                let severity = self.severity();
                let mut diagnostics = Vec::new();
                for rule in rules.iter().filter(|_| !fault!(PostconditionsPass)) {
                    let mut at = self.at(of.module, &address.module, repeated);
                    at.own = Some(own.clone());
                    let names = NameScope { own: Some(of.resource), ..NameScope::default() };
                    let judged = self.judge(rule, RuleOf::Resource, names, &at);
                    diagnostics.extend(judged.diagnostics);
                    // A missing element is reported wherever `self` is evaluated.
                    let missed = if is_missed { references_to_self(rule) } else { 0 };
                    if missed > 0 {
                        status = Status::Error;
                        diagnostics.extend(vec![Diagnostic::error("Invalid index"); missed]);
                        continue;
                    }
                    status = status.max(judged.status);
                    if judged.status == Status::Fail {
                        diagnostics.push(Diagnostic {
                            severity,
                            summary: summary::POSTCONDITION.into(),
                            address: None,
                        });
                        failures.extend(judged.message);
                    }
                }
                is_fine &= self.emit(diagnostics);
            }
            _ if !rules.is_empty() => status = status.max(Status::Unknown),
            _ => {}
        }
        let local = of.address.to_string();
        self.report(
            CheckKind::Resource,
            of.module,
            &local,
            &address.module,
            Some(&address.key),
            Some((status, failures)),
        );
        is_fine
    }

    /// Whether an instance that is not stored is a missing element: something is known of its resource. A single instance never is.
    fn misses(&self, address: &AbsResourceInstance) -> bool {
        let is_known = self.purpose == Purpose::Apply
            || self.layout.dialect.misses_elements_in_postconditions()
                && !self.values.is_open(&address.abs_resource())
                && !self.is_gap(address)
                && !self.had_old_object(address);
        address.key != InstanceKey::None && is_known
    }

    /// L183: whether an instance with a higher index is stored, so that this one is seen as an unknown gap.
    fn is_gap(&self, address: &AbsResourceInstance) -> bool {
        let InstanceKey::Int(own) = &address.key else { return false };
        let stored = self.state.resources.get(&address.abs_resource()).into_iter().flat_map(|of| &of.instances);
        let is_behind = |key: &InstanceKey| matches!(key, InstanceKey::Int(index) if index > own);
        stored.into_iter().any(|(key, instance)| !instance.is_absent() && is_behind(key))
    }

    /// E153: an instance with deposed objects alone is visible, too. Deposed objects are visited beside it, so the state before counts.
    pub fn had_old_object(&self, address: &AbsResourceInstance) -> bool {
        self.previous.instance(address).is_some_and(|instance| !instance.deposed.is_empty())
    }

    /// L30, E152 to E156: the severity of a false condition.
    pub fn severity(&self) -> Severity {
        match self.purpose {
            Purpose::Refresh | Purpose::Import | Purpose::BeforeDestroy => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// Evaluates a rule.
    pub fn judge(&self, rule: &config::Rule, of: RuleOf, names: NameScope<'_>, at: &At<'_, '_>) -> Judged {
        let faults = self.rule_faults(rule, of, names, at);
        let mut diagnostics = from_language(&faults.diagnostics);
        let message = self.part(&rule.error_message, faults.message, at);
        let condition = self.part(&rule.condition, faults.condition, at);
        match of {
            RuleOf::Variable => self.judge_validation(rule, (message, condition), diagnostics),
            _ => {
                let message = condition_message(message, &mut diagnostics);
                let status = outcome(condition, "Invalid condition result", &mut diagnostics);
                Judged { status, message, diagnostics }
            }
        }
    }

    /// E130: for a message that is not needed, only the diagnostics of its literal are reported.
    fn judge_validation(
        &self,
        rule: &config::Rule,
        (message, condition): (Option<Evaluated>, Option<Evaluated>),
        mut diagnostics: Vec<Diagnostic>,
    ) -> Judged {
        let message = match message {
            // JSON that cannot be evaluated is the message itself.
            Some(Err(_)) if is_json(&rule.error_message) => {
                diagnostics.push(Diagnostic::warning(NO_EXPRESSION));
                literal(&rule.error_message).map(|text| Marked::from(Value::string(&text)))
            }
            Some(Err(found)) => {
                diagnostics.extend(found);
                None
            }
            Some(Ok(value)) => Some(value),
            None => None,
        };
        let mut status = outcome(condition, "Invalid variable validation result", &mut diagnostics);
        let mut stored = None;
        if status == Status::Fail {
            let no_message = Some(NO_MESSAGE.to_owned());
            let text = message.as_ref().map(|value| (value, value.convert(&Type::String)));
            match text {
                Some((_, Some(text))) if text.value.is_unknown() => {
                    let dialect = self.layout.dialect;
                    if self.purpose == Purpose::Validate && dialect.waits_for_messages() {
                        return Judged { status: Status::Unknown, message: None, diagnostics };
                    }
                    diagnostics.push(Diagnostic::error("Invalid error message"));
                    if !dialect.fails_by_unknown_message() {
                        status = Status::Error;
                    }
                    return Judged { status, message: None, diagnostics };
                }
                Some((_, Some(text))) if text.value.is_null() => stored = no_message,
                Some((value, Some(text))) => match hides(value) {
                    Some(summary) => {
                        diagnostics.push(Diagnostic::error(summary));
                        stored = Some(NOT_DISPLAYED.to_owned());
                    }
                    None => stored = shown(&text).or(no_message),
                },
                Some((_, None)) => {
                    diagnostics.push(Diagnostic::error("Invalid error message"));
                    stored = no_message;
                }
                None => {}
            }
            diagnostics.push(Diagnostic::error("Invalid value for variable"));
        }
        Judged { status, message: stored, diagnostics }
    }
}

/// E159: the message of a condition, which is checked whether the condition holds or not.
fn condition_message(message: Option<Evaluated>, diagnostics: &mut Vec<Diagnostic>) -> Option<String> {
    let value = match message? {
        Ok(value) => value,
        Err(found) => {
            diagnostics.extend(found);
            return None;
        }
    };
    match value.convert(&Type::String) {
        Some(text) if text.value.is_unknown() => None,
        Some(text) if !text.value.is_null() => match hides(&value) {
            Some(summary) => {
                diagnostics.push(Diagnostic::warning(summary));
                None
            }
            None => shown(&text),
        },
        _ => {
            diagnostics.push(Diagnostic::error("Invalid error message"));
            None
        }
    }
}

/// E158: the status of a condition.
fn outcome(condition: Option<Evaluated>, no_condition: &str, diagnostics: &mut Vec<Diagnostic>) -> Status {
    // An error of the message or of references ends the judgement.
    let is_over = diagnostics.iter().any(Diagnostic::is_error);
    match condition {
        None if is_over => Status::Error,
        None => Status::Pass,
        Some(Err(found)) => {
            diagnostics.extend(found);
            Status::Error
        }
        Some(Ok(_)) if is_over => Status::Error,
        Some(Ok(value)) if value.value.is_unknown() => Status::Unknown,
        Some(Ok(value)) => match value.convert(&Type::Bool) {
            Some(value) if !value.value.is_null() => match value.value.view().as_bool() {
                Some(true) => Status::Pass,
                _ => Status::Fail,
            },
            _ => {
                diagnostics.push(Diagnostic::error(no_condition));
                Status::Error
            }
        },
    }
}

/// The error for a message that cannot be shown; `None` if it can.
fn hides(message: &Marked) -> Option<&'static str> {
    if marks::has(message, SENSITIVE) {
        return Some("Error message refers to sensitive values");
    }
    marks::has(message, EPHEMERAL).then_some("Error message refers to ephemeral values")
}

/// A message as it is stored; `None` if it is empty.
fn shown(message: &Marked) -> Option<String> {
    message.value.view().as_text().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The warning for a message that is JSON but no expression.
const NO_EXPRESSION: &str = "Validation error message expression is invalid";

/// The text that is stored for a validation whose message is sensitive.
const NOT_DISPLAYED: &str = "The error message included a sensitive value, so it will not be displayed.";

/// The text that is stored for a validation whose message is empty or failed.
const NO_MESSAGE: &str = "Failed to evaluate condition error message.";

fn is_json(expr: &Option<config::Expr>) -> bool {
    expr.as_ref().is_some_and(|expr| matches!(expr.written, Written::Json(_)))
}

/// The text of a JSON message.
fn literal(expr: &Option<config::Expr>) -> Option<String> {
    match &expr.as_ref()?.written {
        Written::Json(json) => json.as_str().map(|text| text.trim().to_owned()),
        Written::Native(_) => None,
    }
}
