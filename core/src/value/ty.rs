//! Types (V01 to V05) of values, compared by structure.

use triomphe::Arc;

use super::text::Text;

/// The deepest nesting of types, and so of values, that any reader accepts. Real schemas reach about 30;
/// the bound is what keeps recursion over types and values safe.
pub const MAX_DEPTH: usize = 120;

/// A type (V01). Equality is structural (V02), with a shortcut for shared parts.
#[derive(Clone, Debug)]
pub enum Type {
    /// The type of a null or unknown value of no real type (V06).
    Dynamic,
    /// Truth values.
    Bool,
    /// Numbers (V16).
    Number,
    /// Strings in NFC (V24).
    String,
    /// Sequences of one element type.
    List(Arc<Type>),
    /// Sets of one element type (section 7 of values.md).
    Set(Arc<Type>),
    /// String-keyed tables of one element type.
    Map(Arc<Type>),
    /// Sequences with a type for each position.
    Tuple(Arc<TupleType>),
    /// One value for each attribute.
    Object(Arc<ObjectType>),
}

/// The positions of a tuple type.
#[derive(Debug)]
pub struct TupleType {
    elements: Box<[Type]>,
    has_dynamic: bool,
    depth: usize,
}

/// The attributes of an object type, sorted by the bytes of their names.
#[derive(Debug)]
pub struct ObjectType {
    attributes: Box<[TypeAttribute]>,
    has_dynamic: bool,
    has_optional: bool,
    depth: usize,
}

/// One attribute of an object type.
#[derive(Clone, Debug)]
pub struct TypeAttribute {
    /// The name, in NFC.
    pub name: Text,
    /// The type of the attribute's values.
    pub ty: Type,
    /// Whether the attribute carries the optional marker (only conversion looks at it, V60).
    pub optional: bool,
}

impl Type {
    /// A list of `element`.
    pub fn list(element: Type) -> Type {
        Type::List(Arc::new(element))
    }

    /// A set of `element`.
    pub fn set(element: Type) -> Type {
        Type::Set(Arc::new(element))
    }

    /// A map of `element`.
    pub fn map(element: Type) -> Type {
        Type::Map(Arc::new(element))
    }

    /// A tuple of `elements`.
    pub fn tuple(elements: Vec<Type>) -> Type {
        Type::Tuple(Arc::new(TupleType::new(elements)))
    }

    /// An object of `attributes`, none of them optional. Of two equal names the later one wins.
    pub fn object(attributes: impl IntoIterator<Item = (Text, Type)>) -> Type {
        let attributes = attributes.into_iter().map(|(name, ty)| TypeAttribute { name, ty, optional: false });
        Type::Object(Arc::new(ObjectType::new(attributes.collect())))
    }

    /// The object type without attributes.
    pub fn empty_object() -> Type {
        Type::object([])
    }

    /// The element type of a list, set or map.
    pub fn element(&self) -> Option<&Type> {
        match self {
            Type::List(element) | Type::Set(element) | Type::Map(element) => Some(element),
            _ => None,
        }
    }

