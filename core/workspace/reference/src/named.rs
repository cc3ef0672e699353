//! Variables, locals, outputs, module calls and provider configurations in a walk.

use planfuzz_core::address::{ModuleInstance, OutputAddress};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::plans::{self, Action, Change, OutputChange};
use planfuzz_core::value::{Type, Value, raw_equals};
use planfuzz_language::check::{NameScope, RuleOf};
use planfuzz_language::config::{self, TypeConstraint};
use planfuzz_workspace::{CheckKind, Diagnostic, OutputState, Status};

use crate::evaluation::{EPHEMERAL, Evaluated, Marked, SENSITIVE, constant};
use crate::marks;
use crate::phases::from_language;
use crate::values::{Repeated, declared};
use crate::walk::{Purpose, Walk};

impl Walk<'_, '_, '_> {
    /// G54, section 10 of the language.
    pub fn visit_variable(&mut self, module: usize, index: usize) -> bool {
        let variable = &self.layout.modules[module].configuration.module.variables[index];
        let mut is_fine = true;
        for instance in self.values.module_instances(self.layout, module) {
            // G153: the objects of validations are listed before the variable has a value.
            if !variable.validations.is_empty() && self.purpose != Purpose::Apply {
                let local = format!("var.{}", variable.name.text);
                self.report(CheckKind::Variable, module, &local, &instance, None, None);
            }
            let value = match self.purpose {
                // E57: the given value is checked, but stays unknown.
                Purpose::Validate => self.validate_given(module, variable, &instance),
                _ => self.variable_value(module, variable, &instance),
            };
            match value {
                Ok(value) => {
                    let flag = |flag: &Option<config::Constant<bool>>| flag.as_ref().is_some_and(|flag| flag.value);
                    let value = declared(value, flag(&variable.sensitive), flag(&variable.ephemeral));
                    self.values.variables.insert((instance, variable.name.text.to_string()), value);
                }
                Err(diagnostics) => is_fine &= self.emit(diagnostics),
            }
        }
        is_fine
    }

    /// The unknown value of a variable in the validation walk, or the errors of the given value.
    fn validate_given(&self, module: usize, variable: &config::Variable, instance: &ModuleInstance) -> Evaluated {
        if module != 0 {
            let is_ephemeral = variable.ephemeral.as_ref().is_some_and(|flag| flag.value);
            let value = self.variable_value(module, variable, instance)?;
            // E78
            if !is_ephemeral && marks::has(&value, EPHEMERAL) {
                return Err(vec![Diagnostic::error(self.layout.dialect.ephemeral_in_variable())]);
            }
        }
        Ok(Value::unknown(variable.ty.ty().strip_optional()).into())
    }

    /// E120 to E124, E126.
    pub fn variable_value(&self, module: usize, variable: &config::Variable, instance: &ModuleInstance) -> Evaluated {
        let given = self.given(module, variable, instance)?;
        let default = || variable.default.as_ref().map(|default| Marked::from(default.value.clone()));
        let Some(value) = given.or_else(default) else {
            return Err(vec![Diagnostic::error("No value for required variable")]);
        };
        let converted = |value: Marked| {
            let value = complete(&variable.ty, value);
            let ty = variable.ty.ty();
            let value = value.convert(&ty).or_else(|| value.convert(&ty.strip_optional()));
            value.ok_or_else(|| vec![Diagnostic::error("Invalid value for input variable")])
        };
        let value = converted(value)?;
        let is_nullable = variable.nullable.as_ref().is_none_or(|flag| flag.value);
        match value.value.is_null() && !is_nullable {
            true => converted(default().ok_or_else(|| vec![Diagnostic::error("Required variable not set")])?),
            false => Ok(value),
        }
    }

    /// The value that is given for a variable.
    fn given(
        &self,
        module: usize,
        variable: &config::Variable,
        instance: &ModuleInstance,
    ) -> Evaluated<Option<Marked>> {
        let name = &variable.name.text;
        let (Some(parent), Some(call)) = (self.layout.modules[module].parent, self.layout.modules[module].call) else {
            let found = self.workspace.options.variables.iter().find(|(given, _)| **given == **name);
            return found.map(|(_, text)| root_value(variable, text, self.layout.dialect)).transpose();
        };
        let Some((_, written)) = call.inputs.iter().find(|(input, _)| input.text == *name) else { return Ok(None) };
        let outer = ModuleInstance(instance.0[..instance.0.len() - 1].to_vec());
        // E68: the validation walk does not know how a call repeats.
        let repeated = match self.purpose {
            Purpose::Validate => Repeated::unknown(),
            _ => self.values.repeated_of_call(instance),
        };
        self.seen_value(written, &self.at(parent, &outer, &repeated)).map(Some)
    }

    /// E127 to E131.
    pub fn visit_validation(&mut self, module: usize, index: usize) -> bool {
        let variable = &self.layout.modules[module].configuration.module.variables[index];
        self.no_objects_yet(CheckKind::Variable, module, &format!("var.{}", variable.name.text));
        let mut is_fine = true;
        for instance in self.values.module_instances(self.layout, module) {
            let seen = (instance.clone(), variable.name.text.to_string());
            let own = self.validated(module, variable, &instance);
            let before = own.and_then(|own| self.values.variables.insert(seen.clone(), own));
            let (mut status, mut failures, mut diagnostics) = (Status::Pass, Vec::new(), Vec::new());
            for rule in &variable.validations {
                let repeated = Repeated::default();
                let judged =
                    self.judge(rule, RuleOf::Variable, NameScope::default(), &self.at(module, &instance, &repeated));
                status = status.max(judged.status);
                diagnostics.extend(judged.diagnostics);
                if judged.status == Status::Fail {
                    failures.extend(judged.message);
                }
            }
            if let Some(before) = before {
                self.values.variables.insert(seen, before);
            }
            is_fine &= self.emit(diagnostics);
            let address = format!("var.{}", variable.name.text);
            self.report(CheckKind::Variable, module, &address, &instance, None, Some((status, failures)));
        }
        is_fine
    }

    /// E127, E130: the value of a variable as its validations see it: in the validation walk, too, the given value if it is known. In
    /// Terraform a sensitive variable is not marked for them, an ephemeral one is.
    fn validated(&self, module: usize, variable: &config::Variable, instance: &ModuleInstance) -> Option<Marked> {
        let value = match self.purpose {
            Purpose::Validate if module == 0 => Value::unknown(variable.ty.ty().strip_optional()).into(),
            _ => self.variable_value(module, variable, instance).ok()?,
        };
        let flag = |flag: &Option<config::Constant<bool>>| flag.as_ref().is_some_and(|flag| flag.value);
        let is_hidden = flag(&variable.sensitive) && self.layout.dialect.hides_validated_variable();
        Some(declared(value, is_hidden, flag(&variable.ephemeral)))
    }

    /// E132.
    pub fn visit_local(&mut self, module: usize, index: usize) -> bool {
        let local = &self.layout.modules[module].configuration.module.locals[index];
        // E71: the validation walk reports that statically.
        if local.value.references.iter().any(|reference| reference.begins_with(&["local", &local.name.text])) {
            let is_reported = self.purpose == Purpose::Validate;
            self.emit(vec![Diagnostic::error("Self-referencing local value"); usize::from(!is_reported)]);
            return false;
        }
        let mut is_fine = true;
        for instance in self.values.module_instances(self.layout, module) {
            let repeated = Repeated::default();
            match self.value(&local.value, &self.at(module, &instance, &repeated)) {
                Ok(value) => drop(self.values.locals.insert((instance, local.name.text.to_string()), value)),
                Err(diagnostics) => is_fine &= self.emit(diagnostics),
            }
        }
        is_fine
    }

    /// E133 to E138.
    pub fn visit_output(&mut self, module: usize, index: usize) -> bool {
        let output = &self.layout.modules[module].configuration.module.outputs[index];
        if !output.preconditions.is_empty() {
            self.no_objects_yet(CheckKind::Output, module, &format!("output.{}", output.name.text));
        }
        let mut is_fine = true;
        for instance in self.values.module_instances(self.layout, module) {
            is_fine &= self.output_of(module, output, &instance);
        }
        is_fine
    }

    fn output_of(&mut self, module: usize, output: &config::Output, instance: &ModuleInstance) -> bool {
        let flag = |flag: &Option<config::Constant<bool>>| flag.as_ref().is_some_and(|flag| flag.value);
        let (is_sensitive, is_ephemeral) = (flag(&output.sensitive), flag(&output.ephemeral));
        // E78: before anything else of it is looked at.
        if module == 0 && is_ephemeral {
            return self.emit(vec![Diagnostic::error(self.layout.dialect.ephemeral_output_of_root())]);
        }
        let name = output.name.text.to_string();
        let repeated = Repeated::default();
        if !self.output_preconditions(module, output, instance) {
            return false;
        }
        // L197, U40
        let is_kept = |change: &&OutputChange| {
            change.addr().name == name
                && change.change().action != Action::Delete
                && change.change().after.value().is_wholly_known()
        };
        if module == 0
            && let Some(known) = self.applied.plan.and_then(|plan| plan.outputs.iter().find(is_kept))
        {
            let value = marks::to_expressions(&known.change().after);
            self.values.outputs.insert((instance.clone(), name), value);
            return true;
        }
        if self.purpose == Purpose::Import {
            let faults = self.layout.modules[module].declarations.whole_faults(&output.depends_on);
            if !faults.is_empty() {
                let value = output.value.as_ref().map(|value| self.value(value, &self.at(module, instance, &repeated)));
                let diagnostics = value.and_then(Result::err).unwrap_or_default();
                return self.emit(diagnostics) & self.emit(from_language(&faults));
            }
        }
        let Some(written) = &output.value else { return true };
        let value = match self.value(written, &self.at(module, instance, &repeated)) {
            Ok(value) => value,
            Err(diagnostics) => return self.emit(diagnostics),
        };
        if module == 0 && !is_sensitive && marks::has(&value, SENSITIVE) {
            return self.emit(vec![Diagnostic::error("Output refers to sensitive values")]);
        }
        let misuse = self.ephemeral_misuse(&value, is_ephemeral);
        if let Some(summary) = misuse {
            return self.emit(vec![Diagnostic::error(summary)]);
        }
        self.values.outputs.insert((instance.clone(), name.clone()), declared(value.clone(), false, is_ephemeral));
        if module == 0 {
            self.keep_root_output(&name, value.value, is_sensitive);
        }
        true
    }

    /// Judges the preconditions of an output; returns whether its value is evaluated.
    fn output_preconditions(&mut self, module: usize, output: &config::Output, instance: &ModuleInstance) -> bool {
        let (mut status, mut failures, mut diagnostics) = (Status::Pass, Vec::new(), Vec::new());
        let severity = self.severity();
        let repeated = Repeated::default();
        for rule in &output.preconditions {
            let at = self.at(module, instance, &repeated);
            let judged = self.judge(rule, RuleOf::Output, NameScope::default(), &at);
            status = status.max(judged.status);
            diagnostics.extend(judged.diagnostics);
            if judged.status == Status::Fail {
                let summary = "Module output value precondition failed";
                diagnostics.push(Diagnostic { severity, summary: summary.into(), address: None });
                failures.extend(judged.message);
            }
        }
        if !output.preconditions.is_empty() {
            let address = format!("output.{}", output.name.text);
            self.report(CheckKind::Output, module, &address, instance, None, Some((status, failures)));
        }
        self.emit(diagnostics)
    }

    /// E78: the error if an output is ephemeral and its value is not, or the other way round.
    fn ephemeral_misuse(&self, value: &Marked, is_ephemeral: bool) -> Option<&'static str> {
        let dialect = self.layout.dialect;
        let is_plain = !value.marks.own.has(EPHEMERAL);
        match is_ephemeral {
            true if is_plain && dialect.ephemeral_outputs_want_ephemeral() => {
                Some("Value not allowed in ephemeral output")
            }
            false if marks::has(value, EPHEMERAL) => Some(dialect.ephemeral_in_output()),
            _ => None,
        }
    }

    /// Plans or stores a root output, as the purpose of the walk has it.
    fn keep_root_output(&mut self, name: &str, value: Value, is_sensitive: bool) {
        match self.purpose {
            Purpose::Plan | Purpose::Refresh | Purpose::BeforeDestroy => self.plan_output(name, value, is_sensitive),
            Purpose::Apply if fault!(LateOutputNotStored) => {}
            Purpose::Apply => {
                let is_sensitive = is_sensitive || fault!(OutputSensitiveAtTimes, in turns);
                self.store_output(name, value, is_sensitive);
            }
            Purpose::Import => self.store_output(name, value, is_sensitive),
            Purpose::Validate | Purpose::Destroy => {}
        }
    }

    /// L190 to L193.
    fn plan_output(&mut self, name: &str, value: Value, sensitive: bool) {
        let stored = self.state.outputs.get(name).cloned();
        let action = match &stored {
            None if value.is_null() => Action::NoOp,
            None => Action::Create,
            Some(stored) => {
                let is_same = value.is_wholly_known()
                    && stored.value.ty() == value.ty()
                    && raw_equals(stored.value.view(), value.view())
                    && stored.sensitive == sensitive;
                if is_same { Action::NoOp } else { Action::Update }
            }
        };
        // L195
        let shown = sensitive || stored.as_ref().is_some_and(|stored| stored.sensitive);
        let before = match (action, stored) {
            (Action::NoOp, _) => value.clone(),
            (_, stored) => stored.map_or_else(|| Value::null(Type::Dynamic), |stored| stored.value),
        };
        // L196, G158
        if value.is_wholly_known() && !fault!(KnownOutputLate) {
            let turns =
                fault!(OutputTurnsSensitive) && !self.state.outputs.get(name).is_some_and(|stored| stored.sensitive);
            self.store_output(name, value.clone(), sensitive || turns);
        }
        self.record_output(name, action, before, value, shown);
    }

    fn record_output(&mut self, name: &str, action: Action, before: Value, after: Value, sensitive: bool) {
        let side = plans::Marked::plain;
        let change = Change { action, before: side(before), after: side(after), importing: None };
        if let Ok(change) = OutputChange::new(OutputAddress::of_root(name), change, sensitive) {
            self.results.outputs.push(change);
        }
    }

    fn store_output(&mut self, name: &str, value: Value, sensitive: bool) {
        // Section 15, G15: an output that an apply, or an import, leaves unknown is stored as null.
        if matches!(self.purpose, Purpose::Apply | Purpose::Import) && !value.is_wholly_known() {
            let value = known(&Marked::from(value)).value;
            self.state.outputs.insert(name.to_owned(), OutputState { value, sensitive });
            return;
        }
        match value.is_null() || !value.is_wholly_known() {
            true => drop(self.state.outputs.remove(name)),
            false => drop(self.state.outputs.insert(name.to_owned(), OutputState { value, sensitive })),
        }
    }

    /// L194.
    pub fn visit_gone_output(&mut self, name: &str) -> bool {
        let is_destroyed = self.applied.plan.is_some_and(|plan| plan.mode == planfuzz_core::plans::Mode::Destroy);
        if fault!(GoneOutputKept) || fault!(DestroyKeepsOutputs) && is_destroyed {
            return true;
        }
        match self.purpose {
            Purpose::Import | Purpose::Apply => drop(self.state.outputs.remove(name)),
            _ => {
                if let Some(stored) = self.state.outputs.get(name).cloned() {
                    self.record_output(
                        name,
                        Action::Delete,
                        stored.value,
                        Value::null(Type::Dynamic),
                        stored.sensitive,
                    );
                }
            }
        }
        true
    }
}

