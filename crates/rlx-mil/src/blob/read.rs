//! Reads weights files, checking every number against the file before it is used.

use super::{ALIGNMENT, BlobError, BlobType, SENTINEL, VERSION};

/// A weights file that is read.
#[derive(Clone, Copy, Debug)]
pub struct BlobFile<'a> {
    bytes: &'a [u8],
    count: u32,
}

/// The elements of a blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blob<'a> {
    /// The type of the elements.
    pub blob_type: BlobType,
    /// The little-endian elements; types of fewer than 8 bits are packed as by [`BlobType::pack`].
    pub bytes: &'a [u8],
    /// Number of unused bits in the last byte, fewer than 8.
    pub padding_bits: u32,
}

impl Blob<'_> {
    /// Returns the number of elements.
    pub fn elements(&self) -> u64 {
        // The reader has checked that this matches the bytes.
        let bits = self.bytes.len() as u128 * 8 - u128::from(self.padding_bits);
        (bits / u128::from(self.blob_type.bits())) as u64
    }
}

impl<'a> BlobFile<'a> {
    /// Opens a weights file. Only reads its header.
    ///
    /// # Errors
    /// Returns [`BlobError::NoHeader`] or [`BlobError::Version`].
    pub fn open(bytes: &'a [u8]) -> Result<BlobFile<'a>, BlobError> {
        if (bytes.len() as u64) < ALIGNMENT {
            return Err(BlobError::NoHeader { file_bytes: bytes.len() as u64 });
        }
        let (count, version) = (u32_at(bytes, 0), u32_at(bytes, 4));
        if version != VERSION {
            return Err(BlobError::Version { version });
        }
        Ok(BlobFile { bytes, count })
    }

    /// Returns the number of blobs that the header states.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns the blob with its record at an offset, in bytes from the beginning of the file.
    ///
    /// # Errors
    /// Returns [`BlobError::Misplaced`], [`BlobError::NoRecord`], [`BlobError::UnknownType`], [`BlobError::OutOfFile`] or
    /// [`BlobError::Fraction`].
    pub fn get(&self, record: u64) -> Result<Blob<'a>, BlobError> {
        self.record(record).map(|(blob, _)| blob)
    }

    /// Iterates over the blobs in sequence, as many as the header states, each with the offset of its record. If one cannot be read, its
    /// error is the last item.
    pub fn blobs(&self) -> impl Iterator<Item = Result<(u64, Blob<'a>), BlobError>> + use<'a> {
        let file = *self;
        let mut next = Some(ALIGNMENT);
        // Each begins after the previous one, so there are at most as many as records fit in the file.
        (0..self.count).map_while(move |_| {
            let record = next.take()?;
            let found = file.record(record);
            if let Ok((_, end)) = &found {
                next = end.max(&(record + ALIGNMENT)).checked_next_multiple_of(ALIGNMENT);
            }
            Some(found.map(|(blob, _)| (record, blob)))
        })
    }

    /// Returns the blob with its record at an offset, and the end of its elements.
    fn record(&self, record: u64) -> Result<(Blob<'a>, u64), BlobError> {
        let file_bytes = self.bytes.len() as u64;
        let inside = record.checked_add(ALIGNMENT).is_some_and(|end| end <= file_bytes);
        if !inside || record < ALIGNMENT || !record.is_multiple_of(ALIGNMENT) {
            return Err(BlobError::Misplaced { record, file_bytes });
        }
        let at = record as usize;
        let found = u32_at(self.bytes, at);
        if found != SENTINEL {
            return Err(BlobError::NoRecord { record, found });
        }
        let code = u32_at(self.bytes, at + 4);
        let blob_type = BlobType::of_code(code).ok_or(BlobError::UnknownType { record, code })?;
        let [bytes, start, padding_bits] = [8, 16, 24].map(|field| u64_at(self.bytes, at + field));
        let end = start.checked_add(bytes).filter(|&end| end <= file_bytes);
        let end = end.ok_or(BlobError::OutOfFile { record, start, bytes, file_bytes })?;
        let bits = (u128::from(bytes) * 8).checked_sub(padding_bits.into());
        let whole = bits.is_some_and(|bits| bits.is_multiple_of(blob_type.bits().into()));
        if !whole || padding_bits >= 8 {
            return Err(BlobError::Fraction { record, blob_type, bytes, padding_bits });
        }
        let elements = &self.bytes[start as usize..end as usize];
        Ok((Blob { blob_type, bytes: elements, padding_bits: padding_bits as u32 }, end))
    }
}

/// Returns the number at an offset, which must be inside the bytes.
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

/// Returns the number at an offset, which must be inside the bytes.
fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blob::Blobs;

