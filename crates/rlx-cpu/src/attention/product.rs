//! The two products of attention on blocks of four query rows. Every sum is one chain over rising indices.

use crate::simd::{Simd, Vector};

/// Query rows of a register tile.
pub(super) const ROWS: usize = 4;

/// Vectors of a register tile: as many as leave room for the operands.
#[inline(always)]
fn wide<S: Simd>() -> bool {
    S::TILE_ROWS * S::TILE_VECTORS > 16
}

/// Writes `count` rows of `d` elements as columns: `tile[c · step + r] = k[r · k_step + c]`, with zeros to a whole
/// number of the scores' steps, which is returned.
///
/// # Safety
/// `k` is valid for the rows, `tile` for `d` rows of `step` elements, of which `count` fit whole steps.
#[inline(always)]
pub(super) unsafe fn transposed<S: Simd>(
    token: S,
    k: *const f32,
    k_step: usize,
    count: usize,
    d: usize,
    tile: *mut f32,
    step: usize,
) -> usize {
    let lanes = S::F32::LANES;
    let padded = count.next_multiple_of(if wide::<S>() { 4 * lanes } else { 2 * lanes });
    let (whole_r, whole_c) = (count / lanes * lanes, d / lanes * lanes);
    // SAFETY: the caller vouches for both; blocks lie inside them.
    unsafe {
        let mut r = 0;
        while r < whole_r {
            let mut c = 0;
            while c < whole_c {
                S::F32::transpose(token, k.add(r * k_step + c), k_step, tile.add(c * step + r), step);
                c += lanes;
            }
            r += lanes;
        }
        for c in 0..d {
            let column = tile.add(c * step);
            let from = if c < whole_c { whole_r } else { 0 };
            for r in from..count {
                *column.add(r) = *k.add(r * k_step + c);
            }
            column.add(count).write_bytes(0, padded - count);
        }
    }
    padded
}

/// Scores of four queries and `keys` transposed keys, a whole number of steps.
///
/// # Safety
/// Queries are valid for `d` elements, `tile` for `d` rows of `keys`, `to` for four rows of `keys`.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn scores<S: Simd>(
    token: S,
    q: [*const f32; ROWS],
    d: usize,
    tile: *const f32,
    step: usize,
    keys: usize,
    to: *mut f32,
    to_step: usize,
) {
    let mut at = 0;
    while at < keys {
        // SAFETY: `keys` is a whole number of these steps.
        unsafe {
            if wide::<S>() {
                scores_tile::<S, 4>(token, q, d, tile.add(at), step, to.add(at), to_step);
                at += 4 * S::F32::LANES;
            } else {
                scores_tile::<S, 2>(token, q, d, tile.add(at), step, to.add(at), to_step);
                at += 2 * S::F32::LANES;
            }
        }
    }
}

/// # Safety
/// As for [`scores`], with `N` vectors of keys.
#[inline(always)]
unsafe fn scores_tile<S: Simd, const N: usize>(
    token: S,
    q: [*const f32; ROWS],
    d: usize,
    tile: *const f32,
    step: usize,
    to: *mut f32,
    to_step: usize,
) {
    let zero = S::F32::splat(token, 0.0);
    let mut acc = [[zero; N]; ROWS];
    // SAFETY: the caller vouches for all of it.
    unsafe {
        for c in 0..d {
            let mut keys = [zero; N];
            for (n, key) in keys.iter_mut().enumerate() {
                *key = S::F32::load(token, tile.add(c * step + n * S::F32::LANES));
            }
            for (acc, q) in acc.iter_mut().zip(&q) {
                let q = S::F32::splat(token, *q.add(c));
                for (acc, key) in acc.iter_mut().zip(&keys) {
                    *acc = q.mul_add(*key, *acc);
                }
            }
        }
        for (r, acc) in acc.iter().enumerate() {
            for (n, acc) in acc.iter().enumerate() {
                acc.store(to.add(r * to_step + n * S::F32::LANES));
            }
        }
    }
}

