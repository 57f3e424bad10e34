//! Checks whether a model fits into memory before any is allocated.

use crate::error::LlmError;
use rlx_driver::available_memory;

/// The memory that a model needs, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MemoryNeeds {
    /// For weights.
    pub(crate) weights: u64,
    /// For the cache.
    pub(crate) cache: u64,
}

impl MemoryNeeds {
    /// Fails if the model needs more than `available` bytes, by default the memory that the system reports as
    /// available. A system that reports nothing is assumed to have enough.
    pub(crate) fn check(self, available: Option<u64>) -> Result<(), LlmError> {
        let MemoryNeeds { weights, cache } = self;
        match available.or_else(|| available_memory().map(|memory| memory.0)) {
            Some(available) if weights.saturating_add(cache) > available => {
                Err(LlmError::Memory { weights, cache, available })
            }
            _ => Ok(()),
        }
    }
}
