//! Paths into the objects of a resource: ignored, marked, ephemeral, or changed outside.

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Path, PathSet, Text, Type, Value, ValueRef, WrittenPath};

use super::super::model::{Part, Spot};
use super::super::value::ValueGenerator;

/// Where paths may lead.
#[derive(Clone, Copy)]
pub(super) struct Places<'p> {
    pub(super) spots: &'p [Spot],
}

impl Places<'_> {
    /// A path to a part at or below the root; `deeper` is the share of going one step further down.
    pub(super) fn value(&self, values: &mut ValueGenerator<'_, '_, '_>, deeper: u8) -> WrittenPath {
        let Some(top) = self.top(values) else { return WrittenPath::from(&Path::root()) };
        let mut path = Path::root().attribute(&top.name());
        let mut at = top;
        while values.dice.chance(deeper) {
            let Some(next) = self.below(values, at, &mut path) else { break };
            at = next;
        }
        WrittenPath::from(&path)
    }

    fn top(&self, values: &mut ValueGenerator<'_, '_, '_>) -> Option<&Spot> {
        let count = self.spots.iter().filter(|spot| spot.is_top()).count();
        self.spots.iter().filter(|spot| spot.is_top()).nth(values.dice.below(count))
    }

    /// A step into an element, then to a spot in it; `None` if the path ends with the element of a leaf.
    fn below(&self, values: &mut ValueGenerator<'_, '_, '_>, spot: &Spot, path: &mut Path) -> Option<&Spot> {
        let index = values.dice.below(2);
        match spot.part {
            Part::Leaf => {
                *path = leaf_step(values, &spot.ty, path)?;
                return None;
            }
            Part::Nested(nesting) | Part::Block(nesting) => match nesting {
                Nesting::Single | Nesting::Group => {}
                Nesting::List | Nesting::Set => *path = path.index(index),
                Nesting::Map => *path = path.key(&values.pools.keys[index]),
            },
        }
        let inner = |other: &&Spot| {
            let (names, outer) = (other.path.names(), spot.path.names());
            names.len() == outer.len() + 1 && names.starts_with(outer)
        };
        let count = self.spots.iter().filter(inner).count();
        let found = self.spots.iter().filter(inner).nth(values.dice.below(count))?;
        *path = path.attribute(&found.name());
        Some(found)
    }

    /// An entry of `ignore_changes`: mostly one that the schema supports and that is not redundant (L04, L62).
    pub(super) fn ignored(&self, values: &mut ValueGenerator<'_, '_, '_>) -> WrittenPath {
        match values.dice.below(16) {
            0 => WrittenPath::from(&Path::root().attribute(&Text::new("nope"))),
            1 => WrittenPath::from(&Path::root().attribute(&Text::new("a")).key(&values.pools.keys[0])),
            2 => self.any_step(values).unwrap_or_else(|| self.value(values, 88)),
            // Keys need the most care (L66 to L70), and maps are rare.
            3..=6 => self.key_of_a_map(values).unwrap_or_else(|| self.value(values, 88)),
            _ => self.value(values, 88),
        }
    }

    /// A key in a map at the top, there or not.
    fn key_of_a_map(&self, values: &mut ValueGenerator<'_, '_, '_>) -> Option<WrittenPath> {
        let is_map = |spot: &&Spot| spot.is_top() && spot.part == Part::Leaf && matches!(spot.ty, Type::Map(_));
        let count = self.spots.iter().filter(is_map).count();
        let spot = self.spots.iter().filter(is_map).nth(values.dice.below(count))?;
        let key = &values.pools.keys[values.dice.below(3)];
        Some(WrittenPath::from(&Path::root().attribute(&spot.name()).key(key)))
    }

    /// Any step into what has parts at the top, mostly one that the schema does not have (L04).
    fn any_step(&self, values: &mut ValueGenerator<'_, '_, '_>) -> Option<WrittenPath> {
        let has_parts = |spot: &&Spot| spot.is_top() && (spot.part != Part::Leaf || !spot.ty.is_primitive());
        let count = self.spots.iter().filter(has_parts).count();
        let spot = self.spots.iter().filter(has_parts).nth(values.dice.below(count))?;
        let path = Path::root().attribute(&spot.name());
        let path = match values.dice.below(3) {
            0 => path.index(values.dice.below(2)),
            1 => path.key(&values.pools.keys[values.dice.below(3)]),
            _ => {
                let inside = |other: &&Spot| other.path.names().starts_with(spot.path.names());
                let count = self.spots.iter().filter(inside).count();
                let name = self.spots.iter().filter(inside).nth(values.dice.below(count)).map(Spot::name)?;
                path.attribute(&name)
            }
        };
        Some(WrittenPath::from(&path))
    }

    /// An ephemeral path: mostly a write-only attribute, rarely one that must not be ephemeral (L03).
    pub(super) fn ephemeral(&self, values: &mut ValueGenerator<'_, '_, '_>) -> Option<WrittenPath> {
        let write_only = |spot: &&Spot| spot.write_only && spot.is_top();
        let count = self.spots.iter().filter(write_only).count();
        match self.spots.iter().filter(write_only).nth(values.dice.below(count)) {
            Some(spot) if values.dice.chance(224) => Some(WrittenPath::from(&Path::root().attribute(&spot.name()))),
            _ if values.dice.chance(64) => Some(self.value(values, 64)),
            _ => None,
        }
    }
}