    /// The attributes, for an object type.
    pub fn as_object(&self) -> Option<&Arc<ObjectType>> {
        match self {
            Type::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Whether this is a list, set or map (V01).
    pub fn is_collection(&self) -> bool {
        matches!(self, Type::List(_) | Type::Set(_) | Type::Map(_))
    }

    /// Whether this is bool, number or string (V01).
    pub fn is_primitive(&self) -> bool {
        matches!(self, Type::Bool | Type::Number | Type::String)
    }

    /// Whether this is `dynamic` itself.
    pub fn is_dynamic(&self) -> bool {
        matches!(self, Type::Dynamic)
    }

    /// Whether `dynamic` occurs anywhere in this type (V04).
    pub fn has_dynamic(&self) -> bool {
        match self {
            Type::Dynamic => true,
            Type::Bool | Type::Number | Type::String => false,
            Type::List(element) | Type::Set(element) | Type::Map(element) => element.has_dynamic(),
            Type::Tuple(tuple) => tuple.has_dynamic,
            Type::Object(object) => object.has_dynamic,
        }
    }

    /// Whether a set occurs anywhere in this type. What stands behind `dynamic` is not known.
    pub fn has_set(&self) -> bool {
        match self {
            Type::Set(_) => true,
            Type::Dynamic | Type::Bool | Type::Number | Type::String => false,
            Type::List(element) | Type::Map(element) => element.has_set(),
            Type::Tuple(tuple) => tuple.elements().iter().any(Type::has_set),
            Type::Object(object) => object.attributes().iter().any(|attribute| attribute.ty.has_set()),
        }
    }

    /// The type of a part of a value of this type, by its place: of an element, or of the attribute in the order of names. `None` if such
    /// values have no such part.
    pub fn part(&self, index: usize) -> Option<&Type> {
        match self {
            Type::List(element) | Type::Set(element) | Type::Map(element) => Some(element),
            Type::Tuple(tuple) => tuple.elements().get(index),
            Type::Object(object) => object.attributes().get(index).map(|attribute| &attribute.ty),
            Type::Dynamic | Type::Bool | Type::Number | Type::String => None,
        }
    }

    /// Whether an optional marker occurs anywhere in this type.
    pub fn has_optional(&self) -> bool {
        match self {
            Type::Dynamic | Type::Bool | Type::Number | Type::String => false,
            Type::List(element) | Type::Set(element) | Type::Map(element) => element.has_optional(),
            Type::Tuple(tuple) => tuple.elements.iter().any(Type::has_optional),
            Type::Object(object) => object.has_optional,
        }
    }

    /// This type with every optional marker removed, at every depth (V04).
    pub fn strip_optional(&self) -> Type {
        if !self.has_optional() {
            return self.clone();
        }
        match self {
            Type::Dynamic | Type::Bool | Type::Number | Type::String => self.clone(),
            Type::List(element) => Type::list(element.strip_optional()),
            Type::Set(element) => Type::set(element.strip_optional()),
            Type::Map(element) => Type::map(element.strip_optional()),
            Type::Tuple(tuple) => Type::tuple(tuple.elements.iter().map(Type::strip_optional).collect()),
            Type::Object(object) => Type::object(
                object.attributes.iter().map(|attribute| (attribute.name.clone(), attribute.ty.strip_optional())),
            ),
        }
    }

    /// The number of levels: 1 for a primitive.
    pub fn depth(&self) -> usize {
        match self {
            Type::Dynamic | Type::Bool | Type::Number | Type::String => 1,
            Type::List(element) | Type::Set(element) | Type::Map(element) => 1 + element.depth(),
            Type::Tuple(tuple) => tuple.depth,
            Type::Object(object) => object.depth,
        }
    }

    /// Whether a value of this type conforms to `want` (V03).
    pub fn conforms_to(&self, want: &Type) -> bool {
        match (self, want) {
            (_, Type::Dynamic) => true,
            (Type::Bool, Type::Bool) | (Type::Number, Type::Number) | (Type::String, Type::String) => true,
            (Type::List(given), Type::List(want))
            | (Type::Set(given), Type::Set(want))
            | (Type::Map(given), Type::Map(want)) => Arc::ptr_eq(given, want) || given.conforms_to(want),
            (Type::Tuple(given), Type::Tuple(want)) => {
                given.len() == want.len()
                    && given.elements.iter().zip(want.elements.iter()).all(|(given, want)| given.conforms_to(want))
            }
            (Type::Object(given), Type::Object(want)) => {
                Arc::ptr_eq(given, want)
                    || (given.len() == want.len()
                        && given
                            .attributes
                            .iter()
                            .zip(want.attributes.iter())
                            .all(|(given, want)| given.name == want.name && given.ty.conforms_to(&want.ty)))
            }
            _ => false,
        }
    }
}

impl PartialEq for Type {
    fn eq(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Dynamic, Type::Dynamic)
            | (Type::Bool, Type::Bool)
            | (Type::Number, Type::Number)
            | (Type::String, Type::String) => true,
            (Type::List(a), Type::List(b)) | (Type::Set(a), Type::Set(b)) | (Type::Map(a), Type::Map(b)) => {
                Arc::ptr_eq(a, b) || **a == **b
            }
            (Type::Tuple(a), Type::Tuple(b)) => Arc::ptr_eq(a, b) || a.elements == b.elements,
            (Type::Object(a), Type::Object(b)) => Arc::ptr_eq(a, b) || **a == **b,
            _ => false,
        }
    }
}

