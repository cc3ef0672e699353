//! What belongs to the instances of a resource, by their keys.
//!
//! Problem: most resources have one instance, and a tree with one entry has room for eleven: thousands of bytes for each resource, in every
//! copy of a state. Idea: what belongs to the only instance is kept without a tree. Guarantee: the order is that of the keys.

use std::collections::{BTreeMap, btree_map};
use std::iter::{Chain, Flatten};
use std::ops::Bound;
use std::{fmt, mem, option};

use planfuzz_core::address::InstanceKey;
use planfuzz_core::state::InstanceState;

/// The instances of a stored resource.
pub type Instances = ByKey<InstanceState>;

/// What belongs to the instances of a resource, in the order of their keys.
#[derive(Clone)]
pub struct ByKey<T>(Kept<T>);

#[derive(Clone)]
enum Kept<T> {
    One(Option<(InstanceKey, T)>),
    Many(BTreeMap<InstanceKey, T>),
}

impl<T> Default for ByKey<T> {
    fn default() -> ByKey<T> {
        ByKey::new()
    }
}

impl<T> ByKey<T> {
    /// Nothing.
    pub const fn new() -> ByKey<T> {
        ByKey(Kept::One(None))
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        match &self.0 {
            Kept::One(one) => usize::from(one.is_some()),
            Kept::Many(many) => many.len(),
        }
    }

    /// What belongs to a key.
    pub fn get(&self, key: &InstanceKey) -> Option<&T> {
        match &self.0 {
            Kept::One(one) => one.as_ref().filter(|(own, _)| own == key).map(|(_, instance)| instance),
            Kept::Many(many) => many.get(key),
        }
    }

    /// What belongs to a key.
    pub fn get_mut(&mut self, key: &InstanceKey) -> Option<&mut T> {
        match &mut self.0 {
            Kept::One(one) => one.as_mut().filter(|(own, _)| own == key).map(|(_, instance)| instance),
            Kept::Many(many) => many.get_mut(key),
        }
    }

    /// Whether something belongs to a key.
    pub fn contains_key(&self, key: &InstanceKey) -> bool {
        self.get(key).is_some()
    }

    /// What belongs to a key; the default is put in where there is nothing.
    pub fn or_default(&mut self, key: &InstanceKey) -> &mut T
    where
        T: Default,
    {
        self.or_insert_with(key, T::default)
    }

    /// What belongs to a key; what is made is put in where there is nothing.
    pub fn or_insert_with(&mut self, key: &InstanceKey, make: impl FnOnce() -> T) -> &mut T {
        let has_room = matches!(&self.0, Kept::One(one) if one.as_ref().is_none_or(|(own, _)| own == key));
        if !has_room {
            return self.many().entry(key.clone()).or_insert_with(make);
        }
        match &mut self.0 {
            Kept::One(one) => &mut one.get_or_insert_with(|| (key.clone(), make())).1,
            Kept::Many(many) => many.entry(key.clone()).or_insert_with(make),
        }
    }

    /// Puts something in; returns what belonged to the key before.
    pub fn insert(&mut self, key: InstanceKey, new: T) -> Option<T> {
        match &mut self.0 {
            Kept::One(one) if one.as_ref().is_none_or(|(own, _)| *own == key) => {
                one.replace((key, new)).map(|(_, old)| old)
            }
            _ => self.many().insert(key, new),
        }
    }

    /// Takes out what belongs to a key.
    pub fn remove(&mut self, key: &InstanceKey) -> Option<T> {
        match &mut self.0 {
            Kept::One(one) => one.take_if(|(own, _)| own == key).map(|(_, instance)| instance),
            Kept::Many(many) => many.remove(key),
        }
    }

