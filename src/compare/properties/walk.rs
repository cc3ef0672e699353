//! Walks along the schema: one over two values at once, and one that rebuilds a value.

use planfuzz_core::schema::{Attribute, Block, NestedBlock, NestedType, Nesting, Shape};
use planfuzz_core::value::{MapNode, Node, Path, Seq, Step, Text, Type, Value, ValueRef};
use triomphe::Arc;

/// A block or a nested type, whose members are walked.
#[derive(Clone, Copy)]
pub(in crate::compare) enum Members<'s> {
    Block(&'s Block),
    Nested(&'s NestedType),
}

/// The kind of a member in the schema.
#[derive(Clone, Copy)]
pub(in crate::compare) enum Kind<'s> {
    Leaf(&'s Attribute),
    Nested(&'s Attribute, &'s NestedType),
    Block(&'s NestedBlock),
}

impl<'s> Members<'s> {
    /// The members with their names, attributes first.
    pub(super) fn each(self) -> impl Iterator<Item = (&'s Text, Kind<'s>)> {
        let (attributes, blocks) = match self {
            Members::Block(block) => (&block.attributes, Some(&block.block_types)),
            Members::Nested(nested) => (&nested.attributes, None),
        };
        let blocks = blocks.into_iter().flat_map(|blocks| blocks.iter());
        let attributes = attributes.iter().map(|(name, attribute)| (name, Kind::of(attribute)));
        attributes.chain(blocks.map(|(name, nested)| (name, Kind::Block(nested))))
    }

    /// The member with a name. A nested block takes precedence over an attribute (S30).
    pub(in crate::compare) fn get(self, name: &str) -> Option<Kind<'s>> {
        match self {
            Members::Block(block) => match block.block_types.get(name) {
                Some(nested) => Some(Kind::Block(nested)),
                None => block.attributes.get(name).map(Kind::of),
            },
            Members::Nested(nested) => nested.attributes.get(name).map(Kind::of),
        }
    }
}

impl<'s> Kind<'s> {
    fn of(attribute: &'s Attribute) -> Kind<'s> {
        match &attribute.shape {
            Shape::Leaf(_) => Kind::Leaf(attribute),
            Shape::Nested(nested) => Kind::Nested(attribute, nested),
        }
    }

    /// The nesting mode and the members of each object inside; `None` for a leaf.
    pub(in crate::compare) fn inside(self) -> Option<(Nesting, Members<'s>)> {
        match self {
            Kind::Leaf(_) => None,
            Kind::Nested(_, nested) => Some((nested.nesting, Members::Nested(nested))),
            Kind::Block(nested) => Some((nested.nesting, Members::Block(&nested.block))),
        }
    }

    /// The attribute, if this is one.
    pub(super) fn attribute(self) -> Option<&'s Attribute> {
        match self {
            Kind::Leaf(attribute) | Kind::Nested(attribute, _) => Some(attribute),
            Kind::Block(_) => None,
        }
    }
}

/// The part of a known collection that a step leads to, a map of blocks that is an object (S33) included.
pub(super) fn part<'a>(whole: ValueRef<'a>, step: &Step) -> Option<ValueRef<'a>> {
    match step {
        Step::Index(index) => whole.element(usize::try_from(*index).ok()?),
        Step::Key(key) | Step::Attribute(key) => whole.entry(key),
        Step::Element(_) => None,
    }
}

/// The same place in two values.
pub(super) struct Pair<'w, 's, 'a> {
    pub(super) path: &'w Path,
    pub(super) kind: Kind<'s>,
    pub(super) config: ValueRef<'a>,
    pub(super) other: ValueRef<'a>,
}

/// Called at each place.
pub(super) type Visit<'v, E> = dyn FnMut(Pair<'_, '_, '_>) -> Result<(), E> + 'v;

