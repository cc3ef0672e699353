//! Lists in which things are found without a walk.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

/// What a list is asked for.
pub(super) trait Listed {
    /// What tells it from others.
    type Key: Clone + Eq + Hash;
    /// What it shares with others.
    type Group: Clone + Eq + Hash;

    fn key(&self) -> &Self::Key;
    fn group(&self) -> Self::Group;
}

/// Things in the order they were put in. Putting in, finding and removing one takes time by the logarithm of the length.
#[derive(Clone, Debug)]
pub(super) struct Listing<T: Listed> {
    /// By a number that grows from one to the next.
    items: BTreeMap<u64, T>,
    by_key: HashMap<T::Key, BTreeSet<u64>>,
    by_group: HashMap<T::Group, BTreeSet<u64>>,
}

impl<T: Listed> Listing<T> {
    pub(super) fn push(&mut self, item: T) {
        let place = self.items.last_key_value().map_or(0, |(last, _)| last + 1);
        self.by_key.entry(item.key().clone()).or_default().insert(place);
        self.by_group.entry(item.group()).or_default().insert(place);
        self.items.insert(place, item);
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.items.values()
    }

    /// All of a key, in order.
    pub(super) fn of_key<'s>(&'s self, key: &T::Key) -> impl Iterator<Item = &'s T> + use<'s, T> {
        self.at(self.by_key.get(key))
    }

    /// All of a group, in order.
    pub(super) fn of_group<'s>(&'s self, group: &T::Group) -> impl Iterator<Item = &'s T> + use<'s, T> {
        self.at(self.by_group.get(group))
    }

    fn at<'s>(&'s self, places: Option<&'s BTreeSet<u64>>) -> impl Iterator<Item = &'s T> + use<'s, T> {
        places.into_iter().flatten().filter_map(|place| self.items.get(place))
    }

    /// Takes the first out that has the key and what else is asked.
    pub(super) fn remove(&mut self, key: &T::Key, is_it: impl Fn(&T) -> bool) -> Option<T> {
        let mut places = self.by_key.get(key)?.iter().copied();
        let place = places.find(|place| self.items.get(place).is_some_and(&is_it))?;
        let item = self.items.remove(&place)?;
        forget(&mut self.by_key, key, place);
        forget(&mut self.by_group, &item.group(), place);
        Some(item)
    }

    pub(super) fn into_items(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator {
        self.items.into_values()
    }
}

fn forget<K: Eq + Hash>(places: &mut HashMap<K, BTreeSet<u64>>, key: &K, place: u64) {
    if let Some(all) = places.get_mut(key) {
        all.remove(&place);
        if all.is_empty() {
            places.remove(key);
        }
    }
}

impl<T: Listed> Default for Listing<T> {
    fn default() -> Listing<T> {
        Listing { items: BTreeMap::new(), by_key: HashMap::new(), by_group: HashMap::new() }
    }
}

impl<T: Listed + PartialEq> PartialEq for Listing<T> {
    fn eq(&self, other: &Listing<T>) -> bool {
        self.iter().eq(other.iter())
    }
}
