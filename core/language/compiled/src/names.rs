//! Scopes: each name gets a slot number once, and values are found by that number.

use std::sync::Arc;

use hashbrown::HashMap;
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
///
/// A clone costs the same whatever the number of slots: it shares the values, and what one of the two sets afterwards it has for itself.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    shared: Arc<Vec<Option<Marked>>>,
    /// The slots that were set while others shared the values, in place of those.
    own: Vec<(usize, Option<Marked>)>,
    surroundings: Surroundings,
}

/// How many slots are set beside shared values; with more of them the values are copied, so that finding one stays cheap.
const MOST_OWN: usize = 16;

impl Slots {
    /// Room for the values of these names.
    pub fn new(names: &Names) -> Slots {
        Slots { shared: Arc::new(vec![None; names.len()]), ..Slots::default() }
    }

    /// Sets a value.
    pub fn set(&mut self, slot: usize, value: Marked) {
        self.put(slot, Some(value));
    }

    /// Empties a slot.
    pub fn clear(&mut self, slot: usize) {
        if self.get(slot).is_some() {
            self.put(slot, None);
        }
    }

    fn put(&mut self, slot: usize, value: Option<Marked>) {
        let is_shared = Arc::get_mut(&mut self.shared).is_none();
        if is_shared && let Some((_, own)) = self.own.iter_mut().find(|(own, _)| *own == slot) {
            *own = value;
        } else if is_shared && self.own.len() < MOST_OWN {
            self.own.push((slot, value));
        } else {
            let values = Arc::make_mut(&mut self.shared);
            for (slot, value) in self.own.drain(..).chain([(slot, value)]) {
                if slot >= values.len() {
                    values.resize(slot + 1, None);
                }
                values[slot] = value;
            }
        }
    }

    /// With what is beside the values.
    #[must_use]
    pub fn within(self, surroundings: Surroundings) -> Slots {
        Slots { surroundings, ..self }
    }

    /// The value of a slot.
    pub fn value(&self, slot: usize) -> Option<&Marked> {
        self.get(slot)
    }

    pub(crate) fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    pub(crate) fn get(&self, slot: usize) -> Option<&Marked> {
        match self.own.iter().find(|(own, _)| *own == slot) {
            Some((_, value)) => value.as_ref(),
            None => self.shared.get(slot)?.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use planfuzz_core::value::Value;

    use super::*;

    fn numbers(slots: &Slots) -> Vec<Option<Marked>> {
        (0..64).map(|slot| slots.value(slot).cloned()).collect()
    }

    #[test]
    fn clones_do_not_see_what_the_other_sets() {
        let number = |of: usize| Marked::from(Value::number(of as i64));
        // Few slots, and more than are kept beside shared values.
        for count in [3, 40] {
            let mut first = Slots::default();
            (0..count).for_each(|slot| first.set(slot, number(slot)));
            let before = numbers(&first);
            let mut second = first.clone();
            (0..count).filter(|slot| slot % 2 == 0).for_each(|slot| second.set(slot, number(slot + 100)));
            second.clear(1);
            assert_eq!(numbers(&first), before);
            let own = numbers(&second);
            assert_eq!(own[..3], [Some(number(100)), None, Some(number(102))]);
            first.set(2, number(7));
            assert_eq!(numbers(&second), own);
            // Alone again, it has the same values, and takes others.
            drop(first);
            second.set(2, number(8));
            assert_eq!(numbers(&second)[..3], [Some(number(100)), None, Some(number(8))]);
            assert_eq!(numbers(&second)[3..], own[3..]);
        }
    }
}
