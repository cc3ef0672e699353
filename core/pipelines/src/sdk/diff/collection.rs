//! The diffs of lists, maps and sets (Z55 to Z58).

use std::collections::BTreeMap;

use super::Entry;
use super::field::Differ;
use crate::sdk::error::SdkError;
use crate::sdk::flat::joined;
use crate::sdk::read::{At, Count};
use crate::sdk::schema::{Elem, FieldRef};
use crate::sdk::set::SdkSet;
use crate::sdk::text::weak;
use crate::sdk::value::SdkValue;

impl Differ<'_> {
    /// Z55.
    pub(super) fn list(&mut self, elem: &Elem, field: FieldRef<'_>, at: &At<'_>, all: bool) -> Result<(), SdkError> {
        let o = self.old(field, at)?;
        let read = self.new_read(field, at)?;
        let computed = read.computed;
        let n = if computed { None } else { read.existing() };
        if o.is_some() && n.is_none() && !computed && field.computed {
            return Ok(());
        }
        // An absent list counts as empty.
        let is_same = match (&n, &o) {
            (Some(n), Some(o)) => n == o,
            (Some(n), None) => n.len() == 0,
            (None, _) => false,
        };
        if !all && is_same {
            return Ok(());
        }
        let old_length = o.as_ref().map_or(0, SdkValue::len);
        if computed {
            let old = old_length.to_string();
            let entry = Entry { old, computed, requires_new: field.force_new, ..Entry::default() };
            self.diff.put(joined(&at.path, "#"), Some(entry));
            return Ok(());
        }
        let new_length = n.as_ref().map_or(0, SdkValue::len);
        let nothing = old_length == 0 && new_length == 0 && field.computed;
        if old_length != new_length || nothing || all {
            let text = |length: usize| if nothing { String::new() } else { length.to_string() };
            self.put_count(field, at, "#", Entry { old: text(old_length), new: text(new_length), ..Entry::default() });
        }
        for index in 0..old_length.max(new_length) {
            self.element(elem, field, &at.index(index), all)?;
        }
        Ok(())
    }

    /// Elements that are no resource ask for replacement if the whole does.
    fn element(&mut self, elem: &Elem, whole: FieldRef<'_>, at: &At<'_>, all: bool) -> Result<(), SdkError> {
        match elem {
            Elem::Kind(kind) => self.field(FieldRef::element(kind, whole.force_new), at, all),
            Elem::Resource(resource) => {
                for (name, field) in resource.fields().iter() {
                    self.field(field.into(), &at.field(name), all)?;
                }
                Ok(())
            }
        }
    }

    fn put_count(&mut self, field: FieldRef<'_>, at: &At<'_>, part: &str, entry: Entry) {
        let entry = self.finish(field).of_count().finalise(entry);
        self.diff.put(joined(&at.path, part), entry);
    }

    /// Z56.
    pub(super) fn map(&mut self, field: FieldRef<'_>, at: &At<'_>, all: bool) -> Result<(), SdkError> {
        let o = self.old(field, at)?;
        let read = self.new_read(field, at)?;
        let computed = read.computed;
        let n = read.existing();
        let mut old_texts = texts(o.as_ref());
        let new_texts = texts(n.as_ref());
        let emptied = new_texts.is_empty() && !old_texts.is_empty() && field.computed;
        let changed = old_texts.len() != new_texts.len() && !emptied;
        let nothing = old_texts.is_empty() && new_texts.is_empty() && field.computed && o.is_none();
        if changed || nothing || computed {
            let text = |length: usize| if nothing || computed { String::new() } else { length.to_string() };
            let entry = Entry { old: text(old_texts.len()), new: text(new_texts.len()), ..Entry::default() };
            let field = FieldRef { computed: field.computed || computed, ..field };
            self.put_count(field, at, "%", entry);
        }
        if n.is_none() && !computed && field.computed {
            return Ok(());
        }
        for (key, new) in new_texts {
            let old = old_texts.remove(&key);
            if old.as_ref() == Some(&new) && !all {
                continue;
            }
            let entry = Entry { old: old.unwrap_or_default(), new, ..Entry::default() };
            let entry = self.finish(field).finalise(entry);
            self.diff.put(joined(&at.path, &key), entry);
        }
        for (key, old) in old_texts {
            let entry = self.finish(field).finalise(Entry { old, removed: true, ..Entry::default() });
            self.diff.put(joined(&at.path, &key), entry);
        }
        Ok(())
    }

    /// Z57.
    pub(super) fn set(&mut self, elem: &Elem, field: FieldRef<'_>, at: &At<'_>, all: bool) -> Result<(), SdkError> {
        let o = into_set(self.old(field, at)?);
        let (read, places) = self.new.set_and_places(elem, field, at)?;
        let read = self.unless_removed(read, at);
        let computed = read.computed;
        let n = if computed { None } else { into_set(read.existing()) };
        if o.is_some() && n.is_none() && !computed && field.computed {
            return Ok(());
        }
        let is_same = n.as_ref().is_some_and(|n| o.as_ref().map_or(n.is_empty(), |o| n.has_codes_of(o)));
        if !all && is_same {
            return Ok(());
        }
        if computed || (field.computed && n.is_none()) {
            let entry = Entry { old: self.present_count(at)?, computed: true, ..Entry::default() };
            self.put_count(field, at, "#", entry);
            return Ok(());
        }
        let (o, n) = (o.unwrap_or_default(), n.unwrap_or_default());
        if o.len() != n.len() || all {
            let entry = Entry { old: o.len().to_string(), new: n.len().to_string(), ..Entry::default() };
            self.put_count(field, at, "#", entry);
        }
        for code in o.codes().filter(|code| !n.has(code)).chain(n.codes()) {
            self.element(elem, field, &at.code(code, places.of(code)), true)?;
        }
        Ok(())
    }

    /// The text of the present count: empty if there is none, if it is zero or not known.
    fn present_count(&self, at: &At<'_>) -> Result<String, SdkError> {
        Ok(match self.present.count(at)? {
            Count::Known(count) if count != 0 => count.to_string(),
            Count::Known(_) | Count::Computed | Count::Absent => String::new(),
        })
    }
}

fn into_set(value: Option<SdkValue>) -> Option<SdkSet> {
    match value {
        Some(SdkValue::Set(set)) => Some(set),
        _ => None,
    }
}

/// The weak texts of a map's values.
fn texts(map: Option<&SdkValue>) -> BTreeMap<String, String> {
    match map {
        Some(SdkValue::Map(entries)) => entries.iter().map(|(key, value)| (key.clone(), weak(Some(value)))).collect(),
        _ => BTreeMap::new(),
    }
}
