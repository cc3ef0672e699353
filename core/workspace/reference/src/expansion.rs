//! Module calls, repetition and provider configurations in a walk.

use planfuzz_core::address::{ModuleInstance, ProviderConfig};
use planfuzz_core::value::{Type, Value};
use planfuzz_language::check::NameScope;
use planfuzz_language::config::Repetition;
use planfuzz_workspace::{Call, Diagnostic, Request};

use crate::body;
use crate::evaluation::{EPHEMERAL, Evaluated, SENSITIVE, Wanted};
use crate::marks;
use crate::values::{At, Instances, Repeated, RepetitionKind};
use crate::walk::{OfBody, Purpose, Walk};

impl Walk<'_, '_, '_> {
    /// G57, E100.
    pub fn visit_begin(&mut self, module: usize) -> bool {
        let of = &self.layout.modules[module];
        let (Some(parent), Some(call), Some(name)) = (of.parent, of.call, of.path.last()) else { return true };
        for instance in self.values.module_instances(self.layout, parent) {
            match self.expand(&call.repetition, &self.at(parent, &instance, &Repeated::default())) {
                Ok(instances) => {
                    if let Err(diagnostics) =
                        self.room.expand(&format!("module.{}", of.path.join(".module.")), instances.count())
                    {
                        return self.emit(diagnostics);
                    }
                    self.values.calls.insert((instance, name.clone()), instances);
                }
                Err(diagnostics) => return self.emit(diagnostics),
            }
        }
        true
    }

    /// E101 to E103.
    pub fn expand(&self, repetition: &Repetition, at: &At<'_, '_>) -> Evaluated<Instances> {
        let is_validation = self.purpose == Purpose::Validate;
        let error = |summary: &str| Err(vec![Diagnostic::error(summary)]);
        if let Some(count) = &repetition.count {
            let invalid = || error("Invalid count argument");
            let wanted = Wanted { ty: &Type::Number, otherwise: "Incorrect value type" };
            let value = self.converted(count, wanted, at)?;
            if marks::has(&value, EPHEMERAL) {
                return invalid();
            }
            if value.value.is_unknown() {
                return if is_validation { Ok(Instances::Unknown(RepetitionKind::Count)) } else { invalid() };
            }
            let count = value.value.view().as_number().and_then(|number| number.to_i64());
            return match count {
                Some(0..) if is_validation => Ok(Instances::Unknown(RepetitionKind::Count)),
                Some(count @ 0..) => Ok(Instances::Count(count)),
                _ => invalid(),
            };
        }
        let Some(for_each) = &repetition.for_each else {
            return Ok(if is_validation { Instances::Unknown(RepetitionKind::Single) } else { Instances::Single });
        };
        let value = self.value(for_each, at)?;
        let invalid = || error("Invalid for_each argument");
        if value.marks.own.has(SENSITIVE) || marks::has(&value, EPHEMERAL) || value.value.is_null() {
            return invalid();
        }
        let is_set = matches!(value.ty(), Type::Set(_));
        match value.ty() {
            Type::Set(_) | Type::Map(_) | Type::Object(_) => {}
            Type::Dynamic if value.value.is_unknown() => {}
            _ => return invalid(),
        }
        let elements = value.parts();
        if value.value.is_unknown() || (is_set && !value.value.is_wholly_known()) {
            return if is_validation { Ok(Instances::Unknown(RepetitionKind::Each)) } else { invalid() };
        }
        let mut found = std::collections::BTreeMap::new();
        if is_set {
            for element in elements {
                match element.value.view().as_text() {
                    Some(text) => drop(found.insert(text.to_string(), element.clone())),
                    None => return error("Invalid for_each set argument"),
                }
            }
        } else {
            found.extend(value.keys().iter().map(ToString::to_string).zip(elements));
        }
        Ok(if is_validation { Instances::Unknown(RepetitionKind::Each) } else { Instances::Each(found) })
    }

    /// G59, E173 to E175.
    pub fn visit_provider(&mut self, address: &ProviderConfig) -> bool {
        let Some(schema) = self.layout.schemas.provider(&address.source.to_string()) else { return true };
        let block = self.layout.configuring(address);
        let first = |module| self.values.module_instances(self.layout, module).into_iter().next();
        let instance = block.and_then(|(module, _)| first(module)).unwrap_or(ModuleInstance::ROOT);
        let repeated = Repeated::default();
        if let Some((module, block)) = block {
            let declarations = &self.layout.modules[module].declarations;
            let (body, schema) = ((&block.config, self.layout.sources), &schema.config.block);
            if self.purpose != Purpose::Validate || declarations.has_faulty_contents(body, schema, NameScope::default())
            {
                let faults = self.faults_of(body, schema, &mut self.at(module, &instance, &repeated));
                if !faults.is_empty() {
                    self.of_body = OfBody::default();
                    return self.emit(faults);
                }
            }
        }
        let evaluated = match block.filter(|_| !(fault!(ProviderConfigForgotten) && address.alias.is_some())) {
            None => {
                let ty = schema.config.implied_type(self.layout.dialect);
                let nulls = ty.as_object().map(|object| {
                    object
                        .attributes()
                        .iter()
                        .map(|attribute| (attribute.name.clone(), Value::null(attribute.ty.clone())))
                        .collect()
                });
                Ok(Value::object(nulls.unwrap_or_default()).into())
            }
            Some((module, block)) => self.body_value(|walk| {
                let mut at = walk.at(module, &instance, &repeated);
                body::evaluate(walk.evaluation(), &block.config, &schema.config.block, &mut at)
            }),
        };
        let config = match evaluated {
            Ok(value) => value.value,
            Err(diagnostics) => return self.emit(diagnostics),
        };
        let is_validation = self.purpose == Purpose::Validate;
        if is_validation && block.is_none_or(|(_, block)| block.config.is_empty()) {
            return true;
        }
        // G15
        if self.purpose == Purpose::Import && !config.is_wholly_known() {
            return self.emit(vec![Diagnostic::error("Invalid provider configuration")]);
        }
        let mut is_fine = self.ask_provider(address, Request::ValidateProvider { config: config.clone() });
        if is_fine && !is_validation {
            is_fine = self.ask_provider(address, Request::Configure { config: config.clone() });
        }
        if !is_fine && block.is_none() {
            self.emit(vec![Diagnostic::error("Invalid provider configuration")]);
        }
        self.configured.insert(address.clone(), config);
        is_fine
    }

    fn ask_provider(&mut self, address: &ProviderConfig, request: Request) -> bool {
        let call = Call { provider: address.source.clone(), configured: None, type_name: None, request };
        let answer = self.calls.ask(self.here(), "", call);
        let about = address.to_string();
        let diagnostics =
            answer.remarks.iter().map(|remark| crate::diagnostics::remark(remark, Some(&about))).collect();
        self.emit(diagnostics)
    }
}
