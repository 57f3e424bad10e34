//! The block formats of quantized numbers that ggml defines, one row per format.
//!
//! A row of [`scheme`](QuantScheme) has the name and number that ggml gives the format, the number of values and bytes in a block, the
//! function that decodes a value (`decode`) and the function that quantizes a block (`quantize`).
//!
//! **QUANT-1**: a format is decoded by one function, written over an [`arithmetic::PackedBlock`]. Run on bytes, it computes numbers, for
//! the evaluator and the CPU; `rlx-expand` runs it on tensors, and `rlx-codegen` on scalars of a kernel. So nothing else knows how a format
//! lays out its bits. Formats with tables of more than 16 entries (the IQ grids) are expanded to gathers. `tests/goldens.txt`, written by
//! `scripts/quant_goldens.py`, contains what ggml decodes, and decoders must agree with it bit for bit.
//!
//! For formats with one scale per block, quantizing without importances produces the same bits as ggml's reference. The other formats
//! search for scales with little weighted error, and the IQ formats try every point of their grid.
//!
//! To add a format, add a row to `scheme.rs`, its decoder to `decode/`, its quantizer to `quantize/`, its fields to `endian.rs`, and a row
//! to `scripts/quant_goldens.py`. The evaluator, the expansion, the CPU, kernels, GGUF and the conformance cases follow from the row.
//!
//! This crate knows nothing of tensors, files or devices.

pub mod arithmetic;
mod decode;
mod endian;
mod grids;
mod levels;
mod palette;
mod quantize;
mod scheme;

pub use levels::{LevelForm, Leveled, Levels};
pub use palette::{nearest, palette};
pub use quantize::QuantizeError;
pub use scheme::{Format, QuantScheme, UnknownScheme, formats};
