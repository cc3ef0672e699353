//! The functions of the language (section 7).
//!
//! Most functions take and return primitive values: for them `typed` implements E93 to E95 once, and each function only its own work.
//! Functions that handle types, unknowns or marks themselves are in `collections` and `conversions`.

mod collections;
mod conversions;
mod csv;
mod digits;
mod format;
mod hashes;
mod json;
mod maps;
mod networks;
mod numbers;
mod pattern;
mod product;
mod rsa;
mod sequences;
mod sets;
mod strings;
mod texts;
mod times;
mod yaml;
mod yaml_read;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::{Type, Value};

use planfuzz_language::expression::{Marked, Marks};

pub(crate) use hashes::digest;
pub(crate) use texts::plain;

/// A value, or the summary of the fault.
pub(crate) type Answer<T = Marked> = Result<T, &'static str>;

pub(crate) const ARGUMENT: &str = "Invalid function argument";
pub(crate) const CALL: &str = "Error in function call";
/// Base64 as the engine reads it: left-over bits in the last letter are ignored.
pub(crate) const LENIENT: base64::engine::GeneralPurpose = base64::engine::GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    base64::engine::GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);
const FEW: &str = "Not enough function arguments";
const MANY: &str = "Too many function arguments";

/// The functions of every dialect, with the least and the greatest number of arguments.
const FUNCTIONS: &[(&str, usize, usize)] = &[
    ("abs", 1, 1),
    ("abspath", 1, 1),
    ("alltrue", 1, 1),
    ("anytrue", 1, 1),
    ("base64decode", 1, 1),
    ("base64encode", 1, 1),
    ("base64gzip", 1, 1),
    ("base64sha256", 1, 1),
    ("base64sha512", 1, 1),
    ("basename", 1, 1),
    ("bcrypt", 1, MAX),
    ("can", 1, 1),
    ("ceil", 1, 1),
    ("chomp", 1, 1),
    ("chunklist", 2, 2),
    ("cidrhost", 2, 2),
    ("cidrnetmask", 1, 1),
    ("cidrsubnet", 3, 3),
    ("cidrsubnets", 1, MAX),
    ("coalesce", 0, MAX),
    ("coalescelist", 0, MAX),
    ("compact", 1, 1),
    ("concat", 0, MAX),
    ("contains", 2, 2),
    ("csvdecode", 1, 1),
    ("dirname", 1, 1),
    ("distinct", 1, 1),
    ("element", 2, 2),
    ("endswith", 2, 2),
    ("ephemeralasnull", 1, 1),
    ("file", 1, 1),
    ("filebase64", 1, 1),
    ("filebase64sha256", 1, 1),
    ("filebase64sha512", 1, 1),
    ("fileexists", 1, 1),
    ("filemd5", 1, 1),
    ("fileset", 2, 2),
    ("filesha1", 1, 1),
    ("filesha256", 1, 1),
    ("filesha512", 1, 1),
    ("flatten", 1, 1),
    ("floor", 1, 1),
    ("format", 1, MAX),
    ("formatdate", 2, 2),
    ("formatlist", 1, MAX),
    ("indent", 2, 2),
    ("index", 2, 2),
    ("issensitive", 1, 1),
    ("join", 1, MAX),
    ("jsondecode", 1, 1),
    ("jsonencode", 1, 1),
    ("keys", 1, 1),
    ("length", 1, 1),
    ("list", 0, MAX),
    ("log", 2, 2),
    ("lookup", 2, MAX),
    ("lower", 1, 1),
    ("map", 0, MAX),
    ("matchkeys", 3, 3),
    ("max", 0, MAX),
    ("md5", 1, 1),
    ("merge", 0, MAX),
    ("min", 0, MAX),
    ("nonsensitive", 1, 1),
    ("one", 1, 1),
    ("parseint", 2, 2),
    ("pathexpand", 1, 1),
    ("plantimestamp", 0, 0),
    ("pow", 2, 2),
    ("range", 0, MAX),
    ("regex", 2, 2),
    ("regexall", 2, 2),
    ("replace", 3, 3),
    ("reverse", 1, 1),
    ("rsadecrypt", 2, 2),
    ("sensitive", 1, 1),
    ("setintersection", 1, MAX),
    ("setproduct", 0, MAX),
    ("setsubtract", 2, 2),
    ("setunion", 1, MAX),
    ("sha1", 1, 1),
    ("sha256", 1, 1),
    ("sha512", 1, 1),
    ("signum", 1, 1),
    ("slice", 3, 3),
    ("sort", 1, 1),
    ("split", 2, 2),
    ("startswith", 2, 2),
    ("strcontains", 2, 2),
    ("strrev", 1, 1),
    ("substr", 3, 3),
    ("sum", 1, 1),
    ("templatefile", 2, 2),
    ("templatestring", 2, 2),
    ("textdecodebase64", 2, 2),
    ("textencodebase64", 2, 2),
    ("timeadd", 2, 2),
    ("timecmp", 2, 2),
    ("timestamp", 0, 0),
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
    ("uuid", 0, 0),
    ("uuidv5", 2, 2),
    ("values", 1, 1),
    ("yamldecode", 1, 1),
    ("yamlencode", 1, 1),
    ("zipmap", 2, 2),
];
const MAX: usize = usize::MAX;

