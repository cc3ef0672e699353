//! Replays: whether a case shows the same thing every time.

use std::collections::{BTreeMap, BTreeSet};

use super::sight::{Sight, Sights};
use crate::compare::Signature;

/// How often each case is put to fresh subjects.
pub const ROUNDS: usize = 3;

/// What the replays of a case came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// Every replay showed the same.
    Reproduces {
        /// What is to be counted: one finding for each operation and subject to blame.
        shown: Vec<Sight>,
        /// The signature that the file says was found, where no replay showed that one.
        said: Option<String>,
    },
    /// The replays differ.
    Flaky {
        /// The signature that the file says was found.
        said: Option<String>,
        /// How many of the replays showed each signature.
        seen: BTreeMap<Signature, usize>,
    },
    /// No replay showed anything.
    Gone {
        /// The signature that the file says was found.
        said: Option<String>,
    },
    /// What shows with the sensitive values of the file does not with what stands in their place.
    Redacted(Vec<Signature>),
    /// A replay took longer than one may.
    RanOver,
    /// A replay took more memory than one may.
    OverMemory,
    /// A replay ended the process that it was in, in words.
    Dies(String),
    /// It was not replayed so often, as the user wanted an end.
    NotBegun,
    /// Some subject was not asked, so that nothing can be said.
    NotAsked(String),
}

impl Replayed {
    /// What comes of the replays of a case, of which the file says that a signature was found in it. `first` is the name of the
    /// first subject.
    pub fn of(said: Option<&str>, rounds: &[Sights], first: &str) -> Replayed {
        let seen = count(rounds);
        let all = |count: Option<&usize>| count.copied().unwrap_or_default() == rounds.len();
        let said_of = || said.map(str::to_owned);
        let sights = || rounds.iter().flat_map(|round| &round.seen);
        if let Some(named) = sights().find(|sight| said.is_some_and(|said| sight.signature.to_string() == said)) {
            let cause = sights().find(|sight| named.signature.follows_from(&sight.signature, first));
            let shown = cause.filter(|cause| all(seen.get(&cause.signature))).unwrap_or(named);
            return match all(seen.get(&named.signature)) {
                true => Replayed::Reproduces { shown: vec![shown.clone()], said: None },
                false => Replayed::Flaky { said: said_of(), seen },
            };
        }
        if seen.is_empty() {
            let reason = rounds.iter().find_map(|round| round.not_asked.clone());
            return reason.map_or_else(|| Replayed::Gone { said: said_of() }, Replayed::NotAsked);
        }
        match rounds.first() {
            Some(round) if seen.values().all(|count| *count == rounds.len()) => {
                Replayed::Reproduces { shown: chosen(&round.seen, first), said: said_of() }
            }
            _ => Replayed::Flaky { said: said_of(), seen },
        }
    }

    /// Whether it may be new though it is in no bucket.
    pub fn is_open(&self) -> bool {
        match self {
            Replayed::RanOver
            | Replayed::OverMemory
            | Replayed::Dies(_)
            | Replayed::NotBegun
            | Replayed::Redacted(_) => true,
            Replayed::Reproduces { .. } | Replayed::Flaky { .. } | Replayed::Gone { .. } | Replayed::NotAsked(_) => {
                false
            }
        }
    }

    /// The same where everything shows that shows with the sensitive values; else what is hidden.
    #[must_use]
    pub fn unless_redacted(self, with_secrets: &Sights, first: &str) -> Replayed {
        if self == Replayed::NotBegun {
            return self;
        }
        let wanted = chosen(&with_secrets.seen, first).into_iter().map(|sight| sight.signature);
        let is_shown = |signature: &Signature| match &self {
            Replayed::Reproduces { shown, .. } => shown.iter().any(|sight| sight.signature == *signature),
            _ => false,
        };
        let hidden: Vec<Signature> = wanted.filter(|signature| !is_shown(signature)).collect();
        if hidden.is_empty() { self } else { Replayed::Redacted(hidden) }
    }
}

/// How many rounds showed each signature.
fn count(rounds: &[Sights]) -> BTreeMap<Signature, usize> {
    let mut counts = BTreeMap::new();
    for round in rounds {
        let signatures: BTreeSet<&Signature> = round.seen.iter().map(|sight| &sight.signature).collect();
        for signature in signatures {
            *counts.entry(signature.clone()).or_insert(0) += 1;
        }
    }
    counts
}

