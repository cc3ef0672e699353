//! Conditions: how one is judged, how bad a false one is, and those that look at what came of a visit.

use planfuzz_core::address::{AbsResourceInstance, InstanceKey};
use planfuzz_core::planner::summary;
use planfuzz_core::value::Type;
use planfuzz_language::config;
use planfuzz_workspace::{CheckKind, Diagnostic, Severity, Status};

use crate::evaluation::{EPHEMERAL, Marked, SENSITIVE};
use crate::marks;
use crate::walk::{Purpose, Walk};
use crate::world::{At, Repeated};

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
pub struct Came {
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
        came: Came,
        (mut status, mut failures): (Status, Vec<String>),
    ) -> bool {
        let of = &self.layout.blocks[block];
        let rules = &of.resource.lifecycle.postconditions;
        let Came { mut is_fine, looks } = came;
        match own {
            Some(own) if looks => {
                let severity = self.severity();
                let mut told = Vec::new();
                for rule in rules.iter().filter(|_| !fault!(PostconditionsPass)) {
                    let mut at = self.at(of.module, &address.module, repeated);
                    at.own = Some(own.clone());
                    let judged = self.judge(rule, &at);
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
                && !self.world.is_open(&address.abs_resource())
                && address.key != InstanceKey::None
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

    /// L30, E152 to E156: how bad a false condition is.
    pub fn severity(&self) -> Severity {
        match self.purpose {
            Purpose::Refresh | Purpose::Import | Purpose::BeforeDestroy => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// E157 to E159.
    pub fn judge(&self, rule: &config::Rule, at: &At<'_, '_>) -> Judged {
        let mut told = Vec::new();
        let mut message = None;
        if let Some(written) = &rule.error_message {
            match self.evaluation().written(&written.written, at) {
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
                        _ => told.push(Diagnostic::error("Invalid error message")),
                    }
                }
            }
        }
        let condition = rule.condition.as_ref().map(|written| self.evaluation().written(&written.written, at));
        let status = match condition {
            None => Status::Pass,
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
            told.retain(Diagnostic::is_error);
        }
        Judged { status, message, told }
    }
}
