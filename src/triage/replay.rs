//! Replays: whether a case shows the same thing every time.

use std::collections::{BTreeMap, BTreeSet};

use crate::case::Case;
use crate::compare::{Finding, Signature, Summary};
use crate::panel::{Asked, Extent, Panels};
use crate::subject::{LeftOut, Outcome};

/// How often each case is given to fresh subjects.
pub const ROUNDS: usize = 3;

/// What one replay of a case shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// The findings, one for each signature, known ones included.
    pub seen: Vec<Finding>,
    /// The subject that was not asked, and why, where what the file records cannot be seen without its answer.
    pub not_asked: Option<String>,
}

impl Replay {
    /// Gives a case to the subjects; `recorded` is the signature that its file records. Properties ask planners about other cases made from
    /// this one, so they are checked only if the answers to this one show nothing new, or not the recorded signature.
    ///
    /// # Errors
    /// Subjects that do not start, or can no longer answer.
    pub fn of(panels: &mut Panels, case: &Case, recorded: Option<&str>) -> Result<Replay, String> {
        let mut summary = Summary::default();
        let Asked { findings, excused, outcomes } = panels.ask(case, None, Extent::Answers, &mut summary)?;
        let mut replay = Replay::default();
        let is_known = |finding: &Finding| finding.excuse.as_ref().is_some_and(|excuse| excuse.in_words().is_some());
        findings.into_iter().chain(excused.into_iter().filter(is_known)).for_each(|finding| replay.add(finding));
        let about = recorded.and_then(|recorded| recorded.parse().ok());
        replay.not_asked = match about.as_ref() {
            Some(about) => unanswered(about, case, &outcomes),
            None => summary.why_not_compared(outcomes.len()).filter(|_| replay.seen.is_empty()),
        };
        let is_enough = match recorded {
            Some(recorded) => replay.seen.iter().any(|finding| finding.signature.to_string() == recorded),
            None => replay.seen.iter().any(|finding| finding.excuse.is_none()),
        };
        if !is_enough {
            let of_properties = panels.properties(case, &mut Summary::default())?;
            of_properties.into_iter().for_each(|finding| replay.add(finding));
        }
        Ok(replay)
    }

    fn add(&mut self, finding: Finding) {
        if !self.seen.iter().any(|other| other.signature == finding.signature) {
            self.seen.push(finding);
        }
    }
}

/// The subject whose answer a signature needs to be seen and that gave none, and why.
fn unanswered(about: &Signature, case: &Case, outcomes: &[(String, Vec<Outcome>)]) -> Option<String> {
    let Some(at) = case.ops().iter().position(|op| *op == about.op) else {
        return Some(format!("the case has no {}", about.op));
    };
    // Subjects that the operation is not for, as planners for calls of shared code, say nothing.
    let is_its_own = |of: &[Outcome]| !matches!(of.get(at), Some(Outcome::LeftOut(LeftOut::NotAsked)) | None);
    let outcomes: Vec<&(String, Vec<Outcome>)> = outcomes.iter().filter(|(_, of)| is_its_own(of)).collect();
    let Some((first, _)) = outcomes.first() else { return Some(format!("no subject is asked {}", about.op)) };
    // A program that was mended may have another name.
    let is_there = |name: &String| name != first && about.is_about(name, first);
    let has_blamed = about.blamed(first) == first || outcomes.iter().any(|(name, _)| is_there(name));
    let mut needed = outcomes.iter().filter(|(name, _)| !has_blamed || about.is_about(name, first));
    needed.find_map(|(name, of)| Some(format!("{name}: {}", of.get(at)?.why_unanswered()?)))
}

