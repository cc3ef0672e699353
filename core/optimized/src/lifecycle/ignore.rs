//! `ignore_changes` (section 8).

use std::cmp::Reverse;

use planfuzz_core::planner::{IgnoreChanges, Refusal};
use planfuzz_core::plans::Marked;
use planfuzz_core::value::{
    Node, ObjectType, Path, PathSet, Text, Type, TypeAttribute, Value, ValueRef, WrittenPath, WrittenStep, build_set,
    raw_equals,
};

use super::super::program::{Object, empty_collection};
use super::super::same::shared;
use super::marks::{marks_at, replace_marks};
use super::steps::{Place, attribute_on, follow, part_index};
use planfuzz_core::schema::Nesting;

/// The configuration with the ignored parts of the prior object and their marks; for `all`, by the schema (L61).
pub(super) fn of_config(
    schema: &Object,
    ignore: &IgnoreChanges,
    prior: &Marked,
    config: &Marked,
) -> Result<Marked, Refusal> {
    if prior.is_null() || config.is_null() {
        return Ok(config.clone());
    }
    match ignore {
        IgnoreChanges::All => Ok(unset(schema, prior)),
        IgnoreChanges::Some(entries) => some(entries, prior, config),
    }
}

/// L42: the same for the answer of a legacy provider, without a schema.
pub(super) fn of_answer(ignore: &IgnoreChanges, prior: &Value, planned: Value) -> Result<Value, Refusal> {
    if prior.is_null() {
        return Ok(planned);
    }
    match ignore {
        IgnoreChanges::All => Ok(prior.clone()),
        IgnoreChanges::Some(entries) if entries.is_empty() || planned.is_null() => Ok(planned),
        IgnoreChanges::Some(entries) => {
            let reverted = some(entries, &Marked::plain(prior.clone()), &Marked::plain(planned))?;
            Ok(reverted.into_parts().0)
        }
    }
}

/// L61: the object without the attributes that only the provider sets.
fn unset(schema: &Object, prior: &Marked) -> Marked {
    if !schema.holds.computed {
        return prior.clone();
    }
    let value = prior.value();
    let node = without_computed(Place::root(schema), value.ty(), value.node());
    let is_unset =
        |mark: &&WrittenPath| attribute_on(schema, mark, |member| member.computed && !member.optional).is_some();
    let marks: PathSet = prior.sensitive().iter().filter(|mark| !is_unset(mark)).cloned().collect();
    Marked::new(node.map_or_else(|| value.clone(), |node| Value::from_parts(value.ty().clone(), node)), &marks)
}

/// The payload with null for every attribute that is computed and not optional; `None` where no attribute changes.
fn without_computed(place: Place<'_>, ty: &Type, node: &Node) -> Option<Node> {
    if place.attribute.is_some_and(|attribute| attribute.computed && !attribute.optional) {
        return (!node.is_null()).then_some(Node::Null);
    }
    if !place.object()?.holds.computed {
        return None;
    }
    let mut changed: Option<Vec<Node>> = None;
    for (index, part) in node.parts().iter().enumerate() {
        let inside = match ty {
            Type::Object(object) => place.name(&object.attributes()[index].name),
            _ => place.element(),
        };
        if let Some(new) = without_computed(inside, ty.part(index)?, part) {
            changed.get_or_insert_with(|| node.parts().to_vec())[index] = new;
        }
    }
    changed.map(|parts| rebuilt(ty, node, parts))
}

/// A payload like `node` with other parts of the same types.
fn rebuilt(ty: &Type, node: &Node, parts: Vec<Node>) -> Node {
    match (ty, node) {
        (Type::Set(element), _) => Node::Seq(build_set(element, parts)),
        (_, Node::Map(map)) => Node::Map(triomphe::Arc::new(planfuzz_core::value::MapNode {
            keys: map.keys.clone(),
            values: planfuzz_core::value::Seq::new(parts),
        })),
        _ => Node::seq(parts),
    }
}

