//! Values, types and paths (values.md): written once and trusted by every planner.
//!
//! A [`Value`] is a [`Type`] and a payload ([`Node`]); a [`ValueRef`] is the same, borrowed, and is what walks use.
//! Everything is shared and immutable, so clones are cheap and planners reuse unchanged parts.

pub mod convert;
mod equality;
mod error;
mod hash;
pub mod json;
mod lcs;
#[cfg(test)]
mod naive;
mod node;
mod number;
mod path;
mod path_set;
mod range;
mod refinement;
mod set;
mod text;
mod truth;
mod ty;
mod view;
mod walk;
mod written_path;

pub use equality::{Tri, equals, raw_equals, raw_equals_unrefined};
pub use error::ValueError;
#[cfg(feature = "weak-hash")]
pub use hash::with_weak_hashes;
pub use hash::{is_weakened, structural_hash, weakened, with_hashes};
pub use lcs::{LcsError, longest_common_subsequence};
pub use node::{Contents, MapNode, Node, Seq};
pub use number::{Exact, Number, NumberError, NumberParts};
pub use path::{Path, Step};
pub use path_set::PathSet;
pub use range::{includes, length, length_bounds};
pub use refinement::{
    Bound, MAX_KNOWN_LENGTH, Range, Refinement, RefinementError, Refiner, UNBOUNDED, safe_prefix, safe_prefix_within,
    wire_prefix,
};
pub(crate) use set::is_printable;
pub use set::set_key;
pub use set::{build as build_set, insert as insert_into_set};
pub use text::Text;
pub use truth::Truth;
pub use ty::{MAX_DEPTH, ObjectType, TupleType, Type, TypeAttribute};
pub use view::{Children, ValueRef};
pub use written_path::{PathError, WrittenPath, WrittenStep};

/// A type and a payload of it (V06).
#[derive(Clone, Debug)]
pub struct Value {
    ty: Type,
    node: Node,
}

impl Value {
    /// A value of a type and a payload of this type, at every depth.
    ///
    /// All constructors end here. A caller that took the two from one value, or built the payload along the type,
    /// need not check them; a reader of untrusted input checks first.
    pub fn from_parts(ty: Type, node: Node) -> Value {
        Value { ty, node }
    }

    /// Null of a type.
    pub fn null(ty: Type) -> Value {
        Value { ty, node: Node::Null }
    }

    /// The plain unknown of a type.
    pub fn unknown(ty: Type) -> Value {
        Value { ty, node: Node::UNKNOWN }
    }

    /// A known bool.
    pub fn bool(bool: bool) -> Value {
        Value { ty: Type::Bool, node: Node::Bool(Truth(bool)) }
    }

    /// A known number.
    pub fn number(number: impl Into<Number>) -> Value {
        Value { ty: Type::Number, node: Node::Number(number.into()) }
    }

    /// A known string, put into NFC.
    pub fn string(text: &str) -> Value {
        Value { ty: Type::String, node: Node::String(Text::new(text)) }
    }

    /// A list, with the element type of V08; `element` is the one where all elements are of type `dynamic`, or there
    /// are none.
    ///
    /// # Errors
    /// Two elements of different types other than `dynamic` (V08).
    pub fn list(element: &Type, elements: Vec<Value>) -> Result<Value, ValueError> {
        let (ty, nodes) = common_type(element, elements)?;
        Ok(Value { ty: Type::list(ty), node: Node::seq(nodes) })
    }

    /// A set made by inserting the elements in order (V50); `element` as for [`Value::list`].
    ///
    /// # Errors
    /// Two elements of different types other than `dynamic` (V08).
    pub fn set(element: &Type, elements: Vec<Value>) -> Result<Value, ValueError> {
        let (ty, nodes) = common_type(element, elements)?;
        let node = Node::Seq(set::build(&ty, nodes));
        Ok(Value { ty: Type::set(ty), node })
    }

    /// A map; of two equal keys the later entry wins. `element` as for [`Value::list`].
    ///
    /// # Errors
    /// Two elements of different types other than `dynamic` (V08).
    pub fn map(element: &Type, entries: Vec<(Text, Value)>) -> Result<Value, ValueError> {
        let (keys, values): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        let (ty, nodes) = common_type(element, values)?;
        let mut entries: Vec<_> = keys.into_iter().zip(nodes).collect();
        sort_keep_last(&mut entries);
        Ok(Value { ty: Type::map(ty), node: Node::Map(triomphe::Arc::new(MapNode::from_sorted(entries))) })
    }

    /// A tuple of the elements' types.
    pub fn tuple(elements: Vec<Value>) -> Value {
        let (types, nodes) = elements.into_iter().map(|element| (element.ty, element.node)).unzip();
        Value { ty: Type::tuple(types), node: Node::seq(nodes) }
    }

    /// An object of the members' types; of two equal names the later one wins.
    pub fn object(members: Vec<(Text, Value)>) -> Value {
        let mut members = members;
        sort_keep_last(&mut members);
        let ty = Type::object(members.iter().map(|(name, member)| (name.clone(), member.ty.clone())));
        Value { ty, node: Node::seq(members.into_iter().map(|(_, member)| member.node).collect()) }
    }

    /// The type.
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// The payload.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// The value, borrowed, with the methods that inspect it.
    pub fn view(&self) -> ValueRef<'_> {
        ValueRef::new(&self.ty, &self.node)
    }

    /// The type and the payload.
    pub fn into_parts(self) -> (Type, Node) {
        (self.ty, self.node)
    }

    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        self.node.is_null()
    }

    /// Whether this itself is unknown.
    pub fn is_unknown(&self) -> bool {
        self.node.is_unknown()
    }

    /// Whether there is no unknown at any depth (V09).
    pub fn is_wholly_known(&self) -> bool {
        !self.node.contents().has_unknown()
    }

    /// A copy that shares no payload with this one: the baseline of the benches.
    pub fn deep_clone(&self) -> Value {
        Value { ty: self.ty.clone(), node: self.node.deep_clone() }
    }
}

/// Raw equality (V30).
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        raw_equals(self.view(), other.view())
    }
}

impl Eq for Value {}

/// V08: the first element type that is not `dynamic`; null and unknown of type `dynamic` take it on.
fn common_type(fallback: &Type, elements: Vec<Value>) -> Result<(Type, Vec<Node>), ValueError> {
    let mut common: Option<Type> = None;
    for element in elements.iter().filter(|element| !element.ty.is_dynamic()) {
        match &common {
            None => common = Some(element.ty.clone()),
            Some(first) if *first == element.ty => {}
            Some(first) => {
                return Err(ValueError::MixedElements { first: first.clone(), other: element.ty.clone() });
            }
        }
    }
    let ty = common.unwrap_or_else(|| fallback.clone());
    Ok((ty, elements.into_iter().map(|element| element.node).collect()))
}

/// Sorts by key; of equal keys the later entry stays.
fn sort_keep_last<T>(entries: &mut Vec<(Text, T)>) {
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    entries.reverse();
    entries.dedup_by(|later, kept| later.0 == kept.0);
    entries.reverse();
}
