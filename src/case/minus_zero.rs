//! Negative zeros in sets.
//!
//! msgpack does not keep the sign of a zero (V95). If the zero is in a set, the lost sign can change the order of the set (V56), so
//! such a value is not expected to round-trip unchanged.

use planfuzz_core::value::{Node, Number, Type, ValueRef};

/// Whether a set has an element with a negative zero inside.
pub fn has_minus_zero_in_set(value: ValueRef<'_>) -> bool {
    let is_set = matches!(value.ty(), Type::Set(_));
    value.children().any(|(_, part)| if is_set { has_minus_zero(part) } else { has_minus_zero_in_set(part) })
}

fn has_minus_zero(value: ValueRef<'_>) -> bool {
    let is_one = matches!(value.node(), Node::Number(Number::NegativeZero { .. }));
    is_one || value.children().any(|(_, part)| has_minus_zero(part))
}
