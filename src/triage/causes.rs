//! Likely causes: groups the buckets of a campaign that one mistake makes.
//!
//! One wrong line of a planner breaks rules, differs, and does so in many places. Its findings minimize to similar cases, so buckets
//! belong together if their smallest cases ask the same question, or show the same general signature. A smallest case contains little
//! but one mistake, so everything else it shows is likely of that mistake too.

use std::collections::BTreeMap;

use super::regressions::question;
use crate::compare::Signature;
use crate::panel::Small;

/// A bucket of a campaign, with the minimized case of its first finding.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The bucket.
    pub signature: Signature,
    /// How many findings it has.
    pub count: u64,
    /// The case that the first one was minimized to, if it could be.
    pub small: Option<Small>,
    /// Everything that this case shows.
    pub shows: Vec<Signature>,
}

/// Buckets that one mistake likely made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The numbers of the buckets; the first one has the smallest case.
    pub buckets: Vec<usize>,
    /// How many findings they have.
    pub count: u64,
}

/// Puts buckets together by their likely cause: the largest group first.
pub fn causes(seen: &[Seen]) -> Vec<Cause> {
    let mut groups = Groups((0..seen.len()).collect());
    let mut first_with: BTreeMap<String, usize> = BTreeMap::new();
    for (number, bucket) in seen.iter().enumerate() {
        for key in keys(bucket) {
            let other = *first_with.entry(key).or_insert(number);
            groups.join(number, other);
        }
    }
    let mut causes: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for number in 0..seen.len() {
        causes.entry(groups.root(number)).or_default().push(number);
    }
    let size = |number: &usize| seen[*number].small.as_ref().map_or(usize::MAX, Small::size);
    let cause = |mut buckets: Vec<usize>| {
        buckets.sort_by_key(|number| (size(number), std::cmp::Reverse(seen[*number].count), *number));
        Cause { count: buckets.iter().map(|number| seen[*number].count).sum(), buckets }
    };
    let mut causes: Vec<Cause> = causes.into_values().map(cause).collect();
    causes.sort_by_key(|cause| std::cmp::Reverse((cause.count, cause.buckets.len())));
    causes
}

/// The keys of a bucket: buckets that share one have a likely cause in common.
fn keys(seen: &Seen) -> Vec<String> {
    let general = |signature: &Signature| signature.generalised().to_string();
    let mut keys = vec![general(&seen.signature)];
    keys.extend(seen.shows.iter().map(general));
    if let Some(small) = &seen.small {
        keys.push(general(&small.finding.signature));
        keys.push(question(&small.case).to_string());
    }
    keys
}

/// Numbers in groups: each points to another of its group; the representative of a group points to itself.
struct Groups(Vec<usize>);

impl Groups {
    fn root(&mut self, number: usize) -> usize {
        let mut root = number;
        while self.0[root] != root {
            self.0[root] = self.0[self.0[root]];
            root = self.0[root];
        }
        root
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other)] = one.min(other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(kind: &str, place: &str) -> Signature {
        format!("proposed_new {kind} {place} a/b").parse().expect("a signature")
    }

    fn seen(kind: &str, place: &str, count: u64, shows: &[(&str, &str)]) -> Seen {
        let shows = shows.iter().map(|(kind, place)| signature(kind, place)).collect();
        Seen { signature: signature(kind, place), count, small: None, shows }
    }

    #[test]
    fn findings_of_one_case_have_one_cause_and_the_largest_comes_first() {
        let all = [
            seen("diverge:keys", "attribute", 1, &[]),
            seen("diverge:length", "nested_set", 4, &[("rule_broken:M19", "nested_set")]),
            seen("rule_broken:M19", "nested_set", 3, &[]),
            seen("diverge:elements", "nested_list[]", 2, &[]),
        ];
        let causes = causes(&all);
        assert_eq!(causes.iter().map(|cause| cause.count).collect::<Vec<_>>(), [9, 1]);
        assert_eq!(causes[0].buckets, [1, 2, 3]);
        assert!(super::causes(&[]).is_empty());
    }
}
