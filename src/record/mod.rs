//! Recording: what one subject does, as vectors.
//!
//! Several workers give cases to the subject in batches. An answer becomes a vector, which is compared with the answers
//! of other subjects where some are named; a case without an answer is counted by reason. The vectors stay in a
//! temporary file until it is known which of them are kept: all, or so many of the most different ones ([`Store`]).

mod runs;
mod store;
mod traits;
mod walks;
mod worker;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

pub use store::{Store, StoreError};
pub use traits::traits_of;
pub use walks::walks_of;

use crate::case::Case;
use crate::subject::Subject;
use worker::{Batch, Shared};

/// A case to be recorded.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The id of its vectors; where a case has several operations, the operation's name is added.
    pub id: String,
    /// The case.
    pub case: Case,
}

/// The subjects of a recording.
pub struct Participants {
    /// The subject that is recorded.
    pub subject: Box<dyn Subject>,
    /// The subjects that it is compared with: an answer that one of them contradicts goes into a store of its own.
    pub others: Vec<Box<dyn Subject>>,
}

/// A bounded recording of many cases.
pub struct Recording<'a> {
    /// Makes the participants of one worker.
    pub participants: &'a (dyn Fn() -> Result<Participants, String> + Sync),
    /// The number of workers, at least 1.
    pub jobs: usize,
    /// The time after which no more cases are taken.
    pub time: Option<Duration>,
}

/// The result of a recording.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Cases that the subject was given.
    pub cases: u64,
    /// Answers that became vectors.
    pub vectors: u64,
    /// Answers by operation and outcome.
    pub outcomes: BTreeMap<(String, String), u64>,
    /// Answers that another subject contradicts, by the name of that subject.
    pub contradicted: BTreeMap<String, u64>,
    /// Cases without an answer, and answers that were not recorded, by reason.
    pub left_out: BTreeMap<String, u64>,
}

/// Receives the progress of a recording.
pub trait Watcher {
    /// Some time has passed.
    fn progress(&mut self, tally: &Tally, elapsed: Duration);
}

/// Why a recording failed.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A subject did not start.
    #[error("{0}")]
    Start(String),
    /// The subject can no longer answer anything.
    #[error("{subject} cannot be asked any more: {trouble}")]
    Trouble {
        /// Its name.
        subject: String,
        /// Why.
        trouble: String,
    },
    /// The vectors could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Recording<'_> {
    /// Records every case, or until the time is over or `interrupted` is set. Vectors go into the first store, those
    /// that another subject contradicts into the second.
    ///
    /// # Errors
    /// A subject that does not start or can no longer answer, a disk that is full.
    pub fn run(
        &self,
        entries: &mut (dyn Iterator<Item = Entry> + Send),
        interrupted: &AtomicBool,
        (store, apart): (&mut Store, &mut Store),
        watcher: &mut dyn Watcher,
    ) -> Result<Tally, RecordError> {
        let all_participants = (0..self.jobs.max(1)).map(|_| (self.participants)()).collect::<Result<Vec<_>, _>>();
        let all_participants = all_participants.map_err(RecordError::Start)?;
        let start = Instant::now();
        let deadline = self.time.and_then(|time| start.checked_add(time));
        let shared = Shared::new(entries, interrupted, deadline);
        let (sender, receiver) = mpsc::channel::<Batch>();
        let mut tally = Tally::default();
        std::thread::scope(|scope| {
            for participants in all_participants {
                let (shared, sender) = (&shared, sender.clone());
                scope.spawn(move || worker::run(shared, participants, &sender));
            }
            drop(sender);
            loop {
                match receiver.recv_timeout(Duration::from_millis(100)) {
                    Ok(batch) => {
                        if let Err(problem) = tally.take(batch, store, apart) {
                            shared.end();
                            return Err(problem);
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                }
                watcher.progress(&tally, start.elapsed());
            }
        })?;
        Ok(tally)
    }
}

impl Tally {
    fn take(&mut self, batch: Batch, store: &mut Store, apart: &mut Store) -> Result<(), RecordError> {
        let Batch { cases, lines, left_out, trouble } = batch;
        if let Some((subject, trouble)) = trouble {
            return Err(RecordError::Trouble { subject, trouble });
        }
        self.cases += cases;
        for reason in left_out {
            *self.left_out.entry(reason).or_default() += 1;
        }
        for line in lines {
            let (op, outcome) = (line.op.clone(), line.outcome.clone());
            let contradicted = line.contradicted.clone();
            let onto = if contradicted.is_some() { &mut *apart } else { &mut *store };
            if !onto.put(line)? {
                *self.left_out.entry("the same was asked before".to_owned()).or_default() += 1;
                continue;
            }
            match contradicted {
                Some(name) => *self.contradicted.entry(name).or_default() += 1,
                None => {
                    self.vectors += 1;
                    *self.outcomes.entry((op, outcome)).or_default() += 1;
                }
            }
        }
        Ok(())
    }
}
