//! Values, by `docs/spec/values.md`: a plain tree for each, every part with a type of its own, and the operations on trees.

mod convert;
mod equality;
pub mod fraction;
mod json;
mod lcs;
mod number;
mod range;
mod refine;
mod set;
mod shared;
mod text;
mod ty;

pub use convert::{convert, unify};
pub use equality::{equals, raw_equals};
pub use json::{read, write};
pub use lcs::lcs;
pub use number::Num;
pub use range::{includes, length};
pub use refine::{Contradiction, Facts};
pub use set::{build, crc, key};
pub use shared::Shared;
pub use text::{nfc, quoted, wire_prefix};
pub use ty::{Attr, Ty};

use planfuzz_core::value::{Node, Range, Refinement, Truth, Type, Value};

/// A value: its type and its content.
#[derive(Clone, Debug)]
pub struct Val {
    /// The type.
    pub ty: Ty,
    /// The rest.
    pub is: Is,
}

/// The content of a value, beside its type (V06, V07).
#[derive(Clone, Debug)]
pub enum Is {
    /// Null.
    Null,
    /// Unknown, perhaps with a record.
    Unknown(Option<Record>),
    /// A known bool.
    Bool(bool),
    /// A known number.
    Num(Num),
    /// A known string in NFC.
    Str(String),
    /// The elements of a list, set or tuple.
    Seq(Shared<Val>),
    /// The entries of a map or the attributes of an object, by the bytes of their names.
    Named(Shared<(String, Val)>),
}

/// The facts about an unknown value (V40). A record has no facts of another kind of type.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Whether it is not null.
    pub not_null: bool,
    /// The prefix of a string; empty where there is none.
    pub prefix: String,
    /// The lower bound of a number, and whether it is included.
    pub min: Option<(Num, bool)>,
    /// The upper bound.
    pub max: Option<(Num, bool)>,
    /// The least length; 0 where there is no bound.
    pub least: u64,
    /// The greatest length; `None` where there is no bound.
    pub greatest: Option<u64>,
}

/// The greatest length where there is no bound (V40).
pub const UNBOUNDED: u64 = i64::MAX as u64;

impl Val {
    /// A null.
    pub fn null(ty: Ty) -> Val {
        Val { ty, is: Is::Null }
    }

    /// A plain unknown.
    pub fn unknown(ty: Ty) -> Val {
        Val { ty, is: Is::Unknown(None) }
    }

    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        matches!(self.is, Is::Null)
    }

    /// Whether this itself is unknown.
    pub fn is_unknown(&self) -> bool {
        matches!(self.is, Is::Unknown(_))
    }

    /// The children in the order of V10.
    pub fn children(&self) -> Vec<&Val> {
        match &self.is {
            Is::Seq(items) => items.iter().collect(),
            Is::Named(entries) => entries.iter().map(|(_, value)| value).collect(),
            _ => Vec::new(),
        }
    }

    /// V09.
    pub fn is_wholly_known(&self) -> bool {
        !self.is_unknown() && self.children().into_iter().all(Val::is_wholly_known)
    }

    /// The value of the planners, its sets built anew.
    pub fn of(value: &Value) -> Val {
        of(value.ty(), value.node())
    }
}

fn of(ty: &Type, node: &Node) -> Val {
    let own = Ty::of(ty);
    let is = match (ty, node) {
        (_, Node::Null) => Is::Null,
        (_, Node::Unknown(record)) => Is::Unknown(record.as_deref().map(record_of)),
        (_, Node::Bool(Truth(bool))) => Is::Bool(*bool),
        (_, Node::Number(number)) => Is::Num(Num::of(number)),
        (_, Node::String(text)) => Is::Str(text.to_string()),
        (Type::Set(element), Node::Seq(seq)) => {
            Is::Seq(build(seq.as_slice().iter().map(|part| of(element, part)).collect()).into())
        }
        (Type::List(element), Node::Seq(seq)) => Is::Seq(seq.as_slice().iter().map(|part| of(element, part)).collect()),
        (Type::Tuple(tuple), Node::Seq(seq)) => {
            Is::Seq(tuple.elements().iter().zip(seq.as_slice()).map(|(ty, part)| of(ty, part)).collect())
        }
        (Type::Object(object), Node::Seq(seq)) => {
            let members = object.attributes().iter().zip(seq.as_slice());
            let mut members: Vec<_> =
                members.map(|(attribute, part)| (attribute.name.to_string(), of(&attribute.ty, part))).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Is::Named(members.into())
        }
        (Type::Map(element), Node::Map(map)) => {
            let entries = map.keys().iter().zip(map.values.as_slice());
            let mut entries: Vec<_> = entries.map(|(key, part)| (key.to_string(), of(element, part))).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Is::Named(entries.into())
        }
        (ty, node) => panic!("a payload {node:?} of type {ty:?}"),
    };
    Val { ty: own, is }
}

fn record_of(record: &Refinement) -> Record {
    let mut plain = Record { not_null: record.not_null, ..Record::default() };
    match &record.range {
        Range::Any => {}
        Range::String { prefix } => plain.prefix = prefix.to_string(),
        Range::Number { min, max } => {
            plain.min = min.as_ref().map(|bound| (Num::of(&bound.value), bound.inclusive));
            plain.max = max.as_ref().map(|bound| (Num::of(&bound.value), bound.inclusive));
        }
        Range::Length { min, max } => {
            plain.least = *min;
            plain.greatest = (*max < UNBOUNDED).then_some(*max);
        }
    }
    plain
}

/// V08: the type of the elements, where they have one; `fallback` where all are of type `dynamic`. An element of type `dynamic` takes
/// it on. `None` where two are different.
pub fn alike(fallback: &Ty, elements: Vec<Val>) -> Option<(Ty, Vec<Val>)> {
    let concrete: Vec<&Ty> = elements.iter().map(|element| &element.ty).filter(|ty| **ty != Ty::Dynamic).collect();
    if concrete.windows(2).any(|pair| pair[0] != pair[1]) {
        return None;
    }
    let ty = concrete.first().map_or_else(|| fallback.clone(), |ty| (*ty).clone());
    let elements = elements.into_iter().map(|element| Val { ty: ty.clone(), is: element.is }).collect();
    Some((ty, elements))
}
