//! Reads numbers at a position in the bytes of a file. Every read is checked against the number of bytes that are
//! left.

use crate::error::{FormatError, Problem};

/// How a file encodes numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Encoding {
    /// The most significant byte comes first.
    pub(crate) big_endian: bool,
    /// Counts and lengths have 32 bits (version 1) instead of 64.
    pub(crate) narrow: bool,
}

impl Encoding {
    /// The encoding that this crate writes.
    pub(crate) const WRITTEN: Encoding = Encoding { big_endian: false, narrow: false };
}

#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    pub(crate) encoding: Encoding,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], encoding: Encoding) -> Self {
        Cursor { bytes, at: 0, encoding }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Returns how many bytes are left.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Returns an error at the position of the next read.
    pub(crate) fn error(&self, problem: Problem) -> FormatError {
        FormatError { what: String::new(), at: self.at, problem }
    }

    /// Reads the next bytes.
    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], FormatError> {
        match self.bytes[self.at..].split_at_checked(len) {
            Some((taken, _)) => {
                self.at += len;
                Ok(taken)
            }
            None => Err(self.error(Problem::Truncated { needed: len as u64, present: self.left() as u64 })),
        }
    }

    /// Reads the bytes of the next number, least significant first.
    pub(crate) fn number<const N: usize>(&mut self) -> Result<[u8; N], FormatError> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N)?);
        if self.encoding.big_endian {
            bytes.reverse();
        }
        Ok(bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, FormatError> {
        self.number().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, FormatError> {
        self.number().map(u64::from_le_bytes)
    }

    /// Reads a count, a length or a dimension.
    pub(crate) fn count(&mut self) -> Result<u64, FormatError> {
        if self.encoding.narrow { self.u32().map(u64::from) } else { self.u64() }
    }

    /// Returns how many bytes a count has.
    pub(crate) fn count_bytes(&self) -> usize {
        if self.encoding.narrow { 4 } else { 8 }
    }

    /// Reads a length in bytes, and checks that this many bytes follow.
    pub(crate) fn length(&mut self) -> Result<usize, FormatError> {
        let len = self.count()?;
        match usize::try_from(len) {
            Ok(len) if len <= self.left() => Ok(len),
            _ => Err(self.error(Problem::Truncated { needed: len, present: self.left() as u64 })),
        }
    }

    /// Reads the number of items that follow, each of which has at least `least` bytes.
    pub(crate) fn things(&mut self, things: &'static str, least: usize) -> Result<usize, FormatError> {
        let at = self.at;
        let count = self.count()?;
        let room = self.left() / least;
        match usize::try_from(count) {
            Ok(count) if count <= room => Ok(count),
            _ => {
                let problem = Problem::Count { count, things, room: room as u64 };
                Err(FormatError { what: String::new(), at, problem })
            }
        }
    }
}
