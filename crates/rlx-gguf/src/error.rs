//! Errors of GGUF files.

use crate::{DEEPEST_ARRAY, LEAST_ALIGNMENT, LONGEST_KEY, LONGEST_NAME, MOST_ALIGNMENT, MOST_DIMENSIONS};
use rlx_files::files::FileError;
use std::path::PathBuf;
use thiserror::Error;

/// Why a file could not be opened, read or written.
#[derive(Debug, Error)]
pub enum GgufError {
    /// The file itself could not be opened, read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is not a valid GGUF file.
    #[error("{}: not a valid GGUF file", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        problem: FormatError,
    },
    /// The parts of a model do not belong together.
    #[error("{}: {problem}", path.display())]
    Parts {
        /// The part.
        path: PathBuf,
        /// Why not.
        problem: String,
    },
    /// There is no tensor with this name.
    #[error("this file has no tensor {tensor}")]
    NoSuchTensor {
        /// The requested name, quoted.
        tensor: String,
    },
    /// Related keys do not agree.
    #[error("{}: {key}: {problem}", path.display())]
    Disagreement {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// What is wrong with its value.
        problem: String,
    },
    /// Something cannot be written.
    #[error("{what} cannot be written to a GGUF file: {problem}")]
    Unwritable {
        /// A key or a tensor, quoted.
        what: String,
        /// Why not.
        problem: String,
    },
    /// The file is not an importance matrix.
    #[error("{}: {problem}", path.display())]
    Importance {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The format has so few bits that a model becomes unusable without an importance matrix.
    #[error(
        "tensor {tensor} would become {scheme}, which needs an importance matrix of the model: create one with `rlx imatrix` \
         and name it with --imatrix"
    )]
    NoImportance {
        /// The tensor, quoted.
        tensor: String,
        /// The format.
        scheme: &'static str,
    },
    /// The importance matrix belongs to another model.
    #[error(
        "the importance matrix has {there} numbers for tensor {tensor}, which needs {needed}: it belongs to another model"
    )]
    ImportanceSize {
        /// The tensor, quoted.
        tensor: String,
        /// How many numbers it needs.
        needed: usize,
        /// How many numbers there are.
        there: usize,
    },
    /// A tensor to be quantized is already quantized in another format.
    #[error(
        "tensor {tensor} is already quantized as {scheme}, and quantizing it again loses more than quantizing the original: use \
         the original, or add --requantize"
    )]
    Quantized {
        /// The tensor, quoted.
        tensor: String,
        /// The format.
        scheme: &'static str,
    },
    /// The values cannot be converted to f32.
    #[error("tensor {tensor}: {problem}")]
    NotFloat {
        /// The tensor, quoted.
        tensor: String,
        /// Why not.
        problem: String,
    },
}

/// What is wrong with a file, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}at byte {at}: {problem}", if self.what.is_empty() { String::new() } else { format!("{} ", self.what) })]
pub struct FormatError {
    /// The key or tensor, quoted; empty if the problem is with neither.
    pub what: String,
    /// The position in the file, in bytes.
    pub at: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong at a position in a file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Problem {
    /// The file is of another kind.
    #[error("a GGUF file begins with the letters GGUF{0}")]
    Magic(
        /// What the file seems to be, if that is known.
        &'static str,
    ),
    /// The version is not known.
    #[error("version {0} is not supported, only 1 to 3 are: update RLX, or convert the model again")]
    Version(u32),
    /// The file ends too early.
    #[error("{needed} bytes are needed, but {present} are left: the file is truncated, fetch it again")]
    Truncated {
        /// The number of bytes that should follow.
        needed: u64,
        /// The number of bytes that follow.
        present: u64,
    },
    /// The file is too short for a count.
    #[error("{count} {things} do not fit: the rest of the file has room for {room}")]
    Count {
        /// The count.
        count: u64,
        /// What is counted.
        things: &'static str,
        /// How many fit.
        room: u64,
    },
    /// There are more items than are supported.
    #[error("{count} {things} are too many; at most {limit} are supported")]
    TooMany {
        /// The count.
        count: u64,
        /// What is counted.
        things: &'static str,
        /// The maximum.
        limit: usize,
    },
    /// A key has a length that the format does not allow.
    #[error("a key has {0} bytes; keys must have 1 to {LONGEST_KEY}")]
    KeyLength(u64),
    /// The name of a tensor has a length that the format does not allow.
    #[error("a name has {0} bytes; names of tensors must have 1 to {LONGEST_NAME}")]
    NameLength(u64),
    /// A key or name is not text.
    #[error("not UTF-8")]
    NotText,
    /// A name could do harm.
    #[error("{0}; rename the tensor")]
    Name(&'static str),
    /// The same key or name occurs twice.
    #[error("it occurs twice")]
    Twice,
    /// A value has an unknown type.
    #[error("unknown value type {0}; the format has types 0 to 12")]
    ValueType(u32),
    /// A boolean is neither true nor false.
    #[error("a bool is {0}; it must be 0 or 1")]
    Bool(u8),
    /// Arrays are nested too deeply.
    #[error("arrays are nested more than {DEEPEST_ARRAY} deep")]
    Nesting,
    /// The alignment is not valid.
    #[error("the alignment is {0}; it must be a u32 power of two from {LEAST_ALIGNMENT} to {MOST_ALIGNMENT}")]
    Alignment(String),
    /// A tensor has too many dimensions.
    #[error("it has {0} dimensions; a tensor can have at most {MOST_DIMENSIONS}")]
    Rank(u32),
    /// A tensor has an unknown type.
    #[error("type {id} {why}")]
    TensorType {
        /// The number of the type.
        id: u32,
        /// Why it is not supported.
        why: String,
    },
    /// A tensor has more elements or bytes than can be counted.
    #[error("a tensor of shape {0} has more bytes than 63 bits can count")]
    Size(String),
    /// A row ends inside a block.
    #[error("rows of {row} values are not a whole number of {scheme} blocks of {block}")]
    Row {
        /// Values in a row.
        row: u64,
        /// The format.
        scheme: &'static str,
        /// Values in a block.
        block: usize,
    },
    /// An offset is not a multiple of the alignment.
    #[error("its data is at offset {offset}, which is not a multiple of the alignment {alignment}")]
    Unaligned {
        /// The offset.
        offset: u64,
        /// The alignment.
        alignment: usize,
    },
    /// An offset is inside the data of the previous tensor.
    #[error("its data is at offset {offset}, before the end of the previous tensor's data at {end}")]
    Overlap {
        /// The offset.
        offset: u64,
        /// Where the previous tensor's data ends.
        end: u64,
    },
    /// Data extends beyond the end of the file.
    #[error(
        "its data is bytes {offset} to {end} of {present} bytes of data: the file is truncated, fetch it again"
    )]
    Data {
        /// The offset.
        offset: u64,
        /// One past the last byte.
        end: u128,
        /// Bytes of data in the file.
        present: u64,
    },
}
