//! Refinement records in JSON.

use crate::json::{Json, JsonError, JsonProblem, Sink};
use crate::value::node::Node;
use crate::value::{Bound, Number, Range, Refinement, Text, Type, UNBOUNDED, set};

use super::read::number;

/// A list that a refinement makes known (V43) has at most this many elements; more would be memory for nothing.
const MAX_KNOWN_LENGTH: u64 = 100_000;

/// One fact of a record, as it is written.
enum Fact {
    NotNull,
    Prefix(Text),
    Min(Bound),
    Max(Bound),
    LengthMin(u64),
    LengthMax(u64),
}

/// The unknown of type `ty` with the facts of a record, or what they make known.
pub(super) fn node(json: &Json, ty: &Type) -> Result<Node, JsonError> {
    let Json::Object(members) = json else {
        return Err(json.unexpected("true or an object of refinements"));
    };
    let mut facts = Vec::with_capacity(members.len());
    for (name, member) in members {
        facts.push(fact(name, member, ty).map_err(|error| error.inside_member(name))?);
    }
    refined(ty, facts).map_err(|message| JsonProblem::Refinement { message }.into())
}

fn fact(name: &str, json: &Json, ty: &Type) -> Result<Fact, JsonError> {
    let (fact, fits) = match name {
        "not_null" => match json {
            Json::Bool(true) => (Fact::NotNull, true),
            other => return Err(other.unexpected("true")),
        },
        "string_prefix" => (Fact::Prefix(Text::new(json.expect_string()?)), matches!(ty, Type::String)),
        "number_min" => (Fact::Min(bound(json)?), matches!(ty, Type::Number)),
        "number_max" => (Fact::Max(bound(json)?), matches!(ty, Type::Number)),
        "length_min" => (Fact::LengthMin(length(json)?), ty.is_collection()),
        "length_max" => (Fact::LengthMax(length(json)?), ty.is_collection()),
        _ => return Err(json.unexpected("the name of a refinement")),
    };
    match fits {
        true => Ok(fact),
        false => Err(json.unexpected(format!("no such refinement at the type {}", ty.to_v05_text()))),
    }
}

fn bound(json: &Json) -> Result<Bound, JsonError> {
    match json.expect_array()? {
        [value, inclusive] => Ok(Bound {
            value: number(value).map_err(|error| error.inside_index(0))?,
            inclusive: inclusive.expect_bool().map_err(|error| error.inside_index(1))?,
        }),
        _ => Err(json.unexpected("[number, inclusive]")),
    }
}

fn length(json: &Json) -> Result<u64, JsonError> {
    match json.expect_u64()? {
        length if length <= UNBOUNDED => Ok(length),
        _ => Err(json.unexpected(format!("a length of at most {UNBOUNDED}"))),
    }
}

/// Adds the facts in order (V42) and makes known what they leave no choice about (V43).
fn refined(ty: &Type, facts: Vec<Fact>) -> Result<Node, String> {
    let mut record = Refinement { not_null: false, range: Range::Any };
    for fact in facts {
        add(&mut record, fact)?;
    }
    match (&record.range, ty) {
        (Range::Number { min: Some(min), max: Some(max) }, _)
            if record.not_null && min.inclusive && max.inclusive && min.value.equals(&max.value) =>
        {
            Ok(Node::Number(min.value.clone()))
        }
        (Range::Length { min, max }, _) if record.not_null && min == max => match (ty, *min) {
            (Type::List(_), length) if length > MAX_KNOWN_LENGTH => {
                Err(format!("a list known to have {length} elements, more than {MAX_KNOWN_LENGTH}"))
            }
            (Type::List(_), length) => Ok(Node::seq((0..length).map(|_| Node::UNKNOWN).collect())),
            (Type::Set(element), length @ 0..=1) => {
                Ok(Node::Seq(set::build(element, (0..length).map(|_| Node::UNKNOWN).collect())))
            }
            (Type::Map(_), 0) => Ok(Node::Map(triomphe::Arc::new(crate::value::MapNode::from_sorted(Vec::new())))),
            _ => Ok(Node::Unknown(Some(triomphe::Arc::new(record)))),
        },
        _ => Ok(Node::Unknown(Some(triomphe::Arc::new(record)))),
    }
}