/// The outcome of the replays of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayOutcome {
    /// Every replay showed the same.
    Reproduces {
        /// The findings to count: one for each operation and subject to blame.
        shown: Vec<Finding>,
        /// The signature that the file records, where no replay showed it.
        recorded: Option<String>,
    },
    /// The replays differ.
    Flaky {
        /// The signature that the file records.
        recorded: Option<String>,
        /// How many of the replays showed each signature.
        seen: BTreeMap<Signature, usize>,
    },
    /// No replay showed anything.
    Gone {
        /// The signature that the file records.
        recorded: Option<String>,
    },
    /// Signatures that show with the sensitive values of the file but not with placeholders.
    Redacted(Vec<Signature>),
    /// A replay took longer than the limit.
    RanOver,
    /// A replay took more memory than the limit.
    OverMemory,
    /// A replay ended its process; in words.
    Dies(String),
    /// It was not replayed in every round: the user interrupted.
    NotBegun,
    /// Some subject was not asked, so there is no verdict.
    NotAsked(String),
}

impl ReplayOutcome {
    /// The outcome of the replays of a case; `recorded` is the signature that its file records, `first` the name of the first subject.
    pub fn of(recorded: Option<&str>, rounds: &[Replay], first: &str) -> ReplayOutcome {
        let seen = count(rounds);
        let all = |count: Option<&usize>| count.copied().unwrap_or_default() == rounds.len();
        let recorded_text = || recorded.map(str::to_owned);
        let findings = || rounds.iter().flat_map(|round| &round.seen);
        if let Some(named) =
            findings().find(|finding| recorded.is_some_and(|recorded| finding.signature.to_string() == recorded))
        {
            let cause = findings().find(|finding| named.signature.follows_from(&finding.signature, first));
            let shown = cause.filter(|cause| all(seen.get(&cause.signature))).unwrap_or(named);
            return match all(seen.get(&named.signature)) {
                true => ReplayOutcome::Reproduces { shown: vec![shown.clone()], recorded: None },
                false => ReplayOutcome::Flaky { recorded: recorded_text(), seen },
            };
        }
        if seen.is_empty() {
            let reason = rounds.iter().find_map(|round| round.not_asked.clone());
            return reason.map_or_else(|| ReplayOutcome::Gone { recorded: recorded_text() }, ReplayOutcome::NotAsked);
        }
        match rounds.first() {
            Some(round) if seen.values().all(|count| *count == rounds.len()) => {
                ReplayOutcome::Reproduces { shown: chosen(&round.seen, first), recorded: recorded_text() }
            }
            _ => ReplayOutcome::Flaky { recorded: recorded_text(), seen },
        }
    }

    /// Whether the file may show something new though it is in no bucket.
    pub fn is_open(&self) -> bool {
        match self {
            ReplayOutcome::RanOver
            | ReplayOutcome::OverMemory
            | ReplayOutcome::Dies(_)
            | ReplayOutcome::NotBegun
            | ReplayOutcome::Flaky { .. }
            | ReplayOutcome::Redacted(_) => true,
            ReplayOutcome::Reproduces { .. } | ReplayOutcome::Gone { .. } | ReplayOutcome::NotAsked(_) => false,
        }
    }

    /// The same outcome if it shows everything that shows with the sensitive values; otherwise [`ReplayOutcome::Redacted`].
    #[must_use]
    pub fn unless_redacted(self, with_secrets: &Replay, first: &str) -> ReplayOutcome {
        if self == ReplayOutcome::NotBegun {
            return self;
        }
        let wanted = chosen(&with_secrets.seen, first).into_iter().map(|finding| finding.signature);
        let is_shown = |signature: &Signature| match &self {
            ReplayOutcome::Reproduces { shown, .. } => shown.iter().any(|finding| finding.signature == *signature),
            _ => false,
        };
        let hidden: Vec<Signature> = wanted.filter(|signature| !is_shown(signature)).collect();
        if hidden.is_empty() { self } else { ReplayOutcome::Redacted(hidden) }
    }
}

/// How many rounds showed each signature.
fn count(rounds: &[Replay]) -> BTreeMap<Signature, usize> {
    let mut counts = BTreeMap::new();
    for round in rounds {
        let signatures: BTreeSet<&Signature> = round.seen.iter().map(|finding| &finding.signature).collect();
        for signature in signatures {
            *counts.entry(signature.clone()).or_insert(0) += 1;
        }
    }
    counts
}

