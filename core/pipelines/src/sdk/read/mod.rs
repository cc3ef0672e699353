//! Readers of the levels of a resource's data, by address (Z22, Z23).

mod config;
mod diff;
mod merged;
mod state;

use crate::sdk::error::SdkError;
use crate::sdk::flat::joined;
use crate::sdk::schema::{Elem, FieldRef, Kind, Primitive, Resource};
use crate::sdk::text::MAX_COUNT;
use crate::sdk::tree::Tree;
use crate::sdk::value::SdkValue;

pub(super) use config::{ConfigReader, Places};
pub(super) use diff::DiffReader;
pub(super) use merged::Merged;
pub(super) use state::StateReader;

/// The data of a level at an address (Z22).
#[derive(Clone, Debug, Default)]
pub(super) struct Read {
    /// The value, where there is one.
    pub value: Option<SdkValue>,
    /// Whether the level has the address.
    pub exists: bool,
    /// Whether the new value is not known yet.
    pub computed: bool,
    /// The value that the state stores instead (Z132).
    pub stored: Option<SdkValue>,
}

/// The length of a list at a level.
#[derive(Clone, Copy, Debug)]
pub(super) enum Count {
    Absent,
    Computed,
    Known(i64),
}

/// An address: the flat path, and the place in the config tree. Where the path has codes of set elements, the place has positions (Z43).
#[derive(Clone, Debug)]
pub(super) struct At<'t> {
    pub path: String,
    pub place: Place<'t>,
}

/// A place in a config tree.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place<'t> {
    /// A node of the tree.
    Here(&'t Tree),
    /// There is none; a default counts (Z42).
    Absent,
    /// An element of a set that the configuration does not have (Z43); nothing is below it, no defaults either.
    Gone,
}

impl Read {
    pub fn absent() -> Read {
        Read::default()
    }

    pub fn of(value: SdkValue) -> Read {
        Read { value: Some(value), exists: true, ..Read::default() }
    }

    /// A value that exists and is not known yet.
    pub fn computed(value: Option<SdkValue>) -> Read {
        Read { value, exists: true, computed: true, stored: None }
    }

    /// The value where it exists: the `o` and `n` of Z52.
    pub fn existing(self) -> Option<SdkValue> {
        if self.exists { self.value } else { None }
    }
}

impl<'t> At<'t> {
    pub fn root(tree: Option<&'t Tree>) -> At<'t> {
        At { path: String::new(), place: tree.map_or(Place::Absent, Place::Here) }
    }

    /// The field of an object.
    pub fn field(&self, name: &str) -> At<'t> {
        At { path: joined(&self.path, name), place: self.place.child(|tree| tree.get(name)) }
    }

    /// The element of a list.
    pub fn index(&self, index: usize) -> At<'t> {
        let element = |tree: &'t Tree| match tree {
            Tree::List(elements) => elements.get(index),
            _ => None,
        };
        At { path: joined(&self.path, &index.to_string()), place: self.place.child(element) }
    }

    /// The element of a set with a code, at a place in the configuration.
    pub fn code(&self, code: &str, place: Place<'t>) -> At<'t> {
        At { path: joined(&self.path, code), place }
    }
}

impl<'t> Place<'t> {
    fn child(self, of: impl FnOnce(&'t Tree) -> Option<&'t Tree>) -> Place<'t> {
        match self {
            Place::Here(tree) => of(tree).map_or(Place::Absent, Place::Here),
            Place::Absent => Place::Absent,
            Place::Gone => Place::Gone,
        }
    }
}

/// A level that can be read.
pub(super) trait Reader {
    /// A primitive field or element.
    fn primitive(&self, primitive: Primitive, field: FieldRef<'_>, at: &At<'_>) -> Result<Read, SdkError>;

    /// The length of a list.
    fn count(&self, at: &At<'_>) -> Result<Count, SdkError>;

    /// A map.
    fn map(&self, element: Primitive, at: &At<'_>) -> Result<Read, SdkError>;

    /// A set.
    fn set(&self, elem: &Elem, at: &At<'_>) -> Result<Read, SdkError>;

    /// A set, and where its elements are in the configuration (Z43).
    fn set_and_places<'t>(
        &self,
        elem: &Elem,
        field: FieldRef<'_>,
        at: &At<'t>,
    ) -> Result<(Read, Places<'t>), SdkError> {
        Ok((self.field(field, at)?, ConfigReader.elements_and_places(elem, at)?.1))
    }

    /// Whether the whole list, set or map is not known yet (Z42).
    fn is_unknown_whole(&self, _at: &At<'_>) -> bool {
        false
    }

    /// Reads a field (Z22, Z23).
    fn field(&self, field: FieldRef<'_>, at: &At<'_>) -> Result<Read, SdkError> {
        match field.kind {
            Kind::Primitive(primitive) => self.primitive(*primitive, field, at),
            _ if self.is_unknown_whole(at) => Ok(Read::computed(None)),
            Kind::List(elem) => self.list(elem, at),
            Kind::Map(element) => self.map(*element, at),
            Kind::Set(elem) => self.set(elem, at),
        }
    }

    /// Z23 for an object.
    fn object(&self, resource: &Resource, at: &At<'_>) -> Result<Read, SdkError> {
        let mut exists = false;
        let mut values = Vec::with_capacity(resource.fields().len());
        for (name, field) in resource.fields().iter() {
            let read = self.field(field.into(), &at.field(name))?;
            exists |= read.exists;
            values.push(read.existing().unwrap_or_else(|| SdkValue::zero(&field.kind)));
        }
        Ok(Read { value: Some(SdkValue::Object(values)), exists, ..Read::default() })
    }

    /// Z23 for a list.
    fn list(&self, elem: &Elem, at: &At<'_>) -> Result<Read, SdkError> {
        let empty = || SdkValue::List(Vec::new());
        let count = match self.count(at)? {
            Count::Absent => return Ok(Read { value: Some(empty()), ..Read::default() }),
            Count::Computed => return Ok(Read::computed(Some(empty()))),
            Count::Known(found) if found > MAX_COUNT => {
                return Err(SdkError::Count { path: at.path.clone(), found });
            }
            Count::Known(count) => usize::try_from(count).unwrap_or(0),
        };
        let elements = (0..count).map(|index| Ok(self.element(elem, &at.index(index))?.existing()));
        Ok(Read::of(SdkValue::List(elements.collect::<Result<_, SdkError>>()?)))
    }

    /// An element of a list or set.
    fn element(&self, elem: &Elem, at: &At<'_>) -> Result<Read, SdkError> {
        match elem {
            Elem::Kind(kind) => self.field(FieldRef::element(kind, false), at),
            Elem::Resource(resource) => self.object(resource, at),
        }
    }
}
