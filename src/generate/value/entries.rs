//! Collections taken apart and put together again.

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{MapNode, Node, Seq, Text, Type, Value, ValueRef};
use triomphe::Arc;

use super::super::outline::{BlockOutline, NestedBlockOutline};
use super::leaf::set_of;

/// The elements of a collection; the keys are empty but for maps.
pub(in super::super) type Entries = Vec<(Text, Value)>;

/// What kind of collection entries form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Kind {
    List,
    Set,
    Map,
}

impl Kind {
    /// The kind of collection of a mode, where it is one.
    pub(in super::super) fn of(nesting: Nesting) -> Option<Kind> {
        match nesting {
            Nesting::Single | Nesting::Group => None,
            Nesting::List => Some(Kind::List),
            Nesting::Set => Some(Kind::Set),
            Nesting::Map => Some(Kind::Map),
        }
    }

    /// The kind of collection of a type, where it is one.
    pub(in super::super) fn of_type(ty: &Type) -> Option<Kind> {
        match ty {
            Type::List(_) => Some(Kind::List),
            Type::Set(_) => Some(Kind::Set),
            Type::Map(_) => Some(Kind::Map),
            _ => None,
        }
    }
}

/// The elements of a known collection: of a list, set, map or tuple, or of the object that stands for a map of blocks.
pub(in super::super) fn split(value: ValueRef<'_>) -> Entries {
    match value.ty() {
        Type::Map(_) | Type::Object(_) => value.entries().map(|(key, entry)| (key.clone(), entry.to_value())).collect(),
        _ => (0..value.len()).filter_map(|at| value.element(at)).map(|one| (Text::default(), one.to_value())).collect(),
    }
}

/// The payload of a collection of entries that all are of type `element`. Keys of maps are different.
pub(in super::super) fn join(kind: Kind, element: &Type, entries: Entries) -> Node {
    match kind {
        Kind::List => Node::Seq(Seq::new(entries.into_iter().map(|(_, value)| value.into_parts().1).collect())),
        Kind::Set => set_of(element, entries.into_iter().map(|(_, value)| value).collect()),
        Kind::Map => {
            let mut entries = entries;
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            let entries = entries.into_iter().map(|(key, value)| (key, value.into_parts().1)).collect();
            Node::Map(Arc::new(MapNode::from_sorted(entries)))
        }
    }
}

/// The value of a collection of blocks: a tuple or an object where the type is `dynamic` (S33).
pub(in super::super) fn join_blocks(outline: &NestedBlockOutline, kind: Kind, entries: Entries) -> Value {
    if !outline.ty.is_dynamic() {
        return Value::from_parts(outline.ty.clone(), join(kind, &outline.block.ty, entries));
    }
    match kind {
        Kind::Map => Value::object(entries),
        Kind::List | Kind::Set => Value::tuple(entries.into_iter().map(|(_, value)| value).collect()),
    }
}

/// The object of a block.
pub(in super::super) fn join_members(outline: &BlockOutline, members: Vec<Value>) -> Value {
    debug_assert_eq!(members.len(), outline.members.len(), "one value for each member");
    if !outline.ty.has_dynamic() {
        let nodes = members.into_iter().map(|member| member.into_parts().1);
        return Value::from_parts(outline.ty.clone(), Node::Seq(Seq::from_exact(nodes)));
    }
    Value::object(outline.members.iter().map(|member| member.name.clone()).zip(members).collect())
}

/// The member of a block's object at a place of the outline, as merge-and-rules.md defines members.
pub(in super::super) fn member(outline: &BlockOutline, object: ValueRef<'_>, index: usize) -> Value {
    let absent = |node: Node| Value::from_parts(outline.members[index].ty().clone(), node);
    match (object.ty(), object.node()) {
        (Type::Object(ty), Node::Seq(seq)) => {
            Value::from_parts(ty.attributes()[index].ty.clone(), seq.as_slice()[index].clone())
        }
        (_, Node::Unknown(_)) => absent(Node::UNKNOWN),
        _ => absent(Node::Null),
    }
}
