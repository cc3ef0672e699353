//! Values that evaluation makes: unknowns with their refinements, and queries of values.

use planfuzz_core::value::{Bound, Node, Number, Refiner, Tri, Type, Value, ValueRef, safe_prefix_within};

/// An unknown that is not null.
pub(crate) fn not_null(ty: Type) -> Value {
    refined(ty, |refiner| refiner.not_null().is_ok())
}

/// An unknown with refinements; without any if they contradict each other.
pub(crate) fn refined(ty: Type, refine: impl FnOnce(&mut Refiner<'_>) -> bool) -> Value {
    if ty.is_dynamic() {
        return Value::unknown(ty);
    }
    let mut refiner = Refiner::new(&ty);
    let node = if refine(&mut refiner) { refiner.finish().ok() } else { None };
    let node = node.unwrap_or(Node::UNKNOWN);
    Value::from_parts(ty, node)
}

/// The longest known prefix of a template, in bytes (E89).
const LONGEST_BEGIN: usize = 128;

/// An unknown string that begins with the text that a template has made so far.
pub(crate) fn template_begun(text: &str) -> Value {
    let begin = safe_prefix_within(text, LONGEST_BEGIN);
    refined(Type::String, |refiner| refiner.not_null().is_ok() && refiner.string_prefix(&begin).is_ok())
}

/// An unknown string that is not null and begins so.
pub(crate) fn begun(text: &str) -> Value {
    refined(Type::String, |refiner| refiner.not_null().is_ok() && refiner.string_prefix_trimmed(text).is_ok())
}

/// An unknown collection that is not null, with bounds of its length.
pub(crate) fn sized(ty: Type, least: u64, greatest: u64) -> Value {
    refined(ty, |refiner| refiner.not_null().is_ok() && bound_lengths(refiner, least, greatest))
}

/// Like [`sized`], for a collection that may be null.
pub(crate) fn sized_or_null(ty: Type, least: u64, greatest: u64) -> Value {
    if least == 0 && greatest >= i64::MAX as u64 {
        return Value::unknown(ty);
    }
    refined(ty, |refiner| bound_lengths(refiner, least, greatest))
}

fn bound_lengths(refiner: &mut Refiner<'_>, least: u64, greatest: u64) -> bool {
    let signed = |length: u64| i64::try_from(length).unwrap_or(i64::MAX);
    refiner.length_min(signed(least)).is_ok()
        && (greatest >= i64::MAX as u64 || refiner.length_max(signed(greatest)).is_ok())
}

/// An unknown number with bounds.
pub(crate) fn between(least: Option<Bound>, greatest: Option<Bound>, is_not_null: bool) -> Value {
    if least.is_none() && greatest.is_none() && !is_not_null {
        return Value::unknown(Type::Number);
    }
    refined(Type::Number, |refiner| {
        (!is_not_null || refiner.not_null().is_ok())
            && least.is_none_or(|bound| refiner.number_min(bound).is_ok())
            && greatest.is_none_or(|bound| refiner.number_max(bound).is_ok())
    })
}

/// A bool, or an unknown one.
pub(crate) fn truth(answer: Tri) -> Value {
    match answer {
        Tri::True => Value::bool(true),
        Tri::False => Value::bool(false),
        Tri::Unknown => not_null(Type::Bool),
    }
}

/// Whether a value may be null: a known value is or is not, an unknown one may be unless its refinements exclude it.
pub(crate) fn may_be_null(value: ValueRef<'_>) -> bool {
    match value.node() {
        Node::Null => true,
        Node::Unknown(record) => !record.as_ref().is_some_and(|record| record.not_null),
        _ => false,
    }
}

/// The lower and the upper bound of a number, as far as they are known.
pub(crate) fn bounds(value: ValueRef<'_>) -> (Option<Bound>, Option<Bound>) {
    let itself = |number: &Number| Some(Bound { value: number.clone(), inclusive: true });
    match value.node() {
        Node::Number(number) => (itself(number), itself(number)),
        Node::Unknown(Some(record)) => (record.number_min().cloned(), record.number_max().cloned()),
        _ => (None, None),
    }
}
