//! A queue of lines between the reading thread and the waiting one, bounded in bytes, so that a program that prints
//! without being asked blocks on its own pipe and does not fill the memory.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Instant;

/// The end that sends lines.
pub(super) struct Sender(Arc<Shared>);

/// The end that receives lines.
pub(super) struct Receiver(Arc<Shared>);

/// Why no line came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoLine {
    /// None came in time.
    Late,
    /// None will come any more.
    Ended,
}

struct Shared {
    queue: Mutex<Queue>,
    /// At most one end waits at a time: a queue is not full and empty at once.
    changed: Condvar,
    limit: usize,
}

#[derive(Default)]
struct Queue {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    closed: bool,
}

/// A queue that takes lines as long as it holds fewer than `limit` bytes.
pub(super) fn queue(limit: usize) -> (Sender, Receiver) {
    let shared = Arc::new(Shared { queue: Mutex::default(), changed: Condvar::new(), limit });
    (Sender(shared.clone()), Receiver(shared))
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Nothing panics under the lock, so the queue is intact.
        self.queue.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

impl Sender {
    /// Puts a line in, waiting while the queue is full. Returns false if the receiver is gone.
    pub(super) fn send(&self, line: Vec<u8>) -> bool {
        let mut queue = self.0.lock();
        while queue.bytes >= self.0.limit && !queue.closed {
            queue = self.0.changed.wait(queue).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        if queue.closed {
            return false;
        }
        queue.bytes += line.len();
        queue.lines.push_back(line);
        if queue.lines.len() == 1 {
            self.0.changed.notify_one();
        }
        true
    }
}

impl Receiver {
    /// Takes a line out, waiting for one until a point in time.
    pub(super) fn receive(&self, until: Instant) -> Result<Vec<u8>, NoLine> {
        let mut queue = self.0.lock();
        loop {
            if let Some(line) = queue.lines.pop_front() {
                let was_full = queue.bytes >= self.0.limit;
                queue.bytes -= line.len();
                if was_full {
                    self.0.changed.notify_one();
                }
                return Ok(line);
            }
            if queue.closed {
                return Err(NoLine::Ended);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(NoLine::Late);
            }
            let waited = self.0.changed.wait_timeout(queue, left);
            queue = waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0;
        }
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    #[test]
    fn lines_come_out_in_order_and_the_end_after_them() {
        let (sender, receiver) = queue(10);
        let writer = thread::spawn(move || (0..100_u8).all(|number| sender.send(vec![number; 3])));
        let read: Vec<u8> = std::iter::from_fn(|| receiver.receive(soon()).ok()).map(|line| line[0]).collect();
        assert_eq!(read, (0..100).collect::<Vec<u8>>());
        assert!(writer.join().expect("no panic"));
        assert_eq!(receiver.receive(soon()), Err(NoLine::Ended));
    }

    #[test]
    fn a_blocked_sender_is_released_when_the_receiver_is_gone() {
        let (sender, receiver) = queue(10);
        let writer = thread::spawn(move || (0..10).take_while(|_| sender.send(vec![0; 6])).count());
        thread::sleep(Duration::from_millis(20));
        drop(receiver);
        assert_eq!(writer.join().expect("no panic"), 2);
    }

    #[test]
    fn waiting_has_an_end() {
        let (_sender, receiver) = queue(10);
        assert_eq!(receiver.receive(Instant::now() + Duration::from_millis(10)), Err(NoLine::Late));
    }
}
