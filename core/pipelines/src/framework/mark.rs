//! Step 5 of a plan: computed attributes become unknown (F41 to F49).

use planfuzz_core::value::{Value, ValueRef};

use super::lookup::Configured;
use super::parts::{change_objects, with_members};
use super::program::{Nest, Object};

/// What the configuration has at a place, or the deepest value that was reached on the way to it (F42).
#[derive(Clone, Copy)]
pub(super) enum Reached<'a> {
    /// The place itself.
    Place(ValueRef<'a>),
    /// Something before it, which is null or is not.
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

/// The plan with what is to be found out later unknown, where there is anything.
pub(super) fn marked(object: &Object, plan: ValueRef<'_>, config: Reached<'_>) -> Option<Value> {
    if !object.has.markable || !plan.is_present() {
        return None;
    }
    let mut changes = Vec::new();
    for (index, member) in object.members().filter(|(_, member)| member.has.markable) {
        let config = config.member(object, index);
        let is_marked = member.flags.computed && member.default.is_none() && config.is_null();
        let changed = match member.part.nest() {
            // F46: what is unknown as a whole hides what happened to its children.
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
