//! Calls, repetition and provider configurations in a walk.

use std::sync::Arc;

use planfuzz_core::address::ProviderConfig;
use planfuzz_core::value::{Type, Value};
use planfuzz_language::check::NameScope;
use planfuzz_language::expression::{EPHEMERAL, Marked, SENSITIVE};
use planfuzz_workspace::{Call, Diagnostic, Request};

use crate::body::nulls;
use crate::diagnostics;
use crate::expr::{Evaluated, Wanted};
use crate::marks;
use crate::model::{Repeats, Repetition};
use crate::scope::{Inst, Repeat, Repeated};
use crate::statically::Statically;
use crate::walk::{Purpose, Walk};

impl Walk<'_, '_, '_, '_> {
    /// G57, E100.
    pub fn visit_begin(&mut self, module: usize) -> bool {
        let of = &self.model.modules[module];
        let (Some((parent, _)), Some(name)) = (of.call, of.path.last()) else { return true };
        let mut expanded = Vec::new();
        for outer in self.insts_of(parent) {
            let repeat = match self.expand(outer, &of.repetition) {
                Ok(repeat) => repeat,
                Err(diagnostics) => return self.report(diagnostics),
            };
            if let Err(diagnostics) = self.take_room(of.prefix.trim_end_matches('.'), repeat.count()) {
                return self.report(diagnostics);
            }
            expanded.push((outer, repeat));
        }
        for (outer, repeat) in expanded {
            let mut insts = Vec::with_capacity(repeat.count() as usize);
            for place in 0..repeat.count() {
                let (key, repeated) = repeat.at(place);
                let address = self.insts[outer].below(name, key);
                let inst = Inst::new(self.model, module, address, outer, repeated).within(self.model, self.purpose);
                let inst = self.insts.add(module, inst);
                self.see_stored(inst);
                insts.push(inst);
            }
            self.insts[outer].calls.insert(module, (repeat, insts));
        }
        true
    }

    /// E101 to E103.
    pub fn expand(&mut self, inst: usize, repetition: &Repetition) -> Evaluated<Repeat> {
        let is_validation = self.purpose == Purpose::Validate;
        let plain = Repeated::default();
        match (&repetition.count, &repetition.each) {
            (Some(count), _) => {
                let value = self.converted((inst, &plain), count, NUMBER)?;
                counted(&value, is_validation)
            }
            (None, Some(each)) => {
                let value = self.evaluate(inst, &plain, &each.expr, &each.needs)?;
                keyed(&value, is_validation)
            }
            (None, None) if is_validation => Ok(Repeat::Unknown(Repeats::Once)),
            (None, None) => Ok(Repeat::Single),
        }
    }

    /// G59, E173 to E175.
    pub fn visit_provider(&mut self, provider: usize) -> bool {
        let model = self.model;
        let of = &model.providers[provider];
        let Some(ty) = &of.ty else { return true };
        if let (Some((module, block)), Some((body, uses))) = (of.block, &of.body)
            && let Some(schema) = model.schemas.provider(&of.address.source.to_string())
            && let declarations = &model.modules[module].declarations
            && let (written, schema) = ((&block.config, model.sources), &schema.config.block)
            && (self.purpose != Purpose::Validate
                || declarations.has_faulty_contents(written, schema, NameScope::default()))
        {
            let inst = self.insts.of(module).first().copied().unwrap_or(0);
            self.prepare(inst, &Repeated::default(), uses);
            let contents = body.contents(&mut self.insts[inst].slots);
            let faults = declarations.body_faults(written, schema, NameScope::default(), &contents);
            if !faults.is_empty() {
                self.of_body = Statically::default();
                return self.report(crate::expr::as_errors(faults));
            }
        }
        let evaluated = match (&of.block, &of.body) {
            (Some((module, _)), Some((body, uses))) => {
                let inst = self.insts.of(*module).first().copied().unwrap_or(0);
                self.body_value(|walk| {
                    walk.prepare(inst, &Repeated::default(), uses);
                    body.evaluate(&mut walk.insts[inst].slots)
                })
            }
            _ => Ok(nulls(ty)),
        };
        let config = match evaluated {
            Ok(value) => value.value,
            Err(diagnostics) => return self.report(diagnostics),
        };
        let is_validation = self.purpose == Purpose::Validate;
        if is_validation && of.block.is_none_or(|(_, block)| block.config.is_empty()) {
            return true;
        }
        // G15: the object is imported in this walk, so that the configuration of its provider must be known.
        if self.purpose == Purpose::Import && !config.is_wholly_known() {
            return self.report(vec![Diagnostic::error("Invalid provider configuration")]);
        }
        let mut is_fine = self.ask_provider(&of.address, Request::ValidateProvider { config: config.clone() });
        if is_fine && !is_validation {
            is_fine = self.ask_provider(&of.address, Request::Configure { config: config.clone() });
        }
        if !is_fine && of.block.is_none() {
            self.report(vec![Diagnostic::error("Invalid provider configuration")]);
        }
        self.configured[provider] = Some(config);
        is_fine
    }

