//! Borrowed values: methods that inspect a value and its parts.

use super::node::Node;
use super::path::{Path, Step};
use super::text::Text;
use super::truth::Truth;
use super::ty::{ObjectType, Type};
use super::{Number, Value};

static NULL: Node = Node::Null;
static UNKNOWN: Node = Node::UNKNOWN;

/// A borrowed value: a type and a payload of it.
#[derive(Clone, Copy, Debug)]
pub struct ValueRef<'a> {
    ty: &'a Type,
    node: &'a Node,
}

impl<'a> ValueRef<'a> {
    /// A borrowed value of parts that belong together, as for [`Value::from_parts`].
    pub fn new(ty: &'a Type, node: &'a Node) -> ValueRef<'a> {
        ValueRef { ty, node }
    }

    /// Null of a type.
    pub fn null(ty: &'a Type) -> ValueRef<'a> {
        ValueRef { ty, node: &NULL }
    }

    /// The plain unknown of a type.
    pub fn unknown(ty: &'a Type) -> ValueRef<'a> {
        ValueRef { ty, node: &UNKNOWN }
    }

    /// The type.
    pub fn ty(self) -> &'a Type {
        self.ty
    }

    /// The payload.
    pub fn node(self) -> &'a Node {
        self.node
    }

    /// The value, sharing its parts.
    pub fn to_value(self) -> Value {
        Value::from_parts(self.ty.clone(), self.node.clone())
    }

    /// Whether this is null.
    pub fn is_null(self) -> bool {
        self.node.is_null()
    }

    /// Whether this itself is unknown.
    pub fn is_unknown(self) -> bool {
        self.node.is_unknown()
    }

    /// Whether this itself is neither null nor unknown.
    pub fn is_present(self) -> bool {
        !self.is_null() && !self.is_unknown()
    }

    /// Whether there is no unknown at any depth (V09).
    pub fn is_wholly_known(self) -> bool {
        !self.node.contents().has_unknown()
    }

    /// The known bool, if this is one.
    pub fn as_bool(self) -> Option<bool> {
        match self.node {
            Node::Bool(Truth(bool)) => Some(*bool),
            _ => None,
        }
    }

    /// The known number, if this is one.
    pub fn as_number(self) -> Option<&'a Number> {
        match self.node {
            Node::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The known string, if this is one.
    pub fn as_text(self) -> Option<&'a Text> {
        match self.node {
            Node::String(text) => Some(text),
            _ => None,
        }
    }

    /// The object type, if this is of one.
    pub fn object_type(self) -> Option<&'a ObjectType> {
        self.ty.as_object().map(|object| &**object)
    }

    /// The number of stored elements, members or entries of a known value (physical length, V45); 0 otherwise.
    pub fn len(self) -> usize {
        self.node.parts().len()
    }

    /// Whether nothing is stored.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// A member of an object, as merge-and-rules.md defines it: of a null object null of the member's type, of an
    /// unknown one a plain unknown of it. `None` where the type is no object type or has no such attribute.
    pub fn member(self, name: &str) -> Option<ValueRef<'a>> {
        let object = self.object_type()?;
        let index = object.index_of(name)?;
        let ty = &object.attributes()[index].ty;
        Some(self.part_or_like_whole(ty, index))
    }

    /// The element of a known list, tuple or set by its place.
    pub fn element(self, index: usize) -> Option<ValueRef<'a>> {
        let ty = match self.ty {
            Type::List(element) | Type::Set(element) => element,
            Type::Tuple(tuple) => tuple.elements().get(index)?,
            _ => return None,
        };
        let node = self.node.parts().get(index)?;
        Some(ValueRef { ty, node })
    }

    /// The entry of a known map, or the member of a known object, by its key.
    pub fn entry(self, key: &str) -> Option<ValueRef<'a>> {
        match (self.ty, self.node) {
            (Type::Map(element), Node::Map(map)) => Some(ValueRef { ty: element, node: map.get(key)? }),
            (Type::Object(object), Node::Seq(seq)) => {
                let index = object.index_of(key)?;
                Some(ValueRef { ty: &object.attributes()[index].ty, node: &seq.as_slice()[index] })
            }
            _ => None,
        }
    }

    /// The keys and entries of a known map, or names and members of a known object, in byte order.
    pub fn entries(self) -> impl Iterator<Item = (&'a Text, ValueRef<'a>)> {
        let (map, object) = match (self.ty, self.node) {
            (Type::Map(element), Node::Map(map)) => (Some((element, map)), None),
            (Type::Object(object), Node::Seq(seq)) => (None, Some((object, seq))),
            _ => (None, None),
        };
        let of_map = map.into_iter().flat_map(|(element, map)| {
            map.keys().iter().zip(map.values.as_slice()).map(|(key, node)| (key, ValueRef { ty: element, node }))
        });
        let of_object = object.into_iter().flat_map(|(object, seq)| {
            let members = object.attributes().iter().zip(seq.as_slice());
            members.map(|(attribute, node)| (&attribute.name, ValueRef { ty: &attribute.ty, node }))
        });
        of_map.chain(of_object)
    }

    /// The children of a known value in the order of V10, each with the step that leads to it; empty for null,
    /// unknown and primitives.
    pub fn children(self) -> Children<'a> {
        Children { of: self, next: 0 }
    }

    /// Applies one step (V13): the part it leads to, or `None` where the step fails. A step into an unknown list,
    /// map, tuple or object gives a plain unknown; a step into a set is never applied in planning and fails.
    pub fn apply(self, step: &Step) -> Option<ValueRef<'a>> {
        if self.is_null() {
            return None;
        }
        match (self.ty, step) {
            (Type::Object(object), Step::Attribute(name)) => {
                let index = object.index_of(name)?;
                Some(self.part_or_like_whole(&object.attributes()[index].ty, index))
            }
            (Type::List(element), Step::Index(_)) if self.is_unknown() => Some(ValueRef::unknown(element)),
            (Type::Tuple(tuple), Step::Index(index)) if self.is_unknown() => {
                tuple.elements().get(usize::try_from(*index).ok()?).map(ValueRef::unknown)
            }
            (Type::List(_) | Type::Tuple(_), Step::Index(index)) => self.element(usize::try_from(*index).ok()?),
            (Type::Map(element), Step::Key(_)) if self.is_unknown() => Some(ValueRef::unknown(element)),
            (Type::Map(_), Step::Key(key)) => self.entry(key),
            _ => None,
        }
    }

    /// Applies a path (V13).
    pub fn apply_path(self, path: &Path) -> Option<ValueRef<'a>> {
        path.steps().into_iter().try_fold(self, |value, step| value.apply(step))
    }

    fn part_or_like_whole(self, ty: &'a Type, index: usize) -> ValueRef<'a> {
        match self.node {
            Node::Null => ValueRef::null(ty),
            Node::Unknown(_) => ValueRef::unknown(ty),
            known => ValueRef { ty, node: &known.parts()[index] },
        }
    }
}

/// The children of a value (V10).
#[derive(Clone, Debug)]
pub struct Children<'a> {
    of: ValueRef<'a>,
    next: usize,
}

impl<'a> Iterator for Children<'a> {
    type Item = (Step, ValueRef<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let index = self.next;
        let node = self.of.node.parts().get(index)?;
        self.next += 1;
        let child = |ty| ValueRef { ty, node };
        Some(match self.of.ty {
            Type::List(element) => (Step::Index(index as u64), child(element)),
            Type::Tuple(tuple) => (Step::Index(index as u64), child(&tuple.elements()[index])),
            Type::Set(element) => (Step::Element(child(element).to_value()), child(element)),
            Type::Object(object) => {
                let attribute = &object.attributes()[index];
                (Step::Attribute(attribute.name.clone()), child(&attribute.ty))
            }
            Type::Map(element) => match self.of.node {
                Node::Map(map) => (Step::Key(map.keys()[index].clone()), child(element)),
                _ => return None,
            },
            Type::Dynamic | Type::Bool | Type::Number | Type::String => return None,
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = self.of.len() - self.next;
        (rest, Some(rest))
    }
}

impl ExactSizeIterator for Children<'_> {}
