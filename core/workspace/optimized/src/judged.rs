//! Conditions and checks: how one is evaluated, and its entry in the table of checks (section 13 of the language, G153, G154).

use std::collections::BTreeMap;

use planfuzz_core::address::{AbsResourceInstance, InstanceKey};
use planfuzz_core::planner::summary;
use planfuzz_core::value::{Type, Value};
use planfuzz_language::check::UNKNOWN_VARIABLE;
use planfuzz_language::expression::{EPHEMERAL, Marked, SENSITIVE};
use planfuzz_language_compiled::Slots;
use planfuzz_workspace::{CheckEntry, CheckKind, CheckObject, CheckTable, Diagnostic, Severity, Status};

use crate::marks;
use crate::model::{Model, Rule};
use crate::scene::Scene;
use crate::scope::Repeated;
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

/// The visit whose postconditions are checked.
pub struct Visit<'a> {
    /// The block.
    pub block: usize,
    /// The module instance.
    pub inst: usize,
    /// The instance.
    pub address: &'a AbsResourceInstance,
    /// Its `count` and `each`.
    pub repeated: &'a Repeated,
    /// Whether it is seen as unknown without a current object (L183, E153).
    pub is_seen: bool,
}

/// The results of the conditions of an instance.
pub struct ConditionResults {
    /// The diagnostics of its postconditions.
    pub diagnostics: Vec<Diagnostic>,
    /// The status of all of them, and the messages of failed ones.
    pub status: (Status, Vec<String>),
}

