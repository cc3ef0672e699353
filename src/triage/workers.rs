//! Workers: many pieces of work over a few threads, none of which can hold up the others.
//!
//! A planner in this process cannot be stopped. So a piece that takes longer than its limit is given up together with its thread, and
//! another thread takes the thread's place: the result of the piece is [`Piece::RanOver`], and all other pieces are done.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How often limits are checked and progress is reported.
const TICK: Duration = Duration::from_millis(50);

/// What a worker does with a piece; made in the worker's own thread, so that it may own values that cannot be sent to other threads.
pub type Work<P, R> = Box<dyn FnMut(&P) -> R>;

/// Makes a worker: called once in each thread.
pub type MakeWorker<P, R> = Arc<dyn Fn() -> Result<Work<P, R>, String> + Send + Sync>;

/// How workers work.
#[derive(Clone, Copy, Debug)]
pub struct Workers {
    /// The number of threads, at least 1.
    pub jobs: usize,
    /// How long one piece may take.
    pub limit: Duration,
    /// When it is set, no further piece is begun.
    pub interrupted: &'static AtomicBool,
}

/// The result of a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<R> {
    /// It was done.
    Done(R),
    /// It took longer than the limit, and was given up.
    RanOver,
    /// It was not begun: the user interrupted.
    NotBegun,
}

/// What a worker reports.
enum News<R> {
    Begun(usize, Instant),
    Ended(usize, R),
    /// The worker's last message: it could not begin, or there is nothing left to do, or it panicked.
    Left(Result<(), String>),
}

/// What the threads share.
struct Shared<P, R> {
    pieces: Arc<Vec<P>>,
    make_worker: MakeWorker<P, R>,
    next: AtomicUsize,
    interrupted: &'static AtomicBool,
}

/// A thread, as its supervisor sees it.
struct Worker {
    thread: JoinHandle<()>,
    /// Set when the supervisor no longer waits for the thread.
    is_given_up: Arc<AtomicBool>,
    at: Option<(usize, Instant)>,
}

impl Workers {
    /// Does all pieces; `report` is called with the number of those done.
    ///
    /// # Errors
    /// A worker that could not be made.
    pub fn run<P, R>(
        &self,
        pieces: &Arc<Vec<P>>,
        make_worker: MakeWorker<P, R>,
        report: &mut dyn FnMut(usize),
    ) -> Result<Vec<Piece<R>>, String>
    where
        P: Send + Sync + 'static,
        R: Send + 'static,
    {
        let shared =
            Shared { pieces: pieces.clone(), make_worker, next: AtomicUsize::new(0), interrupted: self.interrupted };
        let (sender, receiver) = mpsc::channel();
        let mut supervisor = Supervisor {
            shared: Arc::new(shared),
            limit: self.limit,
            sender,
            workers: HashMap::new(),
            started: 0,
            results: pieces.iter().map(|_| Piece::NotBegun).collect(),
            done: 0,
        };
        for _ in 0..self.jobs.clamp(1, pieces.len().max(1)) {
            supervisor.start();
        }
        supervisor.watch(&receiver, report)?;
        Ok(supervisor.results)
    }
}

/// Starts threads, waits for them, and gives them up.
struct Supervisor<P, R> {
    shared: Arc<Shared<P, R>>,
    limit: Duration,
    sender: Sender<(usize, News<R>)>,
    workers: HashMap<usize, Worker>,
    started: usize,
    results: Vec<Piece<R>>,
    done: usize,
}

impl<P: Send + Sync + 'static, R: Send + 'static> Supervisor<P, R> {
    fn start(&mut self) {
        let number = self.started;
        self.started += 1;
        let is_given_up = Arc::new(AtomicBool::new(false));
        let leaver = Leaver { number, sender: self.sender.clone(), result: Ok(()) };
        let (shared, flag) = (self.shared.clone(), is_given_up.clone());
        let thread = thread::spawn(move || work(&shared, leaver, &flag));
        self.workers.insert(number, Worker { thread, is_given_up, at: None });
    }

