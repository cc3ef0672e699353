//! Conditions: how one is judged, how bad a false one is, and those that look at what came of a visit.

use planfuzz_core::address::{AbsResourceInstance, InstanceKey};
use planfuzz_core::planner::summary;
use planfuzz_core::value::Type;
use planfuzz_language::check::{NameScope, RuleOf};
use planfuzz_language::config::{self, Written};
use planfuzz_workspace::{CheckKind, Diagnostic, Severity, Status};

use crate::evaluation::{EPHEMERAL, Marked, SENSITIVE};
use crate::marks;
use crate::phases::from_language;
use crate::values::{At, Repeated};
use crate::walk::{Purpose, Walk};

/// What came of a condition.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Whether it holds.
    pub status: Status,
    /// What is said where it does not.
    pub message: Option<String>,
    /// What is told besides.
    pub told: Vec<Diagnostic>,
}

/// What came of a visit before its postconditions.
#[derive(Clone, Copy, Debug)]
pub struct VisitOutcome {
    /// Whether there was no error.
    pub is_fine: bool,
    /// Whether postconditions are looked at.
    pub looks: bool,
}

impl Walk<'_, '_, '_> {
    /// Postconditions, and what the check table says of a visit.
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
        match own {
            Some(own) if looks => {
                let severity = self.severity();
                let mut told = Vec::new();
                for rule in rules.iter().filter(|_| !fault!(PostconditionsPass)) {
                    let mut at = self.at(of.module, &address.module, repeated);
                    at.own = Some(own.clone());
                    let names = NameScope { own: Some(of.resource), ..NameScope::default() };
                    let judged = self.judge(rule, RuleOf::Resource, names, &at);
                    status = status.max(judged.status);
                    told.extend(judged.told);
                    if judged.status == Status::Fail {
                        told.push(Diagnostic { severity, summary: summary::POSTCONDITION.into(), address: None });
                        failures.extend(judged.message);
                    }
                }
                is_fine &= self.tell(told);
            }
            // An element that is not there is told where `self` is evaluated; of a single one nothing is known.
            None if is_fine
                && self.layout.dialect.misses_elements_in_postconditions()
                && self.purpose.plans_nothing()
                && !self.values.is_open(&address.abs_resource())
                && address.key != InstanceKey::None
                && !self.is_gap(address)
                && !rules.is_empty() =>
            {
                let of_self = |rule: &&config::Rule| {
                    crate::layout::rule_references(rule).iter().any(|reference| &*reference.root == "self")
                };
                let count = rules.iter().filter(of_self).count();
                status = if count > 0 { Status::Error } else { status };
                is_fine &= self.tell(vec![Diagnostic::error("Invalid index"); count]);
            }
            None if looks
                && self.purpose == Purpose::Apply
                && address.key != InstanceKey::None
                && !rules.is_empty() =>
            {
                status = Status::Error;
                self.tell(rules.iter().map(|_| Diagnostic::error("Invalid index")).collect());
                is_fine = false;
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

    /// L183: whether another instance is stored behind this one, so that something is seen of it, if nothing that is known.
    fn is_gap(&self, address: &AbsResourceInstance) -> bool {
        let InstanceKey::Int(own) = &address.key else { return false };
        let stored = self.state.resources.get(&address.abs_resource()).into_iter().flat_map(|of| &of.instances);
        let is_behind = |key: &InstanceKey| matches!(key, InstanceKey::Int(index) if index > own);
        stored.into_iter().any(|(key, instance)| instance.current.is_some() && is_behind(key))
    }

    /// L30, E152 to E156: how bad a false condition is.
    pub fn severity(&self) -> Severity {
        match self.purpose {
            Purpose::Refresh | Purpose::Import | Purpose::BeforeDestroy => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// E157 to E159.
    pub fn judge(&self, rule: &config::Rule, of: RuleOf, names: NameScope<'_>, at: &At<'_, '_>) -> Judged {
        let faults = self.rule_faults(rule, of, names, at);
        let mut told = from_language(&faults.told);
        let mut message = None;
        if let Some(evaluated) = self.part(&rule.error_message, faults.message, at) {
            match evaluated {
                // E130: JSON that cannot be evaluated is the message itself.
                Err(_) if of == RuleOf::Variable && is_json(&rule.error_message) => {
                    told.push(Diagnostic::warning(NO_EXPRESSION));
                    message = literal(&rule.error_message);
                }
                Err(found) => told.extend(found),
                Ok(value) => {
                    let is_hidden = marks::has(&value, SENSITIVE) || marks::has(&value, EPHEMERAL);
                    match value.convert(&Type::String) {
                        Some(text) if text.value.is_unknown() => {}
                        Some(_) if is_hidden => {
                            told.push(Diagnostic::warning("Error message refers to sensitive values"))
                        }
                        Some(text) if !text.value.is_null() => {
                            message = text.value.view().as_text().map(|text| text.trim().to_owned());
                        }
                        // E130
                        Some(_) if of == RuleOf::Variable => message = Some(NO_MESSAGE.to_owned()),
                        _ => told.push(Diagnostic::error("Invalid error message")),
                    }
                }
            }
        }
        let condition = self.part(&rule.condition, faults.condition, at);
        let status = match condition {
            None if faults.told.is_empty() => Status::Pass,
            None => Status::Error,
            Some(Err(found)) => {
                told.extend(found);
                Status::Error
            }
            // A message that cannot be told ends the judgement.
            Some(Ok(_)) if told.iter().any(Diagnostic::is_error) => Status::Error,
            Some(Ok(value)) => match value.convert(&Type::Bool) {
                Some(value) if value.value.is_unknown() => Status::Unknown,
                Some(value) if !value.value.is_null() => match value.value.view().as_bool() {
                    Some(true) => Status::Pass,
                    _ => Status::Fail,
                },
                _ => {
                    told.push(Diagnostic::error("Invalid condition result"));
                    Status::Error
                }
            },
        };
        // What hides a message matters only where there is something to say.
        if status != Status::Fail {
            told.retain(|one| one.is_error() || one.summary == NO_EXPRESSION);
        }
        Judged { status, message, told }
    }
}

/// What is warned of a message that is JSON and no expression.
const NO_EXPRESSION: &str = "Validation error message expression is invalid";

/// What a variable says whose message is null.
const NO_MESSAGE: &str = "Failed to evaluate condition error message.";

fn is_json(expr: &Option<config::Expr>) -> bool {
    expr.as_ref().is_some_and(|expr| matches!(expr.written, Written::Json(_)))
}

/// The text that JSON has.
fn literal(expr: &Option<config::Expr>) -> Option<String> {
    match &expr.as_ref()?.written {
        Written::Json(json) => json.as_str().map(|text| text.trim().to_owned()),
        Written::Native(_) => None,
    }
}