/// One finding for each operation and each subject to blame, the most informative one, without those that follow from others. Known
/// findings count only if there are no others.
fn chosen(seen: &[Finding], first: &str) -> Vec<Finding> {
    let follows = |finding: &Finding| seen.iter().any(|cause| finding.signature.follows_from(&cause.signature, first));
    let causes: Vec<&Finding> = seen.iter().filter(|finding| !follows(finding)).collect();
    let is_any_new = causes.iter().any(|finding| finding.excuse.is_none());
    let mut best: Vec<&Finding> = Vec::new();
    for finding in causes.into_iter().filter(|finding| !is_any_new || finding.excuse.is_none()) {
        let same = |other: &&Finding| {
            other.signature.op == finding.signature.op
                && other.signature.blamed(first) == finding.signature.blamed(first)
        };
        match best.iter().position(same) {
            None => best.push(finding),
            Some(at) if finding.signature.class() < best[at].signature.class() => best[at] = finding,
            Some(_) => {}
        }
    }
    best.into_iter().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Excuse;

    fn signature(kind: &str, subjects: &str) -> Signature {
        format!("proposed_new {kind} root {subjects}").parse().expect("a signature")
    }

    fn finding((kind, subjects): &(&str, &str)) -> Finding {
        Finding::new("comparison", signature(kind, subjects), String::new())
    }

    fn known(of: &(&str, &str)) -> Finding {
        Finding { excuse: Some(Excuse::Allowed { reason: "a reason".to_owned() }), ..finding(of) }
    }

    fn round(seen: &[(&str, &str)]) -> Replay {
        Replay { seen: seen.iter().map(finding).collect(), not_asked: None }
    }

    fn kinds(replayed: &ReplayOutcome) -> Vec<String> {
        match replayed {
            ReplayOutcome::Reproduces { shown, .. } => {
                shown.iter().map(|finding| finding.signature.kind.to_string()).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    const DIVERGE: (&str, &str) = ("diverge:keys", "a/b");
    const RULE: (&str, &str) = ("rule_broken:M10", "b");
    const CRASH: (&str, &str) = ("crash:x.rs:1", "c");

    #[test]
    fn a_file_counts_once_for_each_subject_to_blame() {
        let rounds = vec![round(&[RULE, DIVERGE, CRASH]); ROUNDS];
        assert_eq!(kinds(&ReplayOutcome::of(None, &rounds, "a")), ["diverge:keys", "crash:x.rs:1"]);
    }

    #[test]
    fn a_file_counts_for_what_it_was_kept_for() {
        let rounds = vec![round(&[RULE, DIVERGE, CRASH]); ROUNDS];
        let recorded = signature(CRASH.0, CRASH.1).to_string();
        assert_eq!(kinds(&ReplayOutcome::of(Some(&recorded), &rounds, "a")), ["crash:x.rs:1"]);
        // Where answers differ, one of the subjects breaks the rule.
        let recorded = signature(RULE.0, RULE.1).to_string();
        assert_eq!(kinds(&ReplayOutcome::of(Some(&recorded), &rounds, "a")), ["diverge:keys"]);
        let rounds = vec![round(&[RULE, CRASH]); ROUNDS];
        assert_eq!(kinds(&ReplayOutcome::of(Some(&recorded), &rounds, "a")), ["rule_broken:M10"]);
    }

    #[test]
    fn findings_of_every_replay_count_even_if_the_file_records_another() {
        let replayed = ReplayOutcome::of(Some("old"), &vec![round(&[CRASH]); ROUNDS], "a");
        assert_eq!(kinds(&replayed), ["crash:x.rs:1"]);
        assert!(matches!(replayed, ReplayOutcome::Reproduces { recorded: Some(recorded), .. } if recorded == "old"));
    }

    #[test]
    fn replays_that_differ_are_flaky_and_counted() {
        let rounds = [round(&[DIVERGE, CRASH]), round(&[CRASH]), round(&[])];
        let counts = BTreeMap::from([(signature(DIVERGE.0, DIVERGE.1), 1), (signature(CRASH.0, CRASH.1), 2)]);
        assert_eq!(ReplayOutcome::of(None, &rounds, "a"), ReplayOutcome::Flaky { recorded: None, seen: counts });
        let recorded = signature(CRASH.0, CRASH.1).to_string();
        assert!(matches!(
            ReplayOutcome::of(Some(&recorded), &rounds, "a"),
            ReplayOutcome::Flaky { recorded: Some(_), .. }
        ));
    }

    #[test]
    fn a_finding_that_no_replay_shows_is_gone_unless_a_subject_was_not_asked() {
        assert_eq!(ReplayOutcome::of(None, &vec![round(&[]); ROUNDS], "a"), ReplayOutcome::Gone { recorded: None });
        let unasked = Replay { seen: Vec::new(), not_asked: Some("b: other dialect".to_owned()) };
        let replayed = ReplayOutcome::of(None, &vec![unasked; ROUNDS], "a");
        assert_eq!(replayed, ReplayOutcome::NotAsked("b: other dialect".to_owned()));
    }

    #[test]
    fn what_is_recorded_is_gone_only_if_the_answers_that_show_it_are_there() {
        let text = r#"{"format": 1, "dialect": "terraform-1.11", "op": "number_text", "text": "1"}"#;
        let case = crate::case::CaseFile::from_json(&planfuzz_core::json::Json::parse(text).expect("JSON"));
        let case = case.expect("a case").case;
        let answered = |name: &str| (name.to_owned(), vec![Outcome::Refused(String::new())]);
        let left_out = |name: &str| (name.to_owned(), vec![Outcome::LeftOut(LeftOut::UnknownOp)]);
        let about = |text: &str| text.parse::<Signature>().expect("a signature");
        let of = |signature: &str, outcomes: &[_]| unanswered(&about(signature), &case, outcomes);
        let recorded = "number_text diverge:keys root a/b";
        assert_eq!(of(recorded, &[answered("a"), answered("b"), left_out("c")]), None);
        assert!(of(recorded, &[answered("a"), left_out("b")]).expect("b").starts_with("b: "));
        assert_eq!(of(recorded, &[answered("a"), answered("renamed")]), None);
        assert!(of(recorded, &[answered("a"), left_out("renamed")]).is_some());
        assert_eq!(of("number_text rule_broken:M10 root a", &[answered("a")]), None);
        let shared = "number_text diverge:keys root b/c";
        let not_asked = ("a".to_owned(), vec![Outcome::LeftOut(LeftOut::NotAsked)]);
        assert_eq!(of(shared, &[not_asked.clone(), answered("b"), answered("c")]), None);
        assert!(of(shared, &[not_asked, answered("b"), left_out("c")]).expect("c").starts_with("c: "));
        assert!(of("proposed_new diverge:keys root a/b", &[answered("a"), answered("b")]).is_some());
    }

    #[test]
    fn consequences_of_a_known_difference_are_not_new() {
        let mut rounds = vec![round(&[RULE]); ROUNDS];
        rounds.iter_mut().for_each(|round| round.seen.push(known(&DIVERGE)));
        assert_eq!(kinds(&ReplayOutcome::of(None, &rounds, "a")), ["diverge:keys"]);
    }

    #[test]
    fn known_findings_count_if_there_are_no_others() {
        let mut rounds = vec![round(&[]); ROUNDS];
        rounds.iter_mut().for_each(|round| round.seen.push(known(&DIVERGE)));
        assert_eq!(kinds(&ReplayOutcome::of(None, &rounds, "a")), ["diverge:keys"]);
        let new = finding(&CRASH);
        rounds.iter_mut().for_each(|round| round.seen.push(new.clone()));
        assert_eq!(kinds(&ReplayOutcome::of(None, &rounds, "a")), ["crash:x.rs:1"]);
    }
}
