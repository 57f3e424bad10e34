//! Facts of machines that schedules depend on.

use crate::estimate::estimate;
use crate::kernel::Kernel;
use crate::range::Ranges;
use rlx_ir::{Bindings, Dim};

/// What a choice knows of a processor, and how a compiler is told of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    /// What it is called.
    pub name: &'static str,
    /// The architecture, as Rust calls it; `None`: any.
    pub architecture: Option<&'static str>,
    /// What it has beyond what every processor of the architecture has, as Rust calls it.
    pub features: &'static [&'static str],
    /// Elements of f32 in a vector register.
    pub lanes: u32,
    /// Vector registers.
    pub registers: u32,
    /// Whether it has an instruction for a product and a sum that rounds once.
    pub fused: bool,
}

/// Operations on a vector that a processor begins per nanosecond, about.
const PER_NANOSECOND: u64 = 6;
/// How many operations a function of floats is that is not an instruction, about.
const OF_FUNCTION: u64 = 8;
/// Bytes of operands and results that go through a processor per nanosecond, about.
const BYTES_PER_NANOSECOND: u64 = 16;

impl Machine {
    /// About how long a launch takes on one thread, at the largest sizes that facts allow.
    pub fn nanoseconds(&self, kernel: &Kernel) -> u64 {
        let sizes = Ranges::of_facts(&kernel.facts);
        let counts = estimate(kernel, &Bindings::new());
        let functions = counts.applications.get("unary").copied().unwrap_or(0);
        let operations = counts.applied().saturating_add(functions.saturating_mul(OF_FUNCTION - 1));
        let bytes = kernel.params().map(|buffer| {
            let count = sizes.most(&Dim::product(buffer.extents.iter().cloned())).unwrap_or(0);
            count.saturating_mul(buffer.dtype.size()) as u64
        });
        // Of what is read twice most comes from a cache, and of a table that is picked from little is read.
        let bytes = bytes.sum::<u64>().min(counts.bytes_loaded.saturating_add(counts.bytes_stored));
        operations / (PER_NANOSECOND * u64::from(self.lanes)) + bytes / BYTES_PER_NANOSECOND
    }
}

impl Machine {
    /// About how long it takes to copy so many bytes.
    pub(super) fn copy_nanoseconds(&self, bytes: usize) -> u64 {
        2 * bytes as u64 / BYTES_PER_NANOSECOND
    }
}

/// What runs everywhere: on x86-64 vectors are those of SSE2.
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

/// All of them: the best one of an architecture first, and last what runs everywhere.
pub const MACHINES: [Machine; 4] = [AVX512, AVX2, NEON, BASELINE];
