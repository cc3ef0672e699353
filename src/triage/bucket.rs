//! Buckets: files that show the same thing.

use std::collections::BTreeMap;

use super::regressions::{Regressions, question};
use super::replay::ReplayOutcome;
use crate::compare::{Excuse, Finding, GeneralSignature, Signature};
use crate::panel::{Minimized, Small};

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

/// Files that likely show the same thing.
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
    /// The smallest case that one of them was minimized to; `None` if the bucket is known, or nothing could be minimized.
    pub small: Option<Small>,
    /// The numbers, from 1, of other buckets with this very case: they may be the same mistake.
    pub may_be: Vec<usize>,
    /// Why it may be known: its case was made smaller for its likely cause, and came down to something known. One mistake may hide another
    /// there, so that does not make it known.
    pub may_be_known: Option<String>,
}

/// Groups files by signature. `size` returns the size of a file's case.
pub fn groups(replayed: &[ReplayOutcome], regressions: &Regressions, size: &dyn Fn(usize) -> usize) -> Vec<Group> {
    let mut groups: BTreeMap<(Signature, Option<String>), Vec<usize>> = BTreeMap::new();
    for (file, replayed) in replayed.iter().enumerate() {
        let ReplayOutcome::Reproduces { shown, .. } = replayed else { continue };
        for finding in shown {
            let Finding { signature, excuse, .. } = finding;
            let known = excuse.as_ref().and_then(Excuse::in_words).or_else(|| regressions.reason_of(signature));
            groups.entry((signature.clone(), known)).or_default().push(file);
        }
    }
    let group = |((signature, known), mut files): (_, Vec<usize>)| {
        files.sort_by_cached_key(|file| (size(*file), *file));
        Group { signature, known, files }
    };
    groups.into_iter().map(group).collect()
}

/// Makes buckets of groups, each with its minimized case if it has one: groups whose cases show the same general signature
/// become one bucket. New buckets come first, then those with more files.
///
/// A group is known by what it shows itself. A small case of its likely cause may show another mistake, one that is known.
pub fn buckets(groups: Vec<(Group, Option<Minimized>)>, regressions: &Regressions) -> Vec<Bucket> {
    let mut buckets: BTreeMap<(GeneralSignature, Option<String>), Bucket> = BTreeMap::new();
    for (group, minimized) in groups {
        let reason = |small: &Small| {
            regressions.reason_of(&small.finding.signature).or_else(|| regressions.reason_of_case(&small.case))
        };
        let exact = minimized.as_ref().and_then(|minimized| minimized.exact.clone());
        let known = group.known.clone().or_else(|| reason(exact.as_ref()?));
        let may_be_known =
            minimized.as_ref().and_then(|minimized| reason(&minimized.small)).filter(|_| known.is_none());
        // The case of the likely cause is shown only where it stands for what is said of the group.
        let is_known_exactly = group.known.is_none() && known.is_some();
        let small = match may_be_known.is_some() || is_known_exactly {
            true => exact,
            false => minimized.map(|minimized| minimized.small),
        };
        let signature = small.as_ref().map_or(&group.signature, |small| &small.finding.signature).clone();
        let bucket = buckets.entry((signature.generalised(), known.clone())).or_insert_with(|| Bucket {
            signature,
            known,
            files: Vec::new(),
            signatures: BTreeMap::new(),
            small: None,
            may_be: Vec::new(),
            may_be_known: may_be_known.clone(),
        });
        bucket.may_be_known = bucket.may_be_known.take().filter(|_| may_be_known.is_some());
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
            self.signature = small.finding.signature.clone();
            self.small = Some(small);
        }
    }
}

/// Fills [`Bucket::may_be`]: buckets with the same small case and verdict class may be the same.
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

#[cfg(test)]
mod tests {
    use planfuzz_core::json::Json;

    use super::super::replay::Replay;
    use super::*;
    use crate::case::CaseFile;

    fn signature(kind: &str, place: &str, subjects: &str) -> Signature {
        format!("number_text {kind} {place} {subjects}").parse().expect("a signature")
    }

    fn finding(signature: &Signature) -> Finding {
        Finding::new("comparison", signature.clone(), String::new())
    }

