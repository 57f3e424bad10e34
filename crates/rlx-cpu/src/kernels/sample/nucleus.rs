//! Finds the most likely candidates that together have a given probability, without sorting the rest.

use super::largest::{Search, largest, maximum, place, word};
use crate::isa::Cpu;

/// Up to this number, candidates are sorted directly, without a look at how the probability is distributed.
const FEW: usize = 256;
/// Number of buckets of ranks, and number of buckets per unit of rank.
const BUCKETS: usize = 2048;
const PER_UNIT: f32 = 64.0;
/// More than the rounding error of the sum of probabilities.
const SLACK: f64 = 1e-6;

/// Returns the number of leading candidates for which the shares before them add up to less than p.
pub(super) fn kept(shares: impl Iterator<Item = f32>, p: f64) -> usize {
    // The first one is kept for any p.
    let p = p.max(f64::from(f32::MIN_POSITIVE)) as f32;
    let mut sum = 0.0;
    let before = shares.map(|share| {
        sum += f64::from(share);
        sum as f32 - share
    });
    before.take_while(|before| *before < p).count()
}

/// Returns how many candidates the search has sorted by rank, and how many of those have the probability p together.
pub(super) fn nucleus(
    cpu: Cpu,
    ranks: &[f32],
    shares: &[f32],
    p: f64,
    search: &mut Search<'_>,
) -> [usize; 2] {
    let best = maximum(cpu, ranks);
    let found = match ranks.len() {
        few if few <= FEW || !best.is_finite() => largest(cpu, ranks, few, search),
        _ => in_front(ranks, shares, best, p, search),
    };
    [found.len(), kept(found.iter().map(|&word| shares[place(word)]), p)]
}

/// Returns the words of the leading candidates that together have more than p, in the order of their ranks; `best` is the largest rank.
fn in_front<'s>(ranks: &[f32], shares: &[f32], best: f32, p: f64, search: &'s mut Search<'_>) -> &'s [u64] {
    // Buckets are in the order of ranks. −∞ is in the last bucket.
    let bucket = |rank: f32| (((best - rank) * PER_UNIT) as usize).min(BUCKETS - 1);
    let (mut masses, mut ends) = ([0f64; BUCKETS], [0usize; BUCKETS]);
    for (&rank, &share) in ranks.iter().zip(shares) {
        let bucket = bucket(rank);
        masses[bucket] += f64::from(share);
        ends[bucket] += usize::from(rank != f32::NEG_INFINITY);
    }
    let mut sum = 0.0;
    let enough = masses.iter().position(|mass| {
        sum += mass;
        sum > p + SLACK
    });
    let last = enough.unwrap_or(BUCKETS - 1);
    // Where each bucket begins; once the bucket is filled, where it ends.
    let mut count = 0;
    for end in &mut ends[..=last] {
        count += std::mem::replace(end, count);
    }
    for (at, &rank) in ranks.iter().enumerate() {
        let bucket = bucket(rank);
        if bucket <= last && rank != f32::NEG_INFINITY {
            search.words[ends[bucket]] = word(rank, at);
            ends[bucket] += 1;
        }
    }
    let mut begin = 0;
    for &end in &ends[..=last] {
        search.words[begin..end].sort_unstable();
        begin = end;
    }
    &search.words[..count]
}
