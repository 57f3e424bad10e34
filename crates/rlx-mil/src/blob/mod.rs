//! Files of weights: MILBlob version 2, which packages call `weight.bin`.
//!
//! A file is a header of 64 bytes, then blobs: for each a record of 64 bytes at a multiple of 64, and its elements right after it. Programs
//! name a blob by the offset of its record. All numbers are little endian.
//!
//! | header | record |
//! |---|---|
//! | `u32` blobs in the file | `u32` 0xDEADBEEF |
//! | `u32` version, 2 | `u32` code of the element type |
//! | zeros | `u64` bytes of the elements |
//! | | `u64` where the elements begin in the file |
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

/// What records begin at multiples of; the size of the header and of a record too.
const ALIGNMENT: u64 = 64;
/// The version of the format.
const VERSION: u32 = 2;
/// What a record begins with.
const SENTINEL: u32 = 0xDEAD_BEEF;

/// Why something is no file of weights, or cannot become one. Records are named by their offset in bytes.
#[derive(Debug, Error)]
pub enum BlobError {
    /// The file ends inside of its header.
    #[error("a file of weights begins with a header of 64 bytes, and this one has {file_bytes} bytes")]
    NoHeader {
        /// The bytes of the file.
        file_bytes: u64,
    },
    /// A file of another version, or of another kind.
    #[error("version {version} of the format, or no file of weights: only version 2 can be read")]
    Version {
        /// What stands there.
        version: u32,
    },
    /// No record can be at an offset.
    #[error(
        "no record can begin at byte {record} of {file_bytes}: each has 64 bytes and begins at a multiple of 64 after the header"
    )]
    Misplaced {
        /// The offset.
        record: u64,
        /// The bytes of the file.
        file_bytes: u64,
    },
    /// What is at an offset is no record.
    #[error(
        "no record begins at byte {record}: 0x{found:08X} stands there, and records begin with 0xDEADBEEF"
    )]
    NoRecord {
        /// The offset.
        record: u64,
        /// What stands there.
        found: u32,
    },
    /// A record of a type that is not known.
    #[error("record at byte {record}: no element type has the code {code}; they are 1 to 17")]
    UnknownType {
        /// The record.
        record: u64,
        /// The code.
        code: u32,
    },
    /// Elements that are not in the file.
    #[error(
        "record at byte {record}: {bytes} bytes of elements from byte {start} on are not inside of the file, which has {file_bytes} bytes"
    )]
    OutOfFile {
        /// The record.
        record: u64,
        /// Where the elements begin.
        start: u64,
        /// Their bytes.
        bytes: u64,
        /// The bytes of the file.
        file_bytes: u64,
    },
    /// Bytes that no whole number of elements fills.
    #[error(
        "record at byte {record}: {bytes} bytes without {padding_bits} bits at their end are no whole number of elements of {blob_type}"
    )]
    Fraction {
        /// The record.
        record: u64,
        /// The type of the elements.
        blob_type: BlobType,
        /// Their bytes.
        bytes: u64,
        /// The bits after the last element.
        padding_bits: u64,
    },
    /// A blob that is to be written has more or fewer bytes than its elements.
    #[error("{elements} elements of {blob_type} take {needed} bytes, and {bytes} were given")]
    WrongSize {
        /// The type of the elements.
        blob_type: BlobType,
        /// How many there are.
        elements: u64,
        /// The bytes that they take.
        needed: u128,
        /// The bytes that were given.
        bytes: u64,
    },
    /// More blobs, or bytes, than the numbers of the format can say.
    #[error("a file of weights holds at most {} blobs and {} bytes", u32::MAX, u64::MAX)]
    Full,
    /// The function that makes the elements of a blob failed.
    #[error("making the elements of a blob of {blob_type}")]
    Unmade {
        /// The type of the elements.
        blob_type: BlobType,
        /// What the function said.
        #[source]
        source: io::Error,
    },
}
