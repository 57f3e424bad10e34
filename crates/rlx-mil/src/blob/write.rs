//! Writes weights files: first a plan, which determines the offsets that programs use, then all bytes in one pass.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};

use sha2::{Digest, Sha256};

use super::{ALIGNMENT, BlobError, BlobType, SENTINEL, VERSION};

/// The source of a blob's elements: little-endian; types of fewer than 8 bits are packed as by [`BlobType::pack`].
pub enum BlobSource<'a> {
    /// These bytes.
    Bytes(Cow<'a, [u8]>),
    /// Bytes that are computed when they are needed: once when the blob is added, to find out whether it already exists, and once when it
    /// is written.
    Made {
        /// The number of bytes.
        bytes: u64,
        /// Writes the bytes, which must be the same in every call.
        write: Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'a>,
    },
}

impl<'a> BlobSource<'a> {
    /// Creates a source from a function that writes the same bytes in every call.
    pub fn made(bytes: u64, write: impl Fn(&mut dyn Write) -> io::Result<()> + 'a) -> Self {
        BlobSource::Made { bytes, write: Box::new(write) }
    }

    fn bytes(&self) -> u64 {
        match self {
            BlobSource::Bytes(bytes) => bytes.len() as u64,
            BlobSource::Made { bytes, .. } => *bytes,
        }
    }

    /// Writes exactly the promised number of bytes.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            BlobSource::Bytes(bytes) => out.write_all(bytes),
            BlobSource::Made { bytes, write } => {
                let mut out = Limited { out, left: *bytes };
                write(&mut out)?;
                if out.left > 0 {
                    return Err(promised(*bytes, "fewer"));
                }
                Ok(())
            }
        }
    }
}

impl<'a> From<&'a [u8]> for BlobSource<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        BlobSource::Bytes(bytes.into())
    }
}

impl From<Vec<u8>> for BlobSource<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        BlobSource::Bytes(bytes.into())
    }
}

impl fmt::Debug for BlobSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlobSource({} bytes)", self.bytes())
    }
}

/// A weights file to be written.
#[derive(Debug)]
pub struct Blobs<'a> {
    planned: Vec<Planned<'a>>,
    /// The record of each distinct content.
    known: HashMap<Content, u64>,
    /// The record of each name.
    named: HashMap<String, u64>,
    /// The end of the last blob's elements.
    end: u64,
}

#[derive(Debug)]
struct Planned<'a> {
    record: u64,
    content: Content,
    source: BlobSource<'a>,
}

/// The content of a blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Content {
    blob_type: BlobType,
    elements: u64,
    /// The SHA-256 of the bytes.
    hash: [u8; 32],
}

impl Default for Blobs<'_> {
    fn default() -> Self {
        Blobs { planned: Vec::new(), known: HashMap::new(), named: HashMap::new(), end: ALIGNMENT }
    }
}

impl<'a> Blobs<'a> {
    /// Creates a file without blobs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a blob and returns the offset of its record. If there already is a blob with the same type, number of elements and bytes,
    /// returns its offset instead.
    ///
    /// # Errors
    /// Returns [`BlobError::WrongSize`], [`BlobError::Full`], or [`BlobError::Unmade`] if the function that computes the bytes fails or
    /// writes another number of bytes than promised.
    pub fn add(
        &mut self,
        blob_type: BlobType,
        elements: u64,
        source: impl Into<BlobSource<'a>>,
    ) -> Result<u64, BlobError> {
        let source = source.into();
        let (bytes, needed) = (source.bytes(), blob_type.bytes_of(elements));
        if u128::from(bytes) != needed {
            return Err(BlobError::WrongSize { blob_type, elements, needed, bytes });
        }
        let record = self.end.checked_next_multiple_of(ALIGNMENT);
        let end = record.and_then(|record| record.checked_add(ALIGNMENT)?.checked_add(bytes));
        let (Some(record), Some(end)) = (record, end) else { return Err(BlobError::Full) };
        u32::try_from(self.planned.len() + 1).map_err(|_| BlobError::Full)?;
        let mut hash = Hashed(Sha256::new());
        source.write(&mut hash).map_err(|source| BlobError::Unmade { blob_type, source })?;
        let content = Content { blob_type, elements, hash: hash.0.finalize().into() };
        if let Some(&record) = self.known.get(&content) {
            return Ok(record);
        }
        self.known.insert(content, record);
        self.planned.push(Planned { record, content, source });
        self.end = end;
        Ok(record)
    }

