//! Variables, locals and outputs in a walk.

use planfuzz_core::address::OutputAddress;
use planfuzz_core::plans::{self, Action, Change, OutputChange};
use planfuzz_core::value::{Type, Value, raw_equals};
use planfuzz_language::config::{self, TypeConstraint};
use planfuzz_language::expression::{self, EPHEMERAL, Marked, SENSITIVE};
use planfuzz_language_compiled::{Names, Program, Slots};
use planfuzz_workspace::{CheckKind, Diagnostic, OutputState, Status};

use crate::expr::Evaluated;
use crate::marks;
use crate::scope::Repeated;
use crate::walk::{Purpose, Walk};

fn is_set(flag: &Option<config::Constant<bool>>) -> bool {
    flag.as_ref().is_some_and(|flag| flag.value)
}

fn declared(value: Marked, sensitive: bool, ephemeral: bool) -> Marked {
    let value = if sensitive { value.with(SENSITIVE) } else { value };
    if ephemeral { value.with(EPHEMERAL) } else { value }
}

impl Walk<'_, '_, '_, '_> {
    /// The instances of a module.
    pub fn insts_of(&self, module: usize) -> Vec<usize> {
        self.insts.of(module).to_vec()
    }

    /// G54, section 10 of the language.
    pub fn visit_variable(&mut self, module: usize, place: usize) -> bool {
        let variable = &self.model.modules[module].variables[place];
        let mut is_fine = true;
        for inst in self.insts_of(module) {
            // G153: the objects of validations are listed before the variable has a value.
            if !variable.rules.is_empty() && self.purpose != Purpose::Apply {
                let local = format!("var.{}", variable.of.name.text);
                self.note_status(CheckKind::Variable, &local, inst, None, (Status::Unknown, Vec::new()));
            }
            let value = match self.purpose {
                // E57: the given value is checked, but stays unknown.
                Purpose::Validate => {
                    let given = if module == 0 { Ok(None) } else { self.variable_value(module, place, inst).map(Some) };
                    // E78
                    let is_lost = |given: &Marked| !is_set(&variable.of.ephemeral) && marks::has(given, EPHEMERAL);
                    given.and_then(|given| match given.as_ref().is_some_and(is_lost) {
                        true => Err(vec![Diagnostic::error(self.model.dialect.ephemeral_in_variable())]),
                        false => Ok(Value::unknown(variable.of.ty.ty().strip_optional()).into()),
                    })
                }
                _ => self.variable_value(module, place, inst),
            };
            match value {
                Ok(value) => {
                    let value = declared(value, is_set(&variable.of.sensitive), is_set(&variable.of.ephemeral));
                    self.insts[inst].slots.set(variable.slot, value);
                }
                Err(diagnostics) => is_fine &= self.report(diagnostics),
            }
        }
        is_fine
    }

    /// E120 to E126.
    fn variable_value(&mut self, module: usize, place: usize, inst: usize) -> Evaluated {
        let variable = &self.model.modules[module].variables[place];
        let given = self.given(module, place, inst)?;
        let default = || variable.of.default.as_ref().map(|default| Marked::from(default.value.clone()));
        let Some(value) = given.or_else(default) else {
            return Err(vec![Diagnostic::error("No value for required variable")]);
        };
        let value = fitted(variable.of, value)?;
        if value.value.is_null() && variable.of.nullable.as_ref().is_some_and(|nullable| !nullable.value) {
            let Some(default) = default() else { return Err(vec![Diagnostic::error("Required variable not set")]) };
            return fitted(variable.of, default);
        }
        Ok(value)
    }

    /// The value that is given for a variable.
    fn given(&mut self, module: usize, place: usize, inst: usize) -> Evaluated<Option<Marked>> {
        let variable = &self.model.modules[module].variables[place];
        if module == 0 {
            let options = &self.workspace.options.variables;
            let found = options.iter().find(|(name, _)| **name == *variable.of.name.text);
            return found.map(|(_, text)| self.root_value(variable.of, text)).transpose();
        }
        let Some(given) = &variable.given else { return Ok(None) };
        // E68
        let is_validation = self.purpose == Purpose::Validate;
        if !is_validation && !given.faults.is_empty() {
            return Err(given.faults.clone());
        }
        let parent = self.insts[inst].parent;
        let repeated = if is_validation { Repeated::unknown() } else { self.insts[inst].repeated.clone() };
        self.evaluate(parent, &repeated, &given.value.expr, &given.value.needs).map(Some)
    }

