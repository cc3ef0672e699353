//! Rearranges the elements of a collection: reordered, dropped, added, duplicated, or under other keys.

use planfuzz_core::value::{Text, Value};

use super::super::pools::numbered;
use super::super::value::ValueGenerator;
use super::super::value::entries::{Entries, Kind};

impl ValueGenerator<'_, '_, '_> {
    /// Adds, removes or reorders elements. Their number changes by one at most.
    pub(super) fn rearrange(&mut self, kind: Kind, entries: &mut Entries, add: &mut dyn FnMut(&mut Self) -> Value) {
        let count = entries.len();
        if count == 0 {
            let value = add(self);
            entries.push((self.new_key(kind, entries), value));
            return;
        }
        let at = self.dice.below(count);
        match self.dice.below(6) {
            0 => {
                entries.remove(at);
            }
            1 if kind == Kind::Map => entries[at].0 = self.new_key(kind, entries),
            1 => entries.rotate_left(at.max(1) % count),
            2 if count > 1 => {
                // In a map the keys stay and the values change places.
                let other = (at + 1) % count;
                let first = entries[at].1.clone();
                entries[at].1 = std::mem::replace(&mut entries[other].1, first);
            }
            // A duplicate may be big, and repeated duplication grows fast: each costs half of the fuel.
            3 if self.fuel > 1 => {
                self.fuel /= 2;
                let twin = entries[at].1.clone();
                let key = self.new_key(kind, entries);
                entries.insert(at, (key, twin));
            }
            4 => {
                let value = add(self);
                let key = self.new_key(kind, entries);
                entries.insert(at, (key, value));
            }
            _ => {
                let value = add(self);
                let key = self.new_key(kind, entries);
                entries.push((key, value));
            }
        }
    }

    /// A key that the entries do not have yet; for lists and sets an empty text.
    pub(super) fn new_key(&mut self, kind: Kind, entries: &Entries) -> Text {
        if kind != Kind::Map {
            return Text::default();
        }
        let pool = &self.pools.keys;
        let start = self.dice.below(pool.len());
        let fresh = |key: &&Text| entries.iter().all(|(taken, _)| taken != *key);
        let key = (0..pool.len()).map(|index| &pool[(start + index) % pool.len()]).find(fresh);
        key.cloned().unwrap_or_else(|| self.numbered_key(entries))
    }

    /// A key beyond the pool.
    fn numbered_key(&mut self, entries: &Entries) -> Text {
        let free = (entries.len()..).map(|index| numbered('k', index));
        free.into_iter().find(|key| entries.iter().all(|(taken, _)| taken != key)).unwrap_or_default()
    }
}