/// Four rows of `keys` weights times `keys` values of `d` elements, written to `out`, or added to what stands there.
/// Rows of `out` may be the same if their weights are.
///
/// # Safety
/// Weights are valid for `keys` elements, `v` for `keys` rows of `d`, each `out` for `d`.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn values<S: Simd>(
    token: S,
    p: [*const f32; ROWS],
    keys: usize,
    v: *const f32,
    v_step: usize,
    d: usize,
    out: [*mut f32; ROWS],
    resume: bool,
) {
    let lanes = S::F32::LANES;
    let mut at = 0;
    while at < d {
        let run =
            Run { p, keys, v: v.wrapping_add(at), v_step, out: out.map(|o| o.wrapping_add(at)), resume };
        // SAFETY: the columns exist.
        unsafe {
            if wide::<S>() && at + 4 * lanes <= d {
                values_tile::<S, 4>(token, &run);
                at += 4 * lanes;
            } else if at + 2 * lanes <= d {
                values_tile::<S, 2>(token, &run);
                at += 2 * lanes;
            } else if at + lanes <= d {
                values_tile::<S, 1>(token, &run);
                at += lanes;
            } else {
                values_rest::<S>(token, &run, d - at);
                at = d;
            }
        }
    }
}

/// Some columns of [`values`].
struct Run {
    p: [*const f32; ROWS],
    keys: usize,
    v: *const f32,
    v_step: usize,
    out: [*mut f32; ROWS],
    resume: bool,
}

/// # Safety
/// As for [`values`], with `N` vectors of columns.
#[inline(always)]
unsafe fn values_tile<S: Simd, const N: usize>(token: S, run: &Run) {
    let zero = S::F32::splat(token, 0.0);
    let mut acc = [[zero; N]; ROWS];
    // SAFETY: the caller vouches for all of it.
    unsafe {
        for key in 0..run.keys {
            let mut row = [zero; N];
            for (n, value) in row.iter_mut().enumerate() {
                *value = S::F32::load(token, run.v.add(key * run.v_step + n * S::F32::LANES));
            }
            for (acc, p) in acc.iter_mut().zip(&run.p) {
                let p = S::F32::splat(token, *p.add(key));
                for (acc, value) in acc.iter_mut().zip(&row) {
                    *acc = p.mul_add(*value, *acc);
                }
            }
        }
        // All is read before anything is written: rows may be the same.
        if run.resume {
            for (acc, out) in acc.iter_mut().zip(&run.out) {
                for (n, acc) in acc.iter_mut().enumerate() {
                    *acc = *acc + S::F32::load(token, out.add(n * S::F32::LANES));
                }
            }
        }
        for (acc, out) in acc.iter().zip(&run.out) {
            for (n, acc) in acc.iter().enumerate() {
                acc.store(out.add(n * S::F32::LANES));
            }
        }
    }
}

/// # Safety
/// As for [`values`], with `count` columns, fewer than lanes.
#[inline(always)]
unsafe fn values_rest<S: Simd>(token: S, run: &Run, count: usize) {
    let mut acc = [S::F32::splat(token, 0.0); ROWS];
    // SAFETY: the caller vouches for all of it.
    unsafe {
        for key in 0..run.keys {
            let row = S::F32::load_partial(token, run.v.add(key * run.v_step), count);
            for (acc, p) in acc.iter_mut().zip(&run.p) {
                *acc = S::F32::splat(token, *p.add(key)).mul_add(row, *acc);
            }
        }
        if run.resume {
            for (acc, out) in acc.iter_mut().zip(&run.out) {
                *acc = *acc + S::F32::load_partial(token, *out, count);
            }
        }
        for (acc, out) in acc.iter().zip(&run.out) {
            acc.store_partial(*out, count);
        }
    }
}
