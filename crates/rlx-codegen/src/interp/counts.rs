//! Counts what a run did.

use std::collections::BTreeMap;

/// The counts of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Elements that were loaded.
    pub loads: u64,
    /// Elements that were stored.
    pub stores: u64,
    /// Bytes that were loaded.
    pub bytes_loaded: u64,
    /// Bytes that were stored.
    pub bytes_stored: u64,
    /// Iterations of loops of all kinds, and elements of reductions.
    pub iterations: u64,
    /// Statements that were executed.
    pub statements: u64,
    /// Float operations. An `fma` counts as two.
    pub flops: u64,
    /// Memory segments that the accesses of subgroups touch. Lanes that touch a segment at the same time share the transaction.
    pub transactions: u64,
    /// How often a subgroup's access to an array of its group takes an additional turn because two lanes touch different words of one bank.
    pub bank_conflicts: u64,
    /// Applications by the name of the function: those of the op table, `fma` and `bitcast`.
    pub applications: BTreeMap<&'static str, u64>,
}

impl Counts {
    /// Returns the number of all applications.
    pub fn applied(&self) -> u64 {
        self.applications.values().sum()
    }
}
