//! Step 3 of a plan: defaults (F20 to F28).

use planfuzz_core::value::{Value, ValueRef};

use super::lookup::Configured;
use super::parts::{change_objects, with_members};
use super::program::{Nest, Object};

/// The plan with defaults; `None` if nothing changes. `config` is the configured value at the same place, or `None` if a step on the way
/// does not exist in the configuration (F21).
pub(super) fn with_defaults(object: &Object, plan: ValueRef<'_>, config: Option<ValueRef<'_>>) -> Option<Value> {
    if !object.has.default || !plan.is_present() {
        return None;
    }
    let config = config.filter(|config| config.is_present());
    let mut changes = Vec::new();
    for (index, member) in object.members().filter(|(_, member)| member.has.default) {
        let config = config.map(|config| object.member(config, index));
        let is_unset = config.is_none_or(ValueRef::is_null);
        let changed = match (&member.default, member.part.nest()) {
            // F22: an outer default replaces whatever inner ones did.
            (Some(default), _) if is_unset => Some(default.clone()),
            (_, Some(nest)) => inside(nest, object.member(plan, index), config),
            _ => None,
        };
        changes.extend(changed.map(|value| (index, value)));
    }
    with_members(object, plan, changes)
}

fn inside(nest: &Nest, plan: ValueRef<'_>, config: Option<ValueRef<'_>>) -> Option<Value> {
    if !nest.object.has.default || !plan.is_present() {
        return None;
    }
    let configured = config.filter(|config| config.is_present()).map(|config| Configured::new(nest, config, plan));
    change_objects(nest, plan, |position, element| {
        let config = configured.as_ref().and_then(|configured| configured.object(position));
        with_defaults(&nest.object, element, config)
    })
}
