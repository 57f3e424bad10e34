//! Checks whether a model fits into memory, before any is allocated.

use crate::error::LlmError;
use rlx_driver::available_memory;

/// Bytes that a model needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MemoryNeeds {
    /// Of weights.
    pub(crate) weights: u64,
    /// Of the cache.
    pub(crate) cache: u64,
}

impl MemoryNeeds {
    /// Fails where there is less than is needed: `available` bytes, by default what the system has; one that does not say is taken to
    /// have enough.
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
