//! StableHLO's `rng_bit_generator`, with the bits and state updates of XLA.

use super::{philox4x32, threefry2x32_lanes};
use std::ops::Range;

/// The algorithms of `rng_bit_generator`. XLA uses Philox for `DEFAULT` on its CPU and GPU backends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// Threefry-2x32; the state is a key and a 64-bit counter.
    ThreeFry,
    /// Philox-4x32; the state is a key and a 128-bit counter, low word first. The high word may be left out; it is then the key.
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

/// Draws an array of the given shape. Returns `None` if the algorithm does not accept the length of the state (two words for
/// Threefry, two or three for Philox).
///
/// Widths below 32 keep the low bits of a 32-bit draw.
pub fn rng_bit_generator(
    algorithm: Algorithm,
    state: &[u64],
    shape: &[usize],
    width: BitWidth,
) -> Option<Generated> {
    let draw = Draw::new(algorithm, state.len(), shape, width)?;
    let mut generated = Generated { state: vec![0; state.len()], bits: vec![0; shape.iter().product()] };
    draw.next_state(state, &mut generated.state);
    draw.blocks_of(state, 0..draw.blocks(), |element, bits| generated.bits[element] = bits);
    Some(generated)
}

/// Says which elements of an array each block of the generator makes. Blocks are independent of each other.
#[derive(Clone, Debug)]
pub struct Draw {
    algorithm: Algorithm,
    width: BitWidth,
    /// Number of elements of the array.
    count: usize,
    blocks: usize,
    /// For narrow Threefry draws, the axis along which a block makes two neighbors: its extent, half of its extent rounded up,
    /// and the number of elements from one index to the next.
    extent: usize,
    half: usize,
    inner: usize,
}

/// Number of blocks that are made together.
const LANES: usize = 16;

impl Draw {
    /// A draw of an array of the given shape from states of `words` words. Returns `None` if the algorithm does not accept that
    /// length, as [`rng_bit_generator`] does.
    pub fn new(algorithm: Algorithm, words: usize, shape: &[usize], width: BitWidth) -> Option<Draw> {
        let count: usize = shape.iter().product();
        let mut draw = Draw { algorithm, width, count, blocks: count, extent: 1, half: 1, inner: 1 };
        match (algorithm, words) {
            (Algorithm::ThreeFry, 2) if width == BitWidth::W64 => {}
            (Algorithm::ThreeFry, 2) => {
                if let Some(axis) = split_axis(shape) {
                    (draw.extent, draw.inner) = (shape[axis], shape[axis + 1..].iter().product());
                    draw.half = draw.extent.div_ceil(2);
                    draw.blocks = shape[..axis].iter().product::<usize>() * draw.half * draw.inner;
                }
            }
            (Algorithm::Philox, 2 | 3) => {
                draw.blocks = count.div_ceil(if width == BitWidth::W64 { 2 } else { 4 });
            }
            _ => return None,
        }
        Some(draw)
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Computes the state to draw from after `state`. Both have the length that the draw was made for.
    pub fn next_state(&self, state: &[u64], next: &mut [u64]) {
        let drawn = match self.algorithm {
            Algorithm::ThreeFry => [state[1].wrapping_add(self.blocks as u64), 0],
            Algorithm::Philox => {
                let counter = philox_counter(state).wrapping_add(self.blocks as u128);
                [counter as u64, (counter >> 64) as u64]
            }
        };
        next[0] = state[0];
        next[1..].iter_mut().zip(drawn).for_each(|(word, drawn)| *word = drawn);
    }

    /// Calls `place` with each element that these blocks make, and its bits.
    #[inline(always)]
    pub fn blocks_of(&self, state: &[u64], blocks: Range<usize>, mut place: impl FnMut(usize, u64)) {
        match self.algorithm {
            Algorithm::ThreeFry => self.threefry(state[0], state[1], blocks, place),
            Algorithm::Philox => {
                for block in blocks {
                    self.philox(state[0], philox_counter(state), block, &mut place);
                }
            }
        }
    }

    #[inline(always)]
    fn threefry(&self, key: u64, counter: u64, blocks: Range<usize>, mut place: impl FnMut(usize, u64)) {
        let keys = words(key).map(|k| [k; LANES]);
        let (half, inner) = (self.half.max(1), self.inner.max(1));
        let (mut outer, mut along) = (blocks.start / inner / half, blocks.start / inner % half);
        let mut rest = blocks.start % inner;
        let mut at = blocks.start;
        while at < blocks.end {
            let counters: [u64; LANES] = std::array::from_fn(|l| counter.wrapping_add((at + l) as u64));
            let [low, high] =
                threefry2x32_lanes(keys, [counters.map(|c| c as u32), counters.map(|c| (c >> 32) as u32)]);
            for lane in 0..LANES.min(blocks.end - at) {
                if self.width == BitWidth::W64 {
                    place(at + lane, joined(low[lane], high[lane]));
                    continue;
                }
                let element = (outer * self.extent + 2 * along) * inner + rest;
                place(element, self.width.truncate(low[lane].into()));
                if 2 * along + 1 < self.extent {
                    place(element + inner, self.width.truncate(high[lane].into()));
                }
                rest += 1;
                if rest == inner {
                    (rest, along) = (0, along + 1);
                }
                if along == half {
                    (along, outer) = (0, outer + 1);
                }
            }
            at += LANES;
        }
    }

    #[inline(always)]
    fn philox(&self, key: u64, counter: u128, block: usize, place: &mut impl FnMut(usize, u64)) {
        let at = counter.wrapping_add(block as u128);
        let ([c0, c1], [c2, c3]) = (words(at as u64), words((at >> 64) as u64));
        let x = philox4x32(words(key), [c0, c1, c2, c3]);
        let wide = [joined(x[0], x[1]), joined(x[2], x[3])];
        let narrow = x.map(|bits| self.width.truncate(bits.into()));
        let made: &[u64] = if self.width == BitWidth::W64 { &wide } else { &narrow };
        let first = block * made.len();
        made.iter().take(self.count - first).enumerate().for_each(|(i, &bits)| place(first + i, bits));
    }
}

/// The counter of a state. XLA reverses a two-word state into the counter, so that the key is also its high word.
fn philox_counter(state: &[u64]) -> u128 {
    u128::from(state.get(2).copied().unwrap_or(state[0])) << 64 | u128::from(state[1])
}

/// The two words of a number, low word first, as XLA counts them.
fn words(x: u64) -> [u32; 2] {
    [x as u32, (x >> 32) as u32]
}

/// The number of two words, low word first.
fn joined(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The axis along which XLA pairs elements: the first axis of even extent, otherwise the first of the longest ones. A scalar has
/// none.
fn split_axis(shape: &[usize]) -> Option<usize> {
    let even = shape.iter().position(|d| d % 2 == 0);
    even.or_else(|| shape.iter().max().and_then(|longest| shape.iter().position(|d| d == longest)))
}