    /// E124.
    fn root_value(&self, variable: &config::Variable, text: &str) -> Evaluated {
        let is_text = variable.written_type.is_none()
            || matches!(variable.ty, TypeConstraint::String | TypeConstraint::Number | TypeConstraint::Bool);
        if is_text {
            return Ok(Value::string(text).into());
        }
        let value = expression::parse(text, planfuzz_language::SourcePlace::default()).ok().and_then(|parsed| {
            Program::compile(&parsed, &Names::default(), self.model.dialect).evaluate(&Slots::default()).ok()
        });
        value.ok_or_else(|| vec![Diagnostic::error("Invalid value for input variable")])
    }

    /// E127 to E131.
    pub fn visit_validation(&mut self, module: usize, place: usize) -> bool {
        let variable = &self.model.modules[module].variables[place];
        self.expanded(CheckKind::Variable, module, &format!("var.{}", variable.of.name.text));
        let mut is_fine = true;
        for inst in self.insts_of(module) {
            let before = self.seen_by_validations(module, place, inst).and_then(|value| {
                let before = self.insts[inst].slots.value(variable.slot).cloned();
                self.insts[inst].slots.set(variable.slot, value);
                before
            });
            let (mut status, mut failures, mut diagnostics) = (Status::Pass, Vec::new(), Vec::new());
            for rule in &variable.rules {
                let judged = self.judge_validation(rule, inst);
                status = status.max(judged.status);
                diagnostics.extend(judged.diagnostics);
                if judged.status == Status::Fail {
                    failures.extend(judged.message);
                }
            }
            if let Some(before) = before {
                self.insts[inst].slots.set(variable.slot, before);
            }
            is_fine &= self.report(diagnostics);
            let local = format!("var.{}", variable.of.name.text);
            self.note_status(CheckKind::Variable, &local, inst, None, (status, failures));
        }
        is_fine
    }

    /// E127, E130: the value of a variable as its validations see it, if it differs from the value that others see: in the validation walk
    /// the given value, if it is known, and the value without the mark of a variable that is only declared to be sensitive.
    fn seen_by_validations(&mut self, module: usize, place: usize, inst: usize) -> Option<Marked> {
        let of = self.model.modules[module].variables[place].of;
        let is_hidden = is_set(&of.sensitive) && self.model.dialect.hides_validated_variable();
        let is_validation = self.purpose == Purpose::Validate;
        let value = match is_validation && module != 0 {
            false if is_set(&of.sensitive) == is_hidden => return None,
            false if is_validation => Value::unknown(of.ty.ty().strip_optional()).into(),
            _ => self.variable_value(module, place, inst).ok()?,
        };
        Some(declared(value, is_hidden, is_set(&of.ephemeral)))
    }

    /// E132.
    pub fn visit_local(&mut self, module: usize, place: usize) -> bool {
        let local = &self.model.modules[module].locals[place];
        // E71: the validation walk reports that statically.
        if local.of.value.references.iter().any(|reference| reference.begins_with(&["local", &local.of.name.text])) {
            if self.purpose != Purpose::Validate {
                self.report(vec![Diagnostic::error("Self-referencing local value")]);
            }
            return false;
        }
        let mut is_fine = true;
        for inst in self.insts_of(module) {
            match self.evaluate(inst, &Repeated::default(), &local.value.expr, &local.value.needs) {
                Ok(value) => self.insts[inst].slots.set(local.slot, value),
                Err(diagnostics) => is_fine &= self.report(diagnostics),
            }
        }
        is_fine
    }

    /// E133 to E138.
    pub fn visit_output(&mut self, module: usize, place: usize) -> bool {
        let output = &self.model.modules[module].outputs[place];
        if !output.rules.is_empty() {
            self.expanded(CheckKind::Output, module, &format!("output.{}", output.of.name.text));
        }
        self.insts_of(module).into_iter().fold(true, |fine, inst| fine & self.output_of(module, place, inst))
    }

