//! Refinement records in JSON.

use crate::json::{Json, JsonError, JsonProblem, Sink};
use crate::value::node::Node;
use crate::value::{Bound, Number, Range, Refinement, Refiner, Type, UNBOUNDED};

use super::read::number;

/// The unknown of type `ty` with the facts of a record, added in order (V42), or what they make known (V43).
pub(super) fn node(json: &Json, ty: &Type) -> Result<Node, JsonError> {
    let Json::Object(members) = json else {
        return Err(json.unexpected("true or an object of refinements"));
    };
    if ty.is_dynamic() {
        return Err(json.unexpected("true: an unknown of unknown type has no refinements"));
    }
    let mut refiner = Refiner::new(ty);
    for (name, member) in members {
        add(&mut refiner, name, member).map_err(|error| error.inside_member(name))?;
    }
    refiner.finish().map_err(|error| JsonProblem::from(error).into())
}

fn add(refiner: &mut Refiner<'_>, name: &str, json: &Json) -> Result<(), JsonError> {
    let added = match name {
        "not_null" => match json {
            Json::Bool(true) => refiner.not_null(),
            other => return Err(other.unexpected("true")),
        },
        "string_prefix" => refiner.string_prefix(json.expect_string()?),
        "number_min" => refiner.number_min(bound(json)?),
        "number_max" => refiner.number_max(bound(json)?),
        "length_min" => refiner.length_min(length(json)?),
        "length_max" => refiner.length_max(length(json)?),
        _ => return Err(JsonProblem::Unknown { name: name.to_owned(), known: NAMES.into() }.into()),
    };
    added.map_err(|error| JsonProblem::from(error).into())
}

const NAMES: &str = "not_null, string_prefix, number_min, number_max, length_min, length_max";

fn bound(json: &Json) -> Result<Bound, JsonError> {
    match json.expect_array()? {
        [value, inclusive] => Ok(Bound {
            value: number(value).map_err(|error| error.inside_index(0))?,
            inclusive: inclusive.expect_bool().map_err(|error| error.inside_index(1))?,
        }),
        _ => Err(json.unexpected("[number, inclusive]")),
    }
}

fn length(json: &Json) -> Result<i64, JsonError> {
    match json.expect_i64()? {
        length @ 0.. => Ok(length),
        _ => Err(json.unexpected("a length")),
    }
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

fn write_length(name: &str, length: u64, default: u64, sink: &mut impl Sink) {
    if length != default {
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
