//! Ranges of values and lengths (V44 to V46).

use triomphe::Arc;

use super::Value;
use super::equality::Tri;
use super::node::Node;
use super::number::Number;
use super::refinement::{Bound, Range, Refinement, UNBOUNDED};
use super::ty::Type;
use super::view::ValueRef;

/// Whether `b` is in the range of `a` (V44). Only the answer "no" is certain to be of use: "yes" comes for nulls alone.
pub fn includes(a: ValueRef<'_>, b: ValueRef<'_>) -> Tri {
    if a.is_null() {
        return b.is_null().into();
    }
    if b.is_null() {
        return (!is_not_null(a)).into();
    }
    if !b.ty().conforms_to(a.ty()) {
        return Tri::False;
    }
    let outside = match b.ty() {
        Type::String => b.as_text().is_some_and(|text| !text.starts_with(prefix_of(a))),
        Type::Number => is_outside(Bounds::of(a), Bounds::of(b)),
        Type::List(_) | Type::Set(_) | Type::Map(_) => lengths_are_apart(a, b),
        Type::Dynamic | Type::Bool | Type::Tuple(_) | Type::Object(_) => false,
    };
    if outside { Tri::False } else { Tri::Unknown }
}

/// The length of a value as a value of type number (V45), unknown within bounds where the value's is; `None` for null
/// collections and for types without a length.
pub fn length(value: ValueRef<'_>) -> Option<Value> {
    let (least, greatest) = length_bounds(value)?;
    if least == greatest {
        return Some(Value::number(Number::counted(least)));
    }
    let bound = |length: u64| Some(Bound { value: Number::counted(length), inclusive: true });
    let range = Range::Number { min: bound(least), max: bound(greatest) };
    let record = Refinement { not_null: true, range };
    Some(Value::from_parts(Type::Number, Node::Unknown(Some(Arc::new(record)))))
}

/// The least and the greatest length of a value (V45), equal where the length is known; `None` for null collections and
/// for types without a length.
pub fn length_bounds(value: ValueRef<'_>) -> Option<(u64, u64)> {
    let exactly = |count: usize| Some((count as u64, count as u64));
    match (value.ty(), value.node()) {
        (Type::Tuple(tuple), _) => exactly(tuple.len()),
        (Type::Object(object), _) => exactly(object.len()),
        (Type::Dynamic | Type::Bool | Type::Number | Type::String, _) | (_, Node::Null) => None,
        (_, Node::Unknown(record)) => Some(record.as_ref().map_or((0, UNBOUNDED), |record| record.lengths())),
        (Type::Set(_), _) if value.len() != 1 && !value.is_wholly_known() => Some((1, value.len() as u64)),
        (Type::List(_) | Type::Set(_) | Type::Map(_), _) => exactly(value.len()),
    }
}

/// Whether a value that is not a known null can not be null.
fn is_not_null(value: ValueRef<'_>) -> bool {
    match value.node() {
        Node::Unknown(record) => record.as_ref().is_some_and(|record| record.not_null),
        _ => true,
    }
}

/// The known prefix of a string: all of a known one.
fn prefix_of(value: ValueRef<'_>) -> &str {
    match value.node() {
        Node::String(text) => text,
        Node::Unknown(Some(record)) => record.prefix(),
        _ => "",
    }
}

/// V44.5 for collections. A known collection whose length is unknown excludes nothing.
fn lengths_are_apart(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    let Some((least, greatest)) = length_bounds(a) else { return false };
    if !a.is_unknown() && least != greatest {
        return false;
    }
    length_bounds(b).is_some_and(|(b_least, b_greatest)| b_greatest < least || b_least > greatest)
}

/// A number as far as it is known.
#[derive(Clone, Copy)]
enum Bounds<'a> {
    Known(&'a Number),
    /// Between the bounds of a record. Where it has none, the infinity on that side is itself outside.
    Between(Option<&'a Bound>, Option<&'a Bound>),
    /// Any number, the infinities among them: there is no record.
    Any,
}

