//! Facts about machines that schedules depend on.

use crate::estimate::estimate;
use crate::kernel::Kernel;
use crate::range::Ranges;
use rlx_ir::{Bindings, Dim};

/// What is known about a processor, and how a compiler is told to use it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    /// The name.
    pub name: &'static str,
    /// The architecture in Rust's terms. `None` means any.
    pub architecture: Option<&'static str>,
    /// The features beyond those that every processor of the architecture has, in Rust's terms.
    pub features: &'static [&'static str],
    /// The number of f32 elements in a vector register.
    pub lanes: u32,
    /// The number of vector registers.
    pub registers: u32,
    /// Whether it has a multiply-add instruction that rounds once.
    pub fused: bool,
}

/// The approximate number of vector operations that a processor starts per nanosecond.
const PER_NANOSECOND: u64 = 6;
/// The approximate number of operations in a function of floats that is not an instruction.
const OF_FUNCTION: u64 = 8;
/// The approximate number of bytes of operands and results that a processor moves per nanosecond.
const BYTES_PER_NANOSECOND: u64 = 16;

impl Machine {
    /// Estimates how long a launch takes on one thread, at the maximum sizes that facts allow.
    pub fn nanoseconds(&self, kernel: &Kernel) -> u64 {
        let sizes = Ranges::of_facts(&kernel.facts);
        let counts = estimate(kernel, &Bindings::new());
        let functions = counts.applications.get("unary").copied().unwrap_or(0);
        let operations = counts.applied().saturating_add(functions.saturating_mul(OF_FUNCTION - 1));
        let bytes = kernel.params().map(|buffer| {
            let count = sizes.most(&Dim::product(buffer.extents.iter().cloned())).unwrap_or(0);
            count.saturating_mul(buffer.dtype.size()) as u64
        });
        // Most of what is read twice comes from a cache, and only a little of a table is read when few of its elements are selected.
        let bytes = bytes.sum::<u64>().min(counts.bytes_loaded.saturating_add(counts.bytes_stored));
        operations / (PER_NANOSECOND * u64::from(self.lanes)) + bytes / BYTES_PER_NANOSECOND
    }
}

impl Machine {
    /// Estimates how long it takes to copy this number of bytes.
    pub(super) fn copy_nanoseconds(&self, bytes: usize) -> u64 {
        2 * bytes as u64 / BYTES_PER_NANOSECOND
    }
}

/// A machine that runs everywhere. On x86-64, its vectors are those of SSE2.
pub const BASELINE: Machine =
    Machine { name: "baseline", architecture: None, features: &[], lanes: 4, registers: 16, fused: false };
/// x86-64-v3.
pub const AVX2: Machine = Machine {
    name: "avx2",
    architecture: Some("x86_64"),
    features: &["avx2", "bmi2", "fma"],
    lanes: 8,
    registers: 16,
    fused: true,
};
/// x86-64-v4.
pub const AVX512: Machine = Machine {
    name: "avx512",
    architecture: Some("x86_64"),
    features: &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx2", "bmi2", "fma"],
    lanes: 16,
    registers: 32,
    fused: true,
};
/// aarch64.
pub const NEON: Machine = Machine {
    name: "neon",
    architecture: Some("aarch64"),
    features: &[],
    lanes: 4,
    registers: 32,
    fused: true,
};

/// All machines. For each architecture the best one comes first, and the one that runs everywhere comes last.
pub const MACHINES: [Machine; 4] = [AVX512, AVX2, NEON, BASELINE];
