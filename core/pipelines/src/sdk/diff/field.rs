//! The diff of one field (Z52 to Z54, Z63).

use super::finalise::Finish;
use super::{Diff, Entry};
use crate::sdk::error::SdkError;
use crate::sdk::read::{At, Read, Reader, StateReader};
use crate::sdk::schema::{FieldRef, Kind, Primitive};
use crate::sdk::text::{parse, weak};
use crate::sdk::value::SdkValue;

/// Makes the entries of fields.
pub(in crate::sdk) struct Differ<'a> {
    /// The reader of `o`.
    pub state: StateReader<'a>,
    /// The reader of `n`.
    pub new: &'a dyn Reader,
    /// All levels together; sets take the present count from them (Z57).
    pub present: &'a dyn Reader,
    /// The entries before customisation, which may remove a path (Z72).
    pub before: Option<&'a Diff>,
    /// Whether the resource has an id.
    pub has_id: bool,
    /// Whether the entries count as customised (Z72).
    pub customised: bool,
    /// Whether suppression is on; it is off in the second pass (Z72).
    pub suppresses: bool,
    /// Whether state functions are on; they are off at apply (Z131).
    pub canonicalises: bool,
    /// The entries so far.
    pub diff: Diff,
}

impl Differ<'_> {
    /// The entries of a field at an address; `all` inside an element of a set (Z52).
    pub fn field(&mut self, field: FieldRef<'_>, at: &At<'_>, all: bool) -> Result<(), SdkError> {
        match field.kind {
            Kind::Primitive(primitive) => self.primitive(*primitive, field, at, all)?,
            Kind::List(elem) => self.list(elem, field, at, all)?,
            Kind::Map(_) => self.map(field, at, all)?,
            Kind::Set(elem) => self.set(elem, field, at, all)?,
        }
        if self.suppresses
            && let Some(equiv) = field.diff_suppress
        {
            self.diff.suppress(&at.path, equiv, all);
        }
        Ok(())
    }

    /// `o` of Z52.
    pub(super) fn old(&self, field: FieldRef<'_>, at: &At<'_>) -> Result<Option<SdkValue>, SdkError> {
        Ok(self.state.field(field, at)?.existing())
    }

    /// `n` of Z52, which may not exist.
    pub(super) fn new_read(&self, field: FieldRef<'_>, at: &At<'_>) -> Result<Read, SdkError> {
        Ok(self.unless_removed(self.new.field(field, at)?, at))
    }

    /// Z72: the read value, unless an entry removed it.
    pub(super) fn unless_removed(&self, read: Read, at: &At<'_>) -> Read {
        let is_removed = self.before.and_then(|before| before.get(&at.path)).is_some_and(|entry| entry.removed);
        if is_removed { Read { value: None, exists: false, ..read } } else { read }
    }

    pub(super) fn finish(&self, field: FieldRef<'_>) -> Finish {
        Finish::of(field, self.customised)
    }

    /// Z54.
    fn primitive(&mut self, primitive: Primitive, field: FieldRef<'_>, at: &At<'_>, all: bool) -> Result<(), SdkError> {
        let o = self.old(field, at)?;
        let read = self.new_read(field, at)?;
        let computed = read.computed;
        let mut n = read.existing();
        let extra = self.canonicalise(primitive, field, &mut n, at)?;
        let old = weak(o.as_ref());
        let new = match (&n, &o) {
            (None, Some(_)) => weak(Some(&SdkValue::zero_primitive(primitive))),
            _ => weak(n.as_ref()),
        };
        if old == new && !all && !computed && (!old.is_empty() || self.has_id || !field.computed) {
            return Ok(());
        }
        let removed = o.is_some() && n.is_none() && !computed;
        if removed && field.computed {
            return Ok(());
        }
        let entry = Entry { old, new, computed, removed, requires_new: false, extra };
        let entry = self.finish(field).finalise(entry);
        self.diff.put(at.path.clone(), entry);
        Ok(())
    }

    /// Z62: converts `n` to its stored form; returns the configured text.
    fn canonicalise(
        &self,
        primitive: Primitive,
        field: FieldRef<'_>,
        n: &mut Option<SdkValue>,
        at: &At<'_>,
    ) -> Result<Option<String>, SdkError> {
        let (Some(canon), true, Some(configured)) = (field.state_func, self.canonicalises, n.as_ref()) else {
            return Ok(None);
        };
        let text = weak(Some(configured));
        if let SdkValue::Text(configured) = configured {
            *n = Some(parse(primitive, &canon.text(configured), &at.path)?);
        }
        Ok(Some(text))
    }
}
