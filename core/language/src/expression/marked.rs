//! Values with marks (E74): a value beside a tree of marks of the same shape.
//!
//! The tree ends below the last mark, so that unmarked values cost nothing. Marks of set elements are on the set.

use std::sync::Arc;

use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Node, Text, Type, Value};

/// A set of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(pub u8);

/// The sensitive mark.
pub const SENSITIVE: Marks = Marks(1);
/// The ephemeral mark.
pub const EPHEMERAL: Marks = Marks(2);

/// The marks of a value and of its parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarkTree {
    /// The marks of the whole.
    pub own: Marks,
    /// The marks of the parts, in their order; `None` if they have no marks.
    pub inner: Option<Arc<[MarkTree]>>,
}

/// A value with marks.
#[derive(Clone, Debug, PartialEq)]
pub struct Marked {
    /// The value.
    pub value: Value,
    /// Its marks.
    pub marks: MarkTree,
}

impl Marks {
    /// No marks.
    pub const NONE: Marks = Marks(0);

    /// The marks of both.
    #[must_use]
    pub fn and(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    /// Whether there are no marks.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether it contains all of `other`.
    pub fn has(self, other: Marks) -> bool {
        self.0 & other.0 == other.0
    }
}

impl MarkTree {
    /// A tree of marks for the whole and its parts.
    pub fn new(own: Marks, inner: Vec<MarkTree>) -> MarkTree {
        let marked = inner.iter().any(|tree| !tree.is_empty());
        MarkTree { own, inner: marked.then(|| inner.into()) }
    }

    /// Whether there is no mark at all.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty() && self.inner.is_none()
    }

    /// All marks, of the whole and of every part.
    pub fn all(&self) -> Marks {
        let inner = self.inner.iter().flat_map(|inner| inner.iter());
        inner.fold(self.own, |marks, tree| marks.and(tree.all()))
    }

    fn part(&self, index: usize) -> MarkTree {
        self.inner.as_ref().and_then(|inner| inner.get(index)).cloned().unwrap_or_default()
    }
}

impl From<Value> for Marked {
    fn from(value: Value) -> Marked {
        Marked { value, marks: MarkTree::default() }
    }
}

fn split(parts: Vec<Marked>) -> (Vec<Value>, Vec<MarkTree>) {
    parts.into_iter().map(|part| (part.value, part.marks)).unzip()
}

impl Marked {
    /// Adds marks to the whole.
    #[must_use]
    pub fn with(mut self, marks: Marks) -> Marked {
        self.marks.own = self.marks.own.and(marks);
        self
    }

    /// The type.
    pub fn ty(&self) -> &Type {
        self.value.ty()
    }

    /// Splits off the marks of the whole.
    pub fn open(mut self) -> (Marked, Marks) {
        let own = std::mem::take(&mut self.marks.own);
        (self, own)
    }

    /// The elements or attributes in order, with their own marks only; empty for null, unknown and primitive values.
    pub fn parts(&self) -> Vec<Marked> {
        (0..self.value.node().parts().len()).map(|index| self.part(index)).collect()
    }

    /// One of [`Marked::parts`]; the index has to exist.
    pub fn part(&self, index: usize) -> Marked {
        let ty = match self.value.ty() {
            Type::Tuple(tuple) => tuple.elements()[index].clone(),
            Type::Object(object) => object.attributes()[index].ty.clone(),
            other => other.element().cloned().unwrap_or(Type::Dynamic),
        };
        Marked { value: Value::from_parts(ty, self.value.node().parts()[index].clone()), marks: self.marks.part(index) }
    }

    /// The keys of a known map, or the names of an object type.
    pub fn keys(&self) -> Vec<Text> {
        match (self.value.ty(), self.value.node()) {
            (Type::Object(object), _) => object.attributes().iter().map(|attribute| attribute.name.clone()).collect(),
            (_, Node::Map(map)) => map.keys().to_vec(),
            _ => Vec::new(),
        }
    }

    /// A tuple.
    pub fn tuple(parts: Vec<Marked>) -> Marked {
        let (values, marks) = split(parts);
        Marked { value: Value::tuple(values), marks: MarkTree::new(Marks::default(), marks) }
    }

