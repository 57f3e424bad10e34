//! Reads the numbers of a parameter while they are written, optionally with the smallest replaced by zero.

use rlx_ir::{DType, Scalar};
use std::io;

/// Floats in their original memory.
#[derive(Clone, Copy, Debug)]
pub struct StoredFloats<'p> {
    dtype: DType,
    bytes: &'p [u8],
    zeros: Zeros,
}

/// Selects numbers that count as zero: those with a smaller magnitude than a limit, and the first of those with that magnitude.
#[derive(Clone, Copy, Default, Debug)]
struct Zeros {
    /// The bits of the limit. Bits are in the order of magnitudes; those of NaN are the largest.
    below: u32,
    /// The index below which numbers with the limit's magnitude count as zero.
    before: usize,
}

/// Identifies the memory of bytes.
pub(super) fn place(bytes: &[u8]) -> String {
    format!("{:p}+{}", bytes.as_ptr(), bytes.len())
}

/// Returns the bits of a number without its sign.
fn magnitude(x: f32) -> u32 {
    x.abs().to_bits()
}

/// Returns the index of the count that contains the last of `left` elements, and reduces `left` to the elements within it.
fn place_of(left: &mut usize, counts: &[usize]) -> usize {
    for (place, &count) in counts.iter().enumerate() {
        if *left <= count {
            return place;
        }
        *left -= count;
    }
    counts.len().saturating_sub(1)
}

impl<'p> StoredFloats<'p> {
    /// Interprets bytes as elements of a float type.
    pub fn new(dtype: DType, bytes: &'p [u8]) -> StoredFloats<'p> {
        StoredFloats { dtype, bytes, zeros: Zeros::default() }
    }

    /// Replaces a fraction of the numbers by zero, those with the smallest magnitude; among numbers of the same magnitude, the first.
    /// Numbers that are already zero are counted.
    pub fn pruned(self, fraction: f64) -> StoredFloats<'p> {
        // A fraction that is NaN or negative becomes 0.
        let mut left = ((self.len() as f64 * fraction) as usize).min(self.len());
        if left == 0 {
            return self;
        }
        // The magnitude of the last number that becomes zero is found in two steps: first the upper half of its bits, then the lower half.
        let upper = place_of(&mut left, &self.counted(|bits| Some(bits >> 16))) as u32;
        let lower = self.counted(|bits| (bits >> 16 == upper).then_some(bits & 0xFFFF));
        let below = upper << 16 | place_of(&mut left, &lower) as u32;
        let mut before = 0;
        let equal = |(_, x): &(usize, f32)| magnitude(*x) == below;
        let starts = (0..self.len()).step_by(1 << 15);
        let numbers = starts.flat_map(|start| (start..).zip(self.part(start, 1 << 15)));
        if let Some((at, _)) = numbers.filter(equal).nth(left.saturating_sub(1)) {
            before = at + 1;
        }
        StoredFloats { zeros: Zeros { below, before }, ..self }
    }

