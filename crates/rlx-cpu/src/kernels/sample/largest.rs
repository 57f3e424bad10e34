//! Finds the k largest of many numbers without sorting all of them.

use crate::isa::Cpu;
use crate::simd::{Kernel, Simd};

/// Number of adjacent elements whose largest is examined first.
const BLOCK: usize = 64;
/// Number of elements that are compared together.
const LANES: usize = 16;

/// Memory for a search among numbers: one word for each, and two numbers for each [block](blocks).
pub(super) struct Search<'m> {
    pub(super) words: &'m mut [u64],
    pub(super) blocks: [&'m mut [f32]; 2],
}

/// Returns the number of blocks of `len` numbers.
pub(super) fn blocks(len: usize) -> usize {
    len.div_ceil(BLOCK)
}

/// Returns a number and its index as one word. Words are smaller for larger numbers in the total order, and for equal numbers are in the
/// order of their indices.
pub(super) fn word(x: f32, place: usize) -> u64 {
    let bits = x.to_bits();
    let ascending = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
    u64::from(!ascending) << 32 | place as u64
}

/// Returns the index in a word.
pub(super) fn place(word: u64) -> usize {
    (word & u64::from(u32::MAX)) as usize
}

/// Returns the largest number that is not NaN, or −∞ if there is none, and whether there is a NaN.
#[inline(always)]
fn extreme(x: &[f32]) -> (f32, bool) {
    let mut most = [f32::NEG_INFINITY; LANES];
    let mut nan = [false; LANES];
    let (whole, rest) = x.as_chunks::<LANES>();
    for lanes in whole {
        for (i, &x) in lanes.iter().enumerate() {
            most[i] = if x > most[i] { x } else { most[i] };
            nan[i] |= x.is_nan();
        }
    }
    for (i, &x) in rest.iter().enumerate() {
        most[i] = if x > most[i] { x } else { most[i] };
        nan[i] |= x.is_nan();
    }
    let most = most.into_iter().fold(f32::NEG_INFINITY, |a, b| if b > a { b } else { a });
    (most, nan.into_iter().any(|nan| nan))
}

/// Computes the largest number of each block; returns whether there is a NaN anywhere.
struct OfBlocks<'a> {
    x: &'a [f32],
    most: &'a mut [f32],
}

impl Kernel for OfBlocks<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> bool {
        let mut nan = false;
        for (x, most) in self.x.chunks(BLOCK).zip(self.most) {
            let found = extreme(x);
            *most = found.0;
            nan |= found.1;
        }
        nan
    }
}

struct OfAll<'a>(&'a [f32]);

impl Kernel for OfAll<'_> {
    type Output = (f32, bool);

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> (f32, bool) {
        extreme(self.0)
    }
}

/// Returns the largest number; NaN if there is a NaN, and −∞ for an empty slice.
pub(super) fn maximum(cpu: Cpu, x: &[f32]) -> f32 {
    let (most, nan) = cpu.dispatch(OfAll(x));
    if nan { f32::NAN } else { most }
}

/// Returns the words of the `k` largest numbers, the largest first, and equal numbers in the order of their indices. Returns fewer if fewer
/// are greater than −∞.
pub(super) fn largest<'s>(cpu: Cpu, x: &[f32], k: usize, search: &'s mut Search<'_>) -> &'s [u64] {
    let Search { words, blocks: [most, ordered] } = search;
    let count = blocks(x.len());
    // The k largest maxima of blocks are k different elements, so no number below the smallest of them is among the k largest.
    let mut least = f32::NEG_INFINITY;
    if k > 0 && 2 * k < count {
        let (most, ordered) = (&mut most[..count], &mut ordered[..count]);
        if !cpu.dispatch(OfBlocks { x, most }) {
            ordered.copy_from_slice(most);
            least = *ordered.select_nth_unstable_by(k - 1, |a, b| b.total_cmp(a)).1;
        }
    }
    let mut found = 0;
    for (block, numbers) in x.chunks(BLOCK).enumerate() {
        if least > f32::NEG_INFINITY && most[block] < least {
            continue;
        }
        for (i, &x) in numbers.iter().enumerate() {
            words[found] = word(x, block * BLOCK + i);
            found += usize::from((x >= least || x.is_nan()) && x != f32::NEG_INFINITY);
        }
    }
    let words = &mut words[..found];
    if (1..found).contains(&k) {
        words.select_nth_unstable(k - 1);
    }
    let words = &mut words[..k.min(found)];
    words.sort_unstable();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_are_those_of_a_sort() {
        let mut state = 3u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        };
        for len in [1usize, 2, 63, 64, 65, 200, 1000, 5000] {
            for (kind, steps) in [(0u32, 65_536), (1, 7), (2, 3), (3, 1)] {
                let x: Vec<f32> = (0..len)
                    .map(|_| match next() % steps {
                        0 if kind == 1 => f32::NEG_INFINITY,
                        1 if kind == 2 => f32::NAN,
                        2 if kind == 2 => -0.0,
                        number => number as f32 - 2.0,
                    })
                    .collect();
                let mut want: Vec<usize> = (0..len).filter(|&i| x[i] != f32::NEG_INFINITY).collect();
                want.sort_by(|&a, &b| x[b].total_cmp(&x[a]));
                for k in [0usize, 1, 2, 5, 31, 40, 900, 5000] {
                    let n = blocks(len);
                    let (mut words, mut most, mut ordered) = (vec![0; len], vec![0.0; n], vec![0.0; n]);
                    let mut search = Search { words: &mut words, blocks: [&mut most, &mut ordered] };
                    let found = largest(Cpu::detect(), &x, k, &mut search);
                    let found: Vec<usize> = found.iter().map(|&word| place(word)).collect();
                    assert_eq!(found, want[..k.min(want.len())], "{len} {kind} {k}");
                }
            }
        }
    }
}
