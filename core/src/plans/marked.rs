//! Values with their sensitive parts.

use crate::value::{PathSet, Type, Value, raw_equals};

/// A value and its sensitive parts (V15). The paths are marks as they sit on the value: each exists in it, none leads into
/// a set.
#[derive(Clone, Debug)]
pub struct Marked {
    value: Value,
    sensitive: PathSet,
}

impl Marked {
    /// A value with marks at these paths, as far as it has a place for them (PL08).
    pub fn new(value: Value, sensitive: &PathSet) -> Marked {
        let sensitive = if sensitive.is_empty() { PathSet::EMPTY } else { sensitive.on(value.view()) };
        Marked { value, sensitive }
    }

    /// A value without marks.
    pub fn plain(value: Value) -> Marked {
        Marked { value, sensitive: PathSet::EMPTY }
    }

    /// Null of a type.
    pub fn null(ty: Type) -> Marked {
        Marked::plain(Value::null(ty))
    }

    /// The value without its marks.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Where the marks sit.
    pub fn sensitive(&self) -> &PathSet {
        &self.sensitive
    }

    /// The value and the marks, apart.
    pub fn into_parts(self) -> (Value, PathSet) {
        (self.value, self.sensitive)
    }

    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        self.value.is_null()
    }

    /// Raw equality (V30), marks included.
    pub fn raw_equals(&self, other: &Marked) -> bool {
        self.sensitive == other.sensitive && raw_equals(self.value.view(), other.value.view())
    }
}

/// Raw equality.
impl PartialEq for Marked {
    fn eq(&self, other: &Marked) -> bool {
        self.raw_equals(other)
    }
}
