//! The first difference between two outcomes: its kind and its place.

use std::fmt;

use planfuzz_core::json::Json;
use planfuzz_core::value::{Node, Path, Step, Type, Value, ValueRef, raw_equals};

pub use super::class::Class;
use super::expressions::expression_difference;
use super::oracles::run_difference;
use super::trace::{TracePlace, View, compare_traces};
use crate::case::without_asides;
use crate::subject::Outcome;

/// The first difference between two outcomes.
#[derive(Clone, Debug)]
pub struct Difference {
    /// What kind of difference it is.
    pub class: Class,
    /// Where in the answer; for violations the path of the first one that only one side reports.
    pub path: Place,
}

/// Where a difference is.
#[derive(Clone, Debug)]
pub enum Place {
    /// At a path of a value.
    Path(Path),
    /// At a path that a subject reported as text.
    Text(String),
    /// In a walk of a run.
    Trace(Box<TracePlace>),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Path(path) => path.fmt(f),
            Place::Text(text) => f.write_str(text),
            Place::Trace(place) => place.fmt(f),
        }
    }
}

/// The first difference between two answers; `None` if they agree or both refuse.
///
/// Crashes and timeouts are verdicts of their own, which other oracles report; here they count as answers of different forms.
pub fn difference(first: &Outcome, second: &Outcome) -> Option<Difference> {
    match (first, second) {
        (Outcome::Value(first), Outcome::Value(second)) => {
            if first == second {
                return None;
            }
            Some(value_difference(first.view(), second.view(), &Path::root()))
        }
        (Outcome::Paths(first), Outcome::Paths(second)) => path_difference(first, second),
        (Outcome::Want(first), Outcome::Want(second)) => {
            let (first, second) = (&*without_asides(first), &*without_asides(second));
            let found = || expression_difference(first, second).or_else(|| run_difference(first, second));
            (!same_document(first, second)).then(|| found().unwrap_or(at_root(Class::Answer)))
        }
        (Outcome::Trace(first), Outcome::Trace(second)) => compare_traces(first, second, View::default()).difference,
        (Outcome::Refused(_), Outcome::Refused(_)) => None,
        (Outcome::Refused(_), _) | (_, Outcome::Refused(_)) => Some(at_root(Class::RefusedByOne)),
        _ => Some(at_root(Class::Form)),
    }
}

/// Whether two documents are equal, ignoring the order of members.
fn same_document(first: &Json, second: &Json) -> bool {
    match (first, second) {
        (Json::Array(first), Json::Array(second)) => {
            first.len() == second.len() && first.iter().zip(second).all(|(first, second)| same_document(first, second))
        }
        (Json::Object(first), Json::Object(second)) => {
            let (first, second) = (sorted_members(first), sorted_members(second));
            let mut pairs = first.iter().zip(&second);
            first.len() == second.len() && pairs.all(|(one, other)| one.0 == other.0 && same_document(one.1, other.1))
        }
        (first, second) => first == second,
    }
}

fn sorted_members(members: &[(Box<str>, Json)]) -> Vec<(&str, &Json)> {
    let mut sorted: Vec<(&str, &Json)> = members.iter().map(|(name, json)| (&**name, json)).collect();
    sorted.sort_unstable_by_key(|(name, _)| *name);
    sorted
}

fn at_root(class: Class) -> Difference {
    Difference { class, path: Place::Path(Path::root()) }
}

/// Compares two sorted lists with repetitions: finds the first entry that one has more often than the other.
fn path_difference(first: &[String], second: &[String]) -> Option<Difference> {
    let mut rest = second.iter().peekable();
    for path in first {
        match rest.peek() {
            Some(next) if *next == path => {
                rest.next();
            }
            Some(next) if *next < path => return Some(violation(Class::MissingViolation, next)),
            _ => return Some(violation(Class::ExtraViolation, path)),
        }
    }
    rest.next().map(|path| violation(Class::MissingViolation, path))
}

fn violation(class: Class, path: &str) -> Difference {
    Difference { class, path: Place::Text(path.to_owned()) }
}

/// The deepest first difference of two values that are not raw-equal.
pub(super) fn first_value_difference(first: &Value, second: &Value) -> Difference {
    value_difference(first.view(), second.view(), &Path::root())
}

fn value_difference(first: ValueRef<'_>, second: ValueRef<'_>, path: &Path) -> Difference {
    let class = match (first.node(), second.node()) {
        (Node::Null, Node::Null) => Class::Type,
        (Node::Unknown(_), Node::Unknown(_)) if first.ty() != second.ty() => Class::Type,
        (Node::Unknown(_), Node::Unknown(_)) => Class::Record,
        (Node::Null, Node::Unknown(_)) | (Node::Unknown(_), Node::Null) => Class::NullUnknown,
        (Node::Null, _) | (_, Node::Null) => Class::NullKnown,
        (Node::Unknown(_), _) | (_, Node::Unknown(_)) => Class::UnknownKnown,
        _ => return known_difference(first, second, path),
    };
    Difference { class, path: Place::Path(path.clone()) }
}

fn known_difference(first: ValueRef<'_>, second: ValueRef<'_>, path: &Path) -> Difference {
    let class = match (first.ty(), second.ty()) {
        (Type::List(_), Type::List(_)) | (Type::Tuple(_), Type::Tuple(_)) if first.len() != second.len() => {
            Class::Length
        }
        (Type::Set(_), Type::Set(_)) if first.len() != second.len() => Class::Length,
        (Type::Set(_), Type::Set(_)) => Class::Elements,
        (Type::List(_), Type::List(_))
        | (Type::Tuple(_), Type::Tuple(_))
        | (Type::Map(_), Type::Map(_))
        | (Type::Object(_), Type::Object(_)) => return child_difference(first, second, path),
        (first, second) if first == second => Class::Primitive,
        _ => Class::Type,
    };
    Difference { class, path: Place::Path(path.clone()) }
}

fn child_difference(first: ValueRef<'_>, second: ValueRef<'_>, path: &Path) -> Difference {
    for ((step, one), (other_step, other)) in first.children().zip(second.children()) {
        if !same_step(&step, &other_step) {
            return Difference { class: Class::Keys, path: Place::Path(path.clone()) };
        }
        if !raw_equals(one, other) {
            return value_difference(one, other, &path.step(step));
        }
    }
    let class = if first.len() == second.len() { Class::Type } else { Class::Keys };
    Difference { class, path: Place::Path(path.clone()) }
}

fn same_step(first: &Step, second: &Step) -> bool {
    match (first, second) {
        (Step::Attribute(first), Step::Attribute(second)) | (Step::Key(first), Step::Key(second)) => first == second,
        (Step::Index(first), Step::Index(second)) => first == second,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differ(first: &str, second: &str) -> bool {
        let want = |text| Outcome::Want(Json::parse(text).expect("a document"));
        difference(&want(first), &want(second)).is_some()
    }

    #[test]
    fn the_order_of_members_is_no_difference() {
        assert!(!differ(r#"{"a": [{"b": 1, "c": 2}], "d": null}"#, r#"{"d": null, "a": [{"c": 2, "b": 1}]}"#));
        assert!(differ(r#"{"a": [1, 2]}"#, r#"{"a": [2, 1]}"#));
        assert!(differ(r#"{"a": 1}"#, r#"{"a": 1, "b": 1}"#));
        assert!(differ(r#"{"a": 1}"#, r#"{"b": 1}"#));
    }
}
