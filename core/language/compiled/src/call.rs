//! Calls: arguments converted, nulls, unknowns and marks as for every function (E93 to E95); `try` and `can`.

use planfuzz_core::value::{Node, Type, Value};
use planfuzz_language::SourcePlace;
use planfuzz_language::expression::Marked;

use crate::access::PLAIN;
use crate::functions::{Function, Given, Parameter, Wrong};
use crate::machine::{Frame, Machine, TOO_LARGE};
use crate::make;
use crate::operation::{Call, Operation};
use crate::outcome::{Evaluated, Failed, Faults, Out, failure};

const ARGUMENT: &str = "Invalid function argument";
const CALL: &str = "Error in function call";
const EXPANDING: &str = "Invalid expanding argument value";

pub(crate) fn call<'p>(machine: &Machine<'p>, frame: &mut Frame, call: &'p Call, place: SourcePlace) -> Evaluated {
    let function = call.function;
    let mut faults = Faults::default();
    let (single, spread) = match call.arguments.split_last() {
        Some((last, rest)) if call.spread => (rest, Some(last)),
        _ => (&*call.arguments, None),
    };
    let mut spread_parts = Vec::new();
    if let Some(last) = spread {
        let whole = machine.run(last, frame).map_err(|failed| Failed { value: dynamic(), ..failed })?;
        let is_many = matches!(whole.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_));
        if whole.value.is_null() || !(is_many || whole.ty().is_dynamic()) {
            return Err(failure(EXPANDING, last.place, None));
        }
        if whole.value.is_unknown() {
            return Ok(dynamic());
        }
        let own = whole.marks.own;
        spread_parts = whole.parts().into_iter().map(|part| part.with(own)).collect();
        if let Some(summary) = function.miscounted(single.len() + spread_parts.len()) {
            return Err(failure(summary, place, None));
        }
    }
    let mut arguments = Vec::with_capacity(single.len() + spread_parts.len());
    for operation in single {
        let value = faults.take(machine.run(operation, frame));
        add(&mut arguments, function, &value, operation.place, &mut faults);
    }
    for part in &spread_parts {
        add(&mut arguments, function, part, place, &mut faults);
    }
    if !faults.is_empty() {
        return Err(faults.with_type(None));
    }
    if arguments.iter().enumerate().any(|(at, argument)| is_of_another_type(function, at, argument)) {
        return Err(failure(ARGUMENT, place, None));
    }
    apply(machine, function, arguments, place)
}

fn dynamic() -> Marked {
    Value::unknown(Type::Dynamic).into()
}

fn add(arguments: &mut Vec<Marked>, function: &Function, value: &Marked, place: SourcePlace, faults: &mut Faults) {
    let Some(parameter) = function.parameter(arguments.len()) else { return };
    match converted(value, parameter) {
        Some(value) => arguments.push(value),
        None => {
            faults.add(ARGUMENT, place);
            arguments.push(value.clone());
        }
    }
}

fn converted(value: &Marked, parameter: &Parameter) -> Option<Marked> {
    match parameter.want.ty() {
        None => Some(value.clone()),
        Some(ty) if *value.ty() == ty => Some(value.clone()),
        Some(ty) => value.convert(&ty),
    }
}

/// Whether an argument still has another type after conversion, as a list that was a set of unknown length has. Reported only if there is
/// no other fault.
fn is_of_another_type(function: &Function, at: usize, argument: &Marked) -> bool {
    let wanted = function.parameter(at).and_then(|parameter| parameter.want.ty());
    wanted.is_some_and(|ty| !ty.has_dynamic() && *argument.ty() != ty)
}