    fn output_of(&mut self, module: usize, place: usize, inst: usize) -> bool {
        let output = &self.model.modules[module].outputs[place];
        let name = output.of.name.text.as_str();
        let (is_sensitive, is_ephemeral) = (is_set(&output.of.sensitive), is_set(&output.of.ephemeral));
        if module == 0 && is_ephemeral {
            return self.report(vec![Diagnostic::error(self.model.dialect.ephemeral_output_of_root())]);
        }
        let (mut status, mut failures, mut diagnostics) = (Status::Pass, Vec::new(), Vec::new());
        let severity = self.severity();
        for rule in &output.rules {
            let judged = self.judge(rule, inst, &Repeated::default());
            status = status.max(judged.status);
            diagnostics.extend(judged.diagnostics);
            if judged.status == Status::Fail {
                let summary = "Module output value precondition failed".into();
                diagnostics.push(Diagnostic { severity, summary, address: None });
                failures.extend(judged.message);
            }
        }
        if !output.rules.is_empty() {
            self.note_status(CheckKind::Output, &format!("output.{name}"), inst, None, (status, failures));
        }
        if !self.report(diagnostics) {
            return false;
        }
        // L197, U40
        if module == 0 && self.is_known_in_plan(name) {
            return true;
        }
        // G15: the dependencies of the output were not checked before.
        if self.purpose == Purpose::Import {
            let faults = self.model.modules[module].declarations.whole_faults(&output.of.depends_on);
            if !faults.is_empty() {
                let value = output.value.as_ref();
                let value = value.map(|value| self.evaluate(inst, &Repeated::default(), &value.expr, &value.needs));
                let diagnostics = value.and_then(Result::err).unwrap_or_default();
                return self.report(diagnostics) & self.report(crate::expr::as_errors(faults));
            }
        }
        let Some(value) = &output.value else { return true };
        let value = match self.evaluate(inst, &Repeated::default(), &value.expr, &value.needs) {
            Ok(value) => value,
            Err(diagnostics) => return self.report(diagnostics),
        };
        if module == 0 && !is_sensitive && marks::has(&value, SENSITIVE) {
            return self.report(vec![Diagnostic::error("Output refers to sensitive values")]);
        }
        if let Some(summary) = self.ephemeral_misuse(is_ephemeral, &value) {
            return self.report(vec![Diagnostic::error(summary)]);
        }
        if module != 0 {
            self.insts[inst].outputs[place] = Some(declared(value, false, is_ephemeral));
            let parent = self.insts[inst].parent;
            let slot = self.model.modules[self.insts[parent].module].lexica.calls.get(&module);
            if let Some(&slot) = slot {
                self.insts[parent].built[slot] = false;
            }
        } else {
            match self.purpose {
                Purpose::Plan | Purpose::Refresh | Purpose::BeforeDestroy => {
                    self.plan_output(name, value.value, is_sensitive)
                }
                Purpose::Apply | Purpose::Import => self.store_output(name, value.value, is_sensitive),
                Purpose::Validate | Purpose::Destroy => {}
            }
        }
        true
    }

    /// E78: the error of the value of an output about ephemeral values.
    fn ephemeral_misuse(&self, is_declared: bool, value: &Marked) -> Option<&'static str> {
        let dialect = self.model.dialect;
        if !is_declared {
            return marks::has(value, EPHEMERAL).then(|| dialect.ephemeral_in_output());
        }
        // An ephemeral part does not make the whole ephemeral.
        let is_wrong = !value.marks.own.has(EPHEMERAL) && dialect.ephemeral_outputs_want_ephemeral();
        (is_wrong && !fault!(PlainInEphemeral)).then_some("Value not allowed in ephemeral output")
    }

    fn is_known_in_plan(&self, name: &str) -> bool {
        let Some(plan) = self.plan else { return false };
        plan.outputs.iter().any(|output| {
            let change = output.change();
            output.addr().name == name && change.action != Action::Delete && change.after.value().is_wholly_known()
        })
    }

    /// L190 to L193.
    fn plan_output(&mut self, name: &str, value: Value, sensitive: bool) {
        let stored = self.state.outputs.get(name).cloned();
        let action = match &stored {
            None if value.is_null() => Action::NoOp,
            None => Action::Create,
            Some(stored)
                if !fault!(OutputsAlwaysUpdated)
                    && value.is_wholly_known()
                    && stored.sensitive == sensitive
                    && stored.value.ty() == value.ty()
                    && raw_equals(stored.value.view(), value.view()) =>
            {
                Action::NoOp
            }
            Some(_) => Action::Update,
        };
        let was_sensitive = stored.as_ref().is_some_and(|stored| stored.sensitive);
        let before = match (action, stored) {
            (Action::NoOp, _) => value.clone(),
            (_, Some(stored)) => stored.value,
            (_, None) => Value::null(Type::Dynamic),
        };
        // L196, G158
        if value.is_wholly_known() {
            self.store_output(name, value.clone(), sensitive);
        }
        self.record_output(name, action, [before, value], sensitive || was_sensitive);
    }

    fn record_output(&mut self, name: &str, action: Action, [before, after]: [Value; 2], sensitive: bool) {
        let side = plans::Marked::plain;
        let change = Change { action, before: side(before), after: side(after), importing: None };
        if let Ok(change) = OutputChange::new(OutputAddress::of_root(name), change, sensitive) {
            self.results.outputs.push(change);
        }
    }

    fn store_output(&mut self, name: &str, value: Value, sensitive: bool) {
        // Section 15, G15: an output that an apply, or an import, leaves unknown is stored as null.
        if matches!(self.purpose, Purpose::Apply | Purpose::Import) && !value.is_wholly_known() {
            let value = settled(value.into()).value;
            self.state.outputs.insert(name.to_owned(), OutputState { value, sensitive });
            return;
        }
        match value.is_null() || !value.is_wholly_known() {
            true => drop(self.state.outputs.remove(name)),
            false => drop(self.state.outputs.insert(name.to_owned(), OutputState { value, sensitive })),
        }
    }

    /// L194.
    pub fn visit_gone_output(&mut self, place: usize) -> bool {
        let name = self.wired.gone[place].clone();
        if matches!(self.purpose, Purpose::Apply | Purpose::Import) {
            self.state.outputs.remove(&name);
        } else if let Some(stored) = self.state.outputs.get(&name).cloned() {
            self.record_output(&name, Action::Delete, [stored.value, Value::null(Type::Dynamic)], stored.sensitive);
        }
        true
    }
}

