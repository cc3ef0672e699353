//! Relations between values that the checks need.

use planfuzz_core::schema::{AttributePlace, Schema};
use planfuzz_core::value::{
    Path, Step, Tri, Type, Value, ValueRef, WrittenPath, WrittenStep, equals, includes, raw_equals,
};

/// The type of values whose type cannot be determined.
static DYNAMIC: Type = Type::Dynamic;

/// The part of a value at a path, elements of sets included.
pub(super) fn at<'a>(value: ValueRef<'a>, path: &Path) -> Option<ValueRef<'a>> {
    path.steps().into_iter().try_fold(value, |value, step| match step {
        Step::Element(wanted) => {
            (0..value.len()).filter_map(|index| value.element(index)).find(|found| raw_equals(*found, wanted.view()))
        }
        Step::Key(key) if value.object_type().is_some() => value.entry(key),
        step => value.apply(step),
    })
}

/// Whether `known` is `value` with every unknown replaced by null. Changed elements of sets may merge, so only their number is checked.
pub(super) fn is_nulled(value: ValueRef<'_>, known: ValueRef<'_>) -> bool {
    if value.is_wholly_known() {
        return raw_equals(value, known);
    }
    if value.is_unknown() {
        return known.is_null();
    }
    if matches!(value.ty(), Type::Set(_)) {
        return known.is_present() && known.len() <= value.len() && !known.is_empty();
    }
    let of_known: Vec<_> = known.children().collect();
    value.len() == of_known.len()
        && value.children().zip(of_known).all(|((_, value), (_, known))| is_nulled(value, known))
}

/// Whether `more` is `less` with some unknowns known.
pub(super) fn is_more_known(less: ValueRef<'_>, more: ValueRef<'_>) -> bool {
    if less.is_unknown() {
        return includes(less, more) != Tri::False;
    }
    if less.is_wholly_known() || less.is_null() || more.is_null() || more.is_unknown() {
        return raw_equals(less, more);
    }
    if matches!(less.ty(), Type::Set(_)) || less.len() != more.len() {
        return false;
    }
    let keys = |value: ValueRef<'_>| value.entries().map(|(key, _)| key.clone()).collect::<Vec<_>>();
    keys(less) == keys(more) && less.children().zip(more.children()).all(|((_, a), (_, b))| is_more_known(a, b))
}

/// The unknowns in a value.
pub(super) fn unknowns(value: ValueRef<'_>) -> Vec<WrittenPath> {
    let mut found = Vec::new();
    value.walk(&mut |path, part| {
        if part.is_unknown() {
            found.push(WrittenPath::from(path));
        }
        !part.is_wholly_known()
    });
    found
}

/// Whether two values are certainly equal (L99).
pub(super) fn is_equal(a: &Value, b: &Value) -> bool {
    equals(a.view(), b.view()) == Tri::True
}

/// The effect of a path that requires replacement (section 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// It exists in neither value (L82).
    Nowhere,
    /// It changes, or is write-only (L83 to L85).
    Kept,
    /// It does not change.
    Unchanged,
    /// The specification leaves it open.
    Open,
}

/// L81 to L85.
pub(super) fn asked(schema: &Schema, prior: &Value, planned: &Value, path: &WrittenPath) -> Asked {
    let is_write_only = path.to_path().is_some_and(|path| {
        let place = path.steps().into_iter().fold(AttributePlace::in_block(&schema.block), |at, step| at.step(step));
        place.attribute().is_some_and(|attribute| attribute.write_only)
    });
    match (follow(prior.view(), path), follow(planned.view(), path)) {
        (PathLookup::Open, _) | (_, PathLookup::Open) => Asked::Open,
        (PathLookup::Nothing, PathLookup::Nothing) if is_write_only => Asked::Open,
        (PathLookup::Nothing, PathLookup::Nothing) => Asked::Nowhere,
        (PathLookup::Part(prior), PathLookup::Part(planned))
            if !is_write_only && equals(planned, prior) == Tri::True =>
        {
            Asked::Unchanged
        }
        _ => Asked::Kept,
    }
}

/// The part of a value at a path.
enum PathLookup<'a> {
    Part(ValueRef<'a>),
    Nothing,
    /// The specification leaves it open.
    Open,
}

/// L81: follows a path by the rules of the language.
fn follow<'a>(value: ValueRef<'a>, path: &WrittenPath) -> PathLookup<'a> {
    let mut found = PathLookup::Part(value);
    for step in path.steps() {
        found = match found {
            PathLookup::Part(value) => lenient_step(value, step),
            end => return end,
        };
    }
    found
}

fn lenient_step<'a>(value: ValueRef<'a>, step: &WrittenStep) -> PathLookup<'a> {
    if value.is_null() {
        return PathLookup::Nothing;
    }
    let part = match (value.ty(), step) {
        (_, WrittenStep::Element) | (Type::Set(_) | Type::Bool | Type::Number | Type::String, _) => None,
        (Type::Dynamic, _) => Some(ValueRef::unknown(&DYNAMIC)),
        (Type::Object(object), WrittenStep::Attribute(name)) => object.index_of(name).and_then(|_| value.member(name)),
        (Type::Object(object), step) => {
            let name = key_text(step);
            if value.is_unknown() && object.index_of(&name).is_none() {
                return PathLookup::Part(ValueRef::unknown(&DYNAMIC));
            }
            value.member(&name)
        }
        (Type::Map(element), _) if value.is_unknown() => Some(ValueRef::unknown(element)),
        (Type::Map(_), step) => value.entry(&key_text(step)),
        (Type::List(_) | Type::Tuple(_), WrittenStep::Attribute(_)) => None,
        (Type::List(_), WrittenStep::Key(key)) if value.is_unknown() && !may_be_number(key) => None,
        (Type::List(element), _) if value.is_unknown() => Some(ValueRef::unknown(element)),
        (Type::Tuple(_), _) if value.is_unknown() => return PathLookup::Open,
        (Type::List(_) | Type::Tuple(_), WrittenStep::Index(index)) => {
            usize::try_from(*index).ok().and_then(|index| value.element(index))
        }
        (Type::List(_) | Type::Tuple(_), WrittenStep::Key(key)) => match key.parse::<usize>() {
            Ok(index) => value.element(index),
            // Other texts of whole numbers convert as well: `1.0`, `1e0`.
            Err(_) if key.starts_with(|first: char| first.is_ascii_digit()) => return PathLookup::Open,
            Err(_) => None,
        },
    };
    part.map_or(PathLookup::Nothing, PathLookup::Part)
}

/// Whether a key may convert to a number. A key into an unknown list has to.
fn may_be_number(key: &str) -> bool {
    key.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.'))
}

fn key_text(step: &WrittenStep) -> String {
    match step {
        WrittenStep::Attribute(text) | WrittenStep::Key(text) => text.to_string(),
        WrittenStep::Index(index) => index.to_string(),
        WrittenStep::Element => String::new(),
    }
}
