//! Faults of provider pipelines, as a planner sees them.

use planfuzz_core::planner::{PlanAnswer, PlanChange};
use planfuzz_core::schema::{Nesting, Schema};
use planfuzz_core::value::{Path, Type, Value, ValueError, ValueRef, WrittenPath, WrittenStep, raw_equals};

use super::super::catalogue::Fault;
use super::paths::{at, split_last};

/// The change to each part of a planned value, children first.
type Change<'c> = Box<dyn FnMut(&Path, Value) -> Result<Value, ValueError> + 'c>;

/// What a provider with the fault plans instead, if it is of the style that has the fault.
pub(super) fn wrongly_planned(
    fault: Fault,
    schema: &Schema,
    request: &PlanChange,
    answer: &PlanAnswer,
) -> Option<Result<Value, ValueError>> {
    let planned = answer.planned.view();
    let mut change: Change<'_> = match fault {
        Fault::ComputedValuesKept if !answer.legacy_type_system => Box::new(|path, part| Ok(kept(request, path, part))),
        Fault::WriteOnlyChanges if !answer.legacy_type_system && changes_write_only_alone(schema, request, answer) => {
            Box::new(|path, part| Ok(marked(schema, request, path, part)))
        }
        Fault::NullElementsFilled if !answer.legacy_type_system => {
            Box::new(|path, part| Ok(filled(schema, path, part)))
        }
        Fault::EmptyTextNulled if answer.legacy_type_system => Box::new(|path, part| Ok(nulled(request, path, part))),
        Fault::EmptySetBlockVanishes if answer.legacy_type_system => {
            Box::new(|path, part| vanished(schema, path, part))
        }
        Fault::RestoredCollectionUndone if !answer.legacy_type_system && answer.planned != request.prior => {
            Box::new(|path, part| undone(schema, request, path, part))
        }
        Fault::PrefixedNameCleared if answer.legacy_type_system => {
            Box::new(|path, part| Ok(cleared(request, answer, path, part)))
        }
        _ => return None,
    };
    Some(planned.transform(&mut change))
}

/// Replaces an unknown by the proposed value (B131).
fn kept(request: &PlanChange, path: &Path, part: Value) -> Value {
    let proposed = request.proposed.view().apply_path(path).filter(|proposed| proposed.is_present());
    match proposed {
        Some(proposed) if part.is_unknown() && !request.prior.is_null() => proposed.to_value(),
        _ => part,
    }
}

/// Whether configured write-only attributes are the only change (B135).
fn changes_write_only_alone(schema: &Schema, request: &PlanChange, answer: &PlanAnswer) -> bool {
    let paths = schema.write_only_paths(request.proposed.view()).unwrap_or_default();
    let is_set = |path: &Path| request.proposed.view().apply_path(path).is_some_and(|part| !part.is_null());
    answer.planned == request.prior && paths.iter().any(is_set)
}

fn marked(schema: &Schema, request: &PlanChange, path: &Path, part: Value) -> Value {
    let is_computed = schema.block.attribute_at(path).is_some_and(|attribute| attribute.computed);
    let is_unset = request.config.view().apply_path(path).is_some_and(ValueRef::is_null);
    if is_computed && is_unset { Value::unknown(part.ty().clone()) } else { part }
}

/// Replaces a null element of a nested attribute by an object of nulls (B136).
fn filled(schema: &Schema, path: &Path, part: Value) -> Value {
    let Some((outer, _)) = split_last(&WrittenPath::from(path)).map(|(outer, last)| (outer, last.clone())) else {
        return part;
    };
    let nested = outer.to_path().and_then(|outer| schema.block.attribute_at(&outer)?.nested_type());
    match part.ty() {
        Type::Object(object) if part.is_null() && nested.is_some() && schema.block.attribute_at(path).is_none() => {
            let nulls = object.attributes().iter().map(|member| (member.name.clone(), Value::null(member.ty.clone())));
            Value::object(nulls.collect())
        }
        _ => part,
    }
}

