//! Buckets: files that show the same thing.

use std::collections::BTreeMap;

use super::lessen::Small;
use super::regressions::{Regressions, question};
use super::replay::Replayed;
use crate::compare::Signature;

/// Files that show one signature, before anything is made small.
#[derive(Clone, Debug)]
pub struct Group {
    /// The signature.
    pub signature: Signature,
    /// Why it is known, if it is.
    pub known: Option<String>,
    /// The numbers of the files, the one with the smallest case first.
    pub files: Vec<usize>,
}

/// Files that show the same thing, as far as it can be told.
#[derive(Clone, Debug)]
pub struct Bucket {
    /// The signature of its smallest case.
    pub signature: Signature,
    /// Why it is known, if it is.
    pub known: Option<String>,
    /// The numbers of its files, those of one signature together.
    pub files: Vec<usize>,
    /// The signatures that its files show, with how many of them.
    pub signatures: BTreeMap<Signature, usize>,
    /// The smallest case that one of them was made into; none for what is known, or could not be made small.
    pub small: Option<Small>,
    /// The numbers, from 1, of other buckets with this very case: they may be the same mistake.
    pub may_be: Vec<usize>,
}

/// Groups files by what they show. `size` is that of a file's case.
pub fn groups(replayed: &[Replayed], regressions: &Regressions, size: &dyn Fn(usize) -> usize) -> Vec<Group> {
    let mut groups: BTreeMap<(Signature, Option<String>), Vec<usize>> = BTreeMap::new();
    for (file, replayed) in replayed.iter().enumerate() {
        let Replayed::Reproduces { shown, .. } = replayed else { continue };
        for sight in shown {
            let known = sight.known.clone().or_else(|| regressions.reason_of(&sight.signature));
            groups.entry((sight.signature.clone(), known)).or_default().push(file);
        }
    }
    let group = |((signature, known), mut files): (_, Vec<usize>)| {
        files.sort_by_cached_key(|file| (size(*file), *file));
        Group { signature, known, files }
    };
    groups.into_iter().map(group).collect()
}

/// Makes buckets of groups, each with the small case that was made of it, if one was: what comes down to cases of one general
/// signature is one bucket. New ones come first, then those with more files.
pub fn buckets(groups: Vec<(Group, Option<Small>)>, regressions: &Regressions) -> Vec<Bucket> {
    let mut buckets: BTreeMap<(Signature, Option<String>), Bucket> = BTreeMap::new();
    for (group, small) in groups {
        let shown = small.as_ref().and_then(|small| small.confirmed.found.verdict.signature());
        let signature = shown.unwrap_or(&group.signature).clone();
        let of_case = || small.as_ref().and_then(|small| regressions.reason_of_case(&small.case));
        let known = group.known.clone().or_else(|| regressions.reason_of(&signature)).or_else(of_case);
        let bucket = buckets.entry((signature.generalised(), known.clone())).or_insert_with(|| Bucket {
            signature,
            known,
            files: Vec::new(),
            signatures: BTreeMap::new(),
            small: None,
            may_be: Vec::new(),
        });
        bucket.add(group, small);
    }
    let mut buckets: Vec<Bucket> = buckets.into_values().collect();
    buckets.sort_by_key(|bucket| (bucket.known.is_some(), std::cmp::Reverse(bucket.files.len())));
    link(&mut buckets);
    buckets
}

impl Bucket {
    fn add(&mut self, group: Group, small: Option<Small>) {
        *self.signatures.entry(group.signature).or_insert(0) += group.files.len();
        self.files.extend(group.files);
        let is_smaller = |small: &Small| self.small.as_ref().is_none_or(|kept| small.size() < kept.size());
        if let Some(small) = small.filter(is_smaller) {
            let shown = small.confirmed.found.verdict.signature();
            self.signature = shown.unwrap_or(&self.signature).clone();
            self.small = Some(small);
        }
    }
}

/// Says of buckets with one and the same small case and verdict class that they may be the same.
fn link(buckets: &mut [Bucket]) {
    let mut alike: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, bucket) in buckets.iter().enumerate() {
        if let Some(small) = &bucket.small {
            alike.entry((question(&small.case), bucket.signature.class())).or_default().push(index);
        }
    }
    for together in alike.into_values() {
        for index in &together {
            buckets[*index].may_be = together.iter().filter(|other| *other != index).map(|other| other + 1).collect();
        }
    }
}