/// The functions that only OpenTofu has.
const OPENTOFU: &[(&str, usize, usize)] = &[("cidrcontains", 2, 2), ("urldecode", 1, 1)];

/// Whether a dialect has a function.
pub fn exists(name: &str, dialect: Dialect) -> bool {
    let is_named = |entry: &(&str, usize, usize)| entry.0 == name;
    FUNCTIONS.iter().any(is_named) || (dialect.has_functions_of_opentofu() && OPENTOFU.iter().any(is_named))
}

/// The summary of the fault if the number of arguments is wrong.
pub(crate) fn wrong_number(name: &str, count: usize) -> Option<&'static str> {
    let (_, least, greatest) = *FUNCTIONS.iter().chain(OPENTOFU).find(|entry| entry.0 == name)?;
    if count < least {
        Some(FEW)
    } else if count > greatest {
        Some(MANY)
    } else {
        None
    }
}

/// The type of a parameter; dynamic if any type is accepted, or if the function checks it itself.
pub(crate) fn parameter(name: &str, number: usize) -> Type {
    const S: Type = Type::String;
    const N: Type = Type::Number;
    let list = || Type::list(Type::Dynamic);
    match (name, number) {
        ("setunion" | "setintersection" | "setsubtract", _) => Type::set(Type::Dynamic),
        ("join", 1..) | ("sort" | "compact", _) => Type::list(S),
        ("zipmap", 0) => Type::list(S),
        ("alltrue" | "anytrue", _) => Type::list(Type::Bool),
        ("distinct" | "matchkeys", _) | ("chunklist", 0) => list(),
        ("transpose", _) => Type::map(Type::list(S)),
        ("min" | "max" | "abs" | "ceil" | "floor" | "signum" | "log" | "pow" | "range", _) => N,
        ("parseint" | "element" | "chunklist", 1) | ("slice" | "substr", 1..) | ("indent", 0) => N,
        ("cidrsubnet" | "cidrsubnets" | "cidrhost", 1..) => N,
        ("join" | "format" | "formatlist" | "substr" | "cidrsubnet" | "cidrsubnets" | "cidrhost", 0) => S,
        ("indent", 1) | ("lookup", 1) | ("bcrypt" | "templatefile" | "templatestring", 0) => S,
        ("bcrypt", _) => N,
        (
            "file" | "filebase64" | "fileexists" | "fileset" | "filemd5" | "filesha1" | "filesha256" | "filesha512",
            _,
        ) => S,
        ("filebase64sha256" | "filebase64sha512" | "basename" | "dirname" | "uuidv5" | "abspath" | "pathexpand", _) => {
            S
        }
        (
            "upper" | "lower" | "title" | "trimspace" | "chomp" | "strrev" | "trim" | "trimprefix" | "trimsuffix"
            | "startswith" | "endswith" | "strcontains" | "split" | "replace" | "regex" | "regexall" | "urlencode"
            | "base64encode" | "base64decode" | "base64gzip" | "textencodebase64" | "textdecodebase64" | "jsondecode"
            | "md5" | "sha1" | "sha256" | "sha512" | "base64sha256" | "base64sha512" | "cidrnetmask" | "yamldecode"
            | "rsadecrypt" | "timeadd" | "timecmp" | "formatdate" | "csvdecode" | "urldecode" | "cidrcontains",
            _,
        ) => S,
        _ => Type::Dynamic,
    }
}

