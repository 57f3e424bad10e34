//! Sums over very many keys or query rows. Runs of [`K_RUN`] are added plainly within a stretch, and the sums of stretches with the rounding
//! error of each addition: so the errors do not grow with the number of keys.

use rlx_gemm::tile::K_RUN;
use rlx_simd::simd::Vector;
use rlx_simd::sums::add_part;

/// Runs of a stretch.
pub(crate) const RUNS: usize = 256;

/// Keys of a stretch. Stretches begin at multiples of it, whatever rows see.
pub(crate) const STRETCH: usize = RUNS * K_RUN;

/// Elements that sums of a stretch need, with the totals and their errors behind them if there are several stretches.
pub(crate) fn room(sums: usize, several: bool) -> usize {
    if several { sums.saturating_mul(3) } else { sums }
}

/// Adds the sums of a stretch to the totals `behind` them, and the errors of that to those behind the totals. After the last stretch the
/// sums are those of all.
///
/// # Safety
/// At all three places are `len` elements, in whole vectors.
#[inline(always)]
pub(crate) unsafe fn add_stretch<V: Vector>(
    token: V::Token,
    sums: *mut V::Elem,
    behind: usize,
    len: usize,
    [is_first, is_last]: [bool; 2],
) {
    if is_first && is_last {
        return;
    }
    // SAFETY: the caller vouches for all three places.
    unsafe { add_part::<V>(token, sums, [sums.add(behind), sums.add(2 * behind)], len, [is_first, is_last]) }
}
