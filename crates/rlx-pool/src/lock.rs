//! Locks that no child of `fork` finds held: a thread that has one keeps the process from forking. What the
//! lock guards belongs to all threads of a process, so that a child without most of them must still find it
//! whole.

use crate::fork::{Undivided, undivided};
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A lock that is held, and a process that is not forked meanwhile.
#[derive(Debug)]
pub struct Held<G> {
    // Dropped in this order.
    guard: G,
    _undivided: Undivided,
}

impl<G: Deref> Deref for Held<G> {
    type Target = G::Target;

    fn deref(&self) -> &G::Target {
        &self.guard
    }
}

impl<G: DerefMut> DerefMut for Held<G> {
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.guard
    }
}

/// Locks a mutex, whoever panicked with it: for values that a panic leaves whole.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> Held<MutexGuard<'_, T>> {
    let undivided = undivided();
    Held { guard: mutex.lock().unwrap_or_else(PoisonError::into_inner), _undivided: undivided }
}

/// Locks for reading, whoever panicked with the lock.
pub fn read<T: ?Sized>(lock: &RwLock<T>) -> Held<RwLockReadGuard<'_, T>> {
    let undivided = undivided();
    Held { guard: lock.read().unwrap_or_else(PoisonError::into_inner), _undivided: undivided }
}

/// Locks for writing, whoever panicked with the lock.
pub fn write<T: ?Sized>(lock: &RwLock<T>) -> Held<RwLockWriteGuard<'_, T>> {
    let undivided = undivided();
    Held { guard: lock.write().unwrap_or_else(PoisonError::into_inner), _undivided: undivided }
}

/// The value of a cell, by `make` where it has none yet: no child finds it half made.
pub fn once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    cell.get().unwrap_or_else(|| {
        let _undivided = undivided();
        cell.get_or_init(make)
    })
}
