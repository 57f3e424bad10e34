//! Products of f32 matrices with weights that stay in packed quantized blocks.
//!
//! The product is X · Wᵀ with X `[m, k]` and W `[n, k]`. The rows of W are blocks of a format of `rlx-quant`. Activations are quantized to
//! bytes, 32 at a time (`activations`). Weights are rearranged once (`pack`) into panels of 16 rows (`layout`), and unpacked to bytes a few
//! blocks at a time (`unpack`) for a tile of rows (`tile`); the product of a single row reads panels directly (`stream`).
//!
//! For each 16 or 32 values, a product is computed exactly, in integers. An element of the result adds these up in chains of multiply-adds
//! over 512 values, and then adds the chains. So a row has the same bits alone and among others, on any number of threads.
//!
//! The format's own decoder, run on 16 rows at once, finds what a block consists of (`parts`); codes are packed four neighbors at a time
//! (`fours`). Panels contain numbers, not points of a grid; points are looked up once, when weights are packed. Code that is specialized
//! for a row of the table (`PanelFormat::compiled_for`) refers to operations by name, because a function that is passed as a value is
//! compiled without its caller's instruction set.
//!
//! To add a format, add its row to `rlx-quant/src/scheme.rs`, and one to `layout.rs`, which says how its numbers are arranged in a panel.

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
