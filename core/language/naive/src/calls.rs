//! Calls (E93 to E95), and the functions that are given expressions and no values (FN10, FN11).

use planfuzz_core::value::{Type, Value};
use planfuzz_language::expression::{Expression, Fault, Marked};

use crate::evaluate::{Evaluator, Outcome};
use crate::functions;
use crate::unknowns::dynamic;

const SPREAD: &str = "Invalid expanding argument value";

/// An argument; elements of an expanded one are values already.
enum Argument<'e> {
    Written(&'e Expression),
    Spread(Marked),
}

impl<'e> Argument<'e> {
    fn written(&self) -> Option<&'e Expression> {
        match self {
            Argument::Written(expression) => Some(expression),
            Argument::Spread(_) => None,
        }
    }
}

impl Evaluator<'_> {
    pub(crate) fn call(&mut self, at: &Expression, name: &str, written: &[Expression], spread: bool) -> Outcome {
        if !functions::exists(name, self.dialect) {
            let is_of_provider = name.contains("::") && self.dialect.distinguishes_provider_functions();
            let summary = if is_of_provider { "Unknown provider function" } else { "Call to unknown function" };
            return Outcome::failed(summary, at);
        }
        let mut arguments: Vec<Argument<'_>> = written.iter().map(Argument::Written).collect();
        // The expanded argument comes first: if it fails or is unknown, no other argument is evaluated.
        if spread && let Some(last) = written.last() {
            let outcome = self.value(last);
            if !outcome.faults.is_empty() {
                return Outcome { value: dynamic().into(), ..outcome };
            }
            let (last, own) = outcome.value.open();
            let is_sequence = matches!(last.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_) | Type::Dynamic);
            if last.value.is_null() || !is_sequence {
                return Outcome::failed(SPREAD, at);
            }
            if last.value.is_unknown() {
                return Marked::from(dynamic()).into();
            }
            arguments.pop();
            arguments.extend(last.parts().into_iter().map(|part| Argument::Spread(part.with(own))));
        }
        if let Some(summary) = functions::wrong_number(name, arguments.len()) {
            return Outcome::failed(summary, at);
        }
        match name {
            "try" => self.first_that_works(at, &arguments),
            "can" => self.whether_it_works(&arguments),
            _ => self.plain(at, name, &arguments),
        }
    }

    fn plain(&mut self, at: &Expression, name: &str, arguments: &[Argument<'_>]) -> Outcome {
        let (mut values, mut faults) = (Vec::with_capacity(arguments.len()), Vec::new());
        let mut misfits: Vec<Fault> = Vec::new();
        for (number, argument) in arguments.iter().enumerate() {
            // `template_string` decides whether to evaluate its template.
            let is_template = number == 0 && name == "templatestring";
            let outcome =
                if is_template { Outcome::from(Marked::from(Value::string(""))) } else { self.argument(argument) };
            faults.extend(outcome.faults);
            // Arguments that do not convert are reported together with the faults of others.
            let ty = functions::parameter(name, number);
            if !ty.is_dynamic() && outcome.value.convert(&ty).is_none() {
                misfits.push(Fault { summary: functions::ARGUMENT, place: at.place() });
            }
            values.push(outcome.value);
        }
        if !faults.is_empty() {
            faults.append(&mut misfits);
            return Outcome { value: dynamic().into(), faults };
        }
        if name == "templatestring" {
            let template = arguments.first().and_then(Argument::written);
            let answer = self.template_string(template, &values[1]);
            return Outcome::of(answer, at);
        }
        let answer = self.beyond(name, &values).unwrap_or_else(|| functions::call(name, &values, self.dialect));
        Outcome::of(answer, at)
    }

    fn argument(&mut self, argument: &Argument<'_>) -> Outcome {
        match argument {
            Argument::Written(expression) => self.value(expression),
            Argument::Spread(value) => value.clone().into(),
        }
    }

    /// FN10: a result that depends on an unknown may still fail later.
    fn first_that_works(&mut self, at: &Expression, arguments: &[Argument<'_>]) -> Outcome {
        for argument in arguments {
            let outcome = self.argument(argument);
            if outcome.faults.is_empty() {
                return if outcome.value.value.is_wholly_known() { outcome.value } else { dynamic().into() }.into();
            }
        }
        Outcome::failed(functions::CALL, at)
    }

    /// FN11
    fn whether_it_works(&mut self, arguments: &[Argument<'_>]) -> Outcome {
        let Some(argument) = arguments.first() else { return Marked::from(dynamic()).into() };
        let outcome = self.argument(argument);
        let value = if !outcome.faults.is_empty() {
            Value::bool(false)
        } else if outcome.value.value.is_wholly_known() {
            Value::bool(true)
        } else {
            Value::unknown(Type::Bool)
        };
        Marked::from(value).into()
    }
}
