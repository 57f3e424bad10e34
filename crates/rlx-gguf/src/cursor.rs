//! A position in the bytes of a file from which numbers are read, each read checked against what is left. Every
//! read is checked against what is left.

use crate::error::{FormatError, Problem};

/// How a file says numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Encoding {
    /// The most significant byte is first.
    pub(crate) big_endian: bool,
    /// Counts and lengths have 32 bits (version 1), not 64.
    pub(crate) narrow: bool,
}

impl Encoding {
    /// What this crate writes.
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

    /// How many bytes are left.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// An error at the place that is read next.
    pub(crate) fn error(&self, problem: Problem) -> FormatError {
        FormatError { what: String::new(), at: self.at, problem }
    }

    /// The next bytes.
    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], FormatError> {
        match self.bytes[self.at..].split_at_checked(len) {
            Some((taken, _)) => {
                self.at += len;
                Ok(taken)
            }
            None => Err(self.error(Problem::Truncated { needed: len as u64, present: self.left() as u64 })),
        }
    }

    /// The bytes of the next number, least significant first.
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

    /// A count, a length or a dimension.
    pub(crate) fn count(&mut self) -> Result<u64, FormatError> {
        if self.encoding.narrow { self.u32().map(u64::from) } else { self.u64() }
    }

    /// How many bytes a count has.
    pub(crate) fn count_bytes(&self) -> usize {
        if self.encoding.narrow { 4 } else { 8 }
    }

    /// A length in bytes, of what must follow.
    pub(crate) fn length(&mut self) -> Result<usize, FormatError> {
        let len = self.count()?;
        match usize::try_from(len) {
            Ok(len) if len <= self.left() => Ok(len),
            _ => Err(self.error(Problem::Truncated { needed: len, present: self.left() as u64 })),
        }
    }

    /// How many things follow that have at least so many bytes each.
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
