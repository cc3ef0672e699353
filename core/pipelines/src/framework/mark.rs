//! Step 5 of a plan: computed attributes become unknown (F41 to F49).

use planfuzz_core::value::{Value, ValueRef};

use super::lookup::Configured;
use super::parts::{change_objects, with_members};
use super::program::{Nest, Object};

/// The configured value at a place, or the deepest existing value on the way to it (F42).
#[derive(Clone, Copy)]
pub(super) enum Reached<'a> {
    /// The value at the place itself.
    Place(ValueRef<'a>),
    /// The place does not exist; the deepest existing value is null or not.
    Before { is_null: bool },
}

impl<'a> Reached<'a> {
    fn is_null(self) -> bool {
        match self {
            Reached::Place(value) => value.is_null(),
            Reached::Before { is_null } => is_null,
        }
    }

    fn member(self, object: &'a Object, index: usize) -> Reached<'a> {
        match self {
            Reached::Place(value) if value.is_present() => Reached::Place(object.member(value, index)),
            other => Reached::Before { is_null: other.is_null() },
        }
    }
}

/// The plan with computed attributes made unknown; `None` if nothing changes.
pub(super) fn marked(object: &Object, plan: ValueRef<'_>, config: Reached<'_>) -> Option<Value> {
    if !object.has.markable || !plan.is_present() {
        return None;
    }
    let mut changes = Vec::new();
    for (index, member) in object.members().filter(|(_, member)| member.has.markable) {
        let config = config.member(object, index);
        let is_marked = member.flags.computed && member.default.is_none() && config.is_null();
        let changed = match member.part.nest() {
            // F46: a whole that is unknown hides changes of its children.
            _ if is_marked => Some(Value::unknown(member.ty.clone())),
            Some(nest) => inside(nest, object.member(plan, index), config),
            None => None,
        };
        changes.extend(changed.map(|value| (index, value)));
    }
    with_members(object, plan, changes)
}

fn inside(nest: &Nest, plan: ValueRef<'_>, config: Reached<'_>) -> Option<Value> {
    if !nest.object.has.markable || !plan.is_present() {
        return None;
    }
    let configured = match config {
        Reached::Place(value) if value.is_present() => Some(Configured::new(nest, value, plan)),
        _ => None,
    };
    let is_null = config.is_null();
    change_objects(nest, plan, |position, element| {
        let found = configured.as_ref().and_then(|configured| configured.object(position));
        marked(&nest.object, element, found.map_or(Reached::Before { is_null }, Reached::Place))
    })
}
