//! Counts what a run did.

use std::collections::BTreeMap;

/// How much of everything there was in a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Elements loaded.
    pub loads: u64,
    /// Elements stored.
    pub stores: u64,
    /// Bytes loaded.
    pub bytes_loaded: u64,
    /// Bytes stored.
    pub bytes_stored: u64,
    /// Iterations of loops of all kinds, and elements of reductions.
    pub iterations: u64,
    /// Statements executed.
    pub statements: u64,
    /// Operations of floats; `fma` is two of them.
    pub flops: u64,
    /// Segments of memory that accesses of subgroups touch: lanes that touch one at once share the transaction.
    pub transactions: u64,
    /// How often a subgroup's access to an array of its group takes another turn, as two lanes touch different words of one bank.
    pub bank_conflicts: u64,
    /// Applications by the name of the function: those of the op table, `fma` and `bitcast`.
    pub applications: BTreeMap<&'static str, u64>,
}

impl Counts {
    /// All applications.
    pub fn applied(&self) -> u64 {
        self.applications.values().sum()
    }
}
