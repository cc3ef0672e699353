//! Lists with an index by key and by group.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

/// An item of a [`Listing`].
pub(super) trait Listed {
    /// The key of the item.
    type Key: Clone + Eq + Hash;
    /// The group of items that it belongs to.
    type Group: Clone + Eq + Hash;

    fn key(&self) -> &Self::Key;
    fn group(&self) -> Self::Group;
}

/// Items in the order they were put in. Putting in, finding and removing an item takes time logarithmic in the length.
#[derive(Clone, Debug)]
pub(super) struct Listing<T: Listed> {
    /// The items by ascending numbers.
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

    /// All items with a key, in order.
    pub(super) fn of_key<'s>(&'s self, key: &T::Key) -> impl Iterator<Item = &'s T> + use<'s, T> {
        self.at(self.by_key.get(key))
    }

    /// All items of a group, in order.
    pub(super) fn of_group<'s>(&'s self, group: &T::Group) -> impl Iterator<Item = &'s T> + use<'s, T> {
        self.at(self.by_group.get(group))
    }

    fn at<'s>(&'s self, places: Option<&'s BTreeSet<u64>>) -> impl Iterator<Item = &'s T> + use<'s, T> {
        places.into_iter().flatten().filter_map(|place| self.items.get(place))
    }

    /// Removes the first item that has the key and for which `is_it` is true.
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