    fn ask_provider(&mut self, address: &ProviderConfig, request: Request) -> bool {
        let call = Call { provider: address.source.clone(), configured: None, type_name: None, request };
        let answer = self.calls.ask(self.here, "", call);
        let about = address.to_string();
        let diagnostics = answer.remarks.iter().map(|remark| diagnostics::remark(remark, Some(&about))).collect();
        self.report(diagnostics)
    }
}

fn invalid<T>(summary: &str) -> Evaluated<T> {
    Err(vec![Diagnostic::error(summary)])
}

/// The type of a `count`, and the error for another one.
const NUMBER: Wanted<'static> = Wanted { ty: &Type::Number, otherwise: "Incorrect value type" };

fn counted(value: &Marked, is_validation: bool) -> Evaluated<Repeat> {
    const INVALID: &str = "Invalid count argument";
    if marks::has(value, EPHEMERAL) {
        return invalid(INVALID);
    }
    let count = value.value.view().as_number().and_then(|number| number.to_i64()).filter(|count| *count >= 0);
    match count {
        _ if value.value.is_unknown() && !is_validation => invalid(INVALID),
        None if !value.value.is_unknown() => invalid(INVALID),
        _ if is_validation => Ok(Repeat::Unknown(Repeats::Count)),
        Some(count) => Ok(Repeat::Count(count)),
        None => invalid(INVALID),
    }
}

fn keyed(value: &Marked, is_validation: bool) -> Evaluated<Repeat> {
    const INVALID: &str = "Invalid for_each argument";
    let is_unknown = value.value.is_unknown();
    let is_set = matches!(value.ty(), Type::Set(_));
    let fits = match value.ty() {
        Type::Set(_) | Type::Map(_) | Type::Object(_) => true,
        Type::Dynamic => is_unknown,
        _ => false,
    };
    if !fits || value.marks.own.has(SENSITIVE) || marks::has(value, EPHEMERAL) || value.value.is_null() {
        return invalid(INVALID);
    }
    if is_unknown || (is_set && !value.value.is_wholly_known()) {
        return if is_validation { Ok(Repeat::Unknown(Repeats::Each)) } else { invalid(INVALID) };
    }
    let mut elements: Vec<(String, Marked)> = Vec::with_capacity(value.value.node().parts().len());
    if is_set {
        for element in value.parts() {
            match Value::view(&element.value).as_text().map(ToString::to_string) {
                Some(text) => elements.push((text, element)),
                None => return invalid("Invalid for_each set argument"),
            }
        }
    } else {
        elements.extend(value.keys().iter().map(ToString::to_string).zip(value.parts()));
    }
    if is_validation {
        return Ok(Repeat::Unknown(Repeats::Each));
    }
    elements.sort_by(|a, b| a.0.cmp(&b.0));
    elements.dedup_by(|a, b| a.0 == b.0);
    Ok(Repeat::Each(Arc::new(elements)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e101_a_count_is_a_whole_number_that_is_known() {
        let of = |value: Value| NUMBER.of(&value.into()).and_then(|value| counted(&value, false));
        assert!(matches!(of(Value::string("3")), Ok(Repeat::Count(3))));
        assert!(of(Value::string("three")).is_err());
        for value in [Value::number(-1_i64), Value::unknown(Type::Number), Value::null(Type::Number)] {
            assert!(of(value).is_err());
        }
        assert!(matches!(counted(&Value::unknown(Type::Number).into(), true), Ok(Repeat::Unknown(Repeats::Count))));
    }
}