    /// Adds a blob under a name. If the name already exists, returns that blob's offset without calling `source`.
    ///
    /// # Errors
    /// Fails as [`Blobs::add`] does.
    pub fn add_named(
        &mut self,
        name: String,
        blob_type: BlobType,
        elements: u64,
        source: impl FnOnce() -> BlobSource<'a>,
    ) -> Result<u64, BlobError> {
        if let Some(&record) = self.named.get(&name) {
            return Ok(record);
        }
        let record = self.add(blob_type, elements, source())?;
        self.named.insert(name, record);
        Ok(record)
    }

    /// Returns the number of blobs in the file.
    pub fn len(&self) -> usize {
        self.planned.len()
    }

    /// Whether there are no blobs.
    pub fn is_empty(&self) -> bool {
        self.planned.is_empty()
    }

    /// Returns the size of the file in bytes.
    pub fn file_bytes(&self) -> u64 {
        self.end
    }

    /// Returns a hash of the contents of the file.
    pub(crate) fn hash(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        for Planned { content, .. } in &self.planned {
            hash.update(content.blob_type.code().to_le_bytes());
            hash.update(content.elements.to_le_bytes());
            hash.update(content.hash);
        }
        hash.finalize().into()
    }

    /// Writes the file.
    ///
    /// # Errors
    /// Returns the errors of `out` and of functions that compute bytes. The kind is `InvalidData` if one writes another number of bytes
    /// than promised.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut header = [0; ALIGNMENT as usize];
        // `add` limits the number of blobs.
        header[..4].copy_from_slice(&(self.planned.len() as u32).to_le_bytes());
        header[4..8].copy_from_slice(&VERSION.to_le_bytes());
        out.write_all(&header)?;
        let mut end = ALIGNMENT;
        for Planned { record, content, source } in &self.planned {
            let zeros = [0; ALIGNMENT as usize];
            out.write_all(&zeros[..(record - end) as usize])?;
            let (bytes, start) = (source.bytes(), record + ALIGNMENT);
            let bits = u128::from(content.elements) * u128::from(content.blob_type.bits());
            let padding_bits = (u128::from(bytes) * 8 - bits) as u64;
            let mut written = zeros;
            written[..4].copy_from_slice(&SENTINEL.to_le_bytes());
            written[4..8].copy_from_slice(&content.blob_type.code().to_le_bytes());
            for (field, number) in written[8..32].chunks_exact_mut(8).zip([bytes, start, padding_bits]) {
                field.copy_from_slice(&number.to_le_bytes());
            }
            out.write_all(&written)?;
            source.write(out)?;
            end = start + bytes;
        }
        Ok(())
    }
}

/// A writer that hashes what is written.
struct Hashed(Sha256);

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A writer that accepts a limited number of bytes.
struct Limited<'a> {
    out: &'a mut dyn Write,
    left: u64,
}