fn add(record: &mut Refinement, fact: Fact) -> Result<(), String> {
    match fact {
        Fact::NotNull => record.not_null = true,
        Fact::Prefix(prefix) if prefix.is_empty() => {}
        Fact::Prefix(prefix) => record.range = Range::String { prefix },
        Fact::Min(bound) => set_bounds(record, Some(bound), None)?,
        Fact::Max(bound) => set_bounds(record, None, Some(bound))?,
        Fact::LengthMin(least) => set_lengths(record, least, UNBOUNDED)?,
        Fact::LengthMax(greatest) => set_lengths(record, 0, greatest)?,
    }
    Ok(())
}

/// Each bound is written once at most, so nothing is ever replaced.
fn set_bounds(record: &mut Refinement, min: Option<Bound>, max: Option<Bound>) -> Result<(), String> {
    let (old_min, old_max) = match std::mem::take(&mut record.range) {
        Range::Number { min, max } => (min, max),
        _ => (None, None),
    };
    let (min, max) = (min.or(old_min), max.or(old_max));
    if let (Some(min), Some(max)) = (&min, &max) {
        let order = min.value.compare(&max.value);
        let holds = if min.inclusive == max.inclusive { order.is_le() } else { order.is_lt() };
        if !holds {
            return Err(format!("the bounds {} and {}", min.value.text(), max.value.text()));
        }
    }
    record.range = Range::Number { min, max };
    Ok(())
}

fn set_lengths(record: &mut Refinement, least: u64, greatest: u64) -> Result<(), String> {
    let (old_min, old_max) = match record.range {
        Range::Length { min, max } => (min, max),
        _ => (0, UNBOUNDED),
    };
    let (min, max) = (least.max(old_min), greatest.min(old_max));
    if min > max {
        return Err(format!("the lengths {min} and {max}"));
    }
    record.range = if (min, max) == (0, UNBOUNDED) { Range::Any } else { Range::Length { min, max } };
    Ok(())
}

/// Writes a record as the object that [`node`] reads.
pub(super) fn write(record: &Refinement, sink: &mut impl Sink) {
    sink.open_object();
    if record.not_null {
        sink.name("not_null");
        sink.bool(true);
    }
    match &record.range {
        Range::Any => {}
        Range::String { prefix } => {
            sink.name("string_prefix");
            sink.string(prefix);
        }
        Range::Number { min, max } => {
            write_bound("number_min", min.as_ref(), sink);
            write_bound("number_max", max.as_ref(), sink);
        }
        Range::Length { min, max } => {
            write_length("length_min", *min, 0, sink);
            write_length("length_max", *max, UNBOUNDED, sink);
        }
    }
    sink.close_object();
}

fn write_bound(name: &str, bound: Option<&Bound>, sink: &mut impl Sink) {
    let Some(bound) = bound else { return };
    sink.name(name);
    sink.open_array();
    write_number(&bound.value, sink);
    sink.bool(bound.inclusive);
    sink.close_array();
}

fn write_length(name: &str, length: u64, unsaid: u64, sink: &mut impl Sink) {
    if length != unsaid {
        sink.name(name);
        sink.int(length.into());
    }
}

/// Writes a number; JSON has no infinities, so they are strings.
pub(super) fn write_number(number: &Number, sink: &mut impl Sink) {
    let text = number.text();
    match (number.is_infinite(), text.starts_with('-')) {
        (true, true) => sink.string("-inf"),
        (true, false) => sink.string("inf"),
        (false, _) => sink.number(&text),
    }
}
