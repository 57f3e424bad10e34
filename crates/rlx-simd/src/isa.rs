//! Detects the instruction set that kernels use and the cache sizes that they block for.
//!
//! This module owns detection and its proof: a [`Cpu`] exists only for an instruction set that the machine has, so a kernel that is given
//! one needs no further check. The module knows no kernel and reads no environment variable; a choice made by a user arrives as a typed
//! [`Isa`].

mod amx;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A level of instructions that the kernels are built for. One binary contains all levels of its architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// What every processor of the architecture has: SSE2 on x86-64, scalar code elsewhere. A multiply-add rounds twice at this level and
    /// once at every other.
    Baseline,
    /// x86-64 with AVX2, FMA and F16C.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ and VL.
    Avx512,
    /// x86-64 with AVX-512 and the matrix unit AMX-BF16, which multiplies large matrices of f32 in bf16 parts, as exactly as f32 arithmetic
    /// sums.
    Amx,
    /// aarch64 with Advanced SIMD.
    Neon,
}

impl Isa {
    /// Every level, from the plainest to the widest.
    pub const ALL: [Isa; 5] = [Isa::Baseline, Isa::Neon, Isa::Avx2, Isa::Avx512, Isa::Amx];

    /// Returns the widest level that this machine has.
    pub fn detect() -> Isa {
        Isa::ALL.into_iter().rev().find(|isa| isa.is_available()).unwrap_or(Isa::Baseline)
    }

    /// Iterates over the levels that this machine has, from the plainest to the widest.
    pub fn available() -> impl Iterator<Item = Isa> {
        Isa::ALL.into_iter().filter(|isa| isa.is_available())
    }

    /// Returns whether this machine (processor and operating system) can run code of this level.
    pub fn is_available(self) -> bool {
        match self {
            Isa::Baseline => true,
            Isa::Neon => cfg!(target_arch = "aarch64"),
            // Miri interprets only portable code.
            Isa::Avx2 | Isa::Avx512 | Isa::Amx if cfg!(miri) => false,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("f16c")
            }
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                Isa::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            Isa::Amx => Isa::Avx512.is_available() && amx::is_available(),
            #[cfg(not(target_arch = "x86_64"))]
            Isa::Avx2 | Isa::Avx512 => false,
        }
    }

    /// Returns the name that [`FromStr`] accepts.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Baseline => "baseline",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Amx => "amx",
            Isa::Neon => "neon",
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Isa {
    type Err = IsaError;

    fn from_str(text: &str) -> Result<Isa, IsaError> {
        Isa::ALL
            .into_iter()
            .find(|isa| isa.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| IsaError::Unknown { name: text.to_owned() })
    }
}

/// Why an instruction-set level cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IsaError {
    /// The requested level exists, but the machine lacks it.
    #[error(
        "this machine does not support {requested} instructions; choose one that it supports: {}",
        available_names()
    )]
    Unavailable {
        /// The requested level.
        requested: Isa,
    },
    /// No level has this name.
    #[error("unknown instruction set \"{name}\"; expected baseline, avx2, avx512, amx or neon")]
    Unknown {
        /// The given name.
        name: String,
    },
}

fn available_names() -> String {
    Isa::available().map(Isa::name).collect::<Vec<_>>().join(", ")
}

/// Sizes of the data caches that one core sees, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caches {
    /// First-level data cache.
    pub l1: usize,
    /// Second-level cache.
    pub l2: usize,
}

impl Caches {
    /// A modest machine of the last ten years, assumed if the sizes cannot be detected.
    const TYPICAL: Caches = Caches { l1: 32 << 10, l2: 512 << 10 };

    fn detect() -> Caches {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        {
            cpuid_caches().unwrap_or(Caches::TYPICAL)
        }
        #[cfg(any(not(target_arch = "x86_64"), miri))]
        {
            Caches::TYPICAL
        }
    }
}