    /// An object; of two equal names the later one wins.
    pub fn object(members: Vec<(Text, Marked)>) -> Marked {
        let (names, parts) = last_wins(members);
        let (values, marks) = split(parts);
        let value = Value::object(names.into_iter().zip(values).collect());
        Marked { value, marks: MarkTree::new(Marks::default(), marks) }
    }

    /// An object of a type, of values of its attributes in their order.
    pub fn object_of(ty: &Type, parts: Vec<Marked>) -> Marked {
        let (values, marks) = split(parts);
        let nodes = values.into_iter().map(|value| value.into_parts().1).collect();
        let value = Value::from_parts(ty.clone(), Node::seq(nodes));
        Marked { value, marks: MarkTree::new(Marks::default(), marks) }
    }

    /// A list of elements of this type already.
    pub fn list(element: &Type, parts: Vec<Marked>) -> Option<Marked> {
        let (values, marks) = split(parts);
        Some(Marked { value: Value::list(element, values).ok()?, marks: MarkTree::new(Marks::default(), marks) })
    }

    /// A set; the marks of its elements sit on it.
    pub fn set(element: &Type, parts: Vec<Marked>) -> Option<Marked> {
        let (values, marks) = split(parts);
        let own = marks.iter().fold(Marks::default(), |own, tree| own.and(tree.all()));
        Some(Marked::from(Value::set(element, values).ok()?).with(own))
    }

    /// A map of elements of this type already.
    pub fn map(element: &Type, entries: Vec<(Text, Marked)>) -> Option<Marked> {
        let (names, parts) = last_wins(entries);
        let (values, marks) = split(parts);
        let value = Value::map(element, names.into_iter().zip(values).collect()).ok()?;
        Some(Marked { value, marks: MarkTree::new(Marks::default(), marks) })
    }

    /// Converts the value; each part keeps its marks.
    pub fn convert(&self, ty: &Type) -> Option<Marked> {
        let value = convert(&self.value, ty).ok()?;
        // Empty refinements are dropped.
        let value = if has_empty_refinements(&value) { Value::unknown(value.ty().clone()) } else { value };
        if self.marks.inner.is_none() {
            return Some(Marked { value, marks: self.marks.clone() });
        }
        let marks = moved(&self.marks, self, &value);
        Some(Marked { value, marks })
    }
}

fn has_empty_refinements(value: &Value) -> bool {
    match value.node() {
        Node::Unknown(Some(record)) => !record.not_null && matches!(record.range, planfuzz_core::value::Range::Any),
        _ => false,
    }
}

/// The marks of a value after a conversion.
fn moved(marks: &MarkTree, from: &Marked, to: &Value) -> MarkTree {
    if matches!(to.ty(), Type::Set(_)) && !matches!(from.ty(), Type::Set(_)) {
        // E93: the marks of elements move to the set, except those of nulls.
        let of_parts = from.parts().into_iter().filter(|part| !part.value.is_null()).map(|part| part.marks.all());
        return MarkTree { own: of_parts.fold(marks.own, Marks::and), inner: None };
    }
    if matches!(to.ty(), Type::Set(_)) || to.node().parts().is_empty() {
        return MarkTree { own: marks.all(), inner: None };
    }
    let target = Marked::from(to.clone());
    let names = from.keys();
    let find = |index: usize| match target.keys().get(index) {
        Some(name) if !names.is_empty() => names.iter().position(|other| other == name),
        _ => Some(index),
    };
    let keeps_form =
        matches!((from.ty(), to.ty()), (Type::Object(_), Type::Object(_)) | (Type::List(_), Type::List(_)));
    let inner = (0..to.node().parts().len())
        .map(|index| match find(index).filter(|&found| found < from.value.node().parts().len()) {
            Some(found) if keeps_form && loses_mark(&from.part(found), &target.part(index)) => MarkTree::default(),
            Some(found) => moved(&marks.part(found), &from.part(found), &target.part(index).value),
            None => MarkTree::default(),
        })
        .collect();
    MarkTree::new(marks.own, inner)
}

/// E88: a null that changes its type loses its mark when an object or a list is converted to another one.
fn loses_mark(part: &Marked, converted: &Marked) -> bool {
    part.value.is_null() && part.ty() != converted.ty()
}

fn last_wins(entries: Vec<(Text, Marked)>) -> (Vec<Text>, Vec<Marked>) {
    let sorted: std::collections::BTreeMap<Text, Marked> = entries.into_iter().collect();
    sorted.into_iter().unzip()
}
