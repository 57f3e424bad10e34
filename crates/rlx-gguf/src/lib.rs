//! GGUF, the file format of llama.cpp: metadata by key, then tensors.
//!
//! [`Gguf`] reads versions 1 to 3 in either byte order, in one file or several; [`GgufWriter`] writes version
//! 3. Every statement of a header is checked against the others and against the length of the file before it is
//! used (READ-1). Metadata and tensors stay in the mapped file (see [`rlx_files::contents`] for what that
//! means).
//!
//! This crate knows no models: what keys and names mean is for programs that run models to say. [`Gguf::check`]
//! says whether related keys agree.
//!
//! Format: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>.

mod check;
pub mod convert;
mod cursor;
mod error;
mod file;
mod header;
mod imatrix;
mod quantize;
pub mod recipe;
mod split;
mod tensor;
mod value;
mod write;

pub use error::{FormatError, GgufError, Problem};
pub use file::Gguf;
pub use imatrix::ImportanceMatrix;
pub use quantize::{converted_numbers, float_bytes};
pub use recipe::{QuantizeOptions, Recipe};
pub use tensor::{TensorType, TensorView};
pub use value::{Array, MetaType, MetaValue};
pub use write::GgufWriter;

/// The first four bytes of a file.
pub(crate) const MAGIC: [u8; 4] = *b"GGUF";
/// The key of the distance of which offsets are multiples, and that distance where a file does not say.
pub(crate) const ALIGNMENT: &str = "general.alignment";
pub(crate) const DEFAULT_ALIGNMENT: usize = 32;
/// Alignments that are accepted: powers of two that are multiples of 8, as the format says, and no larger than anybody needs.
pub(crate) const LEAST_ALIGNMENT: usize = 8;
pub(crate) const MOST_ALIGNMENT: usize = 1 << 20;
/// Longest key in bytes.
pub(crate) const LONGEST_KEY: usize = 65_535;
/// Longest name of a tensor in bytes: ggml has room for one more, the NUL.
pub(crate) const LONGEST_NAME: usize = 63;
/// Most dimensions of a tensor.
pub(crate) const MOST_DIMENSIONS: usize = 4;
/// Most keys and tensors of a file, so that what is kept of each stays small beside it.
pub(crate) const MOST_KEYS: usize = 1 << 16;
pub(crate) const MOST_TENSORS: usize = 1 << 17;
/// How deep arrays may stand inside each other.
pub(crate) const DEEPEST_ARRAY: usize = 8;