/// Applies a function to arguments that have the types of its parameters.
fn apply(machine: &Machine<'_>, function: &Function, mut arguments: Vec<Marked>, place: SourcePlace) -> Evaluated {
    let mut marks = PLAIN;
    for (at, argument) in arguments.iter_mut().enumerate() {
        if !argument.marks.is_empty() && function.parameter(at).is_some_and(|parameter| !parameter.marked) {
            marks = marks.and(argument.marks.all());
            argument.marks = Default::default();
        }
    }
    for (at, argument) in arguments.iter().enumerate() {
        let Some(parameter) = function.parameter(at) else { continue };
        if !parameter.null && argument.value.is_null() {
            return Err(failure(ARGUMENT, place, None));
        }
        // The arguments after an unknown without a type are not checked.
        if argument.ty().is_dynamic() && argument.value.is_unknown() {
            if !parameter.unknown {
                return Ok(Marked::from(Value::unknown(Type::Dynamic)).with(marks));
            }
            if !parameter.null {
                break;
            }
        }
    }
    let is_unknown = arguments.iter().enumerate().any(|(at, argument)| {
        argument.value.is_unknown() && function.parameter(at).is_some_and(|parameter| !parameter.unknown)
    });
    let given = Given { arguments, machine };
    let made = if is_unknown {
        (function.returns)(&given).map(|ty| Marked::from(make::not_null(ty)))
    } else {
        (function.make)(&given)
    };
    match made {
        Ok(value) => Ok(value.with(marks)),
        Err(Wrong::Argument) => Err(failure(ARGUMENT, place, None)),
        Err(Wrong::Call) => Err(failure(CALL, place, None)),
        Err(Wrong::TooMuch) => Err(failure(TOO_LARGE, place, None)),
    }
}

/// `try` (FN10)
pub(crate) fn first_without_faults<'p>(
    machine: &Machine<'p>,
    frame: &mut Frame,
    parts: &'p [Operation],
    place: SourcePlace,
) -> Evaluated {
    for part in parts {
        if let Ok(value) = machine.run(part, frame) {
            return Ok(if_known(&value));
        }
    }
    Err(failure(CALL, place, None))
}

fn if_known(value: &Marked) -> Marked {
    if value.value.is_wholly_known() { value.clone() } else { dynamic() }
}

/// `try` and `can` whose last argument is expanded (`...`): its elements are values already and have no faults.
pub(crate) fn special_spread<'p>(
    machine: &Machine<'p>,
    frame: &mut Frame,
    is_try: bool,
    parts: &'p [Operation],
    place: SourcePlace,
) -> Evaluated {
    let Some((last, single)) = parts.split_last() else { return Err(failure(CALL, place, None)) };
    let whole = machine.run(last, frame).map_err(|failed| Failed { value: dynamic(), ..failed })?;
    let is_many = matches!(whole.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_));
    if whole.value.is_null() || !(is_many || whole.ty().is_dynamic()) {
        return Err(failure(EXPANDING, last.place, None));
    }
    let own = whole.marks.own;
    if whole.value.is_unknown() {
        return Ok(dynamic());
    }
    let spread: Vec<Marked> = whole.parts().into_iter().map(|part| part.with(own)).collect();
    if !is_try {
        return match single.len() + spread.len() {
            0 => Err(failure("Not enough function arguments", place, None)),
            1 => Ok(match spread.into_iter().next() {
                Some(part) => can(Ok(std::borrow::Cow::Owned(part))),
                None => can(machine.run(&single[0], frame)),
            }),
            _ => Err(failure("Too many function arguments", place, None)),
        };
    }
    for part in single {
        if let Ok(value) = machine.run(part, frame) {
            return Ok(if_known(&value));
        }
    }
    spread.first().map(if_known).ok_or_else(|| failure(CALL, place, None))
}

/// `can` (FN11)
pub(crate) fn can(part: Out<'_>) -> Marked {
    match part {
        Err(_) => Value::bool(false),
        Ok(value) if value.value.is_wholly_known() => Value::bool(true),
        Ok(_) => Value::from_parts(Type::Bool, Node::UNKNOWN),
    }
    .into()
}
