//! Weights files: MILBlob version 2, which packages call `weight.bin`.
//!
//! A file is a 64-byte header followed by blobs. Each blob has a 64-byte record at a multiple of 64, directly followed by its elements.
//! Programs refer to a blob by the offset of its record. All numbers are little-endian.
//!
//! | header | record |
//! |---|---|
//! | `u32` blobs in the file | `u32` 0xDEADBEEF |
//! | `u32` version, 2 | `u32` code of the element type |
//! | zeros | `u64` bytes of the elements |
//! | | `u64` offset of the elements in the file |
//! | | `u64` bits after the last element, in its byte |
//! | | zeros |
//!
//! Elements of fewer than 8 bits are packed without gaps, from the low bits of a byte to the high ones.

mod element;
mod read;
mod write;

pub use element::BlobType;
pub use read::{Blob, BlobFile};
pub use write::{BlobSource, Blobs};

use std::io;

use thiserror::Error;

/// The alignment of records, which is also the size of a record and of the header, in bytes.
const ALIGNMENT: u64 = 64;
/// The format version.
const VERSION: u32 = 2;
/// The first word of a record.
const SENTINEL: u32 = 0xDEAD_BEEF;

/// Why something is not a weights file, or cannot be written as one. Records are identified by their offset in bytes.
#[derive(Debug, Error)]
pub enum BlobError {
    /// The file ends within its header.
    #[error("a weights file begins with a header of 64 bytes, but this one has {file_bytes} bytes")]
    NoHeader {
        /// The size of the file in bytes.
        file_bytes: u64,
    },
    /// A file of another version or another kind.
    #[error("version {version} of the format, or not a weights file: only version 2 can be read")]
    Version {
        /// The version number in the file.
        version: u32,
    },
    /// An offset at which there cannot be a record.
    #[error(
        "no record can begin at byte {record} of {file_bytes}: each has 64 bytes and begins at a multiple of 64 after the header"
    )]
    Misplaced {
        /// The offset.
        record: u64,
        /// The size of the file in bytes.
        file_bytes: u64,
    },
    /// There is no record at an offset.
    #[error("no record begins at byte {record}: found 0x{found:08X}, but records begin with 0xDEADBEEF")]
    NoRecord {
        /// The offset.
        record: u64,
        /// The word at that offset.
        found: u32,
    },
    /// A record with an unknown element type.
    #[error("record at byte {record}: no element type has the code {code}; codes are 1 to 17")]
    UnknownType {
        /// The record.
        record: u64,
        /// The code.
        code: u32,
    },
    /// Elements that exceed the file.
    #[error(
        "record at byte {record}: {bytes} bytes of elements from byte {start} on exceed the file, which has {file_bytes} bytes"
    )]
    OutOfFile {
        /// The record.
        record: u64,
        /// The offset of the elements.
        start: u64,
        /// The size of the elements in bytes.
        bytes: u64,
        /// The size of the file in bytes.
        file_bytes: u64,
    },
    /// A number of bytes that is not a whole number of elements.
    #[error(
        "record at byte {record}: {bytes} bytes without {padding_bits} bits at their end are not a whole number of elements of {blob_type}"
    )]
    Fraction {
        /// The record.
        record: u64,
        /// The type of the elements.
        blob_type: BlobType,
        /// The size of the elements in bytes.
        bytes: u64,
        /// The number of bits after the last element.
        padding_bits: u64,
    },
    /// The number of bytes of a blob to write does not match its elements.
    #[error("{elements} elements of {blob_type} take {needed} bytes, got {bytes}")]
    WrongSize {
        /// The type of the elements.
        blob_type: BlobType,
        /// The number of elements.
        elements: u64,
        /// The number of bytes that they take.
        needed: u128,
        /// The number of bytes given.
        bytes: u64,
    },
    /// There are more blobs or bytes than the format's numbers can represent.
    #[error("a weights file can have at most {} blobs and {} bytes", u32::MAX, u64::MAX)]
    Full,
    /// The function that computes the elements of a blob failed.
    #[error("computing the elements of a blob of {blob_type}")]
    Unmade {
        /// The type of the elements.
        blob_type: BlobType,
        /// The function's error.
        #[source]
        source: io::Error,
    },
}
