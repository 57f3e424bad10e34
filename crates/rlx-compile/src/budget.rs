//! The memory limit of a program, which is checked before anything is allocated with a size that depends on shapes.
//!
//! **PLAN-2**: tables of kernels are deducted from the [`Budget`] of the binding before they are made. Everything
//! else is in the arena, or in scratch memory inside it. While a kernel is prepared, it allocates
//! nothing that grows with shapes without asking the budget.

use crate::error::BackendError;
use crate::options::CompileOptions;
use rlx_driver::{Bytes, machine_memory};
use std::cell::Cell;

/// A limit in bytes, and how much of it is taken. It covers working memory, tables of kernels, and packed weights: everything that a
/// program allocates besides its inputs, outputs, parameters and constants.
#[derive(Clone, Debug)]
pub struct Budget {
    limit: u64,
    taken: Cell<u64>,
}

impl Budget {
    /// Creates the budget of a program: the limit in its options, or the memory of the machine by default.
    pub fn of(options: &CompileOptions) -> Budget {
        let machine = || machine_memory().map_or(u64::MAX, |memory| memory.0);
        Budget::new(options.memory_limit.unwrap_or_else(machine))
    }

    /// Creates a budget of `limit` bytes.
    pub fn new(limit: u64) -> Budget {
        Budget { limit, taken: Cell::new(0) }
    }

    /// Returns how many bytes are left.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.taken.get())
    }

    /// Fails if fewer than `bytes` bytes are left. `what` describes their purpose for the message.
    ///
    /// # Errors
    /// Returns [`BackendError::MemoryLimit`].
    pub fn check(&self, bytes: usize, what: impl FnOnce() -> String) -> Result<(), BackendError> {
        let [bytes, limit, taken] = [bytes as u64, self.limit, self.taken.get()];
        if bytes <= self.left() {
            return Ok(());
        }
        Err(BackendError::MemoryLimit { what: what(), bytes, limit, taken })
    }

    /// Takes `bytes` bytes from the budget, or fails like [`check`](Budget::check).
    pub fn take(&self, bytes: usize, what: impl FnOnce() -> String) -> Result<(), BackendError> {
        self.check(bytes, what)?;
        self.taken.set(self.taken.get() + bytes as u64);
        Ok(())
    }
}

/// Returns the message of [`BackendError::MemoryLimit`].
pub(crate) fn over_limit(what: &str, bytes: u64, limit: u64, taken: u64) -> String {
    let besides = match taken {
        0 => String::new(),
        _ => format!(" besides {} that the program has planned already", Bytes(taken)),
    };
    format!(
        "{what} needs {} of memory{besides}, and a program may plan for {}: make its sizes smaller, or raise the limit, which is what \
         the machine has unless the option `memory_limit` or RLX_MEMORY_LIMIT says another",
        Bytes(bytes),
        Bytes(limit)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_gone() {
        let budget = Budget::new(1_000_000);
        let what = || "`iota` u8[600000]".to_string();
        assert_eq!((budget.check(600_000, what), budget.take(600_000, what)), (Ok(()), Ok(())));
        let error = budget.take(600_000, what).unwrap_err();
        let BackendError::MemoryLimit { bytes: 600_000, limit: 1_000_000, taken: 600_000, .. } = error else {
            panic!("{error}")
        };
        let message = error.to_string();
        assert!(message.starts_with("`iota` u8[600000] needs 600 kB of memory besides 600 kB"), "{message}");
        assert!(message.contains("may plan for 1.00 MB"), "{message}");
        assert_eq!((budget.left(), budget.take(400_000, what), budget.left()), (400_000, Ok(()), 0));
    }

    #[test]
    fn the_limit_is_the_options_or_the_machine() {
        assert_eq!(Budget::of(&CompileOptions::new().memory_limit(7)).left(), 7);
        let machine = machine_memory().map_or(u64::MAX, |memory| memory.0);
        assert_eq!(Budget::of(&CompileOptions::new()).left(), machine);
    }
}
