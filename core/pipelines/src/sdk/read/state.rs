//! The state reader (Z40): a flat map.

use std::collections::BTreeMap;

use super::{At, Count, Place, Read, Reader};
use crate::sdk::error::SdkError;
use crate::sdk::flat::{FlatMap, first_part, is_count};
use crate::sdk::schema::{Elem, FieldRef, Primitive};
use crate::sdk::set::SdkSet;
use crate::sdk::text;
use crate::sdk::value::SdkValue;

/// Reads a flat map.
#[derive(Clone, Copy, Debug)]
pub(in crate::sdk) struct StateReader<'f> {
    pub flat: &'f FlatMap,
}

impl StateReader<'_> {
    fn count_at(&self, at: &At<'_>) -> Result<Option<i64>, SdkError> {
        let Some(text) = self.flat.get_part(&at.path, "#") else { return Ok(None) };
        match text::parse(Primitive::Int, text, &at.path)? {
            SdkValue::Int(count) => Ok(Some(count)),
            _ => Ok(Some(0)),
        }
    }
}

impl Reader for StateReader<'_> {
    fn primitive(&self, primitive: Primitive, _: FieldRef<'_>, at: &At<'_>) -> Result<Read, SdkError> {
        match self.flat.get(&at.path) {
            None => Ok(Read::absent()),
            Some(text) => text::parse(primitive, text, &at.path).map(Read::of),
        }
    }

    fn count(&self, at: &At<'_>) -> Result<Count, SdkError> {
        Ok(self.count_at(at)?.map_or(Count::Absent, Count::Known))
    }

    fn map(&self, element: Primitive, at: &At<'_>) -> Result<Read, SdkError> {
        if self.flat.get(&at.path) == Some("") {
            return Ok(Read::of(SdkValue::Map(BTreeMap::new())));
        }
        let mut exists = false;
        let mut entries = BTreeMap::new();
        for (key, text) in self.flat.below(&at.path) {
            exists = true;
            if !is_count(key) {
                entries.insert(key.to_owned(), text::parse(element, text, &at.path)?);
            }
        }
        Ok(if exists { Read::of(SdkValue::Map(entries)) } else { Read::absent() })
    }

    fn set(&self, elem: &Elem, at: &At<'_>) -> Result<Read, SdkError> {
        let Some(count) = self.count_at(at)? else { return Ok(Read::absent()) };
        let count = usize::try_from(count).unwrap_or(0);
        let mut set = SdkSet::default();
        let mut codes: Vec<&str> = Vec::new();
        for code in self.flat.below(&at.path).map(|(rest, _)| first_part(rest)) {
            if codes.len() == count {
                break;
            }
            // The entries of one code are adjacent.
            if code != "#" && codes.last() != Some(&code) {
                codes.push(code);
            }
        }
        for code in codes {
            let element = self.element(elem, &at.code(code, Place::Gone))?;
            if element.exists {
                set.add(elem, element.value)?;
            }
        }
        Ok(Read::of(SdkValue::Set(set)))
    }
}
