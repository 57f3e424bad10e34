//! Enough independent chains of fused multiply-adds to keep every unit busy: 24 at a time, each a vector of f32.

use std::arch::x86_64::{
    _mm256_fmadd_ps, _mm256_set1_ps, _mm256_storeu_ps, _mm512_fmadd_ps, _mm512_set1_ps, _mm512_storeu_ps,
};
use std::hint::black_box;

/// Rounds per run: some milliseconds, so that the time to start the threads does not matter.
const ROUNDS: usize = 1_500_000;
const CHAINS_AVX512: usize = 24;
/// AVX2 has 16 registers: 12 chains and two factors fit.
const CHAINS_AVX2: usize = 12;

/// An instruction set with fused multiply-adds.
#[derive(Clone, Copy, PartialEq)]
pub enum Isa {
    Avx2,
    Avx512,
}

impl Isa {
    pub fn name(self) -> &'static str {
        match self {
            Isa::Avx2 => "AVX2",
            Isa::Avx512 => "AVX-512",
        }
    }

    pub fn present(self) -> bool {
        match self {
            Isa::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            Isa::Avx512 => is_x86_feature_detected!("avx512f"),
        }
    }

    pub fn best() -> Option<Isa> {
        [Isa::Avx512, Isa::Avx2].into_iter().find(|isa| isa.present())
    }

    /// Floating point operations of one thread per run.
    pub fn flops(self) -> f64 {
        let (chains, lanes) = match self {
            Isa::Avx2 => (CHAINS_AVX2, 8),
            Isa::Avx512 => (CHAINS_AVX512, 16),
        };
        (2 * ROUNDS * chains * lanes) as f64
    }
}

/// One run on this many threads. The instruction set must be present.
pub fn run(isa: Isa, threads: usize) {
    assert!(isa.present(), "{} is not present", isa.name());
    let one = || {
        // SAFETY: `present` has just confirmed that the processor has the instructions.
        let sum = unsafe {
            match isa {
                Isa::Avx2 => avx2(),
                Isa::Avx512 => avx512(),
            }
        };
        black_box(sum);
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(one)));
        one();
    });
}

#[target_feature(enable = "avx2,fma")]
fn avx2() -> f32 {
    let mut sums = [_mm256_set1_ps(1.0); CHAINS_AVX2];
    let (a, b) = (_mm256_set1_ps(black_box(0.999)), _mm256_set1_ps(black_box(0.001)));
    for _ in 0..ROUNDS {
        sums.iter_mut().for_each(|sum| *sum = _mm256_fmadd_ps(*sum, a, b));
    }
    let mut lanes = [0.0; 8];
    // SAFETY: `lanes` has room for the eight numbers of the vector.
    sums.iter().for_each(|sum| unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), black_box(*sum)) });
    lanes[0]
}

#[target_feature(enable = "avx512f")]
fn avx512() -> f32 {
    let mut sums = [_mm512_set1_ps(1.0); CHAINS_AVX512];
    let (a, b) = (_mm512_set1_ps(black_box(0.999)), _mm512_set1_ps(black_box(0.001)));
    for _ in 0..ROUNDS {
        sums.iter_mut().for_each(|sum| *sum = _mm512_fmadd_ps(*sum, a, b));
    }
    let mut lanes = [0.0; 16];
    // SAFETY: `lanes` has room for the sixteen numbers of the vector.
    sums.iter().for_each(|sum| unsafe { _mm512_storeu_ps(lanes.as_mut_ptr(), black_box(*sum)) });
    lanes[0]
}
