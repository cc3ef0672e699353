//! Scopes: each name gets a slot number once, and values are found by that number.

use std::collections::HashMap;

use planfuzz_core::value::Text;
use planfuzz_language::expression::{Marked, Surroundings};

/// The names of a scope: a root such as `each`, or a root with an attribute such as `local.a`, each with its slot.
#[derive(Clone, Debug, Default)]
pub struct Names {
    roots: HashMap<Text, Root>,
    count: usize,
}

#[derive(Clone, Debug, Default)]
struct Root {
    slot: Option<usize>,
    attributes: HashMap<Text, usize>,
    is_elsewhere: bool,
}

/// What the first name of a reference means.
pub(crate) enum Meaning {
    /// The root alone is a value.
    Root(usize),
    /// The root with its attribute is a value.
    Attribute(usize),
    /// The root exists, this attribute does not.
    NoAttribute,
    /// The root is a name of the language that is not available here.
    Elsewhere,
    /// No such name.
    Nothing,
}

impl Names {
    /// The slot of a name; a new name gets the next one.
    pub fn slot(&mut self, root: &str, attribute: Option<&str>) -> usize {
        let next = self.count;
        let root = self.roots.entry(Text::new(root)).or_default();
        let slot = match attribute {
            Some(attribute) => *root.attributes.entry(Text::new(attribute)).or_insert(next),
            None => *root.slot.get_or_insert(next),
        };
        self.count = self.count.max(slot + 1);
        slot
    }

    /// Marks a root as a name that is not available here, such as `each` without `for_each`. Slots that it had stay empty.
    pub fn leave_elsewhere(&mut self, root: &str) {
        self.roots.insert(Text::new(root), Root { is_elsewhere: true, ..Root::default() });
    }

    /// Takes a root out of the scope, with its attributes. Slots that it had stay empty.
    pub fn forget(&mut self, root: &str) {
        self.roots.remove(root);
    }

    /// Whether a root alone is a value.
    pub fn is_value(&self, root: &str) -> bool {
        matches!(self.meaning(root, None), Meaning::Root(_))
    }

    /// How many slots there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the scope has no names.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn meaning(&self, root: &str, attribute: Option<&str>) -> Meaning {
        let Some(root) = self.roots.get(root) else { return Meaning::Nothing };
        let by_attribute = attribute.and_then(|name| root.attributes.get(name));
        match (by_attribute, root.slot) {
            (Some(slot), _) => Meaning::Attribute(*slot),
            (None, Some(slot)) => Meaning::Root(slot),
            (None, None) if root.is_elsewhere => Meaning::Elsewhere,
            (None, None) => Meaning::NoAttribute,
        }
    }
}

/// The values of a scope, by the slots of its [`Names`]; a slot that was not set is unknown.
#[derive(Clone, Debug, Default)]
pub struct Slots(Vec<Option<Marked>>, Surroundings);

impl Slots {
    /// Room for the values of these names.
    pub fn new(names: &Names) -> Slots {
        Slots(vec![None; names.len()], Surroundings::default())
    }

    /// Sets a value.
    pub fn set(&mut self, slot: usize, value: Marked) {
        if slot >= self.0.len() {
            self.0.resize(slot + 1, None);
        }
        self.0[slot] = Some(value);
    }

    /// Empties a slot.
    pub fn clear(&mut self, slot: usize) {
        if let Some(value) = self.0.get_mut(slot) {
            *value = None;
        }
    }

    /// With what is beside the values.
    #[must_use]
    pub fn within(self, surroundings: Surroundings) -> Slots {
        Slots(self.0, surroundings)
    }

    /// The value of a slot.
    pub fn value(&self, slot: usize) -> Option<&Marked> {
        self.get(slot)
    }

    pub(crate) fn surroundings(&self) -> &Surroundings {
        &self.1
    }

    pub(crate) fn get(&self, slot: usize) -> Option<&Marked> {
        self.0.get(slot)?.as_ref()
    }
}
