//! The signal that interrupts an apply (U70): it is sent during an apply call, which is answered when the engine has called the providers
//! to stop.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use planfuzz_workspace::Request;
use rustix::process::{Pid, kill_process};

use super::listen::ConnectionId;

/// How long an engine may take to call its providers to stop.
const PATIENCE: Duration = Duration::from_secs(10);

/// After so long without another stop call, all providers have been called.
const QUIET: Duration = Duration::from_millis(20);

/// A signal that may be sent.
#[derive(Debug, Default)]
pub(super) struct Signal(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    /// No signal.
    #[default]
    Never,
    /// A signal after so many calls.
    After(usize),
    /// The signal was sent; so many stop calls followed.
    Sent(usize),
}

impl Signal {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn await_calls(&self, calls: usize) {
        *self.state() = State::After(calls);
    }

    pub(super) fn take_stops(&self) -> Option<usize> {
        match std::mem::take(&mut *self.state()) {
            State::Sent(stops) => Some(stops),
            State::Never | State::After(_) => None,
        }
    }

    pub(super) fn stopped(&self) {
        if let State::Sent(stops) = &mut *self.state() {
            *stops += 1;
        }
    }

    /// Called for each request: sends the signal if it is due, and waits until the engine has reacted.
    pub(super) async fn send(&self, request: &Request, connection: Option<ConnectionId>) {
        let Some(process) = connection.and_then(|of| of.process).and_then(Pid::from_raw) else { return };
        if !self.is_due(request) {
            return;
        }
        *self.state() = State::Sent(0);
        if kill_process(process, rustix::process::Signal::INT).is_err() {
            return;
        }
        let (begun, mut counted, mut since) = (Instant::now(), 0, Instant::now());
        while begun.elapsed() < PATIENCE && (counted == 0 || since.elapsed() < QUIET) {
            tokio::time::sleep(Duration::from_millis(1)).await;
            if let State::Sent(stops) = &*self.state()
                && *stops != counted
            {
                (counted, since) = (*stops, Instant::now());
            }
        }
    }

    /// Counts a call that applies or reads data; returns whether the signal is due in it.
    fn is_due(&self, request: &Request) -> bool {
        let State::After(calls) = &mut *self.state() else { return false };
        match (request, &calls) {
            (Request::Apply { .. }, 0) => return true,
            (Request::Apply { .. } | Request::ReadData { .. }, _) => *calls = calls.saturating_sub(1),
            _ => {}
        }
        false
    }
}
