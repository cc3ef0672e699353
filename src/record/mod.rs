//! Recording: what one subject does, as vectors.
//!
//! Cases are put to the subject in batches, by as many workers as are wanted. What it answers becomes a vector, which is held
//! against other subjects where some are named; what it does not answer is counted by reason. The vectors lie in a temporary file
//! until it is known which of them are kept: all, or so many of the most different ones ([`Store`]).

mod runs;
mod store;
mod told;
mod walks;
mod worker;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

pub use store::{ShelfError, Store};
pub use told::traits_of;
pub use walks::walks_of;

use crate::case::Case;
use crate::subject::Subject;
use worker::{Batch, Shared};

/// A case to be recorded.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What its vectors are called by; those of one operation of several add its name.
    pub id: String,
    /// The case.
    pub case: Case,
}

/// Who takes part in a recording.
pub struct Participants {
    /// Who is recorded.
    pub subject: Box<dyn Subject>,
    /// Who else is asked: an answer that one of them does not give is put apart.
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

/// What a recording came to.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Cases that were put to the subject.
    pub cases: u64,
    /// Answers that became vectors.
    pub vectors: u64,
    /// Answers by operation and outcome.
    pub outcomes: BTreeMap<(String, String), u64>,
    /// Answers that another subject does not give, by its name.
    pub contradicted: BTreeMap<String, u64>,
    /// What was not answered, or not recorded, by reason.
    pub left_out: BTreeMap<String, u64>,
}

/// Who is told how far a recording is.
pub trait Watcher {
    /// Some time has passed.
    fn progress(&mut self, tally: &Tally, elapsed: Duration);
}

/// Why a recording came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// Somebody did not start.
    #[error("{0}")]
    Start(String),
    /// The subject could not answer anything at all any more.
    #[error("{subject} cannot be asked any more: {trouble}")]
    Trouble {
        /// Who.
        subject: String,
        /// Why.
        trouble: String,
    },
    /// The vectors could not be kept.
    #[error(transparent)]
    Store(#[from] ShelfError),
}

impl Recording<'_> {
    /// Records every case that there is, or until the time is over or `interrupted` is set; what was answered until then is on
    /// the store, and what was contradicted is on the other.
    ///
    /// # Errors
    /// A subject that does not start or cannot be asked any more, a disk that is full.
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
