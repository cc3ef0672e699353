//! The diff of fields (Z52 to Z64): the branch of entries that belongs to an address.

use std::collections::BTreeSet;

use planfuzz_core::schema::Named;
use planfuzz_pipelines::expression::Equiv;
use planfuzz_pipelines::sdk::{Elem, Field, Kind, Primitive, Resource};

use super::Crash;
use super::field_value::FieldValue;
use super::level::{Level, top};
use super::spec::{Own, Places, Spec, Step, flat, names, then};
use super::trie::Trie;
use crate::model::{canonical_text, equivalent_texts};

/// A change at a flat path (Z52).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// The old text.
    pub old: String,
    /// The new text.
    pub new: String,
    /// Whether the new value is not known yet.
    pub computed: bool,
    /// Whether the value is removed.
    pub removed: bool,
    /// Whether it forces a replacement.
    pub requires_new: bool,
    /// The value that a state function was given.
    pub extra: Option<String>,
    /// Whether the entry is dropped (Z53.5), and with it that of an earlier pass (Z72).
    pub is_dropped: bool,
}

/// The entries without those that were dropped.
pub fn kept(entries: &Entries) -> Entries {
    entries.filter_map(&mut |_, entry: &Entry| (!entry.is_dropped).then(|| entry.clone()))
}

/// The entries under one address.
pub type Entries = Trie<Entry>;

/// The source of new values.
#[derive(Clone, Copy)]
pub enum New<'a> {
    /// The configuration.
    Configured(&'a dyn Level),
    /// The values that were set for a key (Z72).
    Remembered(&'a dyn Level),
    /// All levels, without removed values (Z72).
    Merged(&'a dyn Level, &'a Entries),
}

/// The inputs of a diff.
#[derive(Clone, Copy)]
pub struct Differ<'a> {
    /// The state.
    pub old: &'a dyn Level,
    /// The new values.
    pub new: New<'a>,
    /// State and configuration, which have the present counts.
    pub present: &'a dyn Level,
    /// Whether the resource has an id.
    pub has_id: bool,
    /// Whether state functions run.
    pub has_functions: bool,
    /// Fields that are treated as if a change forced a replacement.
    pub forced: &'a Places,
}

/// An old and a new value.
struct Pair {
    old: Option<FieldValue>,
    new: Option<FieldValue>,
    computed: bool,
}

/// The facts by which an entry is finished.
struct Flags {
    computed: bool,
    force_new: bool,
    is_bool: bool,
}