impl<'a> Bounds<'a> {
    fn of(value: ValueRef<'a>) -> Bounds<'a> {
        match value.node() {
            Node::Number(number) => Bounds::Known(number),
            Node::Unknown(Some(record)) => Bounds::Between(record.number_min(), record.number_max()),
            _ => Bounds::Any,
        }
    }

    fn min(self) -> Option<&'a Number> {
        match self {
            Bounds::Known(number) => Some(number),
            Bounds::Between(min, _) => min.map(|bound| &bound.value),
            Bounds::Any => None,
        }
    }

    fn max(self) -> Option<&'a Number> {
        match self {
            Bounds::Known(number) => Some(number),
            Bounds::Between(_, max) => max.map(|bound| &bound.value),
            Bounds::Any => None,
        }
    }
}

/// V44.5 for numbers: whether `b` is certainly not between the bounds of `a`.
fn is_outside(a: Bounds<'_>, b: Bounds<'_>) -> bool {
    let (min, max) = match a {
        Bounds::Known(number) => (Some((number, true)), Some((number, true))),
        Bounds::Between(min, max) if is_open_end(min, max, b) => return true,
        Bounds::Between(min, max) => (min.map(parts), max.map(parts)),
        Bounds::Any => return false,
    };
    min.is_some_and(|(min, inclusive)| is_never_below(Bounds::Known(min), b, inclusive))
        || max.is_some_and(|(max, inclusive)| is_never_below(b, Bounds::Known(max), inclusive))
}

/// V44.5: whether `b` is the infinity of a side on which a record has no bound.
fn is_open_end(min: Option<&Bound>, max: Option<&Bound>, b: Bounds<'_>) -> bool {
    let Bounds::Known(number) = b else { return false };
    let side = if number.compare(&Number::from(0_u64)).is_lt() { min } else { max };
    number.is_infinite() && side.is_none()
}

fn parts(bound: &Bound) -> (&Number, bool) {
    (&bound.value, bound.inclusive)
}

/// Whether `x < y`, or `x ≤ y` if `or_equal`, is certainly false (V46).
fn is_never_below(x: Bounds<'_>, y: Bounds<'_>, or_equal: bool) -> bool {
    less(x, y) == Tri::False && !(or_equal && equal(x, y) != Tri::False)
}

/// `x < y` (V46). Inclusiveness does not matter where one is unknown.
fn less(x: Bounds<'_>, y: Bounds<'_>) -> Tri {
    if let (Bounds::Known(x), Bounds::Known(y)) = (x, y) {
        return x.compare(y).is_lt().into();
    }
    match ((x.max(), y.min()), (x.min(), y.max())) {
        ((Some(x_max), Some(y_min)), _) if x_max.compare(y_min).is_lt() => Tri::True,
        (_, (Some(x_min), Some(y_max))) if x_min.compare(y_max).is_gt() => Tri::False,
        _ => Tri::Unknown,
    }
}

