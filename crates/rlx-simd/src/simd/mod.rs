//! Vectors of floats, one implementation per instruction set, and the dispatch into code that may use them.
//!
//! This module owns what an instruction set can do ([`Simd`], [`Vector`], [`F32Vector`]) and the dispatch to it ([`Cpu::dispatch`]). It
//! knows no kernel.
//!
//! A kernel is generic over [`Simd`] and is compiled once per instruction set. Everything that it calls on the way to a vector operation
//! must be `#[inline(always)]`; only then does it end up in the one function that enables the instruction set. Closures are not inlined
//! reliably, so work is divided among threads outside of kernels, and each task dispatches for itself.
//!
//! A vector operation is safe to call because a vector proves its instruction set: vectors are made from other vectors or from a [`Simd`]
//! token, and only [`Cpu::dispatch`] makes tokens.
//!
//! **SIMD-1**: code for an instruction set is reached only through [`Cpu::dispatch`], which proves that the machine has it. Within such
//! code, `Simd::outlined` calls code that is compiled once for all its callers, such as the register tile of products for attention. A
//! crate dispatches its own kernels in functions that are not generic (`rlx-gemm/src/compiled.rs`, `rlx-linalg/src/factorize.rs`);
//! otherwise every user would compile them again.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod ops;
mod portable;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(test)]
mod tests;
mod vector;

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub use avx512::Avx512;
#[cfg(target_arch = "aarch64")]
pub use neon::Neon;
pub use portable::Portable;
pub use scalar::Scalar;
#[cfg(target_arch = "x86_64")]
pub use sse2::Sse2;
pub use vector::{F32Vector, I32Vector, MAX_LANES, Mask, Vector};

use crate::isa::{Cpu, Isa};

/// Limits vectors to those of this crate. Unsafe code relies on what vector types say about themselves, and other crates could make false
/// statements without writing `unsafe`.
///
/// ```compile_fail,E0277
/// #[derive(Clone, Copy)]
/// struct Mine;
///
/// impl rlx_simd::simd::Mask for Mine {
///     fn and(self, _: Self) -> Self { self }
///     fn or(self, _: Self) -> Self { self }
///     fn not(self) -> Self { self }
///     fn any(self) -> bool { true }
/// }
/// ```
mod sealed {
    pub trait Sealed {}
}

macro_rules! sealed {
    ($($module:ident: $($name:ident)*;)*) => {
        $($(impl sealed::Sealed for $module::$name {})*)*
    };
}

impl<const N: usize> sealed::Sealed for portable::PortableMask<N> {}
sealed! { portable: Portable PortableF32 PortableF64 PortableI32; }
#[cfg(target_arch = "x86_64")]
sealed! {
    sse2: Sse2 F32x4 F64x2 I32x4 Mask32x4 Mask64x2;
    avx2: Avx2 F32x8 F64x4 I32x8 Mask32x8 Mask64x4;
    avx512: Avx512 F32x16 F64x8 I32x16 Mask16 Mask8;
}
#[cfg(target_arch = "aarch64")]
sealed! { neon: Neon F32x4 F64x2 I32x4 Mask32x4 Mask64x2; }

/// An instruction set: its vector types, and the register tile that its matrix kernels use.
///
/// The value is a token: holding one proves that the machine has the instruction set.
pub trait Simd: sealed::Sealed + Copy + Send + Sync + 'static {
    /// The level that this token proves.
    const ISA: Isa;
    /// Number of rows in the register tile of a matrix product.
    const TILE_ROWS: usize;
    /// Number of columns in that tile, in vectors.
    const TILE_VECTORS: usize;

    /// The vector of `f32`.
    type F32: F32Vector<Token = Self>;
    /// The vector of `f64`.
    type F64: Vector<Elem = f64, Token = Self>;

    /// Runs a kernel in a separate function, which is compiled once for all its callers. For kernels that are large and run for much longer
    /// than a call takes.
    #[inline(never)]
    fn outlined<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    /// Prefetches the cache line at `place`. Any address is allowed; none faults.
    #[inline(always)]
    fn prefetch<T>(self, _place: *const T) {}
}

/// Code to run with an instruction set that is chosen at run time.
pub trait Kernel {
    /// What the kernel returns.
    type Output;

    /// Runs with the instruction set of `token`. Implementations must be `#[inline(always)]`.
    fn run<S: Simd>(self, token: S) -> Self::Output;
}

impl Cpu {
    /// Runs `kernel`, compiled for the instruction set of this `Cpu`. This is the only way into such code (SIMD-1).
    #[inline]
    pub fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        match self.isa() {
            // SAFETY: a `Cpu` exists only for an instruction set that the machine has.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 | Isa::Amx => unsafe { avx512::enter(kernel) },
            // SAFETY: a `Cpu` of this instruction set exists only where the machine has AVX2 and FMA.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => unsafe { avx2::enter(kernel) },
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => kernel.run(Neon::new()),
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            _ => kernel.run(Sse2::new()),
            // Miri interprets only portable code.
            #[cfg(any(not(target_arch = "x86_64"), miri))]
            _ => kernel.run(Portable::new()),
        }
    }
}