/// An entry whose part of the configuration differs from the prior's (L62 to L64).
struct Active<'e, 'v> {
    at: &'e [WrittenStep],
    key: Option<&'e Text>,
    prior: ValueRef<'v>,
}

/// L62 to L71.
fn some(entries: &[WrittenPath], prior: &Marked, config: &Marked) -> Result<Marked, Refusal> {
    // L64, V30: one shared part is identical to itself, at every path.
    if shared(prior.value().node(), config.value().node())
        && prior.value().ty() == config.value().ty()
        && prior.sensitive() == config.sensitive()
    {
        return Ok(config.clone());
    }
    let mut active: Vec<Active<'_, '_>> = entries.iter().filter_map(|entry| active(entry, prior, config)).collect();
    // L65: bottom up; entries of one position stay in the order written.
    active.sort_by_key(|entry| (Reverse(entry.at.len()), entry.at));
    let mut result = config.clone();
    for position in active.chunk_by(|a, b| a.at == b.at) {
        result = revert(position, prior, result)?;
    }
    Ok(result)
}

fn active<'e, 'v>(entry: &'e WrittenPath, prior: &'v Marked, config: &'v Marked) -> Option<Active<'e, 'v>> {
    let (at, key) = match entry.steps() {
        [at @ .., WrittenStep::Key(key)] => (at, Some(key)),
        steps => (steps, None),
    };
    let (old, new) = (follow(prior.value().view(), at)?, follow(config.value().view(), at)?);
    let same = raw_equals(old, new) && marks_at(prior.sensitive(), at) == marks_at(config.sensitive(), at);
    (!same).then_some(Active { at, key, prior: old })
}

/// L66 to L70 at one position.
fn revert(position: &[Active<'_, '_>], prior: &Marked, config: Marked) -> Result<Marked, Refusal> {
    let Some(first) = position.first() else { return Ok(config) };
    let at = first.at;
    let Some(current) = existing(config.value().view(), at) else { return Ok(config) };
    let whole = if matches!(current.ty(), Type::Map(_)) {
        if current.is_unknown() {
            return Ok(config);
        }
        // L68, L69: an entry without a key ends the search, but the keys of those before it are looked up.
        for entry in position {
            let Some(key) = entry.key else { break };
            keyed(entry.prior, key)?;
        }
        position.iter().any(|entry| entry.key.is_none())
    } else {
        true
    };
    let (new, marks) = if whole {
        let marks = replace_marks(config.sensitive().clone(), at, &marks_at(prior.sensitive(), at));
        (first.prior.to_value(), marks)
    } else {
        (with_entries(position, current)?, entry_marks(position, prior, config.sensitive().clone()))
    };
    match placed(config.value().view(), at, new)? {
        Some(value) => Ok(Marked::new(value, &marks)),
        None => Ok(config),
    }
}

/// L69, L70.
fn with_entries(position: &[Active<'_, '_>], map: ValueRef<'_>) -> Result<Value, Refusal> {
    let mut entries: std::collections::BTreeMap<&Text, ValueRef<'_>> = map.entries().collect();
    for active in position {
        let Some(key) = active.key else { continue };
        match keyed(active.prior, key)? {
            Some(value) => entries.insert(key, value),
            None => entries.remove(key),
        };
    }
    if entries.is_empty() {
        let node = if map.is_null() { Node::Null } else { empty_collection(Nesting::Map) };
        return Ok(Value::from_parts(map.ty().clone(), node));
    }
    let element = map.ty().element().unwrap_or(&Type::Dynamic);
    let entries = entries.into_iter().map(|(key, value)| (key.clone(), value.to_value())).collect();
    Value::map(element, entries).map_err(mixed)
}