/// A step into the value of a leaf.
fn leaf_step(values: &mut ValueGenerator<'_, '_, '_>, ty: &Type, path: &Path) -> Option<Path> {
    match ty {
        Type::List(_) | Type::Tuple(_) => Some(path.index(values.dice.below(2))),
        Type::Map(_) => Some(path.key(values.dice.pick(&values.pools.keys))),
        Type::Object(object) => {
            let name = &object.attributes().get(values.dice.below(object.attributes().len()))?.name;
            // A bracket with a name works on an object as well (L66).
            Some(if values.dice.chance(64) { path.key(name) } else { path.attribute(name) })
        }
        Type::Dynamic => Some(path.key(values.dice.pick(&values.pools.keys))),
        Type::Bool | Type::Number | Type::String | Type::Set(_) => None,
    }
}

/// A part of an existing object, with its path: an attribute at the root, or a part of one.
pub(super) fn part_of(
    values: &mut ValueGenerator<'_, '_, '_>,
    spots: &[Spot],
    object: &Value,
) -> Option<(WrittenPath, Value)> {
    let fits = |spot: &&Spot| spot.is_top() && !spot.write_only;
    let count = spots.iter().filter(fits).count();
    let spot = spots.iter().filter(fits).nth(values.dice.below(count))?;
    let mut path = Path::root().attribute(&spot.name());
    let mut part = object.view().member(&spot.name())?;
    while values.dice.chance(176) && part.is_present() {
        let Some((next, inner)) = step_into(values, part, &path) else { break };
        (path, part) = (next, inner);
    }
    Some((WrittenPath::from(&path), part.to_value()))
}

fn step_into<'v>(
    values: &mut ValueGenerator<'_, '_, '_>,
    value: ValueRef<'v>,
    path: &Path,
) -> Option<(Path, ValueRef<'v>)> {
    let chosen = values.dice.below(value.len());
    match value.ty() {
        Type::List(_) | Type::Tuple(_) => Some((path.index(chosen), value.element(chosen)?)),
        Type::Map(_) => value.entries().nth(chosen).map(|(key, entry)| (path.key(key), entry)),
        Type::Object(_) => value.entries().nth(chosen).map(|(name, member)| (path.attribute(name), member)),
        _ => None,
    }
}

/// The paths of a set that exist in a value.
pub(super) fn on(value: &Value, paths: &PathSet) -> PathSet {
    if paths.is_empty() { PathSet::EMPTY } else { paths.on(value.view()) }
}