impl Eq for Type {}

impl TupleType {
    fn new(elements: Vec<Type>) -> TupleType {
        TupleType {
            has_dynamic: elements.iter().any(Type::has_dynamic),
            depth: 1 + elements.iter().map(Type::depth).max().unwrap_or(0),
            elements: elements.into_boxed_slice(),
        }
    }

    /// The type at each position.
    pub fn elements(&self) -> &[Type] {
        &self.elements
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }
}

impl ObjectType {
    /// An object type of `attributes` in any order. Of two equal names the later one wins.
    pub fn new(mut attributes: Vec<TypeAttribute>) -> ObjectType {
        attributes.sort_by(|a, b| a.name.cmp(&b.name));
        attributes.reverse();
        attributes.dedup_by(|later, kept| later.name == kept.name);
        attributes.reverse();
        ObjectType {
            has_dynamic: attributes.iter().any(|attribute| attribute.ty.has_dynamic()),
            has_optional: attributes.iter().any(|attribute| attribute.optional || attribute.ty.has_optional()),
            depth: 1 + attributes.iter().map(|attribute| attribute.ty.depth()).max().unwrap_or(0),
            attributes: attributes.into_boxed_slice(),
        }
    }

    /// The attributes, sorted by the bytes of their names: the order of the payload of an object value.
    pub fn attributes(&self) -> &[TypeAttribute] {
        &self.attributes
    }

    /// The number of attributes.
    pub fn len(&self) -> usize {
        self.attributes.len()
    }

    /// Whether there are no attributes.
    pub fn is_empty(&self) -> bool {
        self.attributes.is_empty()
    }

    /// Whether `dynamic` occurs anywhere in the type of an attribute (V04).
    pub fn has_dynamic(&self) -> bool {
        self.has_dynamic
    }

    /// The position of the attribute `name`, if there is one.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.attributes.binary_search_by(|attribute| attribute.name.as_str().cmp(name)).ok()
    }

    /// The type of the attribute `name`, if there is one.
    pub fn attribute_type(&self, name: &str) -> Option<&Type> {
        self.index_of(name).map(|index| &self.attributes[index].ty)
    }
}

impl PartialEq for ObjectType {
    fn eq(&self, other: &ObjectType) -> bool {
        self.len() == other.len()
            && self
                .attributes
                .iter()
                .zip(other.attributes.iter())
                .all(|(a, b)| a.optional == b.optional && a.name == b.name && a.ty == b.ty)
    }
}

impl Eq for ObjectType {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v02_of_two_equal_attribute_names_the_later_one_wins() {
        let ty =
            Type::object([(Text::new("b"), Type::Bool), (Text::new("a"), Type::Bool), (Text::new("b"), Type::String)]);
        assert_eq!(ty, Type::object([(Text::new("a"), Type::Bool), (Text::new("b"), Type::String)]));
    }

    #[test]
    fn v03_a_given_dynamic_conforms_only_to_dynamic() {
        assert!(Type::Dynamic.conforms_to(&Type::Dynamic));
        assert!(!Type::Dynamic.conforms_to(&Type::String));
        assert!(Type::list(Type::String).conforms_to(&Type::list(Type::Dynamic)));
    }
}
