//! Paths of plans: they write names of attributes and keys of maps alike, so the value decides.

use planfuzz_core::plans::json::PathItem;
use planfuzz_core::value::{Text, Type, ValueRef, WrittenPath, WrittenStep};

/// The path, by the first of these values that it leads into.
pub fn written(items: &[PathItem], values: [ValueRef<'_>; 2]) -> WrittenPath {
    let mut places = values.map(Some);
    let mut steps = Vec::with_capacity(items.len());
    for item in items {
        let is_map = places.iter().flatten().any(|place| matches!(place.ty(), Type::Map(_)));
        steps.push(match item {
            PathItem::Name(name) if is_map => WrittenStep::Key(Text::new(name)),
            PathItem::Name(name) => WrittenStep::Attribute(Text::new(name)),
            PathItem::Index(index) => WrittenStep::Index(*index),
        });
        places = places.map(|place| part(place?, item));
    }
    WrittenPath::new(steps)
}

fn part<'v>(value: ValueRef<'v>, item: &PathItem) -> Option<ValueRef<'v>> {
    match item {
        PathItem::Name(name) => value.entry(name).or_else(|| value.member(name)),
        PathItem::Index(index) => value.element(usize::try_from(*index).ok()?),
    }
}
