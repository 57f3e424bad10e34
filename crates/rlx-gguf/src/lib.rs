//! Reads and writes GGUF, the file format of llama.cpp: metadata by key, then tensors.
//!
//! [`Gguf`] reads versions 1 to 3 in either byte order, in one file or several; [`GgufWriter`] writes version 3.
//! Every claim of a header is checked against the others and against the length of the file before it is used
//! (READ-1). Metadata and tensors stay in the mapped file (see [`rlx_files::contents`] for what that means). All
//! readers of a model share one open file, as [`ModelFiles`].
//!
//! This crate knows nothing about models: what keys and names mean is up to programs that run models. [`Gguf::check`]
//! checks whether related keys agree.
//!
//! Format: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>.

mod check;
pub mod convert;
mod cursor;
mod error;
mod file;
mod header;
mod imatrix;
mod model;
mod quantize;
pub mod recipe;
mod split;
mod tensor;
mod value;
mod write;

pub use error::{FormatError, GgufError, Problem};
pub use file::Gguf;
pub use imatrix::ImportanceMatrix;
pub use model::ModelFiles;
pub use quantize::{converted_numbers, float_bytes};
pub use recipe::{QuantizeOptions, Recipe};
pub use tensor::{TensorType, TensorView};
pub use value::{Array, MetaType, MetaValue};
pub use write::GgufWriter;

/// The first four bytes of a file.
pub(crate) const MAGIC: [u8; 4] = *b"GGUF";
/// The key of the alignment of offsets, and the alignment if a file does not state it.
pub(crate) const ALIGNMENT: &str = "general.alignment";
pub(crate) const DEFAULT_ALIGNMENT: usize = 32;
/// The range of accepted alignments: powers of two that are multiples of 8, as the format requires, and no larger
/// than necessary.
pub(crate) const LEAST_ALIGNMENT: usize = 8;
pub(crate) const MOST_ALIGNMENT: usize = 1 << 20;
/// The maximum length of a key in bytes.
pub(crate) const LONGEST_KEY: usize = 65_535;
/// The maximum length of a tensor's name in bytes: ggml has room for one more, the NUL.
pub(crate) const LONGEST_NAME: usize = 63;
/// The maximum number of dimensions of a tensor.
pub(crate) const MOST_DIMENSIONS: usize = 4;
/// The maximum number of keys in a file, and of tensors, so that the memory for each entry stays small compared with
/// the file.
pub(crate) const MOST_KEYS: usize = 1 << 16;
pub(crate) const MOST_TENSORS: usize = 1 << 17;
/// How deeply arrays may be nested.
pub(crate) const DEEPEST_ARRAY: usize = 8;
