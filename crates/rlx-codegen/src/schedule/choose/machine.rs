//! Machines as their facts.

/// What a choice knows of a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    /// What it is called.
    pub name: &'static str,
    /// Elements of f32 in a vector register.
    pub lanes: u32,
    /// Vector registers.
    pub registers: u32,
    /// Whether it has an instruction for a product and a sum that rounds once.
    pub fused: bool,
}

/// x86-64 as every one is.
pub const SSE2: Machine = Machine { name: "baseline", lanes: 4, registers: 16, fused: false };
/// x86-64-v3.
pub const AVX2: Machine = Machine { name: "avx2", lanes: 8, registers: 16, fused: true };
/// x86-64-v4.
pub const AVX512: Machine = Machine { name: "avx512", lanes: 16, registers: 32, fused: true };
/// aarch64.
pub const NEON: Machine = Machine { name: "neon", lanes: 4, registers: 32, fused: true };

/// All of them.
pub const MACHINES: [Machine; 4] = [SSE2, AVX2, AVX512, NEON];
