//! One worker of a campaign.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use super::{Campaign, FoundCase, Reader, Shared};
use crate::case::Case;
use crate::compare::{Finding, Signature, Sitting, Summary};
use crate::mixing::mixed;
use crate::panel::{Batch, Panel};
use crate::subject::{Effort, Subject};

/// Cases that a worker takes at a time, unless a subject prefers more: enough for a window of requests in flight to a subject behind a pipe.
const CHUNK: u64 = 64;

/// Of the scenarios that are due, one in so many is checked against the properties, because each property plays a scenario once or twice.
const SCENARIO_EVERY: u64 = 15;

/// Whether the properties of the case with this number are checked: the number of the turn, which chooses the planner. What a case is made of
/// (its dialect, its kind, the actions of a pair) follows from its number too, so cases are drawn by a hash of it: every sixteenth would always
/// be of the same dialect. Case 0 is always checked, with the first planner.
fn turn_of(number: u64, every: u64, is_scenario: bool) -> Option<usize> {
    let hash = mixed(number);
    let every = if is_scenario { every * SCENARIO_EVERY } else { every };
    hash.is_multiple_of(every).then_some((hash / every) as usize)
}

/// Findings of one signature that a worker sends; further ones are only counted.
const SENT_OF_A_SIGNATURE: u64 = 1;

/// How the workers spent their time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Phases {
    /// Making cases.
    pub generating: Duration,
    /// Waiting for the subjects' answers.
    pub planning: Duration,
    /// Comparing answers and checking rules.
    pub comparing: Duration,
    /// Checking the metamorphic properties.
    pub properties: Duration,
}

impl Phases {
    /// Adds the time of another worker.
    pub fn add(&mut self, other: &Phases) {
        let Phases { generating, planning, comparing, properties } = other;
        self.generating += *generating;
        self.planning += *planning;
        self.comparing += *comparing;
        self.properties += *properties;
    }

    /// The sum of all phases.
    pub fn total(&self) -> Duration {
        let Phases { generating, planning, comparing, properties } = self;
        *generating + *planning + *comparing + *properties
    }
}

/// What one worker did.
#[derive(Default)]
pub(super) struct Done {
    pub(super) summary: Summary,
    pub(super) phases: Phases,
    /// Findings that were counted and not sent.
    pub(super) repeated: HashMap<Signature, u64>,
    /// What other processes did for each subject, by the subject's name.
    pub(super) efforts: BTreeMap<String, Effort>,
    /// The subject that could not answer at all, and why.
    pub(super) trouble: Option<(String, String)>,
}

pub(super) fn run(
    campaign: &Campaign<'_>,
    shared: &Shared<'_>,
    panel: Panel,
    sender: &Sender<(FoundCase, Finding)>,
) -> Done {
    let cases = campaign.source.open();
    let chunk = panel.subjects().iter().map(|subject| subject.batch_size()).fold(CHUNK, u64::max);
    let mut worker = Worker { campaign, cases, panel, sender, done: Done::default(), sent: HashMap::new() };
    while !shared.is_over() {
        let from = shared.next.fetch_add(chunk, Ordering::Relaxed);
        if from >= shared.end {
            break;
        }
        let taken = worker.chunk(from, chunk.min(shared.end - from));
        shared.done.fetch_add(taken, Ordering::Relaxed);
        if worker.done.trouble.is_some() {
            shared.stop.store(true, Ordering::Relaxed);
        }
        if taken == 0 {
            break;
        }
    }
    for subject in worker.panel.subjects() {
        worker.done.efforts.entry(subject.name().to_owned()).or_default().add(subject.effort());
    }
    worker.done
}

struct Worker<'a> {
    campaign: &'a Campaign<'a>,
    cases: Box<dyn Reader + 'a>,
    panel: Panel,
    sender: &'a Sender<(FoundCase, Finding)>,
    done: Done,
    sent: HashMap<Signature, u64>,
}

impl Worker<'_> {
    /// Runs one chunk of cases. Returns how many there were.
    fn chunk(&mut self, from: u64, count: u64) -> u64 {
        let start = Instant::now();
        let cases = self.cases.cases(from, count);
        let generated = Instant::now();
        let batch = self.panel.answer(&cases);
        let planned = Instant::now();
        // A subject with a problem did not answer these cases, so they are not judged.
        self.done.trouble = self.panel.trouble();
        if self.done.trouble.is_some() {
            return 0;
        }
        let mut index = 0;
        let judge = self.panel.judge().clone();
        for alike in cases.chunk_by(Case::is_judged_like) {
            let sitting = judge.sit(&alike[0]);
            for case in alike {
                self.judge(&sitting, from + index as u64, case, (&batch, index));
                index += 1;
            }
        }
        let compared = Instant::now();
        self.properties(from, &cases);
        self.done.phases.add(&Phases {
            generating: generated - start,
            planning: planned - generated,
            comparing: compared - planned,
            properties: compared.elapsed(),
        });
        cases.len() as u64
    }

    fn judge(&mut self, sitting: &Sitting<'_>, number: u64, case: &Case, answers: (&Batch, usize)) {
        let judged = self.panel.judge_answers(sitting, case, answers, &mut self.done.summary);
        for mut finding in judged.findings {
            if self.is_sent(&finding.signature) {
                self.panel.add_answers(&mut finding, case, answers);
            }
            self.send(number, case, finding);
        }
    }

    /// Whether a finding of a signature is sent to the observer.
    fn is_sent(&self, signature: &Signature) -> bool {
        self.sent.get(signature).is_none_or(|sent| *sent < SENT_OF_A_SIGNATURE)
    }

    /// Checks the properties on one case in so many. The subjects that are planners of this process take turns.
    ///
    /// A property that holds for one planner holds for another with the same answers, and every case compares the answers.
    fn properties(&mut self, from: u64, cases: &[Case]) {
        let every = self.campaign.properties_every;
        if every == 0 {
            return;
        }
        let has_planner = |subject: &&dyn Subject| subject.planner().is_some() || subject.workspaces().is_some();
        let planners: Vec<&dyn Subject> =
            self.panel.subjects().iter().map(|subject| &**subject).filter(has_planner).collect();
        let mut findings = Vec::new();
        for (case, number) in cases.iter().zip(from..) {
            let Some(turn) = turn_of(number, every, case.scenario().is_some()) else { continue };
            let Some(subject) = planners.get(turn % planners.len().max(1)) else { continue };
            let is_asked = |op| subject.can(op, case.dialect);
            let judge = self.panel.judge();
            let found = judge.properties_of(case, *subject, is_asked, &mut self.done.summary);
            findings.extend(found.into_iter().map(|finding| (number, case, finding)));
        }
        findings.into_iter().for_each(|(number, case, finding)| self.send(number, case, finding));
    }

    fn send(&mut self, number: u64, case: &Case, finding: Finding) {
        if self.is_sent(&finding.signature) {
            *self.sent.entry(finding.signature.clone()).or_insert(0) += 1;
            let at = FoundCase { number, case: case.clone() };
            self.sender.send((at, finding)).expect("the receiver outlives the workers");
        } else {
            *self.done.repeated.entry(finding.signature).or_insert(0) += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn cases_of_every_residue_are_checked_with_every_planner() {
        for modulus in [2, 3, 4, 8, 50] {
            let drawn: BTreeSet<(u64, usize)> =
                (0..20_000).filter_map(|number| Some((number % modulus, turn_of(number, 16, false)? % 2))).collect();
            assert_eq!(drawn.len() as u64, 2 * modulus, "residues modulo {modulus}");
        }
        assert_eq!(turn_of(0, 16, true), Some(0));
    }
}