/// Reads the cache sizes from the deterministic cache leaf: 4 on Intel, 0x8000001D on AMD, same layout.
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn cpuid_caches() -> Option<Caches> {
    use std::arch::x86_64::__cpuid_count;
    // SAFETY: every x86-64 processor has the instruction. (Newer compilers know this.)
    #[allow(unused_unsafe)]
    let cpuid = |leaf, index| unsafe { __cpuid_count(leaf, index) };
    // Leaves 0 and 0x80000000 always exist. The others are read only up to the highest leaf that those report.
    let highest = cpuid(0, 0).eax;
    let highest_extended = cpuid(0x8000_0000, 0).eax;
    let mut found = Caches { l1: 0, l2: 0 };
    for (leaf, highest) in [(4, highest), (0x8000_001D, highest_extended)] {
        if leaf > highest {
            continue;
        }
        for index in 0..8 {
            let r = cpuid(leaf, index);
            let (kind, level) = (r.eax & 0x1f, (r.eax >> 5) & 7);
            if kind == 0 {
                break;
            }
            let field =
                |value: u32, shift: u32, bits: u32| ((value >> shift) & ((1 << bits) - 1)) as usize + 1;
            let (ways, partitions, line) = (field(r.ebx, 22, 10), field(r.ebx, 12, 10), field(r.ebx, 0, 12));
            let bytes = ways * partitions * line * (r.ecx as usize + 1);
            match (kind, level) {
                (1, 1) => found.l1 = bytes,
                (1 | 3, 2) => found.l2 = bytes,
                _ => {}
            }
        }
        if found.l1 > 0 && found.l2 > 0 {
            return Some(found);
        }
    }
    None
}

/// An instruction-set level that this machine is known to have, with its cache sizes.
///
/// Every kernel takes one. The only ways to get one are [`Cpu::detect`] and [`Cpu::with_isa`], which check the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu {
    isa: Isa,
    caches: Caches,
}

impl Cpu {
    /// Returns the widest instruction set of this machine.
    pub fn detect() -> Cpu {
        Cpu { isa: Isa::detect(), caches: Caches::detect() }
    }

    /// Returns the given instruction set, or an error if this machine lacks it.
    pub fn with_isa(isa: Isa) -> Result<Cpu, IsaError> {
        if !isa.is_available() {
            return Err(IsaError::Unavailable { requested: isa });
        }
        Ok(Cpu { isa, caches: Caches::detect() })
    }

    /// Returns the instruction set in use.
    #[inline]
    pub fn isa(self) -> Isa {
        self.isa
    }

    /// Returns the cache sizes that the kernels block for.
    #[inline]
    pub fn caches(self) -> Caches {
        self.caches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for isa in Isa::ALL {
            assert_eq!(isa.name().parse::<Isa>(), Ok(isa));
        }
        assert_eq!("AVX2".parse::<Isa>(), Ok(Isa::Avx2));
        let error = "sse9".parse::<Isa>().unwrap_err();
        assert!(error.to_string().contains("sse9"), "{error}");
    }

    #[test]
    fn what_is_detected_is_available() {
        assert!(Isa::detect().is_available());
        assert!(Isa::available().any(|isa| isa == Isa::Baseline));
        assert_eq!(Cpu::detect().isa(), Isa::detect());
    }

    #[test]
    fn a_missing_level_is_refused() {
        let foreign = if cfg!(target_arch = "aarch64") { Isa::Avx2 } else { Isa::Neon };
        let error = Cpu::with_isa(foreign).unwrap_err();
        assert_eq!(error, IsaError::Unavailable { requested: foreign });
        assert!(error.to_string().contains("baseline"), "{error}");
    }

    #[test]
    fn cache_sizes_are_plausible() {
        let caches = Cpu::detect().caches();
        assert!(caches.l1 >= 8 << 10 && caches.l2 > caches.l1, "{caches:?}");
    }
}
