//! A level of a diff over another level (Z72, Z132).

use std::collections::BTreeMap;

use super::{At, ConfigReader, Count, Read, Reader};
use crate::sdk::diff::Diff;
use crate::sdk::error::SdkError;
use crate::sdk::flat::{first_part, is_count, joined};
use crate::sdk::schema::{Elem, FieldRef, Primitive};
use crate::sdk::set::SdkSet;
use crate::sdk::text;
use crate::sdk::value::SdkValue;

/// Reads a diff, and the level below it where the diff has no entry.
#[derive(Clone, Copy)]
pub(in crate::sdk) struct DiffReader<'a> {
    pub diff: &'a Diff,
    pub below: &'a dyn Reader,
}

impl Reader for DiffReader<'_> {
    fn primitive(&self, primitive: Primitive, field: FieldRef<'_>, at: &At<'_>) -> Result<Read, SdkError> {
        let Some(entry) = self.diff.get(&at.path) else { return self.below.primitive(primitive, field, at) };
        if entry.computed {
            return Ok(Read::computed(Some(SdkValue::zero_primitive(primitive))));
        }
        let parse = |text: &str| text::parse(primitive, text, &at.path);
        match &entry.extra {
            None => parse(&entry.new).map(Read::of),
            Some(extra) => Ok(Read { stored: Some(parse(&entry.new)?), ..Read::of(parse(extra)?) }),
        }
    }

    fn count(&self, at: &At<'_>) -> Result<Count, SdkError> {
        let path = joined(&at.path, "#");
        match self.diff.get(&path) {
            None => self.below.count(at),
            Some(entry) if entry.computed => Ok(Count::Computed),
            Some(entry) => match text::parse(Primitive::Int, &entry.new, &path)? {
                SdkValue::Int(count) => Ok(Count::Known(count)),
                _ => Ok(Count::Absent),
            },
        }
    }

    /// The map below with the entries of the diff; never computed.
    fn map(&self, element: Primitive, at: &At<'_>) -> Result<Read, SdkError> {
        let below = self.below.map(element, at)?;
        let mut exists = below.exists;
        let mut entries = match below.existing() {
            Some(SdkValue::Map(entries)) => entries,
            _ => BTreeMap::new(),
        };
        for (key, entry) in self.diff.below(&at.path).filter(|(key, _)| !is_count(key)) {
            exists = true;
            if entry.removed {
                entries.remove(key);
            } else {
                entries.insert(key.to_owned(), text::parse(element, &entry.new, &at.path)?);
            }
        }
        Ok(if exists { Read::of(SdkValue::Map(entries)) } else { Read::absent() })
    }

    /// The elements in the diff; if it has none and no count, the set below.
    fn set(&self, elem: &Elem, at: &At<'_>) -> Result<Read, SdkError> {
        let entries = self.diff.below(&at.path).filter(|(rest, entry)| !rest.ends_with('#') && !entry.removed);
        let mut codes: Vec<&str> = entries.map(|(rest, _)| first_part(rest)).collect();
        codes.dedup();
        let places = if codes.is_empty() { None } else { Some(ConfigReader.elements_and_places(elem, at)?.1) };
        let mut set = SdkSet::default();
        for (code, places) in codes.into_iter().filter_map(|code| Some((code, places.as_ref()?))) {
            let read = self.element(elem, &at.code(code, places.of(code)))?;
            if read.exists {
                set.add(elem, read.value)?;
            }
        }
        if set.is_empty() && self.diff.get(&joined(&at.path, "#")).is_none() {
            let below = self.below.set(elem, at)?;
            return Ok(if below.exists { below } else { Read::absent() });
        }
        Ok(Read::of(SdkValue::Set(set)))
    }
}
