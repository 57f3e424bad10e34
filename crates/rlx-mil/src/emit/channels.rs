//! Weights as 8-bit integers with a scale per channel, which programs have since iOS 16.

use super::constants::of_floats;
use super::stored::StoredFloats;
use super::value::Elem;
use crate::blob::BlobSource;
use half::f16;
use std::io;

/// The largest integer; its negative is the smallest that is used.
const MOST: f32 = 127.0;

/// Numbers in so many equal parts, each with a scale of its own. Scales are those of f16, also in programs of f32, so that a weight is the same number in both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channels<'p> {
    pub(super) count: usize,
    pub(super) numbers: StoredFloats<'p>,
}

/// The scale of a part.
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
    /// Each part with its scale.
    fn each(&self, f: &mut dyn FnMut(f32, &[f32]) -> io::Result<()>) -> io::Result<()> {
        self.numbers.pieces(self.numbers.len() / self.count.max(1), &mut |values| f(scale(values), values))
    }

    /// Why this is no form of the numbers.
    pub(super) fn problem(&self) -> Option<String> {
        let mut is_finite = true;
        let seen = self.each(&mut |scale, values| {
            is_finite &= scale.is_finite() && values.iter().all(|x| x.is_finite());
            Ok(())
        });
        let told = || "numbers beyond f16 have no scales".to_string();
        seen.err().map(|e| e.to_string()).or_else(|| (!is_finite).then(told))
    }

    /// The numbers that the integers stand for.
    pub(super) fn values(&self, f: &mut dyn FnMut(&[f32]) -> io::Result<()>) -> io::Result<()> {
        self.each(&mut |scale, values| {
            f(&values.iter().map(|&x| f32::from(level(x, scale)) * scale).collect::<Vec<f32>>())
        })
    }

    /// The scales as elements of a file.
    pub(super) fn scale_source(self, elem: Elem) -> BlobSource<'p> {
        BlobSource::made((self.count * elem.dtype().size()) as u64, move |out| {
            self.each(&mut |scale, _| out.write_all(&of_floats(&[scale], elem)))
        })
    }

    /// The integers, some at a time.
    pub(super) fn levels(&self, f: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        self.each(&mut |scale, values| {
            f(&values.iter().map(|&x| level(x, scale).cast_unsigned()).collect::<Vec<u8>>())
        })
    }
}
