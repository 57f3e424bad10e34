//! The CPU backend: kernels for x86-64 and aarch64, chosen at run time.
//!
//! `kernels` has a file or folder per family of ops, which prepares a node as an `OpKernel`. Every primitive has a kernel for every type,
//! so nothing runs in the evaluator. A primitive that no family claims is an error when this crate is compiled. `exec` runs programs of
//! kernels. Code that knows nothing of graphs is in crates below this one, which are also reachable under their old paths ([`gemm`],
//! [`isa`], [`pool`], [`simd`], [`vector`]).
//!
//! **CPU-1**: a result does not depend on the number of threads. Independent outputs are divided among threads, and sums only in ways that
//! depend on sizes alone. How products are divided for a BLAS library depends only on their shapes. Where a long sum is divided into chains
//! depends only on its length, and whether the matrix unit computes a product depends only on its sizes (docs/cpu.md). With a BLAS library,
//! results are repeatable only if those of the library are.
//!
//! **CPU-2**: a steady-state run allocates nothing on the heap. Branches and loops are actions of the program, whose values are all in
//! one arena. With the feature `linalg` this holds for factorizations on x86-64; on other processors the products of `faer` allocate.
//!
//! Products of every kind (`dot_general`, `ragged_dot`, `convolution`) are one blocked product. Operands that are not matrices of its
//! numbers in memory (narrow or complex ones, axes in irregular order, patches of an image) are read into its packed blocks by a function.
//! Results of other types or layouts are converted piece by piece while they are in the cache.
//!
//! With the feature `linalg` (off by default, because its crates take minutes to build), factorizations use `rlx-linalg`, and without it
//! the evaluator's plain algorithms. `tridiagonal_solve`, `geqp3` and `eig` are plain in both.

mod backend;
mod cost;
pub mod custom;
mod exec;
mod kernels;
pub mod variables;

pub use backend::{CpuBackend, CpuOptions};
pub use custom::{CpuKernel, register_cpu_kernel};
#[doc(no_inline)]
pub use rlx_gemm as gemm;
#[doc(no_inline)]
pub use rlx_pool as pool;
#[doc(no_inline)]
pub use rlx_simd::{isa, simd, vector};

use rlx_attention as attention;
use rlx_simd::norm;
