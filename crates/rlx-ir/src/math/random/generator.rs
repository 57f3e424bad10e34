//! StableHLO's `rng_bit_generator`, in the bits and state updates of XLA.

use super::{philox4x32, threefry2x32};

/// The algorithms of `rng_bit_generator`. XLA takes Philox for `DEFAULT` on its CPU and GPU backends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// Threefry-2x32; the state is a key and a 64-bit counter.
    ThreeFry,
    /// Philox-4x32; the state is a key and a 128-bit counter, low word first, of which the high word may be
    /// left out and is then the key.
    Philox,
}

/// The width of a random integer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum BitWidth {
    /// Eight bits.
    W8,
    /// Sixteen bits.
    W16,
    /// Thirty-two bits.
    W32,
    /// Sixty-four bits.
    W64,
}

impl BitWidth {
    /// The number of bits.
    pub fn bits(self) -> u32 {
        match self {
            BitWidth::W8 => 8,
            BitWidth::W16 => 16,
            BitWidth::W32 => 32,
            BitWidth::W64 => 64,
        }
    }

    /// The low bits of a number.
    pub(super) fn truncate(self, x: u64) -> u64 {
        x & (u64::MAX >> (64 - self.bits()))
    }
}

/// What `rng_bit_generator` returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// The state to draw from next, of the same length as the one given.
    pub state: Vec<u64>,
    /// The random integers in row-major order, each in the low bits.
    pub bits: Vec<u64>,
}

/// Draws an array of the given shape; `None` if the state has a length that the algorithm does not take (two
/// words for Threefry, two or three for Philox).
///
/// Widths below 32 keep the low bits of a 32-bit draw.
pub fn rng_bit_generator(
    algorithm: Algorithm,
    state: &[u64],
    shape: &[usize],
    width: BitWidth,
) -> Option<Generated> {
    let mut generated = match (algorithm, state) {
        (Algorithm::ThreeFry, [key, counter]) => threefry(*key, *counter, shape, width),
        (Algorithm::Philox, [key, low]) => {
            // XLA reverses a two-word state into the counter, so that the key is its high word as well.
            let mut drawn = philox(*key, [*low, *key], shape, width);
            drawn.state.truncate(2);
            drawn
        }
        (Algorithm::Philox, [key, low, high]) => philox(*key, [*low, *high], shape, width),
        _ => return None,
    };
    generated.bits.iter_mut().for_each(|v| *v = width.truncate(*v));
    Some(generated)
}

/// The two words of a number, the low one first, as XLA counts them.
fn words(x: u64) -> [u32; 2] {
    [x as u32, (x >> 32) as u32]
}

/// The number of two words, the low one first.
fn joined(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn threefry(key: u64, counter: u64, shape: &[usize], width: BitWidth) -> Generated {
    let block = |i: usize| threefry2x32(words(key), words(counter.wrapping_add(i as u64)));
    let count: usize = shape.iter().product();
    if width == BitWidth::W64 {
        let bits = (0..count).map(block).map(|[low, high]| joined(low, high)).collect();
        return Generated { state: vec![key, counter.wrapping_add(count as u64)], bits };
    }
    // Each block makes two neighbours along one axis.
    let axis = split_axis(shape);
    let extent = axis.map_or(1, |a| shape[a]);
    let inner: usize = axis.map_or(1, |a| shape[a + 1..].iter().product());
    let half = extent.div_ceil(2);
    let element = |i: usize| {
        let (outer, along, rest) = (i / inner / extent, i / inner % extent, i % inner);
        block((outer * half + along / 2) * inner + rest)[along % 2]
    };
    let bits = (0..count).map(|i| u64::from(element(i))).collect();
    let blocks = shape.iter().enumerate().fold(1, |n, (a, d)| n * if Some(a) == axis { half } else { *d });
    Generated { state: vec![key, counter.wrapping_add(blocks as u64)], bits }
}

/// The axis along which XLA pairs elements: the first even one, else the first of the longest; none for a
/// scalar.
fn split_axis(shape: &[usize]) -> Option<usize> {
    let even = shape.iter().position(|d| d % 2 == 0);
    even.or_else(|| shape.iter().max().and_then(|longest| shape.iter().position(|d| d == longest)))
}

fn philox(key: u64, counter: [u64; 2], shape: &[usize], width: BitWidth) -> Generated {
    let count: usize = shape.iter().product();
    let counter = u128::from(counter[1]) << 64 | u128::from(counter[0]);
    let per_block = if width == BitWidth::W64 { 2 } else { 4 };
    let blocks = count.div_ceil(per_block);
    let mut bits = Vec::with_capacity(blocks * per_block);
    for i in 0..blocks {
        let at = counter.wrapping_add(i as u128);
        let [c0, c1] = words(at as u64);
        let [c2, c3] = words((at >> 64) as u64);
        let x = philox4x32(words(key), [c0, c1, c2, c3]);
        if width == BitWidth::W64 {
            bits.extend([joined(x[0], x[1]), joined(x[2], x[3])]);
        } else {
            bits.extend(x.map(u64::from));
        }
    }
    bits.truncate(count);
    let next = counter.wrapping_add(blocks as u128);
    Generated { state: vec![key, next as u64, (next >> 64) as u64], bits }
}