    /// A small case that shows a signature.
    fn small(text: &str, signature: &Signature) -> Small {
        let json = format!(r#"{{"format": 1, "dialect": "terraform-1.11", "op": "number_text", "text": "{text}"}}"#);
        let case = CaseFile::from_json(&Json::parse(&json).expect("JSON")).expect("a case").case;
        Small { case, finding: finding(signature) }
    }

    /// A case that is as small for its cause as for its signature.
    fn minimized(text: &str, signature: &Signature) -> Option<Minimized> {
        let small = small(text, signature);
        Some(Minimized { exact: Some(small.clone()), small })
    }

    fn group(signature: &Signature, files: &[usize]) -> Group {
        Group { signature: signature.clone(), known: None, files: files.to_vec() }
    }

    #[test]
    fn findings_of_one_general_signature_are_one_bucket_with_the_smallest_case() {
        let (list, set) =
            (signature("diverge:keys", "nested_list", "a/b"), signature("diverge:length", "nested_set[]", "a/b"));
        let other = signature("diverge:keys", "attribute", "a/b");
        let groups = vec![
            (group(&other, &[7]), minimized("7", &other)),
            (group(&list, &[1, 2]), minimized("123", &list)),
            (group(&set, &[3]), minimized("1", &set)),
        ];
        let buckets = buckets(groups, &Regressions::default());
        let files: Vec<&[usize]> = buckets.iter().map(|bucket| &bucket.files[..]).collect();
        assert_eq!(files, [&[1, 2, 3][..], &[7]]);
        assert_eq!(buckets[0].signature, set);
        assert_eq!(buckets[0].signatures, BTreeMap::from([(list, 2), (set, 1)]));
        assert!(buckets.iter().all(|bucket| bucket.may_be.is_empty()));
    }

    #[test]
    fn buckets_of_one_and_the_same_case_may_be_the_same() {
        let (one, two) = (signature("diverge:keys", "root", "a/b"), signature("diverge:keys", "root", "a/c"));
        let crash = signature("crash:x.rs:1", "root", "c");
        let groups = [&one, &two, &crash].map(|of| (group(of, &[0]), minimized("1", of)));
        let buckets = buckets(groups.into(), &Regressions::default());
        let may_be = |of: &Signature| {
            let number = buckets.iter().position(|bucket| bucket.signature == *of).expect("there");
            (number + 1, buckets[number].may_be.clone())
        };
        assert_eq!((may_be(&one).1, may_be(&two).1), (vec![may_be(&two).0], vec![may_be(&one).0]));
        assert!(may_be(&crash).1.is_empty(), "another class");
    }

    #[test]
    fn findings_and_questions_of_regression_cases_are_known_and_come_last() {
        let (shown, asked, new) = (
            signature("diverge:keys", "root", "a/b"),
            signature("diverge:keys", "block_set", "a/b"),
            signature("diverge:keys", "attribute", "a/b"),
        );
        let mut regressions = Regressions::default();
        let replay = Replay { seen: vec![finding(&shown)], not_asked: None };
        regressions.add("kept.json", &small("1", &shown).case, &replay);
        regressions.add("held.json", &small("2", &shown).case, &Replay::default());
        let reproduces = |of: &Signature| ReplayOutcome::Reproduces { shown: vec![finding(of)], recorded: None };
        let replayed = [reproduces(&shown), reproduces(&shown), reproduces(&asked), reproduces(&new)];
        let groups = groups(&replayed, &regressions, &|file| 10 - file);
        let of = |wanted: &Signature| groups.iter().find(|group| group.signature == *wanted).expect("a group").clone();
        assert_eq!(of(&shown).known.as_deref(), Some("kept.json shows it too"));
        assert_eq!(of(&shown).files, [1, 0], "the smallest first");
        let small = vec![(of(&shown), None), (of(&asked), minimized("2", &asked)), (of(&new), minimized("3", &new))];
        let buckets = buckets(small, &regressions);
        let known: Vec<Option<&str>> = buckets.iter().map(|bucket| bucket.known.as_deref()).collect();
        assert_eq!(known, [None, Some("kept.json shows it too"), Some("it comes down to held.json")]);
    }

    #[test]
    fn a_finding_that_comes_down_to_a_known_one_is_new() {
        let (known, new) = (signature("diverge:keys", "root", "a/b"), signature("diverge:keys", "attribute", "a/b"));
        let mut regressions = Regressions::default();
        let replay = Replay { seen: vec![finding(&known)], not_asked: None };
        regressions.add("kept.json", &small("1", &known).case, &replay);
        let slid = Minimized { exact: Some(small("22", &new)), small: small("1", &known) };
        let buckets = buckets(vec![(group(&new, &[0]), Some(slid))], &regressions);
        let [bucket] = &buckets[..] else { panic!("{buckets:?}") };
        assert_eq!((&bucket.signature, &bucket.known), (&new, &None));
        assert_eq!(bucket.small.as_ref().map(|small| &small.finding.signature), Some(&new));
        assert_eq!(bucket.may_be_known.as_deref(), Some("kept.json shows it too"));
    }
}
