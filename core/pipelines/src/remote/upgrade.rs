//! Objects from state files, read at the schema's version (UpgradeResourceState).

use crate::places::{Place, Places, each, object_of};
use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::value::{Type, Value, ValueRef};

/// Reads `attributes` as an object of type `ty`: absent members are null, or empty for a collection of blocks (F03).
pub(super) fn upgraded(attributes: &Json, ty: &Type, places: &Places) -> Result<Value, JsonError> {
    let value = Value::from_stored_json_or_absent(attributes, ty)?;
    Ok(with_blocks(value.view(), places))
}

/// The object with empty collections where blocks are null, at any depth.
fn with_blocks(object: ValueRef<'_>, places: &Places) -> Value {
    if !object.is_present() {
        return object.to_value();
    }
    let members = object.entries().zip(places.iter()).map(|((_, member), place)| with_blocks_at(member, place));
    object_of(object, members.collect())
}

fn with_blocks_at(member: ValueRef<'_>, place: &Place) -> Value {
    match place.inside() {
        Some(_) if member.is_null() => place.absent(),
        Some((nesting, inside)) if place.is_block() => {
            each(nesting, member, &mut |_, object| with_blocks(object, inside))
        }
        _ => member.to_value(),
    }
}