/// One finding for each operation and each subject to blame, the one that says most, without what follows from others. What is known
/// counts where there is nothing else.
fn chosen(seen: &[Sight], first: &str) -> Vec<Sight> {
    let follows = |sight: &Sight| seen.iter().any(|cause| sight.signature.follows_from(&cause.signature, first));
    let told: Vec<&Sight> = seen.iter().filter(|sight| !follows(sight)).collect();
    let is_any_new = told.iter().any(|sight| sight.known.is_none());
    let mut best: Vec<&Sight> = Vec::new();
    for sight in told.into_iter().filter(|sight| !is_any_new || sight.known.is_none()) {
        let same = |other: &&Sight| {
            other.signature.op == sight.signature.op && other.signature.blamed(first) == sight.signature.blamed(first)
        };
        match best.iter().position(same) {
            None => best.push(sight),
            Some(at) if sight.signature.class() < best[at].signature.class() => best[at] = sight,
            Some(_) => {}
        }
    }
    best.into_iter().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Op;

    fn signature(kind: &str, subjects: &str) -> Signature {
        let (kind, subjects) = (kind.to_owned(), subjects.to_owned());
        Signature { op: Op::ProposedNew, kind, place: "root".to_owned(), subjects }
    }

    fn round(seen: &[(&str, &str)]) -> Sights {
        let sight = |(kind, subjects): &(&str, &str)| Sight { signature: signature(kind, subjects), known: None };
        Sights { seen: seen.iter().map(sight).collect(), not_asked: None }
    }

    fn kinds(replayed: &Replayed) -> Vec<&str> {
        match replayed {
            Replayed::Reproduces { shown, .. } => shown.iter().map(|sight| sight.signature.kind.as_str()).collect(),
            other => panic!("{other:?}"),
        }
    }

    const DIVERGE: (&str, &str) = ("diverge:keys", "a/b");
    const RULE: (&str, &str) = ("rule_broken:M10", "b");
    const CRASH: (&str, &str) = ("crash:x.rs:1", "c");

    #[test]
    fn a_file_counts_once_for_each_subject_to_blame() {
        let rounds = vec![round(&[RULE, DIVERGE, CRASH]); ROUNDS];
        assert_eq!(kinds(&Replayed::of(None, &rounds, "a")), ["diverge:keys", "crash:x.rs:1"]);
    }

    #[test]
    fn a_file_counts_for_what_it_was_kept_for() {
        let rounds = vec![round(&[RULE, DIVERGE, CRASH]); ROUNDS];
        let said = signature(CRASH.0, CRASH.1).to_string();
        assert_eq!(kinds(&Replayed::of(Some(&said), &rounds, "a")), ["crash:x.rs:1"]);
        // A rule that is broken where answers differ is broken by one of them.
        let said = signature(RULE.0, RULE.1).to_string();
        assert_eq!(kinds(&Replayed::of(Some(&said), &rounds, "a")), ["diverge:keys"]);
        let rounds = vec![round(&[RULE, CRASH]); ROUNDS];
        assert_eq!(kinds(&Replayed::of(Some(&said), &rounds, "a")), ["rule_broken:M10"]);
    }

    #[test]
    fn what_every_replay_shows_counts_even_where_the_file_says_something_else() {
        let replayed = Replayed::of(Some("old"), &vec![round(&[CRASH]); ROUNDS], "a");
        assert_eq!(kinds(&replayed), ["crash:x.rs:1"]);
        assert!(matches!(replayed, Replayed::Reproduces { said: Some(said), .. } if said == "old"));
    }

    #[test]
    fn replays_that_differ_are_flaky_and_counted() {
        let rounds = [round(&[DIVERGE, CRASH]), round(&[CRASH]), round(&[])];
        let counts = BTreeMap::from([(signature(DIVERGE.0, DIVERGE.1), 1), (signature(CRASH.0, CRASH.1), 2)]);
        assert_eq!(Replayed::of(None, &rounds, "a"), Replayed::Flaky { said: None, seen: counts });
        let said = signature(CRASH.0, CRASH.1).to_string();
        assert!(matches!(Replayed::of(Some(&said), &rounds, "a"), Replayed::Flaky { said: Some(_), .. }));
    }

    #[test]
    fn what_no_replay_shows_is_gone_unless_nobody_was_asked() {
        assert_eq!(Replayed::of(None, &vec![round(&[]); ROUNDS], "a"), Replayed::Gone { said: None });
        let unasked = Sights { seen: Vec::new(), not_asked: Some("b: other dialect".to_owned()) };
        let replayed = Replayed::of(None, &vec![unasked; ROUNDS], "a");
        assert_eq!(replayed, Replayed::NotAsked("b: other dialect".to_owned()));
    }

    #[test]
    fn what_follows_from_a_known_difference_is_not_new() {
        let mut rounds = vec![round(&[RULE]); ROUNDS];
        let known = Sight { signature: signature(DIVERGE.0, DIVERGE.1), known: Some("a reason".to_owned()) };
        rounds.iter_mut().for_each(|round| round.seen.push(known.clone()));
        assert_eq!(kinds(&Replayed::of(None, &rounds, "a")), ["diverge:keys"]);
    }

    #[test]
    fn what_is_known_counts_where_there_is_nothing_else() {
        let known = |signature| Sight { signature, known: Some("a reason".to_owned()) };
        let mut rounds = vec![round(&[]); ROUNDS];
        rounds.iter_mut().for_each(|round| round.seen.push(known(signature(DIVERGE.0, DIVERGE.1))));
        assert_eq!(kinds(&Replayed::of(None, &rounds, "a")), ["diverge:keys"]);
        let new = Sight { signature: signature(CRASH.0, CRASH.1), known: None };
        rounds.iter_mut().for_each(|round| round.seen.push(new.clone()));
        assert_eq!(kinds(&Replayed::of(None, &rounds, "a")), ["crash:x.rs:1"]);
    }
}
