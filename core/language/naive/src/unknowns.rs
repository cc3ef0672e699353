//! Unknown values, and what is known of them.

use planfuzz_core::value::{Bound, Node, Refiner, Tri, Type, Value, safe_prefix, safe_prefix_within};

/// The unknown of a type that is not null.
pub(crate) fn unknown_not_null(ty: Type) -> Value {
    let mut refiner = Refiner::new(&ty);
    let node = refiner.not_null().and_then(|()| refiner.finish());
    match node {
        Ok(node) => Value::from_parts(ty, node),
        Err(_) => Value::unknown(ty),
    }
}

/// A bool, or an unknown one.
pub(crate) fn truth(tri: Tri) -> Value {
    match tri {
        Tri::True => Value::bool(true),
        Tri::False => Value::bool(false),
        Tri::Unknown => unknown_not_null(Type::Bool),
    }
}

/// An unknown string that is not null and begins so.
pub(crate) fn prefixed(text: &str) -> Value {
    beginning(&safe_prefix(text))
}

/// Like [`prefixed`], for a template: at most 128 bytes of the prefix are known (E89).
pub(crate) fn begun(text: &str) -> Value {
    beginning(&safe_prefix_within(text, 128))
}

fn beginning(text: &str) -> Value {
    let mut refiner = Refiner::new(&Type::String);
    let made = refiner.not_null().and_then(|()| refiner.string_prefix(text)).and_then(|()| refiner.finish());
    made.map_or_else(|_| unknown_not_null(Type::String), |node| Value::from_parts(Type::String, node))
}

/// An unknown collection with bounds of its length.
pub(crate) fn sized(ty: Type, least: u64, greatest: u64, not_null: bool) -> Value {
    let mut refiner = Refiner::new(&ty);
    let limit = |length: u64| i64::try_from(length).unwrap_or(i64::MAX);
    let made = if not_null { refiner.not_null() } else { Ok(()) }
        .and_then(|()| if least > 0 { refiner.length_min(limit(least)) } else { Ok(()) })
        .and_then(|()| if limit(greatest) < i64::MAX { refiner.length_max(limit(greatest)) } else { Ok(()) })
        .and_then(|()| refiner.finish());
    made.map_or_else(|_| Value::unknown(ty.clone()), |node| Value::from_parts(ty.clone(), node))
}

/// Whether a value is certainly not null.
pub(crate) fn not_null(value: &Value) -> bool {
    match value.node() {
        Node::Null | Node::Unknown(None) => false,
        Node::Unknown(Some(record)) => record.not_null,
        _ => true,
    }
}

/// The lower and the upper bound of a number; `None` if there is none.
pub(crate) fn bounds(value: &Value) -> (Option<Bound>, Option<Bound>) {
    if let Some(number) = value.view().as_number() {
        let exact = Some(Bound { value: number.clone(), inclusive: true });
        return (exact.clone(), exact);
    }
    match value.node() {
        Node::Unknown(Some(record)) => (record.number_min().cloned(), record.number_max().cloned()),
        _ => (None, None),
    }
}

/// An unknown without a type.
pub(crate) fn dynamic() -> Value {
    Value::unknown(Type::Dynamic)
}
