//! The memory that a program may plan for: asked before anything is allocated whose size follows from shapes.
//!
//! **PLAN-2**: tables of kernels are taken from the [`Budget`] of the binding before they are made, and
//! everything else is in the arena or in scratch memory there. A kernel that is being prepared allocates
//! nothing that grows with shapes without asking.

use crate::error::BackendError;
use crate::options::CompileOptions;
use rlx_driver::{Bytes, machine_memory};
use std::cell::Cell;

/// A limit in bytes, and what was taken of it. Working memory counts, tables of kernels, and packed weights: what a program allocates
/// besides its inputs, outputs, parameters and constants.
#[derive(Clone, Debug)]
pub struct Budget {
    limit: u64,
    taken: Cell<u64>,
}

impl Budget {
    /// The budget of a program: what its options say, or what the machine has.
    pub fn of(options: &CompileOptions) -> Budget {
        let machine = || machine_memory().map_or(u64::MAX, |memory| memory.0);
        Budget::new(options.memory_limit.unwrap_or_else(machine))
    }

    /// A budget of so many bytes.
    pub fn new(limit: u64) -> Budget {
        Budget { limit, taken: Cell::new(0) }
    }

    /// What is left, in bytes.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.taken.get())
    }

    /// Fails if so many bytes are more than is left; `what` says for what they are.
    pub fn check(&self, bytes: usize, what: impl FnOnce() -> String) -> Result<(), BackendError> {
        let [bytes, limit, taken] = [bytes as u64, self.limit, self.taken.get()];
        if bytes <= self.left() {
            return Ok(());
        }
        Err(BackendError::MemoryLimit { what: what(), bytes, limit, taken })
    }

    /// Takes so many bytes, or fails as [`check`](Budget::check) does.
    pub fn take(&self, bytes: usize, what: impl FnOnce() -> String) -> Result<(), BackendError> {
        self.check(bytes, what)?;
        self.taken.set(self.taken.get() + bytes as u64);
        Ok(())
    }
}

/// The message of [`BackendError::MemoryLimit`].
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
