//! The parts of the encoding that all objects of a schema have in common, written once.

use planfuzz_core::msgpack::encode;
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Type, Value};

use super::super::program::{Member, Object};

/// The bytes that belong to an object of the schema, beside the compiled object.
pub(super) struct Layout {
    /// The levels around the object.
    pub(super) level: usize,
    /// The header of a known object.
    pub(super) header: Box<[u8]>,
    /// The name of each member.
    pub(super) keys: Box<[Box<[u8]>]>,
    /// The empty value (S35); of a nested type null.
    pub(super) empty: Box<[u8]>,
    /// The known object of which every member is unknown (M12).
    pub(super) unknowns: Box<[u8]>,
    /// The objects of each member that has some.
    pub(super) inner: Box<[Option<Layout>]>,
}

impl Layout {
    /// The layout of an object that has `level` levels around it; `None` where a part has no encoding.
    pub(super) fn of(object: &Object, level: usize) -> Option<Layout> {
        let key = |member: &Member| encode(Value::string(&member.name).view(), &Type::String).ok().map(Vec::into);
        let unknowns = Value::from_parts(object.ty.clone(), Node::seq(vec![Node::UNKNOWN; object.members.len()]));
        let unknowns = encode(unknowns.view(), &object.ty).ok()?;
        Some(Layout {
            level,
            header: unknowns.get(..header_length(object.members.len()))?.into(),
            keys: object.members.iter().map(key).collect::<Option<_>>()?,
            empty: encode(object.empty.view(), &object.ty).ok()?.into(),
            unknowns: unknowns.into(),
            inner: object.members.iter().map(|member| inner(member, level + 1)).collect::<Option<_>>()?,
        })
    }
}

/// The layout of the objects of a member, where it has some.
fn inner(member: &Member, level: usize) -> Option<Option<Layout>> {
    let Some(inner) = member.inner() else { return Some(None) };
    let level = match inner.mode {
        Nesting::Single | Nesting::Group => level,
        Nesting::List | Nesting::Set | Nesting::Map => level + 1,
    };
    Layout::of(&inner.object, level).map(Some)
}

/// How long the header of a map of so many entries is (V71).
fn header_length(entries: usize) -> usize {
    match entries {
        0..16 => 1,
        16..0x1_0000 => 3,
        _ => 5,
    }
}
