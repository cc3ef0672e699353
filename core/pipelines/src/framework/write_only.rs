//! Write-only attributes (F30, F31).

use planfuzz_core::value::{Value, ValueRef};

use super::parts::{change_objects, with_members};
use super::program::Object;

/// The object with every write-only attribute null; `None` if nothing changes. A typed null in a `dynamic` stays (F31).
pub(super) fn without_write_only(object: &Object, of: ValueRef<'_>) -> Option<Value> {
    if !object.has.write_only || !of.is_present() {
        return None;
    }
    let mut changes = Vec::new();
    for (index, member) in object.members().filter(|(_, member)| member.has.write_only) {
        let value = object.member(of, index);
        let changed = match member.part.nest() {
            _ if value.is_null() => None,
            _ if member.flags.write_only => Some(Value::null(member.ty.clone())),
            Some(nest) if !value.is_unknown() => {
                change_objects(nest, value, |_, element| without_write_only(&nest.object, element))
            }
            _ => None,
        };
        changes.extend(changed.map(|value| (index, value)));
    }
    with_members(object, of, changes)
}