/// Visits every member of a configuration outside sets together with the same place of another value, as far down as the
/// configuration has objects. If the other value lacks a place, only the place above it is visited.
pub(super) fn in_step<E>(
    members: Members<'_>,
    config: ValueRef<'_>,
    other: ValueRef<'_>,
    path: &Path,
    visit: &mut Visit<'_, E>,
) -> Result<(), E> {
    if !config.is_present() {
        return Ok(());
    }
    for (name, kind) in members.each() {
        let (Some(config), Some(other)) = (config.member(name), other.member(name)) else { continue };
        let path = path.attribute(name);
        visit(Pair { path: &path, kind, config, other })?;
        let Some((nesting, members)) = kind.inside() else { continue };
        match nesting {
            Nesting::Set => {}
            Nesting::Single | Nesting::Group => in_step(members, config, other, &path, visit)?,
            Nesting::List | Nesting::Map => {
                for (step, config) in config.children() {
                    if let Some(other) = part(other, &step) {
                        in_step(members, config, other, &path.step(step), visit)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Visits every member of an object, and of the objects inside it, at every depth, sets included.
pub(super) fn each_member<'s, 'a>(
    members: Members<'s>,
    object: ValueRef<'a>,
    visit: &mut dyn FnMut(Kind<'s>, ValueRef<'a>),
) {
    if !object.is_present() {
        return;
    }
    for (name, kind) in members.each() {
        let Some(member) = object.member(name) else { continue };
        visit(kind, member);
        match kind.inside() {
            None => {}
            Some((Nesting::Single | Nesting::Group, members)) => each_member(members, member, visit),
            Some((_, members)) => elements(member).for_each(|element| each_member(members, element, visit)),
        }
    }
}

/// The elements of a known collection of objects, a map of blocks that is an object (S33) included.
pub(super) fn elements<'a>(collection: ValueRef<'a>) -> impl Iterator<Item = ValueRef<'a>> {
    let keyed = matches!(collection.ty(), Type::Map(_) | Type::Object(_));
    let by_key = keyed.then(|| collection.entries().map(|(_, entry)| entry));
    let by_index = (!keyed).then(|| (0..collection.len()).filter_map(move |index| collection.element(index)));
    by_key.into_iter().flatten().chain(by_index.into_iter().flatten())
}

/// Called with each member: `Some` replaces its payload by another of the same type, `None` goes on inside it.
pub(super) type Change<'c> = dyn FnMut(Kind<'_>, ValueRef<'_>) -> Option<Node> + 'c;

/// Rebuilds an object, calling `change` with every member from the outside in. Types stay. Sets are built anew (V50).
pub(super) fn rebuilt(members: Members<'_>, object: ValueRef<'_>, change: &mut Change<'_>) -> Node {
    let (Some(ty), true) = (object.object_type(), object.is_present()) else {
        return object.node().clone();
    };
    let parts = ty.attributes().iter().zip(object.node().parts()).map(|(attribute, node)| {
        let member = ValueRef::new(&attribute.ty, node);
        let Some(kind) = members.get(&attribute.name) else { return node.clone() };
        match (change(kind, member), kind.inside()) {
            (Some(changed), _) => changed,
            (None, None) => node.clone(),
            (None, Some((Nesting::Single | Nesting::Group, members))) => rebuilt(members, member, change),
            (None, Some((_, members))) => {
                let parts = elements(member).map(|element| rebuilt(members, element, change)).collect();
                with_parts(member, parts)
            }
        }
    });
    Node::seq(parts.collect())
}

/// The payload of a known collection, tuple or object with other parts in the places of the old ones; anything else as
/// it is.
pub(super) fn with_parts(whole: ValueRef<'_>, parts: Vec<Node>) -> Node {
    match (whole.ty(), whole.node()) {
        (Type::Set(element), Node::Seq(_)) => set_of(element, parts),
        (_, Node::Seq(_)) => Node::seq(parts),
        (_, Node::Map(map)) => Node::Map(Arc::new(MapNode { keys: map.keys.clone(), values: Seq::new(parts) })),
        (_, other) => other.clone(),
    }
}

/// The payload of a set of payloads of type `element`, inserted in order (V50).
pub(super) fn set_of(element: &Type, parts: Vec<Node>) -> Node {
    let elements = parts.into_iter().map(|part| Value::from_parts(element.clone(), part)).collect();
    let set = Value::set(element, elements).expect("the elements are of one type");
    set.into_parts().1
}
