//! Finalising an entry (Z53).

use super::Entry;
use crate::sdk::schema::{FieldRef, Kind, Primitive};

/// The properties of a field that finalising needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finish {
    pub is_bool: bool,
    pub computed: bool,
    pub force_new: bool,
    /// Whether the entry comes from plan customisation.
    pub customised: bool,
}

impl Finish {
    pub fn of(field: FieldRef<'_>, customised: bool) -> Finish {
        let is_bool = matches!(field.kind, Kind::Primitive(Primitive::Bool));
        Finish { is_bool, computed: field.computed, force_new: field.force_new, customised }
    }

    /// As an int field with the flags of this one: for counts.
    pub fn of_count(self) -> Finish {
        Finish { is_bool: false, ..self }
    }

    /// Z53; `None` if the entry is dropped.
    pub fn finalise(self, mut entry: Entry) -> Option<Entry> {
        if self.is_bool {
            entry.old = bool_text(entry.old);
            entry.new = bool_text(entry.new);
        }
        if self.computed && !entry.removed && entry.new.is_empty() {
            entry.computed = true;
        }
        if self.force_new {
            entry.requires_new = entry.old != entry.new || entry.computed;
        }
        let keeps_old = self.computed && !self.customised && !entry.old.is_empty() && entry.new.is_empty();
        if !entry.removed && keeps_old {
            return None;
        }
        Some(entry)
    }
}

fn bool_text(text: String) -> String {
    match text.as_str() {
        "0" => "false".to_owned(),
        "1" => "true".to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINISH: Finish = Finish { is_bool: false, computed: false, force_new: false, customised: false };

    fn entry(old: &str, new: &str) -> Entry {
        Entry { old: old.to_owned(), new: new.to_owned(), ..Entry::default() }
    }

    #[test]
    fn z53_2_nothing_new_in_a_computed_field_is_not_known_yet() {
        let finish = Finish { computed: true, ..FINISH };
        assert!(finish.finalise(entry("", "")).is_some_and(|entry| entry.computed));
    }

    #[test]
    fn z53_3_replacement_is_asked_for_where_the_texts_differ_or_the_new_one_is_unknown() {
        let finish = Finish { force_new: true, ..FINISH };
        assert!(finish.finalise(entry("a", "b")).is_some_and(|entry| entry.requires_new));
        assert!(finish.finalise(entry("a", "a")).is_some_and(|entry| !entry.requires_new));
        let unknown = Entry { computed: true, ..entry("a", "a") };
        assert!(finish.finalise(unknown).is_some_and(|entry| entry.requires_new));
    }

    #[test]
    fn z53_5_a_computed_value_is_not_unset_but_by_customisation() {
        let finish = Finish { computed: true, ..FINISH };
        assert_eq!(finish.finalise(entry("a", "")), None);
        assert!(Finish { customised: true, ..finish }.finalise(entry("a", "")).is_some());
    }
}