impl Differ<'_> {
    /// The entries of all fields.
    pub fn all(&self, fields: &Named<Field>) -> Result<Entries, Crash> {
        let mut entries = Entries::default();
        for (name, field) in fields.iter() {
            let own = self.at(&top(name), Spec::field(field), false)?;
            if !own.is_empty() {
                entries.below.insert(name.to_string(), own);
            }
        }
        Ok(kept(&entries))
    }

    /// The entries under an address.
    pub fn at(&self, at: &[Step], spec: Spec<'_>, all: bool) -> Result<Entries, Crash> {
        let own = match spec {
            Spec::Object(resource) => return self.of_resource(at, resource, all),
            Spec::One(own) => own,
        };
        let own = Own { force_new: own.force_new || self.forced.contains(&names(at)), ..own };
        let entries = match own.kind {
            Kind::Primitive(primitive) => self.of_primitive(at, own, *primitive, all)?,
            Kind::List(elem) => self.of_list(at, own, elem, all)?,
            Kind::Map(_) => self.of_map(at, own, all)?,
            Kind::Set(elem) => self.of_set(at, own, elem, all)?,
        };
        // Z63; not in the pass after customisation.
        let Some(suppress) = own.suppress.filter(|_| matches!(self.new, New::Configured(_))) else {
            return Ok(entries);
        };
        Ok(entries.filter_map(&mut |_, entry: &Entry| match is_suppressed(suppress, &entry.old, &entry.new) {
            _ if entry.is_dropped => None,
            false => Some(entry.clone()),
            true if all => Some(Entry { old: entry.old.clone(), new: entry.old.clone(), ..Entry::default() }),
            true => None,
        }))
    }

    fn of_resource(&self, at: &[Step], resource: &Resource, all: bool) -> Result<Entries, Crash> {
        let mut entries = Entries::default();
        for (name, field) in resource.fields().iter() {
            let own = self.at(&then(at, Step::Name(name.to_string())), Spec::field(field), all)?;
            if !own.is_empty() {
                entries.below.insert(name.to_string(), own);
            }
        }
        Ok(entries)
    }

    fn pair(&self, at: &[Step], own: Own<'_>) -> Result<Pair, Crash> {
        let old = self.old.read(at, Spec::One(own))?.existing();
        let seen = match self.new {
            New::Configured(level) | New::Remembered(level) | New::Merged(level, _) => {
                level.read(at, Spec::One(own))?
            }
        };
        let is_removed = match self.new {
            New::Merged(_, entries) => entries.get(&flat(at)).is_some_and(|entry| entry.removed),
            _ => false,
        };
        let computed = seen.exists && seen.computed;
        Ok(Pair { old, new: seen.existing().filter(|_| !is_removed), computed })
    }

    fn is_custom(&self) -> bool {
        matches!(self.new, New::Remembered(_))
    }

    /// Z53.
    fn finished(&self, flags: &Flags, mut entry: Entry) -> Entry {
        if flags.is_bool {
            for text in [&mut entry.old, &mut entry.new] {
                match text.as_str() {
                    "0" => "false".clone_into(text),
                    "1" => "true".clone_into(text),
                    _ => {}
                }
            }
        }
        if flags.computed && !entry.removed && entry.new.is_empty() {
            entry.computed = true;
        }
        if flags.force_new {
            entry.requires_new = entry.old != entry.new || entry.computed;
        }
        let keeps_old = flags.computed && !self.is_custom() && !entry.old.is_empty() && entry.new.is_empty();
        let is_dropped = keeps_old && !entry.removed;
        Entry { is_dropped, ..entry }
    }

    fn count(&self, own: Own<'_>, entry: Entry) -> Entry {
        self.finished(&Flags { computed: own.computed, force_new: own.force_new, is_bool: false }, entry)
    }

    /// Z54.
    fn of_primitive(&self, at: &[Step], own: Own<'_>, primitive: Primitive, all: bool) -> Result<Entries, Crash> {
        let Pair { old, new, computed } = self.pair(at, own)?;
        let mut extra = None;
        let mut text = new.as_ref().map(FieldValue::weak_text);
        if let (Some(form), Some(given), true) = (own.state_func, &text, self.has_functions) {
            extra = Some(given.clone());
            let is_text = primitive == Primitive::String;
            text = Some(if is_text { canonical_text(form, given) } else { given.clone() });
        }
        let is_gone = old.is_some() && new.is_none();
        let old_text = old.as_ref().map(FieldValue::weak_text).unwrap_or_default();
        let zero = || if is_gone { FieldValue::zero_primitive(primitive).weak_text() } else { String::new() };
        let new_text = text.unwrap_or_else(zero);
        let stops = !old_text.is_empty() || self.has_id || !own.computed;
        if old_text == new_text && !all && !computed && stops {
            return Ok(Entries::default());
        }
        let removed = is_gone && !computed;
        if removed && own.computed {
            return Ok(Entries::default());
        }
        let entry = Entry { old: old_text, new: new_text, computed, removed, extra, ..Entry::default() };
        let is_bool = primitive == Primitive::Bool;
        let flags = Flags { computed: own.computed, force_new: own.force_new, is_bool };
        Ok(Entries { leaf: Some(self.finished(&flags, entry)), ..Entries::default() })
    }

    /// Z55.
    fn of_list(&self, at: &[Step], own: Own<'_>, elem: &Elem, all: bool) -> Result<Entries, Crash> {
        let Pair { old, new, computed } = self.pair(at, own)?;
        let new = new.filter(|_| !computed);
        let mut entries = Entries::default();
        if old.is_some() && new.is_none() && !computed && own.computed {
            return Ok(entries);
        }
        let empty = FieldValue::List(Vec::new());
        if !all && new.as_ref().is_some_and(|new| old.as_ref().unwrap_or(&empty).is_deeply(new)) {
            return Ok(entries);
        }
        let lengths = [&old, &new].map(|side| side.as_ref().map_or(0, FieldValue::len));
        if computed {
            let (old, requires_new) = (lengths[0].to_string(), own.force_new);
            let entry = Entry { old, computed: true, requires_new, ..Entry::default() };
            entries.branch("#").leaf = Some(entry);
            return Ok(entries);
        }
        let is_none = lengths == [0, 0] && own.computed;
        if lengths[0] != lengths[1] || is_none || all {
            let [old, new] = lengths.map(|length| if is_none { String::new() } else { length.to_string() });
            put(&mut entries, "#", self.count(own, Entry { old, new, ..Entry::default() }));
        }
        for index in 0..lengths[0].max(lengths[1]) {
            let inner = self.at(&then(at, Step::Index(index)), Spec::element(elem, own.force_new), all)?;
            if !inner.is_empty() {
                entries.below.insert(index.to_string(), inner);
            }
        }
        Ok(entries)
    }

    /// Z56.
    fn of_map(&self, at: &[Step], own: Own<'_>, all: bool) -> Result<Entries, Crash> {
        let Pair { old, new, computed } = self.pair(at, own)?;
        let is_absent = [old.is_none(), new.is_none()];
        let [old, new] = [old, new].map(|side| match side {
            Some(FieldValue::Map(entries)) => entries,
            _ => Default::default(),
        });
        let mut entries = Entries::default();
        let is_kept = new.is_empty() && !old.is_empty() && own.computed;
        let has_changed = old.len() != new.len() && !is_kept;
        let is_none = old.is_empty() && new.is_empty() && own.computed && is_absent[0];
        if has_changed || is_none || computed {
            let text = |length: usize| if is_none || computed { String::new() } else { length.to_string() };
            let entry = Entry { old: text(old.len()), new: text(new.len()), ..Entry::default() };
            let own = Own { computed: own.computed || computed, ..own };
            put(&mut entries, "%", self.count(own, entry));
        }
        if is_absent[1] && !computed && own.computed {
            return Ok(entries);
        }
        let flags = Flags { computed: own.computed, force_new: own.force_new, is_bool: false };
        let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for key in keys {
            let (before, after) = (old.get(key).map(FieldValue::weak_text), new.get(key).map(FieldValue::weak_text));
            if after.is_some() && before == after && !all {
                continue;
            }
            let removed = after.is_none();
            let entry =
                Entry { old: before.unwrap_or_default(), new: after.unwrap_or_default(), removed, ..Entry::default() };
            entries.set(&super::trie::parts(key), self.finished(&flags, entry));
        }
        Ok(entries)
    }

    /// Z57.
    fn of_set(&self, at: &[Step], own: Own<'_>, elem: &Elem, all: bool) -> Result<Entries, Crash> {
        let Pair { old, new, computed } = self.pair(at, own)?;
        let new = new.filter(|_| !computed);
        let mut entries = Entries::default();
        if old.is_some() && new.is_none() && !computed && own.computed {
            return Ok(entries);
        }
        let is_absent = new.is_none();
        let [old, new] = [old, new].map(|side| match side {
            Some(FieldValue::Set(items)) => items,
            _ => Default::default(),
        });
        if !all && !is_absent && old.keys().eq(new.keys()) {
            return Ok(entries);
        }
        if computed || (own.computed && is_absent) {
            let present = self.present.count(at)?;
            let old = match present.value {
                Some(FieldValue::Int(count)) if present.exists && !present.computed && count != 0 => count.to_string(),
                _ => String::new(),
            };
            put(&mut entries, "#", self.count(own, Entry { old, computed: true, ..Entry::default() }));
            return Ok(entries);
        }
        if old.len() != new.len() || all {
            let entry = Entry { old: old.len().to_string(), new: new.len().to_string(), ..Entry::default() };
            put(&mut entries, "#", self.count(own, entry));
        }
        for code in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
            let inner = self.at(&then(at, Step::Code(code.clone())), Spec::element(elem, own.force_new), true)?;
            if !inner.is_empty() {
                entries.below.insert(code.clone(), inner);
            }
        }
        Ok(entries)
    }
}

/// Whether a change of a text does not count (Z63).
pub fn is_suppressed(suppress: &Equiv, old: &str, new: &str) -> bool {
    match suppress {
        Equiv::NewEmpty => new.is_empty(),
        other => equivalent_texts(other, old, new),
    }
}

fn put(entries: &mut Entries, part: &str, entry: Entry) {
    entries.branch(part).leaf = Some(entry);
}
