//! Values inside the SDK (Z20).

use std::collections::BTreeMap;

use super::schema::{Kind, Primitive};
use super::set::SdkSet;

/// A value within the SDK. Its form follows from the field's kind, so an object has its fields in the order of the resource and no names.
#[derive(Clone, Debug)]
pub enum SdkValue {
    /// Of a bool field.
    Bool(bool),
    /// Of an int field.
    Int(i64),
    /// Of a float field.
    Float(f64),
    /// Of a string field.
    Text(String),
    /// Of a list; an element that does not exist is absent.
    List(Vec<Option<SdkValue>>),
    /// Of a map.
    Map(BTreeMap<String, SdkValue>),
    /// Of a resource: every field, in the order of the resource.
    Object(Vec<SdkValue>),
    /// Of a set.
    Set(SdkSet),
}

impl SdkValue {
    /// The zero value of a kind (Z20).
    pub fn zero(kind: &Kind) -> SdkValue {
        match kind {
            Kind::Primitive(primitive) => SdkValue::zero_primitive(*primitive),
            Kind::List(_) => SdkValue::List(Vec::new()),
            Kind::Map(_) => SdkValue::Map(BTreeMap::new()),
            Kind::Set(_) => SdkValue::Set(SdkSet::default()),
        }
    }

    /// The zero value of a primitive kind (Z20).
    pub fn zero_primitive(primitive: Primitive) -> SdkValue {
        match primitive {
            Primitive::Bool => SdkValue::Bool(false),
            Primitive::Int => SdkValue::Int(0),
            Primitive::Float => SdkValue::Float(0.0),
            Primitive::String => SdkValue::Text(String::new()),
        }
    }

    /// The number of elements of a list, map or set.
    pub(super) fn len(&self) -> usize {
        match self {
            SdkValue::List(elements) => elements.len(),
            SdkValue::Map(entries) => entries.len(),
            SdkValue::Set(set) => set.len(),
            SdkValue::Object(fields) => fields.len(),
            SdkValue::Bool(_) | SdkValue::Int(_) | SdkValue::Float(_) | SdkValue::Text(_) => 0,
        }
    }
}

/// Deep equality as Z55 has it: a value that holds a set equals nothing, and an int no text.
impl PartialEq for SdkValue {
    fn eq(&self, other: &SdkValue) -> bool {
        match (self, other) {
            (SdkValue::Bool(a), SdkValue::Bool(b)) => a == b,
            (SdkValue::Int(a), SdkValue::Int(b)) => a == b,
            (SdkValue::Float(a), SdkValue::Float(b)) => a == b,
            (SdkValue::Text(a), SdkValue::Text(b)) => a == b,
            (SdkValue::List(a), SdkValue::List(b)) => a == b,
            (SdkValue::Map(a), SdkValue::Map(b)) => a == b,
            (SdkValue::Object(a), SdkValue::Object(b)) => a == b,
            _ => false,
        }
    }
}