/// A value with its unknown parts replaced by nulls.
fn settled(value: Marked) -> Marked {
    if value.value.is_unknown() {
        return Value::null(value.ty().clone()).into();
    }
    if value.value.is_wholly_known() {
        return value;
    }
    let whole = Value::null(value.ty().clone());
    let parts = value.parts().into_iter().map(settled);
    let collection = match value.ty() {
        Type::Object(_) => return Marked::object(value.keys().into_iter().zip(parts).collect()),
        Type::Tuple(_) => return Marked::tuple(parts.collect()),
        Type::Map(element) => Marked::map(element, value.keys().into_iter().zip(parts).collect()),
        Type::List(element) => Marked::list(element, parts.collect()),
        Type::Set(element) => Marked::set(element, parts.collect()),
        _ => None,
    };
    collection.unwrap_or_else(|| whole.into())
}

/// E121: defaults of attributes of objects.
fn complete(ty: &TypeConstraint, value: Marked) -> Marked {
    if value.value.is_null() || value.value.is_unknown() {
        return value;
    }
    let own = value.marks.own;
    match (ty, value.ty()) {
        (TypeConstraint::Object(fields), Type::Object(_) | Type::Map(_)) => {
            let mut members: std::collections::BTreeMap<_, _> = value.keys().into_iter().zip(value.parts()).collect();
            for field in fields {
                let given = members.remove(&field.name);
                let is_missing = given.as_ref().is_none_or(|given| given.value.is_null());
                let default = field.default.clone().filter(|_| is_missing).map(Marked::from);
                if let Some(value) = default.or(given) {
                    members.insert(field.name.clone(), complete(&field.ty, value));
                }
            }
            Marked::object(members.into_iter().collect()).with(own)
        }
        (
            TypeConstraint::List(element) | TypeConstraint::Set(element),
            Type::List(_) | Type::Set(_) | Type::Tuple(_),
        ) => Marked::tuple(value.parts().into_iter().map(|part| complete(element, part)).collect()).with(own),
        (TypeConstraint::Map(element), Type::Map(_) | Type::Object(_)) => {
            let members = value.keys().into_iter().zip(value.parts());
            Marked::object(members.map(|(name, part)| (name, complete(element, part))).collect()).with(own)
        }
        (TypeConstraint::Tuple(elements), Type::Tuple(_)) => {
            let parts = value.parts().into_iter().zip(elements);
            Marked::tuple(parts.map(|(part, ty)| complete(ty, part)).collect()).with(own)
        }
        _ => value,
    }
}

/// A value with the defaults of optional attributes, and of the type of its variable.
fn fitted(variable: &config::Variable, value: Marked) -> Evaluated {
    let value = complete(&variable.ty, value);
    let ty = variable.ty.ty();
    let value = value.convert(&ty).or_else(|| value.convert(&ty.strip_optional()));
    value.ok_or_else(|| vec![Diagnostic::error("Invalid value for input variable")])
}