/// Calls a function.
pub(crate) fn call(name: &str, arguments: &[Marked], dialect: Dialect) -> Answer {
    if let Some(summary) = wrong_number(name, arguments.len()) {
        return Err(summary);
    }
    let found = strings::call(name, arguments)
        .or_else(|| numbers::call(name, arguments))
        .or_else(|| networks::call(name, arguments))
        .or_else(|| hashes::call(name, arguments))
        .or_else(|| rsa::call(name, arguments))
        .or_else(|| times::call(name, arguments))
        .or_else(|| texts::call(name, arguments))
        .or_else(|| csv::call(name, arguments))
        .or_else(|| yaml::call(name, arguments))
        .or_else(|| yaml_read::call(name, arguments))
        .or_else(|| conversions::call(name, arguments, dialect))
        .or_else(|| collections::call(name, arguments))
        .or_else(|| maps::call(name, arguments, dialect))
        .or_else(|| sequences::call(name, arguments, dialect))
        .or_else(|| sets::call(name, arguments));
    match found {
        Some(answer) => answer,
        None if name == "format" => format::format(arguments, dialect),
        None if name == "formatlist" => format::format_list(arguments, dialect),
        None => Err(CALL),
    }
}

/// The marks of all arguments, including those of their parts (E95).
pub(crate) fn all_marks(arguments: &[Marked]) -> Marks {
    arguments.iter().fold(Marks::default(), |marks, argument| marks.and(argument.marks.all()))
}

/// Arguments converted to the parameters' types; the last parameter type applies to all further arguments (E93).
pub(crate) fn converted(arguments: &[Marked], parameters: &[Type]) -> Answer<Vec<Value>> {
    let types = parameters.iter().chain(std::iter::repeat(parameters.last().unwrap_or(&Type::Dynamic)));
    let convert = |(argument, ty): (&Marked, &Type)| {
        let value = planfuzz_core::value::convert::convert(&argument.value, ty).map_err(|_| ARGUMENT)?;
        // A set of unknown length becomes a list of its elements' type, which may not be the wanted one.
        let is_other = !ty.has_dynamic() && value.ty() != ty;
        if value.is_null() || is_other { Err(ARGUMENT) } else { Ok(value) }
    };
    arguments.iter().zip(types).map(convert).collect()
}

/// E93 to E95 for a function of plain values: if any argument is not wholly known, the result is unknown.
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

/// The unknown result of a function: not null, but without a type if the type is dynamic.
pub(crate) fn unknown(ty: &Type) -> Value {
    if ty.is_dynamic() { Value::unknown(Type::Dynamic) } else { crate::unknowns::unknown_not_null(ty.clone()) }
}

/// The text of a known string.
pub(crate) fn text(value: &Value) -> &str {
    value.view().as_text().map_or("", |text| text.as_str())
}

fn dynamic() -> Marked {
    Value::unknown(Type::Dynamic).into()
}

fn is_sequence(ty: &Type) -> bool {
    matches!(ty, Type::List(_) | Type::Set(_) | Type::Tuple(_))
}
