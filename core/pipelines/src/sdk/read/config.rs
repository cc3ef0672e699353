//! The config reader (Z42, Z43): a config tree.

use std::collections::BTreeMap;

use super::{At, Count, Place, Read, Reader};
use crate::sdk::error::SdkError;
use crate::sdk::schema::{Elem, FieldRef, Primitive, Resource};
use crate::sdk::set::SdkSet;
use crate::sdk::text::{self, UNKNOWN};
use crate::sdk::tree::Tree;
use crate::sdk::value::SdkValue;

/// Reads the config tree, at the places of the addresses.
#[derive(Clone, Copy, Debug)]
pub(in crate::sdk) struct ConfigReader;

/// Where the elements of a set are in the configuration, by code; of two elements with one code the last one (Z43).
#[derive(Clone, Debug, Default)]
pub(in crate::sdk) struct Places<'t>(BTreeMap<String, &'t Tree>);

impl<'t> Places<'t> {
    /// The place of the element of a code.
    pub fn of(&self, code: &str) -> Place<'t> {
        self.0.get(code).map_or(Place::Gone, |tree| Place::Here(tree))
    }
}

impl ConfigReader {
    /// Z43: a set, and the places of its elements.
    pub fn elements_and_places<'t>(self, elem: &Elem, at: &At<'t>) -> Result<(Read, Places<'t>), SdkError> {
        let mut places = Places::default();
        let read = match self.count(at)? {
            Count::Absent => Read { value: Some(SdkValue::Set(SdkSet::default())), ..Read::default() },
            Count::Computed => Read::computed(Some(SdkValue::Set(SdkSet::default()))),
            Count::Known(_) => Read::of(SdkValue::Set(self.elements(elem, at, &mut places)?)),
        };
        Ok((read, places))
    }

    fn elements<'t>(self, elem: &Elem, at: &At<'t>, places: &mut Places<'t>) -> Result<SdkSet, SdkError> {
        let mut set = SdkSet::default();
        let Place::Here(Tree::List(trees)) = at.place else { return Ok(set) };
        for (index, tree) in trees.iter().enumerate() {
            let element = self.element(elem, &at.index(index))?.existing();
            let code = match elem {
                Elem::Resource(resource) if fields_have_unknown(resource, tree) => set.add_partly_known(elem, element),
                _ => set.add(elem, element),
            };
            places.0.insert(code?, tree);
        }
        Ok(set)
    }
}

/// Whether a field of a resource contains an unknown, at any depth.
fn fields_have_unknown(resource: &Resource, tree: &Tree) -> bool {
    resource.fields().iter().any(|(name, _)| tree.get(name).is_some_and(Tree::has_unknown))
}

impl Reader for ConfigReader {
    fn primitive(&self, primitive: Primitive, field: FieldRef<'_>, at: &At<'_>) -> Result<Read, SdkError> {
        let tree = match at.place {
            Place::Gone => return Ok(Read::absent()),
            Place::Absent | Place::Here(Tree::Withheld) => {
                return Ok(field.default.cloned().map_or_else(Read::absent, Read::of));
            }
            Place::Here(Tree::Unknown) => {
                let token = match primitive {
                    Primitive::String => SdkValue::Text(UNKNOWN.to_owned()),
                    other => SdkValue::zero_primitive(other),
                };
                return Ok(Read::computed(Some(token)));
            }
            Place::Here(tree) => tree,
        };
        let form = || SdkError::Form { path: at.path.clone(), expected: primitive.name() };
        let weak = tree.weak_text().ok_or_else(form)?;
        text::parse(primitive, &weak, &at.path).map(Read::of)
    }

    /// Computed where an element is itself unknown; an unknown whole has no count (Z57).
    fn count(&self, at: &At<'_>) -> Result<Count, SdkError> {
        match at.place {
            Place::Here(Tree::List(elements)) if elements.contains(&Tree::Unknown) => Ok(Count::Computed),
            Place::Here(Tree::List(elements)) => Ok(Count::Known(i64::try_from(elements.len()).unwrap_or(i64::MAX))),
            Place::Here(Tree::Unknown | Tree::Withheld) | Place::Absent | Place::Gone => Ok(Count::Absent),
            Place::Here(_) => Err(SdkError::Form { path: at.path.clone(), expected: "a list" }),
        }
    }

    fn map(&self, element: Primitive, at: &At<'_>) -> Result<Read, SdkError> {
        let form = || SdkError::Form { path: at.path.clone(), expected: "a map" };
        let entries = match at.place {
            Place::Absent | Place::Gone => return Ok(Read::absent()),
            Place::Here(Tree::Unknown | Tree::Withheld) => return Ok(Read::computed(None)),
            Place::Here(Tree::Map(entries)) => entries,
            Place::Here(_) => return Err(form()),
        };
        if entries.iter().any(|(_, tree)| tree.has_unknown()) {
            return Ok(Read::computed(None));
        }
        let mut values = BTreeMap::new();
        for (key, tree) in entries.iter().filter(|(_, tree)| !matches!(tree, Tree::Withheld)) {
            let weak = tree.weak_text().ok_or_else(form)?;
            values.insert(key.to_string(), text::parse(element, &weak, &at.path)?);
        }
        Ok(Read::of(SdkValue::Map(values)))
    }

    fn set(&self, elem: &Elem, at: &At<'_>) -> Result<Read, SdkError> {
        if self.is_unknown_whole(at) {
            return Ok(Read::computed(None));
        }
        Ok(self.elements_and_places(elem, at)?.0)
    }

    fn set_and_places<'t>(&self, elem: &Elem, _: FieldRef<'_>, at: &At<'t>) -> Result<(Read, Places<'t>), SdkError> {
        if self.is_unknown_whole(at) {
            return Ok((Read::computed(None), Places::default()));
        }
        self.elements_and_places(elem, at)
    }

    fn is_unknown_whole(&self, at: &At<'_>) -> bool {
        matches!(at.place, Place::Here(Tree::Unknown | Tree::Withheld))
    }
}
