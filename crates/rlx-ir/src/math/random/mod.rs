//! Counter-based random bits: Threefry-2x32 and Philox-4x32, bit-exact with JAX and XLA. Source: Salmon,
//! Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. They make only bits: there are no
//! distributions, and no hidden state.
//!
//! [`SplitMix64`] is for data outside of graphs.

mod generator;
mod philox;
mod splitmix;
mod threefry;

pub use generator::{Algorithm, BitWidth, Draw, Generated, rng_bit_generator};
pub use philox::philox4x32;
pub use splitmix::SplitMix64;
pub use threefry::{
    BlockNumbering, threefry_bits, threefry_fold_in, threefry_hash, threefry_seed, threefry_split,
    threefry2x32, threefry2x32_lanes,
};
