//! The numerics compared with outside references (mpmath, NumPy, LAPACK, JAX; see `make_tables.py`) and with the equations that
//! define them.

mod complex;
mod edges;
mod fft;
mod lapack;
mod linalg;
mod random;
mod special;
mod tables;

use super::Complex64;

/// `|got - want|` over `|want|`; zero if both are the same infinity or NaN.
fn relative_error(got: f64, want: f64) -> f64 {
    if got == want || (got.is_nan() && want.is_nan()) { 0.0 } else { ((got - want) / want).abs() }
}

/// Complex numbers from pairs.
fn complexes(pairs: &[f64]) -> Vec<Complex64> {
    pairs.chunks_exact(2).map(|p| Complex64::new(p[0], p[1])).collect()
}

/// A reproducible stream of numbers between -1 and 1.
fn stream(seed: u64, count: usize) -> Vec<f64> {
    use super::random::{BitWidth, BlockNumbering, threefry_bits, threefry_seed};
    let bits = threefry_bits(threefry_seed(seed), count, BitWidth::W64, BlockNumbering::Partitionable);
    bits.iter().map(|b| (b >> 11) as f64 / (1u64 << 52) as f64 - 1.0).collect()
}
