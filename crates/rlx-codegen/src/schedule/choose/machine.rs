//! Machines as their facts.

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