/// A value with its unknown parts replaced by nulls.
fn known(value: &Marked) -> Marked {
    if value.value.is_wholly_known() {
        return value.clone();
    }
    let null = || Marked::from(Value::null(value.ty().clone()));
    if value.value.is_unknown() {
        return null();
    }
    let parts: Vec<Marked> = value.parts().iter().map(known).collect();
    let members = |parts: Vec<Marked>| value.keys().into_iter().zip(parts).collect();
    let made = match value.ty() {
        Type::Object(_) => Some(Marked::object(members(parts))),
        Type::Tuple(_) => Some(Marked::tuple(parts)),
        Type::Map(element) => Marked::map(element, members(parts)),
        Type::List(element) => Marked::list(element, parts),
        Type::Set(element) => Marked::set(element, parts),
        _ => None,
    };
    made.unwrap_or_else(null)
}

/// E124.
fn root_value(variable: &config::Variable, text: &str, dialect: Dialect) -> Evaluated {
    let is_text = variable.written_type.is_none()
        || matches!(variable.ty, TypeConstraint::String | TypeConstraint::Number | TypeConstraint::Bool);
    if is_text {
        return Ok(Value::string(text).into());
    }
    constant(text, dialect).ok_or_else(|| vec![Diagnostic::error("Invalid value for input variable")])
}

