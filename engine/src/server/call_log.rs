//! The log of the calls about one served type.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use planfuzz_core::json::Json;
use planfuzz_core::planner::{Exchange, Provider, RawState, UpgradeState};
use planfuzz_core::state::{InstanceState, Stored};
use planfuzz_core::value::{Type, Value};

use super::log::{AnswerError, Entry, Failure, Log};
use super::stored::{is_written, ordered_like};
use crate::wire::messages::plugin;

/// The log of the calls about one served type, with the objects that the engine may send.
#[derive(Debug)]
pub(super) struct CallLog {
    log: Log,
    /// Whether the provider panicked: its later answers mean nothing.
    is_dead: bool,
    /// The objects that the engine may have stored: those it began with, and those it received since.
    objects: Vec<Value>,
    /// The raw objects of the initial state, with their versions.
    raw: Vec<(u64, Arc<Json>)>,
    upgrades: Vec<Upgrade>,
}

/// An upgrade that was answered.
#[derive(Clone, Debug)]
pub(super) struct Upgrade {
    pub(super) version: i64,
    pub(super) json: Vec<u8>,
    pub(super) exchange: Exchange,
    pub(super) answer: plugin::UpgradeAnswer,
}

impl CallLog {
    pub(super) fn new(state: InstanceState) -> CallLog {
        let mut call_log =
            CallLog { log: Log::default(), is_dead: false, objects: Vec::new(), raw: Vec::new(), upgrades: Vec::new() };
        for object in state.current.into_iter().chain(state.deposed.into_values()) {
            match object.stored {
                Stored::Value(value) => call_log.objects.push(value),
                Stored::Raw { version, attributes } => call_log.raw.push((version, attributes)),
            }
        }
        call_log
    }

    /// Asks the provider, unless it panicked, and logs the answer.
    pub(super) fn ask<Q: Clone, A: Clone>(
        &mut self,
        provider: &Mutex<dyn Provider + Send>,
        request: Q,
        call: impl FnOnce(&mut dyn Provider, Q) -> A,
        exchange: impl FnOnce(Q, A) -> Exchange,
    ) -> Result<A, AnswerError> {
        if self.is_dead {
            return Err(AnswerError::Dead);
        }
        let asked = request.clone();
        let answer = catch_unwind(AssertUnwindSafe(|| call(&mut *lock(provider), request))).map_err(|panic| {
            self.is_dead = true;
            AnswerError::Panicked(message_of(&*panic))
        })?;
        self.log.entries.push(Entry::Asked(exchange(asked, answer.clone())));
        Ok(answer)
    }

    /// Logs a failure.
    pub(super) fn fail(&mut self, failure: Failure) {
        self.log.entries.push(Entry::Failed(failure));
    }

    /// The answer to the same upgrade, if it was answered before; logs the repetition.
    pub(super) fn repeated(&mut self, version: i64, json: &[u8]) -> Option<plugin::UpgradeAnswer> {
        let upgrade = self.upgrades.iter().find(|upgrade| upgrade.version == version && upgrade.json == json)?;
        self.log.entries.push(Entry::Repeated(upgrade.exchange.clone()));
        Some(upgrade.answer.clone())
    }

    /// Remembers an upgrade.
    pub(super) fn remember(&mut self, upgrade: Upgrade) {
        self.upgrades.push(upgrade);
    }

    /// Forgets the upgrades of raw objects after a read: the engine no longer stores these, and an object that looks like one of them is a
    /// known one.
    pub(super) fn forget_raw(&mut self) {
        let is_raw = |upgrade: &Upgrade| match &upgrade.exchange {
            Exchange::Upgrade(UpgradeState { state, .. }, _) => matches!(state, RawState::Json(_)),
            _ => false,
        };
        self.upgrades.retain(|upgrade| !is_raw(upgrade));
    }

    /// Remembers an object that the engine may store and read again.
    pub(super) fn know(&mut self, object: &Value) {
        if !object.view().is_null() {
            self.objects.push(object.clone());
        }
    }

    /// A stored object: the value, if it is a known object of the schema's version (`current`), else its JSON.
    pub(super) fn stored(&self, version: u64, json: Json, current: u64, ty: &Type) -> RawState {
        if version == current
            && let Some(value) = self.objects.iter().find(|object| is_written(&json, object.view(), ty))
        {
            return RawState::Value(value.clone());
        }
        let model = self.raw.iter().find(|(of, _)| *of == version);
        let ordered = match model {
            Some((_, model)) => ordered_like(json, model),
            None => json,
        };
        RawState::Json(ordered.into())
    }

    /// Takes the log since the beginning.
    pub(super) fn close(&mut self) -> Log {
        std::mem::take(&mut self.log)
    }
}

/// Locks, even if another thread panicked meanwhile: the data is complete or marked.
pub(super) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks like [`lock`], but waits only until a time.
pub(super) fn lock_until<T: ?Sized>(mutex: &Mutex<T>, until: Instant) -> Option<MutexGuard<'_, T>> {
    loop {
        match mutex.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if Instant::now() >= until => return None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(owned).unwrap_or("no message").to_owned()
}
