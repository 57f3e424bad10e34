//! Stores weights as 8-bit integers with a scale per channel, which programs have since iOS 16.

use super::constants::of_floats;
use super::stored::StoredFloats;
use super::value::Elem;
use crate::blob::BlobSource;
use half::f16;
use std::io;

/// Maximum integer; the minimum is its negative.
const MOST: f32 = 127.0;

/// Numbers in `count` equal parts, each with its own scale. Scales are rounded to f16 even in f32 programs, so that a weight is the same
/// number in both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channels<'p> {
    pub(super) count: usize,
    pub(super) numbers: StoredFloats<'p>,
}

/// Returns the scale of a part.
fn scale(values: &[f32]) -> f32 {
    let most = values.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
    if most == 0.0 {
        return 1.0;
    }
    f16::from_f32(most / MOST).max(f16::from_bits(1)).to_f32()
}

fn level(x: f32, scale: f32) -> i8 {
    (x / scale).round_ties_even().clamp(-MOST, MOST) as i8
}

impl<'p> Channels<'p> {
    /// Calls `f` with the scale and the numbers of each part.
    fn each(&self, f: &mut dyn FnMut(f32, &[f32]) -> io::Result<()>) -> io::Result<()> {
        self.numbers.pieces(self.numbers.len() / self.count.max(1), &mut |values| f(scale(values), values))
    }

    /// Returns why the numbers cannot be stored in this form, if they cannot.
    pub(super) fn problem(&self) -> Option<String> {
        let mut is_finite = true;
        let seen = self.each(&mut |scale, values| {
            is_finite &= scale.is_finite() && values.iter().all(|x| x.is_finite());
            Ok(())
        });
        let told = || "numbers outside the range of f16 have no scales".to_string();
        seen.err().map(|e| e.to_string()).or_else(|| (!is_finite).then(told))
    }

    /// Calls `f` with the numbers that the integers represent, part by part.
    pub(super) fn values(&self, f: &mut dyn FnMut(&[f32]) -> io::Result<()>) -> io::Result<()> {
        self.each(&mut |scale, values| {
            f(&values.iter().map(|&x| f32::from(level(x, scale)) * scale).collect::<Vec<f32>>())
        })
    }

    /// Returns the scales as the elements of a blob.
    pub(super) fn scale_source(self, elem: Elem) -> BlobSource<'p> {
        BlobSource::made((self.count * elem.dtype().size()) as u64, move |out| {
            self.each(&mut |scale, _| out.write_all(&of_floats(&[scale], elem)))
        })
    }

    /// Calls `f` with the integers, part by part.
    pub(super) fn levels(&self, f: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        self.each(&mut |scale, values| {
            f(&values.iter().map(|&x| level(x, scale).cast_unsigned()).collect::<Vec<u8>>())
        })
    }
}
