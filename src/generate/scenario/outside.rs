//! Changes of the remote object that bypass the engine.

use planfuzz_core::value::{Path, Value, WrittenPath};

use super::super::model::Spot;
use super::super::outline::{BlockOutline, MemberKind};
use super::super::value::entries::member;
use super::super::value::{Role, ValueGenerator};
use super::places;
use crate::scenario::type_at;

/// The parts of an object that drift, each with its new value; empty if no part can drift.
pub(super) fn drift(
    values: &mut ValueGenerator<'_, '_, '_>,
    outline: &BlockOutline,
    spots: &[Spot],
    object: &Value,
) -> Vec<(WrittenPath, Value)> {
    if values.dice.chance(112)
        && let Some((path, part)) = places::part_of(values, spots, object)
    {
        let node = values.known(|values| values.edit_leaf_part(part.ty(), part.node(), Role::State));
        let changed = Value::from_parts(part.ty().clone(), node);
        let fits = type_at(&outline.ty, &path).is_some_and(|declared| changed.ty().conforms_to(declared));
        if fits && changed != part {
            return vec![(path, changed)];
        }
    }
    values.refuel();
    let changed = values.known(|values| values.edited(outline, object.clone(), Role::State));
    let mut parts = Vec::new();
    for (index, part) in outline.members.iter().enumerate() {
        let write_only = matches!(&part.kind, MemberKind::Attribute(attribute) if attribute.write_only);
        let (before, after) = (member(outline, object.view(), index), member(outline, changed.view(), index));
        if !write_only && before != after {
            parts.push((WrittenPath::from(&Path::root().attribute(&part.name)), after));
        }
    }
    parts
}
