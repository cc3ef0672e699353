//! The functions of the language (section 7).
//!
//! Most functions take and give primitive values: for them [`typed`] does what E93 to E95 say once for all, and a function is what
//! remains. Functions that look at types, unknowns or marks themselves are in [`collections`] and [`conversions`].

mod collections;
mod conversions;
mod format;
mod json;
mod numbers;
mod strings;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::{Type, Value};

use crate::expression::{Marked, Marks};

/// A value, or the summary of the fault.
pub(crate) type Answer<T = Marked> = Result<T, &'static str>;

pub(crate) const ARGUMENT: &str = "Invalid function argument";
pub(crate) const CALL: &str = "Error in function call";
const FEW: &str = "Not enough function arguments";
const MANY: &str = "Too many function arguments";

/// The functions that are there, with the least and the greatest number of arguments.
const FUNCTIONS: &[(&str, usize, usize)] = &[
    ("abs", 1, 1),
    ("alltrue", 1, 1),
    ("anytrue", 1, 1),
    ("base64decode", 1, 1),
    ("base64encode", 1, 1),
    ("can", 1, 1),
    ("ceil", 1, 1),
    ("chomp", 1, 1),
    ("chunklist", 2, 2),
    ("coalesce", 0, MAX),
    ("coalescelist", 0, MAX),
    ("compact", 1, 1),
    ("concat", 0, MAX),
    ("contains", 2, 2),
    ("distinct", 1, 1),
    ("element", 2, 2),
    ("endswith", 2, 2),
    ("ephemeralasnull", 1, 1),
    ("flatten", 1, 1),
    ("floor", 1, 1),
    ("format", 1, MAX),
    ("formatlist", 1, MAX),
    ("indent", 2, 2),
    ("index", 2, 2),
    ("issensitive", 1, 1),
    ("join", 1, MAX),
    ("jsondecode", 1, 1),
    ("jsonencode", 1, 1),
    ("keys", 1, 1),
    ("length", 1, 1),
    ("log", 2, 2),
    ("lookup", 2, 3),
    ("lower", 1, 1),
    ("matchkeys", 3, 3),
    ("max", 0, MAX),
    ("merge", 0, MAX),
    ("min", 0, MAX),
    ("nonsensitive", 1, 1),
    ("one", 1, 1),
    ("parseint", 2, 2),
    ("pow", 2, 2),
    ("range", 0, MAX),
    ("regex", 2, 2),
    ("regexall", 2, 2),
    ("replace", 3, 3),
    ("reverse", 1, 1),
    ("sensitive", 1, 1),
    ("setintersection", 1, MAX),
    ("setproduct", 0, MAX),
    ("setsubtract", 2, 2),
    ("setunion", 1, MAX),
    ("signum", 1, 1),
    ("slice", 3, 3),
    ("sort", 1, 1),
    ("split", 2, 2),
    ("startswith", 2, 2),
    ("strcontains", 2, 2),
    ("strrev", 1, 1),
    ("substr", 3, 3),
    ("sum", 1, 1),
    ("title", 1, 1),
    ("tobool", 1, 1),
    ("tolist", 1, 1),
    ("tomap", 1, 1),
    ("tonumber", 1, 1),
    ("toset", 1, 1),
    ("tostring", 1, 1),
    ("transpose", 1, 1),
    ("trim", 2, 2),
    ("trimprefix", 2, 2),
    ("trimspace", 1, 1),
    ("trimsuffix", 2, 2),
    ("try", 0, MAX),
    ("upper", 1, 1),
    ("urlencode", 1, 1),
    ("values", 1, 1),
    ("zipmap", 2, 2),
];
const MAX: usize = usize::MAX;

/// Whether a function is there.
pub fn exists(name: &str) -> bool {
    FUNCTIONS.binary_search_by_key(&name, |entry| entry.0).is_ok()
}

/// Calls a function.
pub(crate) fn call(name: &str, arguments: &[Marked], dialect: Dialect) -> Answer {
    let place = FUNCTIONS.binary_search_by_key(&name, |entry| entry.0).map_err(|_| "Call to unknown function")?;
    let (_, least, greatest) = FUNCTIONS[place];
    if arguments.len() < least {
        return Err(FEW);
    }
    if arguments.len() > greatest {
        return Err(MANY);
    }
    let found = strings::call(name, arguments)
        .or_else(|| numbers::call(name, arguments))
        .or_else(|| conversions::call(name, arguments, dialect))
        .or_else(|| collections::call(name, arguments, dialect));
    match found {
        Some(answer) => answer,
        None if name == "format" => format::format(arguments, dialect),
        None if name == "formatlist" => format::format_list(arguments, dialect),
        None => Err(CALL),
    }
}

/// The marks of all arguments, deep ones too (E95).
pub(crate) fn all_marks(arguments: &[Marked]) -> Marks {
    arguments.iter().fold(Marks::default(), |marks, argument| marks.and(argument.marks.all()))
}

/// Arguments converted to the parameters' types, the last of which stands for all that follow (E93).
pub(crate) fn converted(arguments: &[Marked], parameters: &[Type]) -> Answer<Vec<Value>> {
    let types = parameters.iter().chain(std::iter::repeat(parameters.last().unwrap_or(&Type::Dynamic)));
    let convert = |(argument, ty): (&Marked, &Type)| {
        let value = planfuzz_core::value::convert::convert(&argument.value, ty).map_err(|_| ARGUMENT)?;
        if value.is_null() { Err(ARGUMENT) } else { Ok(value) }
    };
    arguments.iter().zip(types).map(convert).collect()
}

/// E93 to E95 for a function of plain values: what is unknown anywhere makes the result unknown.
pub(crate) fn typed(
    arguments: &[Marked],
    parameters: &[Type],
    result: &Type,
    f: impl FnOnce(&[Value]) -> Answer<Value>,
) -> Answer {
    let values = converted(arguments, parameters)?;
    let known = values.iter().all(Value::is_wholly_known);
    let value = if known { f(&values)? } else { unknown(result) };
    Ok(Marked::from(value).with(all_marks(arguments)))
}

/// What a function gives where it does not know more: not null, but of no type where the type is open.
pub(crate) fn unknown(ty: &Type) -> Value {
    if ty.is_dynamic() { Value::unknown(Type::Dynamic) } else { crate::expression::unknown_not_null(ty.clone()) }
}

/// The text of a known string.
pub(crate) fn text(value: &Value) -> &str {
    value.view().as_text().map_or("", |text| text.as_str())
}
