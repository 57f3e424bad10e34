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
    /// The file is not a sound GGUF file.
    #[error("{}: not a sound GGUF file", path.display())]
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
    /// There is no tensor of that name.
    #[error("there is no tensor {tensor} in this file")]
    NoSuchTensor {
        /// The name that was asked for, quoted.
        tensor: String,
    },
    /// Keys that belong together do not agree.
    #[error("{}: {key}: {problem}", path.display())]
    Disagreement {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// What is wrong with its value.
        problem: String,
    },
    /// Something that cannot be written.
    #[error("{what} cannot be written to a GGUF file: {problem}")]
    Unwritable {
        /// A key or a tensor, quoted.
        what: String,
        /// Why not.
        problem: String,
    },
    /// A file that is no importance matrix.
    #[error("{}: {problem}", path.display())]
    Importance {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A format of so few bits that a model does not survive it without an importance matrix.
    #[error(
        "tensor {tensor} would become {scheme}, which needs an importance matrix of the model: make one with `rlx imatrix`, and name it with --imatrix"
    )]
    NoImportance {
        /// The tensor, quoted.
        tensor: String,
        /// The format.
        scheme: &'static str,
    },
    /// An importance matrix of another model.
    #[error(
        "the importance matrix has {there} numbers for tensor {tensor}, which needs {needed}: it is of another model"
    )]
    ImportanceSize {
        /// The tensor, quoted.
        tensor: String,
        /// How many it needs.
        needed: usize,
        /// How many there are.
        there: usize,
    },
    /// A tensor that is to be quantized is in blocks of another format.
    #[error(
        "tensor {tensor} is quantized as {scheme} already, and quantizing it again loses more than quantizing the original: take the original, or say --requantize"
    )]
    Quantized {
        /// The tensor, quoted.
        tensor: String,
        /// The format.
        scheme: &'static str,
    },
    /// Values that cannot be had as f32.
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
    /// The key or tensor, quoted; empty where it is neither.
    pub what: String,
    /// Where in the file.
    pub at: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong at some place of a file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Problem {
    /// Another kind of file.
    #[error("a GGUF file begins with the letters GGUF{0}")]
    Magic(
        /// What the file seems to be, where that is known.
        &'static str,
    ),
    /// A version that nobody knows.
    #[error("version {0}; versions 1 to 3 are read: update RLX, or convert the model again")]
    Version(u32),
    /// The file ends too early.
    #[error("{needed} bytes are needed, and {present} are left: the file is cut short, fetch it again")]
    Truncated {
        /// Bytes that should follow.
        needed: u64,
        /// Bytes that do.
        present: u64,
    },
    /// A count that the file is too short for.
    #[error("{count} {things}, of which the rest of the file has room for {room}")]
    Count {
        /// The count.
        count: u64,
        /// Of what.
        things: &'static str,
        /// How many there can be.
        room: u64,
    },
    /// More than is read.
    #[error("{count} {things}; at most {limit} are read")]
    TooMany {
        /// The count.
        count: u64,
        /// Of what.
        things: &'static str,
        /// The most.
        limit: usize,
    },
    /// A key of a length that the format does not allow.
    #[error("a key of {0} bytes; keys have 1 to {LONGEST_KEY}")]
    KeyLength(u64),
    /// The name of a tensor has a length that the format does not allow.
    #[error("a name of {0} bytes; tensors have names of 1 to {LONGEST_NAME}")]
    NameLength(u64),
    /// A key or name that is not text.
    #[error("not UTF-8")]
    NotText,
    /// A name that could do harm.
    #[error("{0}; rename the tensor")]
    Name(&'static str),
    /// The same key or name again.
    #[error("it stands in the file twice")]
    Twice,
    /// A type of metadata that nobody knows.
    #[error("values of type {0}; the format has types 0 to 12")]
    ValueType(u32),
    /// A truth value that is neither.
    #[error("a bool of {0}; it is 0 or 1")]
    Bool(u8),
    /// Arrays in arrays without end.
    #[error("arrays stand more than {DEEPEST_ARRAY} deep inside each other")]
    Nesting,
    /// An alignment that cannot be.
    #[error("an alignment of {0}; it is a u32, a power of two from {LEAST_ALIGNMENT} to {MOST_ALIGNMENT}")]
    Alignment(String),
    /// Too many dimensions.
    #[error("{0} dimensions; a tensor has at most {MOST_DIMENSIONS}")]
    Rank(u32),
    /// A type of tensors that nobody knows.
    #[error("type {id} {why}")]
    TensorType {
        /// The number.
        id: u32,
        /// Why it is not read.
        why: String,
    },
    /// More elements or bytes than can be counted.
    #[error("a tensor of shape {0} has more bytes than 63 bits can count")]
    Size(String),
    /// A row that ends inside a block.
    #[error("rows of {row} values are not a whole number of {scheme} blocks of {block}")]
    Row {
        /// Values of a row.
        row: u64,
        /// The format.
        scheme: &'static str,
        /// Values of a block.
        block: usize,
    },
    /// An offset that is no multiple of the alignment.
    #[error("its data is at offset {offset}, which is no multiple of the alignment {alignment}")]
    Unaligned {
        /// The offset.
        offset: u64,
        /// The alignment.
        alignment: usize,
    },
    /// An offset inside the data of the tensor before.
    #[error("its data is at offset {offset}, before the end of the data of the tensor before it, {end}")]
    Overlap {
        /// The offset.
        offset: u64,
        /// Where the data before ends.
        end: u64,
    },
    /// Data past the end of the file.
    #[error(
        "its data is bytes {offset} to {end} of {present} bytes of data: the file is cut short, fetch it again"
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