/// E121.
fn complete(ty: &TypeConstraint, value: Marked) -> Marked {
    if value.value.is_null() || value.value.is_unknown() {
        return value;
    }
    let own = value.marks.own;
    match ty {
        TypeConstraint::Object(fields) if matches!(value.ty(), Type::Object(_) | Type::Map(_)) => {
            let mut members: Vec<_> = value.keys().into_iter().zip(value.parts()).collect();
            for field in fields {
                let given = members.iter().position(|(name, _)| *name == field.name);
                let is_missing = given.is_none_or(|at| members[at].1.value.is_null());
                let default = field.default.clone().filter(|_| is_missing).map(Marked::from);
                match (given, default) {
                    (Some(at), Some(default)) => members[at].1 = complete(&field.ty, default),
                    (None, Some(default)) => members.push((field.name.clone(), complete(&field.ty, default))),
                    (Some(at), None) => members[at].1 = complete(&field.ty, members[at].1.clone()),
                    (None, None) => {}
                }
            }
            Marked::object(members).with(own)
        }
        TypeConstraint::List(element) | TypeConstraint::Set(element)
            if matches!(value.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_)) =>
        {
            Marked::tuple(value.parts().into_iter().map(|part| complete(element, part)).collect()).with(own)
        }
        TypeConstraint::Map(element) if matches!(value.ty(), Type::Map(_) | Type::Object(_)) => {
            let members = value.keys().into_iter().zip(value.parts());
            Marked::object(members.map(|(name, part)| (name, complete(element, part))).collect()).with(own)
        }
        TypeConstraint::Tuple(elements) if matches!(value.ty(), Type::Tuple(_)) => {
            let parts = value.parts().into_iter().zip(elements);
            Marked::tuple(parts.map(|(part, ty)| complete(ty, part)).collect()).with(own)
        }
        _ => value,
    }
}
