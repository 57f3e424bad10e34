//! Whether a model fits into memory, before any is taken.

use crate::error::LlmError;
use std::fs;

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
        match available.or_else(available_bytes) {
            Some(available) if weights.saturating_add(cache) > available => {
                Err(LlmError::Memory { weights, cache, available })
            }
            _ => Ok(()),
        }
    }
}

/// Bytes that this process may still take: what the machine has free or can free, and what its control group allows.
fn available_bytes() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| field(&text, "MemAvailable:"));
    let number = |file: &str| fs::read_to_string(format!("/sys/fs/cgroup/{file}")).ok()?.trim().parse().ok();
    // Pages of files count as used there, and can be freed.
    let files =
        fs::read_to_string("/sys/fs/cgroup/memory.stat").ok().and_then(|text| field(&text, "inactive_file"));
    let used = |all: u64| all.saturating_sub(files.unwrap_or(0));
    let group =
        number("memory.max").zip(number("memory.current")).map(|(most, all)| most - used(all).min(most));
    [machine.map(|kilobytes| kilobytes << 10), group].into_iter().flatten().min()
}

/// The number behind a name.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}