    /// Counts numbers by the bits of their magnitudes.
    fn counted(&self, place: impl Fn(u32) -> Option<u32>) -> Vec<usize> {
        let mut counts = vec![0; 1 << 16];
        for start in (0..self.len()).step_by(1 << 15) {
            for at in self.part(start, 1 << 15).into_iter().filter_map(|x| place(magnitude(x))) {
                counts[at as usize] += 1;
            }
        }
        counts
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.dtype.size()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many are not zero.
    pub fn nonzeros(&self) -> usize {
        let starts = (0..self.len()).step_by(1 << 15);
        starts.map(|start| self.part(start, 1 << 15).iter().filter(|&&x| x != 0.0).count()).sum()
    }

    /// Identifies the memory, the type, and the numbers that count as zero.
    pub(super) fn identity(&self) -> String {
        let Zeros { below, before } = self.zeros;
        format!("{} at {} from {below} at {before}", self.dtype, place(self.bytes))
    }

    /// Returns a part of the numbers.
    pub(super) fn part(&self, start: usize, len: usize) -> Vec<f32> {
        let size = self.dtype.size();
        let end = start.saturating_add(len).min(self.len());
        let bytes = &self.bytes[start.min(end) * size..end * size];
        let mut numbers: Vec<f32> = match self.dtype {
            DType::F32 => bytes.as_chunks().0.iter().map(|x| f32::from_le_bytes(*x)).collect(),
            DType::F16 => bytes.as_chunks().0.iter().map(|x| half::f16::from_le_bytes(*x).to_f32()).collect(),
            DType::BF16 => {
                bytes.as_chunks().0.iter().map(|x| half::bf16::from_le_bytes(*x).to_f32()).collect()
            }
            dtype => {
                let number = |element: &[u8]| match Scalar::read(dtype, element) {
                    Scalar::Float(x) => x as f32,
                    _ => 0.0,
                };
                bytes.chunks_exact(size).map(number).collect()
            }
        };
        let Zeros { below, before } = self.zeros;
        if (below, before) != (0, 0) {
            for (i, x) in (start..).zip(&mut numbers) {
                let bits = magnitude(*x);
                if bits < below || bits == below && i < before {
                    *x = 0.0;
                }
            }
        }
        numbers
    }

    /// Returns an evenly spaced sample of `count` numbers or a few more; all numbers if there are fewer.
    pub fn sample(&self, count: usize) -> Vec<f32> {
        let step = (self.len() / count.max(1)).max(1);
        (0..self.len()).step_by(step).flat_map(|at| self.part(at, 1)).collect()
    }

    /// Calls `f` with all numbers, piece by piece.
    pub(super) fn pieces(&self, size: usize, f: &mut dyn FnMut(&[f32]) -> io::Result<()>) -> io::Result<()> {
        (0..self.len()).step_by(size.max(1)).try_for_each(|start| f(&self.part(start, size)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_of_the_smallest_are_zeros_as_is_asked() {
        let numbers = [3.0f32, -0.5, 0.25, f32::NAN, 0.5, -2.0, 0.0, 0.5, f32::INFINITY, 1e-40];
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let all = StoredFloats::new(DType::F32, &bytes);
        for (count, fraction) in [(0, 0.0), (1, 0.1), (4, 0.4), (5, 0.5), (6, 0.69), (9, 0.9), (10, 1.0)] {
            let pruned = all.pruned(fraction);
            let zeros = pruned.part(0, 10).iter().filter(|x| **x == 0.0).count();
            // The existing zero is one of them.
            assert_eq!((zeros, pruned.nonzeros()), (count.max(1), 10 - count.max(1)), "{fraction}");
        }
        // Of three values of 0.5, the first.
        let half = all.pruned(0.4).part(0, 10);
        assert_eq!((half[1], half[4], half[7], half[2], half[9]), (0.0, 0.5, 0.5, 0.0, 0.0));
        assert!(all.pruned(0.9).part(3, 1)[0].is_nan());
        assert_eq!(all.pruned(f64::NAN).nonzeros(), 9);
        assert_eq!(all.pruned(-1.0).nonzeros(), 9);
        // Parts equal those of the whole.
        let pruned = all.pruned(0.5);
        let whole: Vec<u32> = pruned.part(0, 10).iter().map(|x| x.to_bits()).collect();
        let parts: Vec<u32> = (0..10).flat_map(|i| pruned.part(i, 1)).map(f32::to_bits).collect();
        assert_eq!(whole, parts);
        assert!(StoredFloats::new(DType::F32, &[]).pruned(0.5).is_empty());
    }

    #[test]
    fn halves_are_read_as_the_numbers_that_they_are() {
        let halves =
            [half::f16::from_f32(-1.5).to_le_bytes(), half::f16::from_f32(6e-8).to_le_bytes()].concat();
        assert_eq!(StoredFloats::new(DType::F16, &halves).part(0, 9), [-1.5, 5.960_464_5e-8]);
        let brief = half::bf16::from_f32(-1.5).to_le_bytes();
        assert_eq!(StoredFloats::new(DType::BF16, &brief).part(0, 9), [-1.5]);
    }
}
