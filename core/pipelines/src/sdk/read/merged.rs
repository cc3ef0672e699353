//! Merged levels: at each address the last level that has it counts.

use super::{At, Count, Read, Reader};
use crate::sdk::error::SdkError;
use crate::sdk::schema::{Elem, FieldRef, Primitive};

/// Merges levels; the first one is the lowest.
#[derive(Clone, Copy)]
pub(in crate::sdk) struct Merged<'a> {
    pub levels: &'a [&'a dyn Reader],
}

impl Merged<'_> {
    fn last(&self, read: impl Fn(&dyn Reader) -> Result<Read, SdkError>) -> Result<Read, SdkError> {
        for level in self.levels.iter().rev() {
            let read = read(*level)?;
            if read.exists {
                return Ok(read);
            }
        }
        Ok(Read::absent())
    }
}

impl Reader for Merged<'_> {
    fn primitive(&self, primitive: Primitive, field: FieldRef<'_>, at: &At<'_>) -> Result<Read, SdkError> {
        self.last(|level| level.primitive(primitive, field, at))
    }

    fn count(&self, at: &At<'_>) -> Result<Count, SdkError> {
        for level in self.levels.iter().rev() {
            let count = level.count(at)?;
            if !matches!(count, Count::Absent) {
                return Ok(count);
            }
        }
        Ok(Count::Absent)
    }

    fn map(&self, element: Primitive, at: &At<'_>) -> Result<Read, SdkError> {
        self.last(|level| level.map(element, at))
    }

    fn set(&self, elem: &Elem, at: &At<'_>) -> Result<Read, SdkError> {
        self.last(|level| level.set(elem, at))
    }

    fn field(&self, field: FieldRef<'_>, at: &At<'_>) -> Result<Read, SdkError> {
        self.last(|level| level.field(field, at))
    }

    fn object(&self, resource: &crate::sdk::schema::Resource, at: &At<'_>) -> Result<Read, SdkError> {
        self.last(|level| level.object(resource, at))
    }
}
