//! Locks of data that several threads share.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, even after a panic of another worker: shared data is always valid.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
