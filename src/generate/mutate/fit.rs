//! Repairs a value so that it conforms to a schema, keeping every part that has a place there.
//!
//! The repair is total: a part that has no place becomes null, or is left out of a collection. So a change of the schema
//! never makes an invalid case.

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Number, Path, Text, Type, Value, ValueError, ValueRef};

use super::super::outline::{AttributeOutline, BlockOutline, MemberKind, NestedBlockOutline, NestedOutline};
use super::super::value::entries::{Entries, Kind, join, join_blocks, join_members, split};
use super::super::value::settle::settled;

/// What a value must be, besides conforming to its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Knowledge {
    /// Wholly known.
    Whole,
    /// Anything that conforms.
    Part,
    /// A possible configuration (S50 to S53): null where only the provider sets a value, no single block null or unknown.
    Config,
    /// Such a configuration, wholly known.
    WholeConfig,
}

impl Knowledge {
    fn is_whole(self) -> bool {
        matches!(self, Knowledge::Whole | Knowledge::WholeConfig)
    }

    fn is_config(self) -> bool {
        matches!(self, Knowledge::Config | Knowledge::WholeConfig)
    }
}

/// The value, repaired to be one of the resource's type.
pub(in super::super) fn fitted(outline: &BlockOutline, value: ValueRef<'_>, knowledge: Knowledge) -> Value {
    let fitter = Fitter { knowledge };
    let fitted = settled(&outline.ty, fitter.whole(outline, value));
    if outline.has_sets() { without_minus_zero(fitted) } else { fitted }
}

/// V56: -0 stays out of sets, so no value of a schema with a set has one.
fn without_minus_zero(value: Value) -> Value {
    if !has_minus_zero(value.node()) {
        return value;
    }
    let mut zero = |_: &Path, part: Value| {
        let is_one = matches!(part.node(), Node::Number(Number::NegativeZero { .. }));
        Ok::<_, ValueError>(if is_one { Value::number(Number::from(0_u64)) } else { part })
    };
    let ty = value.ty().clone();
    // Numbers stay numbers, so nothing can differ in type afterwards.
    value.view().transform(&mut zero).unwrap_or_else(|_| Value::null(ty))
}

fn has_minus_zero(node: &Node) -> bool {
    match node {
        Node::Number(number) => matches!(number, Number::NegativeZero { .. }),
        node => node.parts().iter().any(has_minus_zero),
    }
}

#[derive(Clone, Copy)]
struct Fitter {
    knowledge: Knowledge,
}

impl Fitter {
    /// A block that may be null or unknown as a whole.
    fn whole(self, outline: &BlockOutline, value: ValueRef<'_>) -> Value {
        match value.is_present() {
            true => self.block(outline, Some(value)),
            false => self.absent(&outline.ty, value),
        }
    }

    /// Null, or the unknown that the value is.
    fn absent(self, ty: &Type, value: ValueRef<'_>) -> Value {
        match value.is_unknown() && !self.knowledge.is_whole() {
            true if value.ty() == ty => value.to_value(),
            true => Value::unknown(ty.clone()),
            false => Value::null(ty.clone()),
        }
    }

    /// A block that is there, of the members of an object.
    fn block(self, outline: &BlockOutline, object: Option<ValueRef<'_>>) -> Value {
        let members = outline.members.iter().map(|member| {
            let part = object.and_then(|object| named(object, &member.name));
            match &member.kind {
                MemberKind::Attribute(attribute) => self.attribute(attribute, part),
                MemberKind::Block(nested) => self.nested(nested, part),
            }
        });
        let members = members.collect();
        join_members(outline, members)
    }

    fn nested(self, outline: &NestedBlockOutline, part: Option<ValueRef<'_>>) -> Value {
        let Some(kind) = Kind::of(outline.nesting) else {
            return self.one(outline, part);
        };
        let entries = match part {
            Some(part) if part.is_unknown() && !self.knowledge.is_whole() => {
                return Value::unknown(outline.ty.clone());
            }
            Some(part) if part.is_present() => elements(part),
            _ => Entries::new(),
        };
        let entries = entries.into_iter().map(|(key, entry)| (key, self.element(&outline.block, entry.view())));
        join_blocks(outline, kind, keyed(kind, entries.collect()))
    }

    /// The block of mode single or group: the first if the value has several.
    fn one(self, outline: &NestedBlockOutline, part: Option<ValueRef<'_>>) -> Value {
        let is_group = outline.nesting == Nesting::Group;
        match part {
            Some(part) if part.is_unknown() && !self.knowledge.is_config() => self.absent(&outline.ty, part),
            Some(part) if part.is_present() && is_object(part) => self.block(&outline.block, Some(part)),
            Some(part) if part.is_present() => match elements(part).first() {
                Some((_, first)) if first.view().is_present() => self.block(&outline.block, Some(first.view())),
                _ if is_group => self.block(&outline.block, None),
                _ => Value::null(outline.ty.clone()),
            },
            _ if is_group => self.block(&outline.block, None),
            _ => Value::null(outline.ty.clone()),
        }
    }

    /// One block of several: in a configuration it is present.
    fn element(self, outline: &BlockOutline, value: ValueRef<'_>) -> Value {
        match self.knowledge.is_config() && !value.is_present() {
            true => self.block(outline, None),
            false => self.whole(outline, value),
        }
    }