    /// Returns a file with one blob: five elements of `uint3`.
    fn file() -> Vec<u8> {
        let mut blobs = Blobs::new();
        assert_eq!(blobs.add(BlobType::U3, 5, vec![0xD1, 0x58]).unwrap(), 64);
        let mut bytes = Vec::new();
        blobs.write_to(&mut bytes).unwrap();
        bytes
    }

    fn with(at: usize, value: &[u8]) -> Vec<u8> {
        let mut bytes = file();
        bytes[at..at + value.len()].copy_from_slice(value);
        bytes
    }

    fn error(bytes: &[u8], record: u64) -> String {
        BlobFile::open(bytes).and_then(|file| file.get(record)).unwrap_err().to_string()
    }

    #[test]
    fn a_blob_is_found_by_its_record() {
        let bytes = file();
        let file = BlobFile::open(&bytes).unwrap();
        let blob = file.get(64).unwrap();
        assert_eq!((blob.blob_type, blob.bytes, blob.padding_bits), (BlobType::U3, &[0xD1, 0x58][..], 1));
        assert_eq!((blob.elements(), file.count()), (5, 1));
        assert_eq!(file.blobs().collect::<Result<Vec<_>, _>>().unwrap(), [(64, blob)]);
    }

    #[test]
    fn each_wrong_number_is_named() {
        let cases: [(Vec<u8>, u64, &str); 14] = [
            (file()[..63].to_vec(), 64, "has 63 bytes"),
            (with(4, &[1]), 64, "version 1 of the format"),
            (file(), 0, "no record can begin at byte 0 of 130"),
            (file(), 65, "no record can begin at byte 65"),
            (file(), 128, "no record can begin at byte 128"),
            (file(), u64::MAX - 63, "no record can begin at byte 18446744073709551552"),
            (with(64, &[0]), 64, "found 0xDEADBE00"),
            (with(68, &[0]), 64, "record at byte 64: no element type has the code 0"),
            (with(68, &[18]), 64, "no element type has the code 18"),
            (with(72, &[3]), 64, "3 bytes of elements from byte 128 on"),
            (with(72, &[0xFF; 8]), 64, "18446744073709551615 bytes of elements"),
            (with(80, &[0xFF; 8]), 64, "from byte 18446744073709551615 on"),
            (
                with(88, &[0]),
                64,
                "2 bytes without 0 bits at their end are not a whole number of elements of uint3",
            ),
            (with(88, &[10]), 64, "without 10 bits"),
        ];
        for (bytes, record, expected) in cases {
            let error = error(&bytes, record);
            assert!(error.contains(expected), "{error}\n{expected}");
        }
        assert!(error(&with(88, &[0xFF; 8]), 64).contains("without 18446744073709551615 bits"));
        // Three bytes are not a whole number of 16-bit elements.
        let mut odd = with(68, &[BlobType::F16.code() as u8]);
        odd.push(0);
        odd[72] = 3;
        odd[88] = 0;
        assert!(error(&odd, 64).contains("3 bytes without 0 bits"));
    }

    #[test]
    fn going_through_all_ends_with_the_first_that_cannot_be_read() {
        let bytes = with(0, &[0xFF; 4]);
        let all: Vec<_> = BlobFile::open(&bytes).unwrap().blobs().collect();
        assert!(matches!(all[..], [Ok((64, _)), Err(BlobError::Misplaced { record: 192, .. })]), "{all:?}");
        // Elements before their record do not cause a loop.
        let bytes = with(80, &[0]);
        let all: Vec<_> = BlobFile::open(&bytes).unwrap().blobs().collect();
        assert!(matches!(all[..], [Ok((64, _))]), "{all:?}");
    }
}
