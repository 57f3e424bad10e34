//! Draws a candidate: the one with the largest logit, or with the largest sum of logit and Gumbel noise.

use super::largest::maximum;
use crate::isa::Cpu;
use crate::simd::{Kernel, Simd, Vector};
use crate::vector;
use rlx_ir::math::random::threefry2x32_lanes;

/// Number of candidates for which noise is drawn together; no vector has more lanes.
const LANES: usize = 16;
/// The maximum and minimum of noise. It cannot be more because numbers below 1 have 23 bits, and cannot be less because the smallest number
/// is the smallest normal one.
const MOST_NOISE: f32 = 16.0;
const LEAST_NOISE: f32 = -4.5;

/// Returns the index of the first of the largest; a NaN is larger than any number.
pub(super) fn most_likely(cpu: Cpu, x: &[f32]) -> usize {
    let most = maximum(cpu, x);
    x.iter().position(|x| if most.is_nan() { x.is_nan() } else { *x == most }).unwrap_or(0)
}

/// Returns the index that `categorical` draws with this key from these logits, the first of which is element `from` of all logits.
pub(super) fn drawn(cpu: Cpu, x: &[f32], key: [u32; 2], from: u64) -> usize {
    cpu.dispatch(Draw { x, key, from, least: maximum(cpu, x) + LEAST_NOISE })
}

struct Draw<'a> {
    x: &'a [f32],
    key: [u32; 2],
    from: u64,
    /// A bound below the largest sum, or NaN.
    least: f32,
}

impl Kernel for Draw<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, token: S) -> usize {
        let Draw { x, key, from, least } = self;
        let (mut best, mut place, mut bound) = (f32::NEG_INFINITY, 0, least);
        for (block, logits) in x.chunks(LANES).enumerate() {
            // With any noise they stay below others.
            if logits.iter().all(|x| *x + MOST_NOISE < bound) {
                continue;
            }
            let noise = gumbel::<S>(token, key, from + (block * LANES) as u64);
            for (i, (noise, x)) in noise.into_iter().zip(logits).enumerate() {
                let sum = noise + x;
                if sum.is_nan() {
                    return block * LANES + i;
                }
                if sum > best {
                    (best, place) = (sum, block * LANES + i);
                }
            }
            bound = if best > bound { best } else { bound };
        }
        place
    }
}

/// Returns the noise of the elements starting at `first`.
#[inline(always)]
fn gumbel<S: Simd>(token: S, key: [u32; 2], first: u64) -> [f32; LANES] {
    let index: [u64; LANES] = std::array::from_fn(|i| first + i as u64);
    let counters = [index.map(|i| (i >> 32) as u32), index.map(|i| i as u32)];
    let [high, low] = threefry2x32_lanes([[key[0]; LANES], [key[1]; LANES]], counters);
    let mut noise: [f32; LANES] = std::array::from_fn(|i| {
        let unit = f32::from_bits((high[i] ^ low[i]) >> 9 | 1f32.to_bits()) - 1.0;
        // Zero has no logarithm.
        if unit > 0.0 { unit } else { f32::MIN_POSITIVE }
    });
    for lanes in noise.chunks_exact_mut(S::F32::LANES) {
        // SAFETY: there are as many numbers as the vector has lanes.
        unsafe {
            let uniform = S::F32::load(token, lanes.as_ptr());
            let gumbel = -vector::log(-vector::log(uniform));
            gumbel.store(lanes.as_mut_ptr());
        }
    }
    noise
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_within_what_is_left_out() {
        let noise = |uniform: f64| -(-uniform.ln()).ln();
        assert!(noise(1.0 - 2f64.powi(-23)) + 0.01 < f64::from(MOST_NOISE));
        assert!(noise(f64::from(f32::MIN_POSITIVE)) - 0.01 > f64::from(LEAST_NOISE));
    }
}