    fn attribute(self, attribute: &AttributeOutline, part: Option<ValueRef<'_>>) -> Value {
        if !self.knowledge.is_config() {
            return self.part(&attribute.ty, part);
        }
        if is_computed_only(attribute) {
            return Value::null(attribute.ty.clone());
        }
        let value = self.part(&attribute.ty, part);
        match &attribute.nested {
            Some(nested) => {
                let node = unset(nested, value.ty(), value.node());
                Value::from_parts(value.ty().clone(), node)
            }
            None => value,
        }
    }

    /// The value of an attribute, or a part of one.
    fn part(self, ty: &Type, part: Option<ValueRef<'_>>) -> Value {
        let Some(value) = part else { return Value::null(ty.clone()) };
        if !value.is_present() {
            return self.absent(ty, value);
        }
        let may_stay = !self.knowledge.is_whole() || value.is_wholly_known();
        match ty {
            Type::Dynamic if may_stay => value.to_value(),
            _ if may_stay && value.ty() == ty => value.to_value(),
            Type::Dynamic => self.part(&value.ty().clone(), Some(value)),
            Type::List(element) => self.collection(Kind::List, element, value),
            Type::Set(element) => self.collection(Kind::Set, element, value),
            Type::Map(element) => self.collection(Kind::Map, element, value),
            Type::Tuple(tuple) => {
                let part = |(at, ty): (usize, &Type)| self.part(ty, positioned(value, at));
                Value::tuple(tuple.elements().iter().enumerate().map(part).collect())
            }
            Type::Object(object) => {
                let first = elements(value);
                let source = match is_object(value) {
                    true => Some(value),
                    false => first.first().map(|(_, first)| first.view()).filter(|first| first.is_present()),
                };
                let part = |name: &Text, ty: &Type| {
                    (name.clone(), self.part(ty, source.and_then(|source| named(source, name))))
                };
                Value::object(object.attributes().iter().map(|one| part(&one.name, &one.ty)).collect())
            }
            Type::Bool | Type::Number | Type::String => Value::null(ty.clone()),
        }
    }

    /// A collection: its elements share a type (V08), so those of another one than the first are left out.
    fn collection(self, kind: Kind, element: &Type, value: ValueRef<'_>) -> Value {
        let mut entries: Entries =
            elements(value).into_iter().map(|(key, one)| (key, self.part(element, Some(one.view())))).collect();
        let shared = entries.first().map_or_else(|| element.clone(), |(_, first)| first.ty().clone());
        entries.retain(|(_, one)| *one.ty() == shared);
        let node = join(kind, &shared, keyed(kind, entries));
        let ty = match kind {
            Kind::List => Type::list(shared),
            Kind::Set => Type::set(shared),
            Kind::Map => Type::map(shared),
        };
        Value::from_parts(ty, node)
    }
}

fn is_computed_only(attribute: &AttributeOutline) -> bool {
    !attribute.optional && !attribute.required
}

/// The payload of a nested attribute with null for what only the provider sets.
fn unset(nested: &NestedOutline, ty: &Type, node: &Node) -> Node {
    let value = ValueRef::new(ty, node);
    if !value.is_present() {
        return node.clone();
    }
    if let Some((kind, element)) = Kind::of_type(ty).zip(ty.element()) {
        let unset_one = |(key, one): (Text, Value)| {
            let node = unset(nested, element, one.node());
            (key, Value::from_parts(element.clone(), node))
        };
        return join(kind, element, split(value).into_iter().map(unset_one).collect());
    }
    let (Type::Object(object), Node::Seq(seq)) = (ty, node) else { return node.clone() };
    let parts = nested.attributes.iter().zip(object.attributes()).zip(seq.as_slice());
    let nodes = parts.map(|((attribute, typed), part)| match &attribute.nested {
        _ if is_computed_only(attribute) => Node::Null,
        Some(inner) => unset(inner, &typed.ty, part),
        None => part.clone(),
    });
    Node::seq(nodes.collect())
}

fn is_object(value: ValueRef<'_>) -> bool {
    matches!((value.ty(), value.node()), (Type::Object(_), Node::Seq(_)))
}

/// The member of an object or the entry of a map.
fn named<'v>(value: ValueRef<'v>, name: &str) -> Option<ValueRef<'v>> {
    match value.ty() {
        Type::Object(_) => value.member(name),
        Type::Map(_) => value.entry(name),
        _ => None,
    }
}

/// The element of a list, set or tuple.
fn positioned(value: ValueRef<'_>, at: usize) -> Option<ValueRef<'_>> {
    match value.ty() {
        Type::List(_) | Type::Set(_) | Type::Tuple(_) => value.element(at),
        _ => None,
    }
}

/// The elements of a value; an object counts as one element.
fn elements(value: ValueRef<'_>) -> Entries {
    match value.ty() {
        Type::List(_) | Type::Set(_) | Type::Tuple(_) | Type::Map(_) => split(value),
        Type::Object(_) => vec![(Text::default(), value.to_value())],
        _ => Entries::new(),
    }
}

/// The entries, with different keys if the collection is a map.
fn keyed(kind: Kind, mut entries: Entries) -> Entries {
    if kind != Kind::Map {
        return entries;
    }
    for (index, (key, _)) in entries.iter_mut().enumerate() {
        if key.is_empty() && index > 0 {
            *key = Text::new(&format!("k{index}"));
        }
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    entries.dedup_by(|a, b| a.0 == b.0);
    entries
}
