//! Locks that are never held in a child of `fork`: a thread that holds one keeps the process from forking. What such a lock guards belongs
//! to all threads of a process, so a child, which lacks most of them, must still find it consistent.

use crate::fork::{Undivided, undivided};
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A held lock, in a process that is not forked meanwhile.
#[derive(Debug)]
pub struct Held<G> {
    // Fields are dropped in this order.
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

/// Locks a mutex and ignores poisoning. For values that stay consistent if a holder panics.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> Held<MutexGuard<'_, T>> {
    let undivided = undivided();
    Held { guard: mutex.lock().unwrap_or_else(PoisonError::into_inner), _undivided: undivided }
}

/// Locks for reading and ignores poisoning.
pub fn read<T: ?Sized>(lock: &RwLock<T>) -> Held<RwLockReadGuard<'_, T>> {
    let undivided = undivided();
    Held { guard: lock.read().unwrap_or_else(PoisonError::into_inner), _undivided: undivided }
}

/// Locks for writing and ignores poisoning.
pub fn write<T: ?Sized>(lock: &RwLock<T>) -> Held<RwLockWriteGuard<'_, T>> {
    let undivided = undivided();
    Held { guard: lock.write().unwrap_or_else(PoisonError::into_inner), _undivided: undivided }
}

/// Returns the value of a cell, which `make` computes if it is empty. No child of `fork` finds it half made.
pub fn once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    cell.get().unwrap_or_else(|| {
        let _undivided = undivided();
        cell.get_or_init(make)
    })
}
