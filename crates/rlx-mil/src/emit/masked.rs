//! Stores numbers that are mostly zeros as a bit mask and the nonzero numbers.

use super::constants::of_floats;
use super::stored::StoredFloats;
use super::value::Elem;
use crate::blob::{BlobSource, BlobType};
use std::io::{self, Write};

/// Number of elements processed at a time: whole bytes of bits.
const PIECE: usize = 1 << 15;

/// Selects which of some numbers are stored: those that are not zero.
#[derive(Clone, Copy, Debug)]
pub struct Mask<'p> {
    numbers: StoredFloats<'p>,
    nonzeros: usize,
}

impl<'p> Mask<'p> {
    /// Returns the mask of these numbers.
    pub fn of(numbers: StoredFloats<'p>) -> Mask<'p> {
        Mask { numbers, nonzeros: numbers.nonzeros() }
    }

    /// Returns how many of the numbers are not zero.
    pub fn nonzeros(&self) -> usize {
        self.nonzeros
    }

    /// Whether storing numbers of this many bits with the mask takes less space than without.
    pub fn pays(&self, bits: u32) -> bool {
        let (all, bits) = (self.len() as u128, u128::from(bits));
        all + self.stored() as u128 * bits < all * bits
    }

    pub(super) fn identity(&self) -> String {
        self.numbers.identity()
    }

    /// Returns the number of elements it applies to.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Returns how many of them are stored: at least one, because programs have no empty arrays.
    pub(super) fn stored(&self) -> usize {
        self.nonzeros.max(1)
    }

    /// Whether a number is stored. If all are zero, the first one is.
    fn has(&self, place: usize, x: f32) -> bool {
        x != 0.0 || self.nonzeros == 0 && place == 0
    }

    /// Keeps the elements for numbers that are stored; `all` begins at the number `start`.
    pub(super) fn kept<T: Copy>(&self, start: usize, all: &[T]) -> Vec<T> {
        let numbers = (start..).zip(self.numbers.part(start, all.len()));
        let kept = numbers.zip(all).filter(|((i, x), _)| self.has(*i, *x));
        kept.map(|(_, what)| *what).collect()
    }

    /// Calls `f` with the numbers, piece by piece.
    pub(super) fn values(&self, f: &mut dyn FnMut(&[f32]) -> io::Result<()>) -> io::Result<()> {
        self.numbers.pieces(PIECE, f)
    }

    /// Spreads values for the numbers from `start` on, with zeros where nothing is stored.
    pub(super) fn spread(&self, start: usize, values: &[f32]) -> Vec<f32> {
        let numbers = (start..).zip(self.numbers.part(start, values.len()));
        numbers.zip(values).map(|((i, x), &value)| if self.has(i, x) { value } else { 0.0 }).collect()
    }

    /// Returns the mask as the elements of a blob.
    pub(super) fn source(self) -> BlobSource<'p> {
        let bytes = BlobType::U1.bytes_of(self.len() as u64) as u64;
        BlobSource::made(bytes, move |out| {
            let mut start = 0;
            self.values(&mut |values| {
                let bits = (start..).zip(values).map(|(i, &x)| u8::from(self.has(i, x)));
                out.write_all(&BlobType::U1.pack(bits).unwrap_or_default())?;
                start += values.len();
                Ok(())
            })
        })
    }

    /// Returns the stored numbers as the elements of a blob.
    pub(super) fn number_source(self, elem: Elem) -> BlobSource<'p> {
        BlobSource::made((self.stored() * elem.dtype().size()) as u64, move |out| {
            let mut start = 0;
            self.values(&mut |values| {
                let kept = (start..).zip(values).filter(|(i, x)| self.has(*i, **x));
                out.write_all(&of_floats(&kept.map(|(_, &x)| x).collect::<Vec<f32>>(), elem))?;
                start += values.len();
                Ok(())
            })
        })
    }
}

/// Writes elements of fewer than 8 bits, piece by piece.
pub(super) struct BitWriter<'o> {
    out: &'o mut dyn Write,
    ty: BlobType,
    /// Elements that do not fill whole bytes yet.
    waiting: Vec<u8>,
}

impl<'o> BitWriter<'o> {
    pub(super) fn new(out: &'o mut dyn Write, ty: BlobType) -> BitWriter<'o> {
        BitWriter { out, ty, waiting: Vec::new() }
    }

    /// Writes elements except for the last few: groups of eight always fill whole bytes.
    pub(super) fn write(&mut self, elements: &[u8]) -> io::Result<()> {
        self.waiting.extend_from_slice(elements);
        let whole = self.waiting.len() / 8 * 8;
        self.pack(whole)
    }

    /// Writes the remaining elements.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.pack(self.waiting.len())
    }

    fn pack(&mut self, count: usize) -> io::Result<()> {
        let bytes = self.ty.pack(self.waiting.drain(..count));
        self.out.write_all(&bytes.ok_or_else(|| io::Error::other("elements of more bits than a byte has"))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_ir::DType;

    fn written(source: BlobSource<'_>) -> Vec<u8> {
        let BlobSource::Made { bytes, write } = source else { panic!("it is made") };
        let mut out = Vec::new();
        write(&mut out).unwrap();
        assert_eq!(out.len() as u64, bytes);
        out
    }

    #[test]
    fn masks_have_a_bit_for_each_number_that_is_stored() {
        let numbers: Vec<u8> = [0.0f32, 2.0, -0.0, f32::NAN, 0.0, 0.0, 0.0, 3.0, 0.0, 1e-9]
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        let mask = Mask::of(StoredFloats::new(DType::F32, &numbers));
        assert_eq!((mask.len(), mask.stored()), (10, 4));
        assert_eq!(written(mask.source()), [0b1000_1010, 0b10]);
        assert_eq!(mask.kept(2, &[2, 3, 4, 5, 6, 7]), [3, 7]);
        assert_eq!(mask.spread(6, &[1.0, 1.0, 1.0, 1.0]), [0.0, 1.0, 0.0, 1.0]);
        // 10 bits and 4 numbers compared with 10 numbers.
        assert!(mask.pays(2) && !mask.pays(1));
        let zeros = Mask::of(StoredFloats::new(DType::F32, &[0; 36]));
        assert_eq!((zeros.stored(), zeros.kept(0, &[7; 9])), (1, vec![7]));
        assert_eq!(written(zeros.source()), [1, 0]);
        assert_eq!(written(zeros.number_source(Elem::F16)), [0, 0]);
    }

    #[test]
    fn elements_of_few_bits_may_come_some_at_a_time() {
        let elements: Vec<u8> = (0..61u8).map(|i| i.wrapping_mul(5) % 8).collect();
        let mut bytes = Vec::new();
        let mut writer = BitWriter::new(&mut bytes, BlobType::U3);
        elements.chunks(7).for_each(|some| writer.write(some).unwrap());
        writer.finish().unwrap();
        assert_eq!(bytes, BlobType::U3.pack(elements).unwrap());
        assert!(BitWriter::new(&mut Vec::new(), BlobType::F16).write(&[1; 8]).is_err());
    }
}