/// Replaces a configured empty string by null (B059).
fn nulled(request: &PlanChange, path: &Path, part: Value) -> Value {
    let is_empty = |value: ValueRef<'_>| value.as_text().is_some_and(|text| text.is_empty());
    let is_configured = at(&request.config, &WrittenPath::from(path)).is_some_and(is_empty);
    if is_empty(part.view()) && is_configured { Value::null(part.ty().clone()) } else { part }
}

/// Removes blocks of a set in which no member is set (B151).
fn vanished(schema: &Schema, path: &Path, part: Value) -> Result<Value, ValueError> {
    let Type::Set(element) = part.ty() else { return Ok(part) };
    if schema.block.block_at(path).is_none() || !part.view().is_present() {
        return Ok(part);
    }
    let is_set = |block: &ValueRef<'_>| {
        block.children().any(|(_, member)| !member.is_null() && (member.ty().element().is_none() || !member.is_empty()))
    };
    let blocks = part.view().children().map(|(_, block)| block).filter(is_set);
    Value::set(element, blocks.map(ValueRef::to_value).collect())
}

/// Replaces an unchanged computed nested collection by an empty one, although something else changes (B140).
fn undone(schema: &Schema, request: &PlanChange, path: &Path, part: Value) -> Result<Value, ValueError> {
    let attribute = schema.block.attribute_at(path).filter(|attribute| attribute.computed);
    let is_nested = attribute.is_some_and(|attribute| attribute.nested_type().is_some());
    let is_unset = request.config.view().apply_path(path).is_some_and(ValueRef::is_null);
    let is_restored = request.prior.view().apply_path(path).is_some_and(|prior| raw_equals(prior, part.view()));
    if !(is_nested && is_unset && is_restored && part.view().is_present()) {
        return Ok(part);
    }
    emptied(part)
}

/// The empty collection of the same type; other values stay.
fn emptied(part: Value) -> Result<Value, ValueError> {
    match part.ty() {
        Type::List(element) => Value::list(element, Vec::new()),
        Type::Set(element) => Value::set(element, Vec::new()),
        Type::Map(element) => Value::map(element, Vec::new()),
        _ => Ok(part),
    }
}

/// The prior value of an attribute whose name begins with that of one which the provider plans anew (B152).
fn cleared(request: &PlanChange, answer: &PlanAnswer, path: &Path, part: Value) -> Value {
    let written = WrittenPath::from(path);
    let [WrittenStep::Attribute(name)] = written.steps() else { return part };
    let member = |of: &Value, name: &str| of.view().member(name).map(ValueRef::to_value);
    let is_planned_anew = |other: &str| {
        let is_unset = member(&request.config, other).is_some_and(|value| value.is_null());
        let planned = member(&answer.planned, other).filter(|planned| planned.view().is_present());
        is_unset && planned.is_some() && planned != member(&request.prior, other)
    };
    let Type::Object(object) = answer.planned.ty() else { return part };
    let names = object.attributes().iter().map(|member| &*member.name);
    let mut shorter = names.filter(|other| *other != &**name && name.starts_with(*other));
    if !shorter.any(is_planned_anew) {
        return part;
    }
    member(&request.prior, name).unwrap_or_else(|| Value::null(part.ty().clone()))
}

/// Replaces empty blocks by null (B116).
pub(super) fn without_blocks(schema: &Schema, value: &Value) -> Result<Value, ValueError> {
    value.view().transform(&mut |path: &Path, part: Value| {
        let is_repeated = schema.block.block_at(path).is_some_and(|block| {
            matches!(block.nesting, Nesting::List | Nesting::Set) && part.view().is_present() && part.view().is_empty()
        });
        Ok::<Value, ValueError>(if is_repeated { Value::null(part.ty().clone()) } else { part })
    })
}
