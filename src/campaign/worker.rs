//! One worker of a campaign.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use super::{Campaign, Finding, Reader, Shared};
use crate::case::Case;
use crate::compare::{Answers, Found, Signature, Sitting, Summary};
use crate::subject::{Effort, Outcome, Subject};

/// Cases that a worker takes at a time, unless a subject likes more: enough that a subject at the end of a pipe has a window of requests in flight.
const CHUNK: u64 = 64;

/// Findings of one signature that a worker sends; more are only counted.
const SENT_OF_A_SIGNATURE: u64 = 1;

/// Where the time of the workers went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Phases {
    /// Making cases.
    pub generating: Duration,
    /// Subjects answering.
    pub planning: Duration,
    /// Comparing answers and holding rules against them.
    pub comparing: Duration,
    /// Putting cases to the metamorphic properties.
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

    /// All of it.
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
    /// What other processes did for each subject, by its name.
    pub(super) efforts: BTreeMap<String, Effort>,
    /// What kept a subject from answering anything at all, by its name.
    pub(super) trouble: Option<(String, String)>,
}

pub(super) fn run(
    campaign: &Campaign<'_>,
    shared: &Shared<'_>,
    subjects: Vec<Box<dyn Subject>>,
    sender: &Sender<Finding>,
) -> Done {
    let cases = campaign.source.open();
    let chunk = subjects.iter().map(|subject| subject.appetite()).fold(CHUNK, u64::max);
    let mut worker = Worker { campaign, cases, subjects, sender, done: Done::default(), sent: HashMap::new() };
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
    for subject in &worker.subjects {
        worker.done.efforts.entry(subject.name().to_owned()).or_default().add(subject.effort());
    }
    worker.done
}

struct Worker<'a> {
    campaign: &'a Campaign<'a>,
    cases: Box<dyn Reader + 'a>,
    subjects: Vec<Box<dyn Subject>>,
    sender: &'a Sender<Finding>,
    done: Done,
    sent: HashMap<Signature, u64>,
}

impl Worker<'_> {
    /// Runs one chunk of cases; gives how many there were.
    fn chunk(&mut self, from: u64, count: u64) -> u64 {
        let start = Instant::now();
        let cases = self.cases.cases(from, count);
        let generated = Instant::now();
        let answers: Vec<Vec<Vec<Outcome>>> = self.subjects.iter_mut().map(|subject| subject.answer(&cases)).collect();
        let planned = Instant::now();
        // What it says of these cases it says of none.
        let mut troubled = self.subjects.iter().filter_map(|subject| Some((subject.name(), subject.trouble()?)));
        self.done.trouble = troubled.next().map(|(name, trouble)| (name.to_owned(), trouble));
        if self.done.trouble.is_some() {
            return 0;
        }
        let mut index = 0;
        for alike in cases.chunk_by(Case::is_prepared_like) {
            let sitting = self.campaign.judge.sit(&alike[0]);
            for case in alike {
                self.judge(&sitting, from + index as u64, case, &answers, index);
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

    fn judge(&mut self, sitting: &Sitting<'_>, number: u64, case: &Case, all: &[Vec<Vec<Outcome>>], index: usize) {
        let answers: Vec<Answers<'_>> = self
            .subjects
            .iter()
            .zip(all)
            .map(|(subject, outcomes)| Answers::of(&**subject, &outcomes[index]))
            .collect();
        let found = sitting.judge(case, &answers, &mut self.done.summary);
        let ops = if found.is_empty() { Vec::new() } else { case.ops() };
        let told = |found: &Found| {
            let at = ops.iter().position(|op| *op == found.op)?;
            let named = self.subjects.iter().zip(all);
            let outcome = |outcomes: &Vec<Vec<Outcome>>| outcomes[index].get(at).cloned();
            Some(named.filter_map(|(subject, all)| Some((subject.name().to_owned(), outcome(all)?))).collect())
        };
        let findings: Vec<Finding> = found
            .into_iter()
            .map(|found| {
                let outcomes = self.is_told(&found).then(|| told(&found)).flatten().unwrap_or_default();
                Finding { number, case: case.clone(), found, outcomes }
            })
            .collect();
        findings.into_iter().for_each(|finding| self.send(finding));
    }

    /// Whether a finding goes to whoever is told of them.
    fn is_told(&self, found: &Found) -> bool {
        let sent = |signature| self.sent.get(signature).is_none_or(|sent| *sent < SENT_OF_A_SIGNATURE);
        found.verdict.signature().is_some_and(sent)
    }

    /// Puts one case in so many to the properties, with one of the subjects that are planners of this process: each in its turn.
    ///
    /// What holds for one planner holds for another that answers alike, and whether they do is asked of every case.
    fn properties(&mut self, from: u64, cases: &[Case]) {
        let every = self.campaign.properties_every;
        if every == 0 {
            return;
        }
        let has_planner = |subject: &&dyn Subject| subject.planner().is_some() || subject.workspaces().is_some();
        let planners: Vec<&dyn Subject> = self.subjects.iter().map(|subject| &**subject).filter(has_planner).collect();
        let chosen = cases.iter().zip(from..).filter(|(_, number)| number % every == 0);
        // Case 0 is the first planner's, whichever worker takes it.
        let before = from.div_ceil(every) as usize % planners.len().max(1);
        let mut findings = Vec::new();
        for ((case, number), subject) in chosen.zip(planners.iter().cycle().skip(before)) {
            let is_asked = |op| subject.can(op, case.dialect);
            let found = self.campaign.judge.properties_of(case, *subject, is_asked, &mut self.done.summary);
            findings.extend(found.into_iter().map(|found| Finding {
                number,
                case: case.clone(),
                found,
                outcomes: Vec::new(),
            }));
        }
        findings.into_iter().for_each(|finding| self.send(finding));
    }

    fn send(&mut self, finding: Finding) {
        let Some(signature) = finding.found.verdict.signature() else { return };
        let sent = self.sent.entry(signature.clone()).or_insert(0);
        if *sent < SENT_OF_A_SIGNATURE {
            *sent += 1;
            self.sender.send(finding).expect("the receiver outlives the workers");
        } else {
            *self.done.repeated.entry(signature.clone()).or_insert(0) += 1;
        }
    }
}