/// `x = y` by V32, for numbers that are not known to be null.
fn equal(x: Bounds<'_>, y: Bounds<'_>) -> Tri {
    match (x, y) {
        (Bounds::Known(x), Bounds::Known(y)) => x.equals(y).into(),
        (Bounds::Known(_), unknown) if is_outside(unknown, x) => Tri::False,
        (unknown, Bounds::Known(_)) if is_outside(unknown, y) => Tri::False,
        _ => Tri::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::super::refinement::{RefinementError, Refiner};
    use super::*;

    /// An unknown of a type with the facts that `refine` adds.
    fn unknown<'a>(ty: &'a Type, refine: impl FnOnce(&mut Refiner<'a>) -> Result<(), RefinementError>) -> Value {
        let mut refiner = Refiner::new(ty);
        refine(&mut refiner).expect("the facts agree");
        Value::from_parts(ty.clone(), refiner.finish().expect("a small record"))
    }

    fn prefixed(prefix: &str) -> Value {
        unknown(&Type::String, |refiner| refiner.string_prefix(prefix))
    }

    fn number(text: &str) -> Value {
        Value::number(Number::parse(text).expect(text))
    }

    /// A number in an interval in the usual notation: `[1,5)`, `(,2]`; `?` is the plain unknown.
    fn interval(text: &str) -> Value {
        if text == "?" {
            return Value::unknown(Type::Number);
        }
        if !text.starts_with(['[', '(']) {
            return number(text);
        }
        let (min, max) = text[1..text.len() - 1].split_once(',').expect("two bounds");
        let bound = |text: &str, inclusive| Bound { value: Number::parse(text).expect(text), inclusive };
        unknown(&Type::Number, |refiner| {
            if !min.is_empty() {
                refiner.number_min(bound(min, text.starts_with('[')))?;
            }
            if !max.is_empty() {
                refiner.number_max(bound(max, text.ends_with(']')))?;
            }
            Ok(())
        })
    }

    fn strings(elements: Vec<Value>) -> Value {
        let nodes = elements.into_iter().map(|element| element.into_parts().1).collect();
        Value::from_parts(Type::set(Type::String), Node::seq(nodes))
    }

    fn of_length(ty: &Type, min: i64, max: i64) -> Value {
        unknown(ty, |refiner| refiner.length_min(min).and_then(|()| refiner.length_max(max)))
    }

    #[track_caller]
    fn check(a: &Value, b: &Value, want: Tri) {
        assert_eq!(includes(a.view(), b.view()), want, "{a:?} {b:?}");
    }

    #[test]
    fn v44_nulls_are_in_every_range_but_that_of_a_value_that_is_not_null() {
        let null = Value::null(Type::String);
        check(&null, &null, Tri::True);
        check(&null, &Value::string("a"), Tri::False);
        check(&prefixed("ab"), &null, Tri::True);
        check(&Value::unknown(Type::String), &null, Tri::True);
        check(&unknown(&Type::String, Refiner::not_null), &null, Tri::False);
        check(&Value::string("a"), &null, Tri::False);
    }

    #[test]
    fn v44_types_must_conform() {
        check(&Value::unknown(Type::String), &number("1"), Tri::False);
        check(&Value::unknown(Type::Dynamic), &number("1"), Tri::Unknown);
        check(&Value::unknown(Type::String), &Value::unknown(Type::Dynamic), Tri::False);
        check(&Value::unknown(Type::Dynamic), &Value::unknown(Type::Dynamic), Tri::Unknown);
    }

    #[test]
    fn v44_strings_begin_with_the_prefix() {
        check(&prefixed("ab"), &Value::string("ac"), Tri::False);
        check(&prefixed("ab"), &Value::string("abc"), Tri::Unknown);
        check(&prefixed("ab"), &prefixed("xy"), Tri::Unknown);
        check(&Value::string("ab"), &Value::string("a"), Tri::False);
        check(&Value::string("ab"), &Value::string("ab"), Tri::Unknown);
    }

    #[test]
    fn v44_numbers_are_between_the_bounds() {
        let cases = [
            ("(5,)", "5", Tri::False),
            ("[5,)", "5", Tri::Unknown),
            ("[5,)", "4.999", Tri::False),
            ("(,5)", "5", Tri::False),
            ("(,5]", "5", Tri::Unknown),
            ("(,5]", "5.001", Tri::False),
            ("?", "5", Tri::Unknown),
            ("5", "5", Tri::Unknown),
            ("5", "6", Tri::False),
            ("5", "4", Tri::False),
            ("(0,)", "-0", Tri::False),
            ("[0,)", "-0", Tri::Unknown),
            ("[5,)", "inf", Tri::False),
            ("[5,)", "-inf", Tri::False),
            ("(,5]", "-inf", Tri::False),
            ("?", "inf", Tri::Unknown),
            ("?", "-inf", Tri::Unknown),
            ("inf", "inf", Tri::Unknown),
            ("(,5]", "inf", Tri::False),
        ];
        for (a, b, want) in cases {
            check(&interval(a), &interval(b), want);
        }
    }

    #[test]
    fn v44_a_record_without_bounds_leaves_the_infinities_out() {
        let not_null = unknown(&Type::Number, Refiner::not_null);
        for (b, want) in [("inf", Tri::False), ("-inf", Tri::False), ("5", Tri::Unknown), ("?", Tri::Unknown)] {
            check(&not_null, &interval(b), want);
        }
    }

    #[test]
    fn v46_two_ranges_of_numbers_are_compared_by_their_ends() {
        let cases = [
            ("[5,)", "(,4]", Tri::False),
            ("[5,)", "(,5)", Tri::Unknown),
            ("(5,)", "(,5]", Tri::Unknown),
            ("(,4]", "[5,)", Tri::False),
            ("(,5)", "[5,)", Tri::Unknown),
            ("[1,2]", "?", Tri::Unknown),
            ("5", "(,4]", Tri::False),
            ("5", "[6,7]", Tri::False),
            ("5", "[5,7]", Tri::Unknown),
        ];
        for (a, b, want) in cases {
            check(&interval(a), &interval(b), want);
        }
    }

    #[test]
    fn v46_equal_numbers_of_different_precision_are_not_outside() {
        // The float is greater than the text, and equal to it (V21).
        let float = Number::from_f64(1.1).expect("a number");
        let at_least = unknown(&Type::Number, |refiner| refiner.number_min(Bound { value: float, inclusive: true }));
        check(&at_least, &number("1.1"), Tri::Unknown);
        check(&at_least, &interval("(,1.1]"), Tri::Unknown);
        check(&at_least, &interval("(,1.1)"), Tri::False);
    }

    #[test]
    fn v44_collections_have_a_length_between_the_bounds() {
        let set = Type::set(Type::String);
        let partly = strings(vec![Value::string("a"), Value::unknown(Type::String)]);
        check(&of_length(&set, 3, i64::MAX), &partly, Tri::False);
        check(&of_length(&set, 2, i64::MAX), &partly, Tri::Unknown);
        check(&of_length(&set, 0, 0), &partly, Tri::False);
        check(&partly, &of_length(&set, 5, 9), Tri::Unknown);
        check(&of_length(&set, 1, 2), &of_length(&set, 3, 4), Tri::False);
        check(&strings(vec![Value::string("a")]), &strings(Vec::new()), Tri::False);
    }

    #[test]
    fn v45_examples() {
        let two = strings(vec![Value::string("a"), Value::unknown(Type::String)]);
        let length_of = |value: &Value| length(value.view()).expect("a length").into_parts().1;
        match length_of(&two) {
            Node::Unknown(Some(record)) => {
                let bound = |int: i64| Some(Bound { value: int.into(), inclusive: true });
                assert!(record.not_null && record.number_min() == bound(1).as_ref());
                assert_eq!(record.number_max(), bound(2).as_ref());
            }
            other => panic!("{other:?}"),
        }
        let known = |value: &Value| match length_of(value) {
            Node::Number(number) => number.to_i64(),
            _ => None,
        };
        assert_eq!(known(&strings(vec![Value::unknown(Type::String)])), Some(1));
        assert_eq!(known(&of_length(&Type::list(Type::String), 2, 2)), Some(2));
        assert_eq!(known(&of_length(&Type::list(Type::String), 2, 3)), None);
        assert_eq!(known(&Value::unknown(Type::tuple(vec![Type::Bool, Type::Bool]))), Some(2));
        assert_eq!(known(&strings(Vec::new())), Some(0));
        assert_eq!(length_bounds(Value::unknown(Type::map(Type::Bool)).view()), Some((0, UNBOUNDED)));
        assert!(length(Value::null(Type::list(Type::Bool)).view()).is_none());
        assert!(length(Value::string("abc").view()).is_none());
    }
}
