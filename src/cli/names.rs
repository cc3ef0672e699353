//! Options that take a name: the names come from one place, and are in the help and in completions.

use std::ffi::OsStr;
use std::str::FromStr;

use clap::builder::{PossibleValue, StyledStr, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};
use planfuzz_core::dialect::Dialect;
use planfuzz_workspace_cases::shapes::Shape;

use crate::case::Op;

/// Parses a name. Help and completions list `names`; `read` may accept more.
#[derive(Clone)]
pub struct Names<T> {
    names: Vec<String>,
    read: fn(&str) -> Result<T, String>,
}

fn read<T: FromStr<Err: ToString>>(name: &str) -> Result<T, String> {
    name.parse().map_err(|problem: T::Err| problem.to_string())
}

/// The operations.
pub fn ops() -> Names<Op> {
    ops_such_as(Op::ALL)
}

/// Operations in a sentence.
pub fn ops_in_words(ops: &[Op]) -> String {
    ops.iter().map(|op| op.name()).collect::<Vec<_>>().join(", ")
}

/// The operations, of which `some` are listed; callers report others as errors.
pub fn ops_such_as(some: &[Op]) -> Names<Op> {
    Names { names: some.iter().map(|op| op.name().to_owned()).collect(), read: read::<Op> }
}

/// The dialects that are tested; versions between them are accepted too.
pub fn dialect() -> Names<Dialect> {
    Names { names: Dialect::ALL.iter().map(ToString::to_string).collect(), read: read::<Dialect> }
}

/// The shapes that workspaces are measured in.
pub fn shape() -> Names<Shape> {
    let read = |name: &str| Shape::from_name(name).ok_or_else(|| format!("expected a shape, found {name:?}"));
    Names { names: Shape::ALL.iter().map(|(_, name)| (*name).to_owned()).collect(), read }
}

/// The dialects, and `all`.
pub fn dialects<T: FromStr<Err: ToString>>() -> Names<T> {
    let names = Dialect::ALL.iter().map(ToString::to_string).chain(["all".to_owned()]);
    Names { names: names.collect(), read: read::<T> }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Names<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        let name = value.to_string_lossy();
        (self.read)(&name).map_err(|problem| {
            let mut error = Error::new(ErrorKind::ValueValidation).with_cmd(command);
            if let Some(arg) = arg {
                error.insert(ContextKind::InvalidArg, ContextValue::String(arg.to_string()));
            }
            error.insert(ContextKind::InvalidValue, ContextValue::String(name.into_owned()));
            let next = format!("{problem}; known are {}", self.names.join(", "));
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(next)]));
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().map(|name| PossibleValue::new(name.clone()))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_is_read() {
        let is_read = |names: &[String], read: &dyn Fn(&str) -> bool| names.iter().all(|name| read(name));
        let (ops, dialect) = (ops(), dialect());
        assert!(is_read(&ops.names, &|name| (ops.read)(name).is_ok()));
        assert!(is_read(&dialect.names, &|name| (dialect.read)(name).is_ok()));
        assert!((dialect.read)("terraform-1.13").is_ok(), "versions between are read");
        assert!((dialect.read)("all").is_err());
    }
}