    /// Takes out everything that is not to be kept.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&InstanceKey, &T) -> bool) {
        match &mut self.0 {
            Kept::One(one) => drop(one.take_if(|(key, instance)| !is_kept(key, instance))),
            Kept::Many(many) => many.retain(|key, instance| is_kept(key, instance)),
        }
    }

    /// The keys.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &InstanceKey> + Clone {
        self.iter().map(|(key, _)| key)
    }

    /// What belongs to the keys.
    pub fn values(&self) -> impl Iterator<Item = &T> + Clone {
        self.iter().map(|(_, instance)| instance)
    }

    /// The keys with what belongs to them.
    pub fn iter(&self) -> Iter<'_, T> {
        let (one, many) = match &self.0 {
            Kept::One(one) => (one.as_ref().map(|(key, instance)| (key, instance)), None),
            Kept::Many(many) => (None, Some(many.iter())),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }

    /// Those with larger keys than this one.
    pub fn after(&self, key: &InstanceKey) -> impl Iterator<Item = (&InstanceKey, &T)> {
        let (one, many) = match &self.0 {
            Kept::One(one) => (one.as_ref().filter(|(own, _)| own > key).map(|(key, instance)| (key, instance)), None),
            Kept::Many(many) => (None, Some(many.range((Bound::Excluded(key), Bound::Unbounded)))),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }

    /// The keys with what belongs to them, which can be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&InstanceKey, &mut T)> {
        let (one, many) = match &mut self.0 {
            Kept::One(one) => (one.as_mut().map(|(key, instance)| (&*key, instance)), None),
            Kept::Many(many) => (None, Some(many.iter_mut())),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }

    fn many(&mut self) -> &mut BTreeMap<InstanceKey, T> {
        if let Kept::One(one) = &mut self.0 {
            self.0 = Kept::Many(mem::take(one).into_iter().collect());
        }
        match &mut self.0 {
            Kept::Many(many) => many,
            Kept::One(_) => unreachable!("it was made a tree"),
        }
    }
}

/// The keys with what belongs to them.
pub type Iter<'a, T> =
    Chain<option::IntoIter<(&'a InstanceKey, &'a T)>, Flatten<option::IntoIter<btree_map::Iter<'a, InstanceKey, T>>>>;

impl<T: fmt::Debug> fmt::Debug for ByKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// One form or the other makes no difference.
impl<T: PartialEq> PartialEq for ByKey<T> {
    fn eq(&self, other: &ByKey<T>) -> bool {
        self.iter().eq(other)
    }
}

impl<'a, T> IntoIterator for &'a ByKey<T> {
    type Item = (&'a InstanceKey, &'a T);
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for ByKey<T> {
    type Item = (InstanceKey, T);
    type IntoIter = Chain<option::IntoIter<(InstanceKey, T)>, btree_map::IntoIter<InstanceKey, T>>;

    fn into_iter(self) -> Self::IntoIter {
        let (one, many) = match self.0 {
            Kept::One(one) => (one, BTreeMap::new()),
            Kept::Many(many) => (None, many),
        };
        one.into_iter().chain(many)
    }
}

impl<T> Extend<(InstanceKey, T)> for ByKey<T> {
    fn extend<I: IntoIterator<Item = (InstanceKey, T)>>(&mut self, others: I) {
        others.into_iter().for_each(|(key, new)| drop(self.insert(key, new)));
    }
}

impl<T> FromIterator<(InstanceKey, T)> for ByKey<T> {
    fn from_iter<I: IntoIterator<Item = (InstanceKey, T)>>(others: I) -> ByKey<T> {
        let mut found = ByKey::new();
        found.extend(others);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    /// Every sequence of up to four steps on three keys does to it what it does to a tree.
    #[test]
    fn it_does_what_a_tree_does() {
        let keys = [InstanceKey::None, InstanceKey::Int(0), InstanceKey::Int(1)];
        for sequence in 0..12_u64.pow(4) {
            let (mut own, mut tree) = (ByKey::new(), BTreeMap::new());
            for at in 0..4 {
                let step = sequence / 12_u64.pow(at) % 12;
                let (key, mark) = (&keys[step as usize % 3], sequence * 4 + u64::from(at));
                match step / 3 {
                    0 => {
                        assert_eq!(own.insert(key.clone(), mark), tree.insert(key.clone(), mark));
                    }
                    1 => assert_eq!(own.remove(key), tree.remove(key)),
                    2 => {
                        *own.or_default(key) = mark;
                        *tree.entry(key.clone()).or_default() = mark;
                    }
                    _ => {
                        own.retain(|other, _| other != key);
                        tree.retain(|other, _| other != key);
                    }
                }
                assert_eq!(format!("{own:?}"), format!("{tree:?}"), "sequence {sequence}");
                assert_eq!((own.len(), own.is_empty()), (tree.len(), tree.is_empty()));
                for key in &keys {
                    assert_eq!(own.get(key), tree.get(key));
                    let behind: Vec<&InstanceKey> = own.after(key).map(|(key, _)| key).collect();
                    assert_eq!(behind, tree.keys().filter(|other| *other > key).collect::<Vec<_>>());
                }
            }
            let owned: Vec<InstanceKey> = own.clone().into_iter().map(|(key, _)| key).collect();
            assert_eq!(owned, tree.into_keys().collect::<Vec<_>>());
        }
    }
}
