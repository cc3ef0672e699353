//! M22: whether a prior set element and a configured one match.
//!
//! Sets of nested types and blocks have no `dynamic` inside (S14, S22), so payloads are compared without types. The
//! engine tests equality first, at every level; that test adds nothing to those of the levels below (equal parts match,
//! down to the leaves), so it is made at leaves and sets only and a match is linear in the element.

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Step, Type, ValueRef};

use super::program::{Inner, Kind, Member, Object, part};
use super::same::{Glance, equal_unrefined, glance};

/// The result of comparing the payloads of two elements' members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// They match, and the element rule gives the prior one, or one that is not distinguishable from it.
    Prior,
    /// They do not match.
    None,
    /// The payloads alone do not decide.
    Look,
}

/// M22 and M10 at once, for an object of leaves without `dynamic`. Where a computed leaf is null in the configuration it
/// matches anything and the prior's stays; where both sides have one and the same, they match and either stays.
pub(super) fn fit(object: &Object, prior: &Node, config: &Node) -> Fit {
    let (Node::Seq(prior), Node::Seq(config), true) = (prior, config, object.is_flat()) else { return Fit::Look };
    for ((flags, prior), config) in object.flags.iter().zip(prior.as_slice()).zip(config.as_slice()) {
        if flags.is_free() && config.is_null() {
            continue;
        }
        match glance(prior, config) {
            Glance::Same => {}
            Glance::Different => return Fit::None,
            Glance::Look => return Fit::Look,
        }
    }
    Fit::Prior
}

/// M22 for an object: `prior` matches `config`.
pub(super) fn matches(object: &Object, prior: &Node, config: &Node) -> bool {
    if prior.is_null() || prior.is_unknown() {
        return true;
    }
    if config.is_null() {
        return object.members.is_empty();
    }
    object
        .members
        .iter()
        .enumerate()
        .all(|(index, member)| member_matches(member, part(prior, index), part(config, index)))
}

fn member_matches(member: &Member, prior: &Node, config: &Node) -> bool {
    match &member.kind {
        Kind::Leaf if member.computed && !member.set && config.is_null() => true,
        Kind::Nested(inner) | Kind::Block(inner) if !member.set => inner_matches(inner, prior, config),
        _ => equal_unrefined(ValueRef::new(&member.ty, prior), ValueRef::new(&member.ty, config)),
    }
}

fn inner_matches(inner: &Inner, prior: &Node, config: &Node) -> bool {
    if prior.is_null() || prior.is_unknown() || prior.ptr_eq(config) {
        return true;
    }
    let element =
        |prior: &Node, config: Option<&Node>| config.is_some_and(|config| matches(&inner.object, prior, config));
    match (inner.mode, prior) {
        (Nesting::Single | Nesting::Group, _) => matches(&inner.object, prior, config),
        (Nesting::Map, Node::Map(map)) => {
            let entries = map.keys().iter().zip(map.values.as_slice());
            entries.into_iter().all(|(key, prior)| element(prior, entry(config, key)))
        }
        _ => prior.parts().iter().enumerate().all(|(index, prior)| element(prior, at(config, index))),
    }
}

/// V13: the element at an index, an unknown one in an unknown list.
fn at(list: &Node, index: usize) -> Option<&Node> {
    if list.is_unknown() { Some(part(list, index)) } else { list.parts().get(index) }
}

/// V13: the entry of a key, an unknown one in an unknown map.
fn entry<'a>(map: &'a Node, key: &str) -> Option<&'a Node> {
    match map {
        Node::Map(map) => map.get(key),
        Node::Unknown(_) => Some(part(map, 0)),
        _ => None,
    }
}

/// The part of the schema at a path inside an element (S60, S61).
#[derive(Clone, Copy)]
pub(super) enum Lookup<'a> {
    /// In the object of a block.
    Block(&'a Object),
    /// In the object of a nested type.
    Nested(&'a Object),
    /// At a leaf attribute.
    Leaf(&'a Member),
    /// At no part, nor at any further on.
    Nothing,
}

impl<'a> Lookup<'a> {
    pub(super) fn of(inner: &'a Inner) -> Lookup<'a> {
        if inner.block { Lookup::Block(&inner.object) } else { Lookup::Nested(&inner.object) }
    }

    fn step(self, step: &Step) -> Lookup<'a> {
        let (Lookup::Block(object) | Lookup::Nested(object)) = self else { return Lookup::Nothing };
        let Step::Attribute(name) = step else { return self };
        match object.members.binary_search_by(|member| member.name.cmp(name)) {
            Ok(index) => match &object.members[index].kind {
                Kind::Leaf => Lookup::Leaf(&object.members[index]),
                Kind::Nested(inner) | Kind::Block(inner) => Lookup::of(inner),
            },
            Err(_) if matches!(self, Lookup::Nested(_)) => self,
            Err(_) => Lookup::Nothing,
        }
    }
}

/// M22 where `dynamic` is inside: to the letter, since steps then depend on the types of the values.
pub(super) fn matches_typed(at: Lookup<'_>, prior: ValueRef<'_>, config: ValueRef<'_>) -> bool {
    if equal_unrefined(config, prior) {
        return true;
    }
    if matches!(config.ty(), Type::Set(_)) {
        return false;
    }
    if let Lookup::Leaf(member) = at {
        return member.computed && config.is_null();
    }
    prior
        .children()
        .all(|(step, prior)| config.apply(&step).is_some_and(|config| matches_typed(at.step(&step), prior, config)))
}
