//! Vectors of floats, one implementation per instruction set, and the way into code that may use them.
//!
//! This module owns what an instruction set can do ([`Simd`], [`Vector`], [`F32Vector`]) and the dispatch to
//! it ([`Cpu::dispatch`]). It knows no kernel.
//!
//! A kernel is generic over [`Simd`] and is compiled once per instruction set. Everything it calls on the way
//! to a vector operation must be `#[inline(always)]`: only then does it land in the one function that enables
//! the instruction set. Closures are not inlined reliably, so threads are split outside: a task dispatches
//! for itself.
//!
//! A vector operation is safe to call, because a vector proves its instruction set: vectors are made from
//! other vectors or from a [`Simd`] token, and a token is only made by [`Cpu::dispatch`].

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

/// An instruction set: its vector types and the register tile its matrix kernels use.
///
/// The value is a token: holding one proves that the machine has the instruction set.
pub trait Simd: Copy + Send + Sync + 'static {
    /// The level this token stands for.
    const ISA: Isa;
    /// Rows of the register tile of a matrix product.
    const TILE_ROWS: usize;
    /// Columns of that tile, in vectors.
    const TILE_VECTORS: usize;

    /// The vector of `f32`.
    type F32: F32Vector<Token = Self>;
    /// The vector of `f64`.
    type F64: Vector<Elem = f64, Token = Self>;

    /// Runs a kernel in a function of its own, which is compiled once for all that call it: for kernels of much code that run
    /// for longer than a call takes.
    #[inline(never)]
    fn outlined<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    /// Asks for the cache line at `place`, to be read soon. Any address will do: none faults.
    #[inline(always)]
    fn prefetch<T>(self, _place: *const T) {}
}

/// Code to run with an instruction set chosen at run time.
pub trait Kernel {
    /// What the kernel returns.
    type Output;

    /// Runs with the instruction set of `token`. Implementations must be `#[inline(always)]`.
    fn run<S: Simd>(self, token: S) -> Self::Output;
}

impl Cpu {
    /// Runs `kernel` compiled for the instruction set of this `Cpu`.
    #[inline]
    pub fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        match self.isa() {
            // SAFETY: a `Cpu` exists only for an instruction set that the machine has.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 | Isa::Amx => unsafe { avx512::enter(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => unsafe { avx2::enter(kernel) },
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => kernel.run(Neon::new()),
            #[cfg(target_arch = "x86_64")]
            _ => kernel.run(Sse2::new()),
            #[cfg(not(target_arch = "x86_64"))]
            _ => kernel.run(Portable::new()),
        }
    }
}
