//! Functions that query collections (FN01, FN08, FN09, FN33).

use planfuzz_core::value::convert::unify;
use planfuzz_core::value::{Node, Number, Tri, Type, Value, equals, length as length_of};
use planfuzz_language::expression::Marked;
use unicode_segmentation::UnicodeSegmentation;

use super::{Given, Made, Wrong, number, truth};
use crate::make;

/// FN01
pub(crate) fn length(given: &Given<'_, '_>) -> Made {
    let argument = given.get(0)?;
    let at_least = |text: &str| make::between(Some(bound(text.graphemes(true).count() as u64)), None, true);
    let value = match (argument.ty(), argument.value.node()) {
        (Type::Dynamic, _) => make::not_null(Type::Number),
        (Type::String, Node::String(text)) => Value::number(Number::counted(text.graphemes(true).count() as u64)),
        (Type::String, Node::Unknown(Some(record))) => at_least(record.prefix()),
        (Type::String, _) => at_least(""),
        _ => length_of(argument.value.view()).ok_or(Wrong::Call)?,
    };
    Ok(Marked::from(value).with(argument.marks.own))
}

fn bound(number: u64) -> planfuzz_core::value::Bound {
    planfuzz_core::value::Bound { value: Number::counted(number), inclusive: true }
}

/// FN08
pub(crate) fn contains(given: &Given<'_, '_>) -> Made {
    let (whole, wanted) = (given.get(0)?, given.value(1)?);
    if !matches!(whole.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_)) {
        return Err(Wrong::Call);
    }
    let mut answer = Tri::False;
    for (_, part) in whole.value.view().children() {
        match equals(part, wanted.view()) {
            Tri::True => return truth(true),
            Tri::Unknown => answer = Tri::Unknown,
            Tri::False => {}
        }
    }
    Ok(make::truth(answer).into())
}

/// FN09
pub(crate) fn coalesce(given: &Given<'_, '_>) -> Made {
    if given.arguments.is_empty() {
        return Err(Wrong::Call);
    }
    let types: Vec<Type> = given.arguments.iter().map(|argument| argument.ty().clone()).collect();
    let ty = unify(&types).ok_or(Wrong::Call)?;
    for argument in &given.arguments {
        // An argument that does not convert counts as null.
        let Some(value) = argument.convert(&ty) else { continue };
        match value.value.node() {
            Node::Unknown(_) => return Ok(make::not_null(ty).into()),
            Node::Null => {}
            // An empty string is skipped only if the common type is string.
            Node::String(text) if text.is_empty() && ty == Type::String => {}
            _ => return Ok(value),
        }
    }
    Err(Wrong::Call)
}

/// The first list that is not empty.
pub(crate) fn coalescelist(given: &Given<'_, '_>) -> Made {
    let is_list = |argument: &Marked| matches!(argument.ty(), Type::List(_) | Type::Tuple(_));
    // All arguments before the first unknown one have to be lists.
    let looked_at = given.arguments.iter().position(|argument| argument.value.is_unknown());
    let looked_at = &given.arguments[..looked_at.unwrap_or(given.arguments.len())];
    if !looked_at.iter().all(is_list) {
        return Err(Wrong::Call);
    }
    for argument in &given.arguments {
        if argument.value.is_unknown() {
            return Ok(Value::unknown(Type::Dynamic).into());
        }
        if !argument.value.node().parts().is_empty() {
            return Ok(argument.clone());
        }
    }
    Err(Wrong::Call)
}

/// FN33
pub(crate) fn alltrue(given: &Given<'_, '_>) -> Made {
    until(given, false)
}

/// FN33
pub(crate) fn anytrue(given: &Given<'_, '_>) -> Made {
    until(given, true)
}

/// Iterates until an element decides the result.
fn until(given: &Given<'_, '_>, deciding: bool) -> Made {
    let mut is_unknown = false;
    for part in given.value(0)?.node().parts() {
        match part {
            Node::Unknown(_) if !deciding => return Ok(make::not_null(Type::Bool).into()),
            Node::Unknown(_) => is_unknown = true,
            Node::Bool(bool) if bool.0 == deciding => return truth(deciding),
            Node::Null if !deciding => return truth(false),
            _ => {}
        }
    }
    if is_unknown { Ok(make::not_null(Type::Bool).into()) } else { truth(!deciding) }
}

/// A count as a number.
pub(crate) fn count(count: usize) -> Made {
    number(Number::counted(count as u64))
}

/// `list` and `map` were removed from the language; a call is an error.
pub(crate) fn gone(_: &Given<'_, '_>) -> Made {
    Err(Wrong::Call)
}
