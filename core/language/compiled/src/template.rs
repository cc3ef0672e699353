//! Templates (E89, E90).

use std::fmt::Write as _;

use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Node, Type, Value};
use planfuzz_language::SourcePlace;
use planfuzz_language::expression::Marked;

use crate::access::PLAIN;
use crate::make;
use crate::outcome::{Evaluated, Faults, Out};

const INVALID: &str = "Invalid template interpolation value";

/// Joins parts to a string.
pub(crate) fn joined<'p>(parts: impl Iterator<Item = (SourcePlace, Out<'p>)>) -> Evaluated {
    joined_behind(false, parts)
}

/// Like [`joined`]; if `is_faulty`, earlier faults exist and no text is written.
fn joined_behind<'p>(is_faulty: bool, parts: impl Iterator<Item = (SourcePlace, Out<'p>)>) -> Evaluated {
    let mut text = String::new();
    let mut marks = PLAIN;
    let mut is_known = true;
    let mut faults = Faults::default();
    for (place, part) in parts {
        let part = faults.take(part);
        // The marks of null do not count.
        if !part.value.is_null() {
            marks = marks.and(part.marks.own);
        }
        // After an unknown or a fault no more text is written.
        let writes = is_known && faults.is_empty() && !is_faulty;
        is_known &= add(&part, place, writes, &mut text, &mut faults);
    }
    let value = if is_known { Value::string(&text) } else { make::template_begun(&text) };
    faults.end(Marked::from(value).with(marks))
}

/// Adds a part; whether it is known.
fn add(part: &Marked, place: SourcePlace, writes: bool, text: &mut String, faults: &mut Faults) -> bool {
    match part.value.node() {
        // An unknown of any type.
        Node::Unknown(_) => return false,
        Node::String(more) if *part.ty() == Type::String => {
            if writes {
                text.push_str(more);
            }
            return true;
        }
        Node::Number(number) if writes => {
            let _ = write!(text, "{}", number.text());
            return true;
        }
        _ => {}
    }
    if part.value.is_null() {
        faults.add(INVALID, place);
        return true;
    }
    match convert(&part.value, &Type::String) {
        Ok(value) => match value.view().as_text() {
            Some(more) => {
                if writes {
                    text.push_str(more);
                }
                true
            }
            None => false,
        },
        Err(_) => {
            faults.add(INVALID, place);
            true
        }
    }
}

/// Joins the strings of a tuple: the result of `%{ for }`.
pub(crate) fn tuple_joined(tuple: Out<'_>, place: SourcePlace) -> Evaluated {
    let mut faults = Faults::default();
    let tuple = faults.take(tuple);
    let (own, parts) = (tuple.marks.own, tuple.parts());
    let made = if tuple.value.is_unknown() {
        make::not_null(Type::String).into()
    } else {
        let parts = parts.iter().map(|part| (place, Ok(std::borrow::Cow::Borrowed(part))));
        faults.take(joined_behind(!faults.is_empty(), parts).map(std::borrow::Cow::Owned)).into_owned().with(own)
    };
    // An unknown result has only the marks of a known tuple.
    let made = match (made.value.is_unknown(), tuple.value.is_unknown()) {
        (false, _) => made,
        (true, false) => Marked::from(made.value).with(own),
        (true, true) => Marked::from(made.value),
    };
    faults.end(made)
}
