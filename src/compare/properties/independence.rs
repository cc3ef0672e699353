//! Inputs that a part of the proposed object does not depend on.

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{MapNode, Node, Path, Type, Value, ValueRef};
use triomphe::Arc;

use super::remake::{Choices, other_known, with_member};
use super::trial::Trial;
use super::walk::{Kind, Members, part, rebuilt};
use super::{Breach, PropertyResult, same, value_like};
use crate::case::Op;

/// MP05: if one member changes in prior and configuration, the other members are proposed as before.
pub(super) fn members(trial: &Trial<'_>) -> PropertyResult {
    let (prior, config) = (&trial.merge.prior, &trial.merge.config);
    let count = trial.ty.as_object()?.len();
    if !trial.config_facts.present || count < 2 {
        return None;
    }
    let before = trial.proposed()?;
    let index = trial.choices(5).below(count);
    let planned = member_at(&trial.merge.planned, index)?;
    let other_config = with_member(config, index, planned);
    let other_prior = match member_at(&trial.merge.actual, index) {
        Some(actual) if prior.view().is_present() && actual.is_wholly_known() => with_member(prior, index, actual),
        _ => prior.clone(),
    };
    let after = trial.prepared.proposed_new(&other_prior, &other_config).ok()?;
    let mut names = config.ty().as_object()?.attributes().iter().enumerate().filter(|(at, _)| *at != index);
    Some(names.try_for_each(|(_, attribute)| {
        let path = Path::root().attribute(&attribute.name);
        let (before, after) = (before.view().member(&attribute.name), after.view().member(&attribute.name));
        let (Some(before), Some(after)) = (before, after) else {
            let message = "the proposed object has no such member".to_owned();
            return Err(Breach { op: Op::ProposedNew, path, message });
        };
        same(Op::ProposedNew, "after a change of another member", before, after)
            .map_err(|breach| Breach { path: path.join(&breach.path), ..breach })
    }))
}

/// The member of an object at an index of its type.
fn member_at(object: &Value, index: usize) -> Option<ValueRef<'_>> {
    let name = &object.ty().as_object()?.attributes().get(index)?.name;
    object.view().member(name)
}

/// MP06: appending elements to a list leaves the earlier ones as they were; so does removing a key from a map.
pub(super) fn positions(trial: &Trial<'_>) -> PropertyResult {
    if !trial.config_facts.present {
        return None;
    }
    let config = &trial.merge.config;
    let object = config.ty().as_object()?;
    let members = Members::Block(trial.block());
    let mut changed = config.clone();
    let mut places = Vec::new();
    for (index, attribute) in object.attributes().iter().enumerate() {
        let Some((nesting @ (Nesting::List | Nesting::Map), _)) = members.get(&attribute.name).and_then(Kind::inside)
        else {
            continue;
        };
        let member = config.view().member(&attribute.name)?;
        if let Some(other) = longer_or_shorter(nesting, member, &mut trial.choices(6)) {
            changed = with_member(&changed, index, other.view());
            places.push((&attribute.name, other));
        }
    }
    if places.is_empty() {
        return None;
    }
    let before = trial.proposed()?.view();
    let after = trial.prepared.proposed_new(&trial.merge.prior, &changed).ok()?;
    for (name, other) in &places {
        let (before, after) = (before.member(name)?, after.view().member(name)?);
        for (step, _) in other.view().children() {
            // An appended element has no counterpart before.
            let Some(before) = part(before, &step) else { continue };
            let path = Path::root().attribute(name).step(step.clone());
            let held = match part(after, &step) {
                Some(after) => same(Op::ProposedNew, "after a change of another element", before, after),
                None => Err(missing(&path)),
            };
            if let Err(breach) = held {
                return Some(Err(Breach { path, ..breach }));
            }
        }
    }
    Some(Ok(()))
}

fn missing(path: &Path) -> Breach {
    let message = "an element is gone after a change of another element".to_owned();
    Breach { op: Op::ProposedNew, path: path.clone(), message }
}

/// The collection with one of its elements appended once more, or one of its keys removed.
fn longer_or_shorter(nesting: Nesting, collection: ValueRef<'_>, choices: &mut Choices) -> Option<Value> {
    let count = collection.len();
    let least = if nesting == Nesting::List { 1 } else { 2 };
    if count < least {
        return None;
    }
    let chosen = choices.below(count);
    match (collection.ty(), collection.node()) {
        (Type::List(_), node) => {
            let parts = node.parts().iter().chain(node.parts().get(chosen));
            Some(Value::from_parts(collection.ty().clone(), Node::seq(parts.cloned().collect())))
        }
        (Type::Tuple(_), _) => {
            let elements = (0..count).chain([chosen]).filter_map(|index| collection.element(index));
            Some(Value::tuple(elements.map(ValueRef::to_value).collect()))
        }
        (Type::Map(_), Node::Map(map)) => {
            let entries = map.keys().iter().cloned().zip(map.values.as_slice().iter().cloned()).enumerate();
            let kept = entries.filter(|(index, _)| *index != chosen).map(|(_, entry)| entry).collect();
            Some(Value::from_parts(collection.ty().clone(), Node::Map(Arc::new(MapNode::from_sorted(kept)))))
        }
        (Type::Object(_), _) => {
            let kept = collection.entries().enumerate().filter(|(index, _)| *index != chosen);
            Some(Value::object(kept.map(|(_, (key, entry))| (key.clone(), entry.to_value())).collect()))
        }
        _ => None,
    }
}

/// MP10: without sets and computed nested types, prior leaves that are not computed do not matter. The configuration
/// must be a decoded one (S51): for a null block the prior would be taken over whole (M16).
pub(super) fn prior_leaves(trial: &Trial<'_>) -> PropertyResult {
    let (facts, prior) = (&trial.schema_facts, &trial.merge.prior);
    if facts.sets || facts.computed_nested || !trial.config_facts.shaped || prior.is_null() {
        return None;
    }
    let mut changed = false;
    let node = rebuilt(Members::Block(trial.block()), prior.view(), &mut |kind, member| match kind {
        Kind::Leaf(attribute) if !attribute.computed && !member.is_null() => {
            changed = true;
            Some(other_known(member.ty(), member.node()))
        }
        _ => None,
    });
    if !changed {
        return None;
    }
    let before = trial.proposed()?;
    let after = trial.prepared.proposed_new(&value_like(prior, node), &trial.merge.config).ok()?;
    Some(same(Op::ProposedNew, "after a change of prior leaves that are not computed", before.view(), after.view()))
}

#[cfg(test)]
mod tests {
    use planfuzz_core::value::Step;

    use super::*;

    #[test]
    fn mp06_a_list_grows_and_a_map_shrinks() {
        let list = Value::list(&Type::String, vec![Value::string("a")]).expect("one type");
        let longer = longer_or_shorter(Nesting::List, list.view(), &mut Choices::new(0)).expect("not empty");
        assert_eq!(longer.view().len(), 2);
        let entries = ["a", "b"].map(|key| (key.into(), Value::string(key)));
        let map = Value::map(&Type::String, entries.to_vec()).expect("one type");
        let shorter = longer_or_shorter(Nesting::Map, map.view(), &mut Choices::new(0)).expect("two keys");
        assert_eq!(shorter.view().len(), 1);
        let step = Step::Key("c".into());
        assert!(part(shorter.view(), &step).is_none());
    }
}