impl Write for Limited<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.left.checked_sub(bytes.len() as u64).ok_or_else(|| promised(self.left, "more"))?;
        self.out.write_all(bytes)?;
        self.left = left;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn promised(bytes: u64, made: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{made} than the {bytes} bytes that were promised"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blob::BlobFile;
    use std::cell::Cell;

    #[test]
    fn the_same_elements_are_stored_once() {
        let mut blobs = Blobs::new();
        let first = blobs.add(BlobType::U8, 2, vec![1, 2]).unwrap();
        assert_eq!(blobs.add(BlobType::U8, 2, &[1, 2][..]).unwrap(), first);
        let made = BlobSource::made(2, |out| out.write_all(&[1, 2]));
        assert_eq!(blobs.add(BlobType::U8, 2, made).unwrap(), first);
        // These differ in type, in elements or in bytes.
        assert_eq!(blobs.add(BlobType::I8, 2, vec![1, 2]).unwrap(), 192);
        assert_eq!(blobs.add(BlobType::U3, 3, vec![1, 0]).unwrap(), 320);
        assert_eq!(blobs.add(BlobType::U3, 4, vec![1, 0]).unwrap(), 448);
        assert_eq!(blobs.add(BlobType::U8, 2, vec![2, 1]).unwrap(), 576);
        assert_eq!((blobs.len(), blobs.file_bytes()), (5, 576 + 64 + 2));
        let mut bytes = Vec::new();
        blobs.write_to(&mut bytes).unwrap();
        assert_eq!(bytes.len() as u64, blobs.file_bytes());
        let file = BlobFile::open(&bytes).unwrap();
        let found: Vec<_> =
            file.blobs().map(|blob| blob.unwrap()).map(|(at, b)| (at, b.elements())).collect();
        assert_eq!(found, [(64, 2), (192, 2), (320, 3), (448, 4), (576, 2)]);
    }

    #[test]
    fn what_has_a_name_is_made_once() {
        let mut blobs = Blobs::new();
        let first = blobs.add_named("a".into(), BlobType::U8, 2, || vec![1, 2].into()).unwrap();
        let asked = blobs.add_named("a".into(), BlobType::U8, 2, || panic!("it is there already"));
        assert_eq!(asked.unwrap(), first);
        assert_eq!(blobs.add_named("b".into(), BlobType::U8, 2, || vec![1, 2].into()).unwrap(), first);
        assert!(blobs.add_named("c".into(), BlobType::U8, 3, || vec![1, 2].into()).is_err());
        assert_eq!(blobs.add_named("c".into(), BlobType::U8, 1, || vec![7].into()).unwrap(), 192);
    }

    #[test]
    fn bytes_are_made_when_they_are_added_and_when_they_are_written() {
        let calls = Cell::new(0);
        let mut blobs = Blobs::new();
        let source = BlobSource::made(3000, |out| {
            calls.set(calls.get() + 1);
            (0..3).try_for_each(|i| out.write_all(&[i; 1000]))
        });
        blobs.add(BlobType::U8, 3000, source).unwrap();
        let mut bytes = Vec::new();
        blobs.write_to(&mut bytes).unwrap();
        assert_eq!(calls.get(), 2);
        assert!(bytes[128..].chunks(1000).zip(0..).all(|(chunk, i)| chunk == [i; 1000]));
    }

    #[test]
    fn a_blob_of_another_size_is_refused() {
        let again = Cell::new(false);
        let mut blobs = Blobs::new();
        let error = blobs.add(BlobType::U6, 3, vec![0; 2]).unwrap_err();
        assert_eq!(error.to_string(), "3 elements of uint6 take 3 bytes, got 2");
        let error = blobs.add(BlobType::F32, u64::MAX, vec![]).unwrap_err();
        assert!(matches!(error, BlobError::WrongSize { .. }), "{error:?}");
        for (bytes, full) in [(u64::MAX, true), (u64::MAX - 127, true), (u64::MAX - 128, false)] {
            let broken = BlobSource::made(bytes, |_| Err(io::ErrorKind::BrokenPipe.into()));
            let error = blobs.add(BlobType::U8, bytes, broken).unwrap_err();
            assert_eq!(matches!(error, BlobError::Full), full, "{error:?}");
        }
        for (count, expected) in [(3, "fewer than the 4"), (5, "more than the 4")] {
            let source = BlobSource::made(4, move |out| out.write_all(&vec![0; count]));
            let BlobError::Unmade { source, .. } = blobs.add(BlobType::U8, 4, source).unwrap_err() else {
                panic!("the function is to blame")
            };
            assert!(source.to_string().starts_with(expected), "{source}");
        }
        assert!(blobs.is_empty());
        // This function writes fewer bytes the second time.
        let source =
            BlobSource::made(1, |out| if again.replace(true) { Ok(()) } else { out.write_all(&[1]) });
        blobs.add(BlobType::U8, 1, source).unwrap();
        let error = blobs.write_to(&mut io::sink()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
}
