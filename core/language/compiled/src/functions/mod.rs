//! The functions (section 7): what each takes and returns. A function is looked up once, when an expression is compiled.

mod collections;
mod conversions;
mod decimal;
mod encodings;
mod files;
mod format;
mod hashes;
mod json;
mod lists;
mod maps;
mod networks;
pub(crate) mod numbers;
mod patterns;
mod re2;
mod rsa;
mod sets;
mod strings;
mod table;
mod times;
mod yaml;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::{Number, Text, Type, Value};
use planfuzz_language::expression::Marked;

use crate::machine::Machine;

/// A function of the language.
#[derive(Debug)]
pub(crate) struct Function {
    pub name: &'static str,
    pub parameters: &'static [Parameter],
    /// The parameter of all further arguments.
    pub rest: Option<Parameter>,
    /// Whether it gives the same for the same arguments.
    pub is_pure: bool,
    /// The type of the result, where an argument is unknown.
    pub returns: fn(&Given<'_, '_>) -> Result<Type, Wrong>,
    pub make: fn(&Given<'_, '_>) -> Made,
}

/// The result of a function.
pub(crate) type Made = Result<Marked, Wrong>;

/// A parameter of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub want: Want,
    /// Accepts null.
    pub null: bool,
    /// Handles unknowns itself.
    pub unknown: bool,
    /// Handles marks itself (**m**).
    pub marked: bool,
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Want {
    Any,
    Text,
    Number,
    Texts,
    Bools,
    List,
    Set,
    MapOfTexts,
}

/// Why a function returns no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// "Error in function call"
    Call,
    /// "Invalid function argument"
    Argument,
    /// The result would be too large.
    TooMuch,
}

/// The arguments of a call.
pub(crate) struct Given<'a, 'p> {
    pub arguments: Vec<Marked>,
    pub machine: &'a Machine<'p>,
}

impl Want {
    pub fn ty(self) -> Option<Type> {
        Some(match self {
            Want::Any => return None,
            Want::Text => Type::String,
            Want::Number => Type::Number,
            Want::Texts => Type::list(Type::String),
            Want::Bools => Type::list(Type::Bool),
            Want::List => Type::list(Type::Dynamic),
            Want::Set => Type::set(Type::Dynamic),
            Want::MapOfTexts => Type::map(Type::list(Type::String)),
        })
    }
}

impl Function {
    pub fn parameter(&self, at: usize) -> Option<&Parameter> {
        self.parameters.get(at).or(self.rest.as_ref())
    }

    /// The summary of a wrong number of arguments.
    pub fn miscounted(&self, count: usize) -> Option<&'static str> {
        if count < self.parameters.len() {
            Some("Not enough function arguments")
        } else if count > self.parameters.len() && self.rest.is_none() {
            Some("Too many function arguments")
        } else {
            None
        }
    }
}

impl Given<'_, '_> {
    pub fn get(&self, at: usize) -> Result<&Marked, Wrong> {
        self.arguments.get(at).ok_or(Wrong::Call)
    }

    pub fn value(&self, at: usize) -> Result<&Value, Wrong> {
        self.get(at).map(|argument| &argument.value)
    }

    pub fn text(&self, at: usize) -> Result<&str, Wrong> {
        self.value(at)?.view().as_text().map(Text::as_str).ok_or(Wrong::Argument)
    }

    pub fn number(&self, at: usize) -> Result<&Number, Wrong> {
        self.value(at)?.view().as_number().ok_or(Wrong::Argument)
    }

    /// Argument `at` as a whole number.
    pub fn whole(&self, at: usize) -> Result<i64, Wrong> {
        let number = self.number(at)?;
        number.to_i64().filter(|_| number.is_whole()).ok_or(Wrong::Call)
    }

    /// Spends work for `parts` elements.
    pub fn spend(&self, parts: usize) -> Result<(), Wrong> {
        if self.machine.spend(parts as u64) { Ok(()) } else { Err(Wrong::TooMuch) }
    }

    pub fn dialect(&self) -> Dialect {
        self.machine.dialect
    }
}

pub(crate) use files::is_reference;
pub(crate) use table::NO_TEMPLATE;

/// Finds a function by its name.
pub(crate) fn find(name: &str, dialect: Dialect) -> Option<&'static Function> {
    let has_more = dialect.has_functions_of_opentofu();
    table::GROUPS
        .iter()
        .flat_map(|group| group.iter())
        .chain(table::OPENTOFU.iter().filter(|_| has_more))
        .find(|function| function.name == name)
}

/// A string.
pub(crate) fn text(text: &str) -> Made {
    Ok(Value::string(text).into())
}

/// A list of strings.
pub(crate) fn texts<'t>(all: impl IntoIterator<Item = &'t str>) -> Made {
    let values = all.into_iter().map(Value::string).collect();
    Value::list(&Type::String, values).map(Marked::from).map_err(|_| Wrong::Call)
}

/// A number.
pub(crate) fn number(number: impl Into<Number>) -> Made {
    Ok(Value::number(number).into())
}

/// A bool.
pub(crate) fn truth(bool: bool) -> Made {
    Ok(Value::bool(bool).into())
}
