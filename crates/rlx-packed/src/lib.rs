//! Products of f32 matrices with weights that stay packed blocks: X · Wᵀ with X `[m, k]` and W `[n, k]`, whose rows are blocks of a
//! format of `rlx-quant`.
//!
//! Activations are quantised to bytes, 32 at a time (`activations`); products of whole numbers are exact, and an element of the result is
//! one chain of multiply-adds, so it is the same whatever other rows there are, with any number of threads. Weights lie in panels of 16
//! rows (`layout`), written once (`pack`), and are unpacked to bytes a few blocks at a time (`unpack`) for a tile of rows (`tile`).

mod activations;
mod fours;
mod lanes;
mod layout;
mod pack;
mod parts;
mod product;
mod stream;
#[cfg(test)]
mod tests;
mod tile;
mod unpack;
mod weights;

pub use product::{PackedProduct, ProductError, Weights};
pub use weights::{Blocks, PackedWeights};