/// L69: the element under a key in a prior value, whatever its type.
fn keyed<'v>(prior: ValueRef<'v>, key: &Text) -> Result<Option<ValueRef<'v>>, Refusal> {
    let crash = || Refusal::new("L69", &Path::root(), "a key is ignored in what has none");
    match (prior.ty(), prior.node()) {
        (_, Node::Null) => Ok(None),
        (Type::Map(_) | Type::Object(_), _) => Ok(prior.entry(key)),
        (Type::List(_) | Type::Tuple(_) | Type::Set(_), Node::Seq(parts)) if parts.as_slice().is_empty() => Ok(None),
        (Type::Set(element), Node::Seq(parts)) => {
            let mut found = None;
            for part in parts.as_slice() {
                match part {
                    Node::String(text) if text == key => found = Some(ValueRef::new(element, part)),
                    Node::String(_) => {}
                    _ => return Err(crash()),
                }
            }
            Ok(found)
        }
        _ => Err(crash()),
    }
}

fn entry_marks(position: &[Active<'_, '_>], prior: &Marked, mut marks: PathSet) -> PathSet {
    for active in position {
        let Some(key) = active.key else { continue };
        let at: Vec<WrittenStep> = active.at.iter().cloned().chain([WrittenStep::Key(key.clone())]).collect();
        // A mark above the element, on the map itself, is not taken with the element.
        let own = below(prior.sensitive(), &at);
        marks = replace_marks(marks, &at, &own);
    }
    marks
}

/// The marks at a place and below, from there.
fn below(marks: &PathSet, at: &[WrittenStep]) -> PathSet {
    let rest = |mark: &WrittenPath| Some(mark.steps().strip_prefix(at)?.iter().cloned().collect());
    marks.iter().filter_map(rest).collect()
}

/// The part at a position, if it exists: inside null and unknown there is none (L65).
fn existing<'a>(value: ValueRef<'a>, at: &[WrittenStep]) -> Option<ValueRef<'a>> {
    at.iter().try_fold(value, |value, step| {
        let index = part_index(value, step)?;
        Some(ValueRef::new(value.ty().part(index)?, &value.node().parts()[index]))
    })
}

/// The value with another part at a position; `None` where the position does not exist.
fn placed(value: ValueRef<'_>, at: &[WrittenStep], new: Value) -> Result<Option<Value>, Refusal> {
    let [step, rest @ ..] = at else { return Ok(Some(new)) };
    let Some(index) = part_index(value, step) else { return Ok(None) };
    let Some(ty) = value.ty().part(index) else { return Ok(None) };
    let part = ValueRef::new(ty, &value.node().parts()[index]);
    match placed(part, rest, new)? {
        Some(new) => with_part(value, index, new).map(Some),
        None => Ok(None),
    }
}

/// A known value with another part, whose type may be another where the place is `dynamic`.
fn with_part(value: ValueRef<'_>, index: usize, new: Value) -> Result<Value, Refusal> {
    let (new_ty, new_node) = new.into_parts();
    let same_type = value.ty().part(index).is_some_and(|ty| *ty == new_ty);
    let mut parts = value.node().parts().to_vec();
    parts[index] = new_node;
    let ty = match value.ty() {
        ty if same_type => ty.clone(),
        Type::Object(object) => Type::Object(triomphe::Arc::new(ObjectType::new(retyped(object, index, new_ty)))),
        Type::Tuple(tuple) => {
            let mut elements = tuple.elements().to_vec();
            elements[index] = new_ty;
            Type::tuple(elements)
        }
        // V08: the elements of a collection have one type.
        Type::List(_) if parts.len() == 1 => Type::list(new_ty),
        Type::Map(_) if parts.len() == 1 => Type::map(new_ty),
        _ => return Err(mixed(())),
    };
    Ok(Value::from_parts(ty, rebuilt(value.ty(), value.node(), parts)))
}

fn retyped(object: &ObjectType, index: usize, ty: Type) -> Vec<TypeAttribute> {
    let mut attributes = object.attributes().to_vec();
    attributes[index].ty = ty;
    attributes
}

fn mixed<E>(_: E) -> Refusal {
    Refusal::new("V08", &Path::root(), "what is ignored would give a collection elements of different types")
}