impl Scene<'_, '_> {
    /// L30, E152 to E156: the severity of a false condition.
    pub fn severity(&self) -> Severity {
        match self.purpose {
            Purpose::Refresh | Purpose::Import | Purpose::BeforeDestroy => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// The results of the conditions of an instance, given filled slots for all needs of its postconditions, if they are checked.
    pub fn held(
        &self,
        slots: &mut Slots,
        visit: &Visit<'_>,
        own: Option<Marked>,
        [is_fine, looks, is_open]: [bool; 3],
        (mut status, mut failures): (Status, Vec<String>),
    ) -> ConditionResults {
        let of = &self.model.blocks[visit.block];
        let rules = &of.postconditions;
        let has_key = visit.address.key != InstanceKey::None;
        let mut diagnostics = Vec::new();
        // A missing object is unknown in walks that plan nothing, and after a call that left nothing; a missing element is reported
        // wherever `self` is evaluated.
        let is_applied = self.purpose == Purpose::Apply;
        let is_looked_for = if is_applied { looks } else { is_fine && self.purpose.only_looks() };
        let is_nowhere = own.is_none() && is_looked_for;
        let misses_elements = self.model.dialect.misses_elements_in_postconditions() && !is_open;
        let is_missed = is_nowhere && has_key && !visit.is_seen && (is_applied || misses_elements);
        match own.or(is_nowhere.then(|| Value::unknown(Type::Dynamic).into())) {
            Some(own) if looks => {
                let slot = self.model.modules[of.module].lexica.own;
                let severity = self.severity();
                visit.repeated.put(slots, &self.model.modules[of.module].lexica);
                for rule in rules {
                    slots.set(slot, own.clone());
                    let judged = judged(rule, slots);
                    diagnostics.extend(judged.diagnostics);
                    if is_missed && rule.of_self > 0 {
                        status = Status::Error;
                        diagnostics.extend(vec![Diagnostic::error("Invalid index"); rule.of_self]);
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
            }
            _ if !rules.is_empty() => status = status.max(Status::Unknown),
            _ => {}
        }
        ConditionResults { diagnostics, status: (status, failures) }
    }
}

/// The warning for a message that is JSON but no expression.
const NO_EXPRESSION: &str = "Validation error message expression is invalid";

/// The error for a message that is no text.
const NO_TEXT: &str = "Invalid error message";

/// The text that is stored for a validation whose message is empty or failed.
const FAILED_MESSAGE: &str = "Failed to evaluate condition error message.";

/// The text that is stored for a validation whose message is sensitive.
const HIDDEN: &str = "The error message included a sensitive value, so it will not be displayed.";

/// E157 to E159: the result of a condition, given filled slots for all its needs.
pub fn judged(rule: &Rule, slots: &Slots) -> Judged {
    let (mut diagnostics, message) = message_of_condition(rule, slots);
    let status = outcome(rule, slots, &mut diagnostics, "Invalid condition result");
    Judged { status, message, diagnostics }
}

/// The diagnostics of a condition's references and message, whether it holds or not, and the message.
fn message_of_condition(rule: &Rule, slots: &Slots) -> (Vec<Diagnostic>, Option<String>) {
    let mut diagnostics = rule.faults.clone();
    let message = match message_value(rule, slots, &mut diagnostics) {
        Message::Text(text) if !text.is_empty() => Some(text),
        Message::Null | Message::NoText => {
            diagnostics.push(Diagnostic::error(NO_TEXT));
            None
        }
        Message::Hidden(summary) => {
            diagnostics.push(Diagnostic::warning(summary));
            None
        }
        Message::Text(_) | Message::Unknown | Message::Nothing => None,
    };
    (diagnostics, message)
}

/// E130: errors of a message only matter if the message is needed; for an unknown message the status is given.
fn validation(rule: &Rule, slots: &Slots, unknown_message: Status) -> Judged {
    let mut diagnostics = rule.faults.clone();
    let value = message_value(rule, slots, &mut diagnostics);
    let status = outcome(rule, slots, &mut diagnostics, "Invalid variable validation result");
    if status != Status::Fail {
        return Judged { status, message: None, diagnostics };
    }
    let message = match value {
        Message::Unknown => {
            if unknown_message != Status::Unknown {
                diagnostics.push(Diagnostic::error(NO_TEXT));
            }
            return Judged { status: unknown_message, message: None, diagnostics };
        }
        Message::NoText => {
            diagnostics.push(Diagnostic::error(NO_TEXT));
            Some(FAILED_MESSAGE.to_owned())
        }
        Message::Hidden(summary) => {
            diagnostics.push(Diagnostic::error(summary));
            Some(HIDDEN.to_owned())
        }
        Message::Text(text) if !text.is_empty() => Some(text),
        Message::Text(_) | Message::Null => Some(FAILED_MESSAGE.to_owned()),
        Message::Nothing => None,
    };
    diagnostics.push(Diagnostic::error("Invalid value for variable"));
    Judged { status, message, diagnostics }
}

/// The status of the condition of a rule; errors of its message end the judgement.
fn outcome(rule: &Rule, slots: &Slots, diagnostics: &mut Vec<Diagnostic>, no_condition: &str) -> Status {
    match rule.condition.as_ref().map(|condition| condition.evaluate(slots)) {
        None if rule.faults.is_empty() => Status::Pass,
        None => Status::Error,
        Some(Err(found)) => {
            diagnostics.extend(unseen(rule, found));
            Status::Error
        }
        Some(Ok(_)) if diagnostics.iter().any(Diagnostic::is_error) => Status::Error,
        Some(Ok(value)) if value.value.is_unknown() => Status::Unknown,
        Some(Ok(value)) => match value.convert(&Type::Bool) {
            Some(value) if value.value.view().as_bool() == Some(true) => Status::Pass,
            Some(value) if !value.value.is_null() => Status::Fail,
            _ => {
                diagnostics.push(Diagnostic::error(no_condition));
                Status::Error
            }
        },
    }
}

/// The value of the message of a rule.
enum Message {
    Text(String),
    /// A value that must not be shown, and the error for it.
    Hidden(&'static str),
    Unknown,
    Null,
    /// A value that does not convert to a text.
    NoText,
    /// There is none, or its error is already reported.
    Nothing,
}

fn message_value(rule: &Rule, slots: &Slots, diagnostics: &mut Vec<Diagnostic>) -> Message {
    let value = match (rule.message.as_ref().map(|message| message.evaluate(slots)), &rule.json) {
        (None, _) => return Message::Nothing,
        (Some(Ok(value)), _) => value,
        (Some(Err(_)), Some(written)) => {
            diagnostics.push(Diagnostic::warning(NO_EXPRESSION));
            return Message::Text(written.trim().to_owned());
        }
        (Some(Err(found)), None) => {
            diagnostics.extend(unseen(rule, found));
            return Message::Nothing;
        }
    };
    let Some(text) = value.convert(&Type::String) else { return Message::NoText };
    if text.value.is_unknown() {
        return Message::Unknown;
    }
    let Some(text) = text.value.view().as_text() else { return Message::Null };
    if marks::has(&value, SENSITIVE) {
        return Message::Hidden("Error message refers to sensitive values");
    }
    if marks::has(&value, EPHEMERAL) {
        return Message::Hidden("Error message refers to ephemeral values");
    }
    Message::Text(text.trim().to_owned())
}

/// The diagnostics of evaluating a rule with faults: an invalid reference is an unknown variable (E151a).
fn unseen(rule: &Rule, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let named = |one: Diagnostic| match &*one.summary {
        "Invalid reference" if !rule.faults.is_empty() => Diagnostic::error(UNKNOWN_VARIABLE),
        _ => one,
    };
    found.into_iter().map(named).collect()
}

impl Walk<'_, '_, '_, '_> {
    /// L30, E152 to E156: the severity of a false condition.
    pub fn severity(&self) -> Severity {
        self.scene().severity()
    }

    /// E157 to E159.
    pub fn judge(&mut self, rule: &Rule, inst: usize, repeated: &Repeated) -> Judged {
        self.prepare(inst, repeated, &rule.needs);
        judged(rule, &self.insts[inst].slots)
    }

    /// E127, E130.
    pub fn judge_validation(&mut self, rule: &Rule, inst: usize) -> Judged {
        let dialect = self.model.dialect;
        let unknown_message = match dialect.fails_by_unknown_message() {
            _ if self.purpose == Purpose::Validate && dialect.waits_for_messages() => Status::Unknown,
            true => Status::Fail,
            false => Status::Error,
        };
        self.prepare(inst, &Repeated::default(), &rule.needs);
        validation(rule, &self.insts[inst].slots, unknown_message)
    }

    /// The diagnostics of a condition that is not evaluated itself.
    fn message_diagnostics(&mut self, rule: &Rule, inst: usize) -> Vec<Diagnostic> {
        self.prepare(inst, &Repeated::default(), &rule.needs);
        message_of_condition(rule, &self.insts[inst].slots).0
    }

    /// Checks the postconditions of a visit that came to an end (`looks`), and reports the status of all its conditions to the table.
    pub fn hold(
        &mut self,
        visit: &Visit<'_>,
        own: Option<Marked>,
        [is_fine, looks]: [bool; 2],
        status: (Status, Vec<String>),
    ) -> bool {
        let of = &self.model.blocks[visit.block];
        if of.preconditions.is_empty() && of.postconditions.is_empty() {
            return is_fine;
        }
        let is_open = self.is_open(visit.inst, visit.block);
        if looks {
            of.postconditions.iter().flat_map(|rule| &rule.needs).for_each(|one| self.fill(visit.inst, one));
        }
        let (scene, _, insts) = self.split();
        let held = scene.held(&mut insts[visit.inst].slots, visit, own, [is_fine, looks, is_open], status);
        self.note_held(visit.block, visit.inst, &visit.address.key, is_fine, held)
    }

    /// Reports the results of the conditions of an instance, and notes them in the table; returns whether the instance is fine.
    pub fn note_held(
        &mut self,
        block: usize,
        inst: usize,
        key: &InstanceKey,
        is_fine: bool,
        held: ConditionResults,
    ) -> bool {
        let is_fine = self.report(held.diagnostics) && is_fine;
        let local = self.model.blocks[block].address.to_string();
        self.note_status(CheckKind::Resource, &local, inst, Some(key), held.status);
        is_fine
    }

    fn entry(&mut self, kind: CheckKind, module: usize, local: &str) -> Option<&mut CheckEntry> {
        self.results.checks.entry_mut(kind, &format!("{}{local}", self.model.modules[module].prefix))
    }

    /// Notes an expansion: in a plan the objects of the entry are known from now on.
    pub fn expanded(&mut self, kind: CheckKind, module: usize, local: &str) {
        if self.purpose != Purpose::Apply
            && let Some(entry) = self.entry(kind, module, local)
        {
            entry.objects.get_or_insert_default();
        }
    }

    /// Notes the status of an object.
    pub fn note_status(
        &mut self,
        kind: CheckKind,
        local: &str,
        inst: usize,
        key: Option<&InstanceKey>,
        (status, failures): (Status, Vec<String>),
    ) {
        if matches!(self.purpose, Purpose::Validate | Purpose::Destroy) {
            return;
        }
        let is_apply = self.purpose == Purpose::Apply;
        let key = key.cloned().unwrap_or_default();
        let address = format!("{}{local}{key}", self.insts[inst].prefix);
        let module = self.insts[inst].address.clone();
        let Some(entry) = self.entry(kind, self.insts[inst].module, local) else { return };
        // E164: the objects of an apply are those of the plan.
        if is_apply && !entry.objects.as_ref().is_some_and(|objects| objects.contains_key(&address)) {
            return;
        }
        entry.objects.get_or_insert_default().insert(address, CheckObject { module, key, status, failures });
    }

    /// G61
    pub fn visit_report(&mut self, module: usize, place: usize) -> bool {
        // E164: an apply begins with the objects of the plan.
        if self.purpose != Purpose::Apply {
            let local = format!("check.{}", self.model.modules[module].of.checks[place].name.text);
            self.expanded(CheckKind::Check, module, &local);
            for inst in self.insts_of(module) {
                self.note_status(CheckKind::Check, &local, inst, None, (Status::Unknown, Vec::new()));
            }
        }
        true
    }

    /// A check block: nothing waits for it.
    pub fn visit_check(&mut self, module: usize, place: usize) -> bool {
        let local = format!("check.{}", self.model.modules[module].of.checks[place].name.text);
        let mut is_fine = true;
        for inst in self.insts_of(module) {
            // E162
            let data = self.model.check_blocks.get(&(module, place)).filter(|_| self.purpose != Purpose::Validate);
            let failure = data.and_then(|&block| {
                let address = format!("{}{}", self.insts[inst].prefix, self.model.blocks[block].address);
                self.failed_reads.get(&address).cloned()
            });
            if let Some(failure) = failure {
                self.note_status(CheckKind::Check, &local, inst, None, (Status::Fail, vec![failure]));
                continue;
            }
            let (mut status, mut failures, mut diagnostics) = (Status::Pass, Vec::new(), Vec::new());
            for rule in &self.model.modules[module].checks[place] {
                // E151: the validation walk checks messages, but not conditions.
                if self.purpose == Purpose::Validate {
                    diagnostics.extend(self.message_diagnostics(rule, inst));
                    continue;
                }
                let judged = self.judge(rule, inst, &Repeated::default());
                status = status.max(judged.status);
                match judged.status {
                    Status::Fail => {
                        diagnostics.push(Diagnostic::warning("Check block assertion failed"));
                        failures.extend(judged.message);
                    }
                    Status::Unknown => diagnostics.push(Diagnostic::warning("Check block assertion known after apply")),
                    _ => {}
                }
                diagnostics.extend(judged.diagnostics);
            }
            is_fine &= self.report(diagnostics);
            self.note_status(CheckKind::Check, &local, inst, None, (status, failures));
        }
        is_fine
    }
}

/// The entries of everything that has conditions; their objects are not known.
pub fn table(model: &Model<'_>) -> CheckTable {
    let mut table = CheckTable::default();
    let mut add = |kind, module: usize, resource, name: &str| {
        let module = model.modules[module].path.clone();
        let entry = CheckEntry { kind, module, resource, name: name.to_owned(), objects: None };
        table.0.insert((kind, entry.address()), entry);
    };
    for block in &model.blocks {
        if !block.preconditions.is_empty() || !block.postconditions.is_empty() {
            add(CheckKind::Resource, block.module, Some(block.address.clone()), &block.address.name);
        }
    }
    for (at, module) in model.modules.iter().enumerate() {
        let outputs = module.outputs.iter().filter(|output| !output.rules.is_empty());
        outputs.for_each(|output| add(CheckKind::Output, at, None, &output.of.name.text));
        let variables = module.variables.iter().filter(|variable| !variable.rules.is_empty());
        variables.for_each(|variable| add(CheckKind::Variable, at, None, &variable.of.name.text));
        module.of.checks.iter().for_each(|check| add(CheckKind::Check, at, None, &check.name.text));
    }
    table
}

/// The table with the status of all objects unknown, with which an apply begins (E164).
pub fn begun(table: &CheckTable) -> CheckTable {
    let mut table = table.clone();
    let objects = table.0.values_mut().filter_map(|entry| entry.objects.as_mut()).flat_map(BTreeMap::values_mut);
    objects.for_each(|object| (object.status, object.failures) = (Status::Unknown, Vec::new()));
    table
}
