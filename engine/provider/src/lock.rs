//! What several threads write to, whatever became of those that did.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A worker that panicked leaves what it shares as it should be.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