    fn watch(&mut self, receiver: &Receiver<(usize, News<R>)>, report: &mut dyn FnMut(usize)) -> Result<(), String> {
        while !self.workers.is_empty() {
            match receiver.recv_timeout(TICK) {
                Ok((number, news)) => self.hear(number, news)?,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            // Reads all messages first, so that no piece that has ended is given up because this thread was not scheduled in time.
            let now = Instant::now();
            while let Ok((number, news)) = receiver.try_recv() {
                self.hear(number, news)?;
            }
            self.give_up_on_the_slow(now);
            report(self.done);
        }
        Ok(())
    }

    fn hear(&mut self, number: usize, news: News<R>) -> Result<(), String> {
        // Messages of a worker that was given up are dropped.
        let Some(worker) = self.workers.get_mut(&number) else { return Ok(()) };
        match news {
            News::Begun(index, since) => worker.at = Some((index, since)),
            News::Ended(index, result) => {
                worker.at = None;
                self.results[index] = Piece::Done(result);
                self.done += 1;
            }
            News::Left(how) => {
                if let Some(Worker { thread, .. }) = self.workers.remove(&number)
                    && let Err(panic) = thread.join()
                {
                    std::panic::resume_unwind(panic);
                }
                how?;
            }
        }
        Ok(())
    }

    fn give_up_on_the_slow(&mut self, now: Instant) {
        let is_slow =
            |worker: &Worker| worker.at.is_some_and(|(_, since)| now.saturating_duration_since(since) >= self.limit);
        let slow: Vec<usize> =
            self.workers.iter().filter(|(_, worker)| is_slow(worker)).map(|(number, _)| *number).collect();
        for number in slow {
            let Some(Worker { is_given_up, at: Some((index, _)), .. }) = self.workers.remove(&number) else { continue };
            is_given_up.store(true, Ordering::Relaxed);
            self.results[index] = Piece::RanOver;
            self.done += 1;
            self.start();
        }
    }
}

/// Reports the end of a thread, however it ends.
struct Leaver<R> {
    number: usize,
    sender: Sender<(usize, News<R>)>,
    result: Result<(), String>,
}

impl<R> Leaver<R> {
    fn send(&self, news: News<R>) {
        // The receiver is gone only when the work has ended.
        self.sender.send((self.number, news)).ok();
    }
}

impl<R> Drop for Leaver<R> {
    fn drop(&mut self) {
        let result = std::mem::replace(&mut self.result, Ok(()));
        self.send(News::Left(result));
    }
}

fn work<P, R>(shared: &Shared<P, R>, mut leaver: Leaver<R>, is_given_up: &AtomicBool) {
    let mut work = match (shared.make_worker)() {
        Ok(work) => work,
        Err(problem) => {
            leaver.result = Err(problem);
            return;
        }
    };
    while !is_given_up.load(Ordering::Relaxed) && !shared.interrupted.load(Ordering::Relaxed) {
        let index = shared.next.fetch_add(1, Ordering::Relaxed);
        let Some(piece) = shared.pieces.get(index) else { break };
        leaver.send(News::Begun(index, Instant::now()));
        let result = work(piece);
        leaver.send(News::Ended(index, result));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static NEVER: AtomicBool = AtomicBool::new(false);
    static AT_ONCE: AtomicBool = AtomicBool::new(true);

    fn workers(limit: Duration) -> Workers {
        Workers { jobs: 2, limit, interrupted: &NEVER }
    }

    fn make_worker(work: fn(&u64) -> u64) -> MakeWorker<u64, u64> {
        Arc::new(move || Ok(Box::new(work) as Work<u64, u64>))
    }

    #[test]
    fn a_piece_that_runs_away_holds_up_no_other() {
        let pieces = Arc::new((0..20).collect::<Vec<u64>>());
        let work = |piece: &u64| {
            if (3..=5).contains(piece) {
                loop {
                    thread::sleep(Duration::from_millis(5));
                }
            }
            piece * 2
        };
        let done = workers(Duration::from_millis(300)).run(&pieces, make_worker(work), &mut |_| {}).expect("it starts");
        for (piece, done) in pieces.iter().zip(done) {
            let expected = if (3..=5).contains(piece) { Piece::RanOver } else { Piece::Done(piece * 2) };
            assert_eq!(done, expected, "{piece}");
        }
    }

    #[test]
    fn an_interrupted_run_returns_the_pieces_done() {
        let pieces = Arc::new(vec![1, 2]);
        let workers = Workers { interrupted: &AT_ONCE, ..workers(Duration::from_secs(9)) };
        let done = workers.run(&pieces, make_worker(|piece| *piece), &mut |_| {}).expect("it starts");
        assert_eq!(done, [Piece::NotBegun, Piece::NotBegun]);
    }

    #[test]
    fn a_worker_that_cannot_begin_ends_the_work() {
        let pieces = Arc::new(vec![1_u64]);
        let make_worker: MakeWorker<u64, u64> = Arc::new(|| Err("no planner".to_owned()));
        let ended = workers(Duration::from_secs(9)).run(&pieces, make_worker, &mut |_| {});
        assert_eq!(ended, Err("no planner".to_owned()));
    }
}
