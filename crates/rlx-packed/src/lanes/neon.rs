//! The lanes of Advanced SIMD with products of bytes: a vector is four registers.

use super::{Lanes, Work};
use std::arch::aarch64::*;
use std::arch::asm;

/// Proof of Advanced SIMD and its products of bytes (FEAT_DotProd).
#[derive(Clone, Copy)]
pub(crate) struct Neon(());

/// Runs work in code compiled for Advanced SIMD with products of bytes.
///
/// # Safety
/// The machine has both.
#[inline(never)]
#[target_feature(enable = "neon,dotprod")]
pub(super) unsafe fn enter<W: Work>(work: W) -> W::Output {
    work.run(Neon(()))
}

/// Adds four products of signed bytes per lane to `sum`.
#[inline(always)]
fn sdot(mut sum: int32x4_t, a: uint8x16_t, b: int32x4_t) -> int32x4_t {
    // SAFETY: this code is reached only with a token; the instruction touches no memory.
    unsafe {
        asm!("sdot {s:v}.4s, {a:v}.16b, {b:v}.16b", s = inout(vreg) sum, a = in(vreg) a, b = in(vreg) b,
            options(pure, nomem, nostack, preserves_flags));
    }
    sum
}

/// Four registers.
type Four<T> = [T; 4];

/// Returns the results of a function of two registers, for all four pairs of registers.
#[inline(always)]
fn both<A: Copy, B: Copy, C>(a: Four<A>, b: Four<B>, f: impl Fn(A, B) -> C) -> Four<C> {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])]
}

/// Operations on integers, with one instruction each.
macro_rules! int_ops {
    ($($name:ident = $instruction:path),*) => { $(
        #[inline(always)]
        fn $name(self, a: Four<int32x4_t>, b: Four<int32x4_t>) -> Four<int32x4_t> {
            // SAFETY: the token proves the instructions.
            unsafe { both(a, b, |a, b| $instruction(a, b)) }
        }
    )* };
}

/// Shifts right and fills with zeros.
#[inline(always)]
unsafe fn down(a: int32x4_t, distance: int32x4_t) -> int32x4_t {
    // SAFETY: the caller vouches for the instructions.
    unsafe { vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(a), vnegq_s32(distance))) }
}

/// The sums of bytes.
#[inline(always)]
unsafe fn add_bytes(a: int32x4_t, b: int32x4_t) -> int32x4_t {
    // SAFETY: the caller vouches for the instructions.
    unsafe { vreinterpretq_s32_s8(vaddq_s8(vreinterpretq_s8_s32(a), vreinterpretq_s8_s32(b))) }
}

/// The differences of bytes.
#[inline(always)]
unsafe fn sub_bytes(a: int32x4_t, b: int32x4_t) -> int32x4_t {
    // SAFETY: the caller vouches for the instructions.
    unsafe { vreinterpretq_s32_s8(vsubq_s8(vreinterpretq_s8_s32(a), vreinterpretq_s8_s32(b))) }
}

impl Lanes for Neon {
    type Ints = Four<int32x4_t>;
    type Floats = Four<float32x4_t>;
    type Bytes = Four<uint8x16_t>;
    const TILE_ROWS: usize = 4;
    const TILE_PANELS: usize = 1;

    /// Codes above 127 are split into their lower seven bits and 128.
    #[inline(always)]
    fn dot<const WIDE: bool>(self, sum: Self::Ints, codes: Self::Bytes, x: i32) -> Self::Ints {
        // SAFETY: the token proves the instructions.
        unsafe {
            let b = vdupq_n_s32(x);
            if !WIDE {
                return both(sum, codes, |sum, codes| sdot(sum, codes, b));
            }
            // As a signed byte, 128 would be −128, so its half is multiplied and added twice.
            let top = vdupq_n_u8(128);
            both(sum, codes, |sum, codes| {
                let sum = sdot(sum, vbicq_u8(codes, top), b);
                let high = vshrq_n_u8::<1>(vandq_u8(codes, top));
                sdot(sdot(sum, high, b), high, b)
            })
        }
    }

    #[inline(always)]
    fn ints(self, x: i32) -> Self::Ints {
        // SAFETY: the token proves the instructions.
        unsafe { [vdupq_n_s32(x); 4] }
    }

    #[inline(always)]
    fn floats(self, x: f32) -> Self::Floats {
        // SAFETY: the token proves the instructions.
        unsafe { [vdupq_n_f32(x); 4] }
    }

    int_ops!(
        add_ints = vaddq_s32,
        sub_ints = vsubq_s32,
        mul_ints = vmulq_s32,
        and_ints = vandq_s32,
        or_ints = vorrq_s32,
        xor_ints = veorq_s32,
        shl_ints = vshlq_s32,
        shr_ints = down,
        add_each = add_bytes,
        sub_each = sub_bytes
    );

    #[inline(always)]
    fn load_ints(self, from: &[i32; 16]) -> Self::Ints {
        // SAFETY: the token proves the instructions; the array has 64 bytes.
        unsafe { [0, 4, 8, 12].map(|i| vld1q_s32(from.as_ptr().add(i))) }
    }

    #[inline(always)]
    fn store_ints(self, x: Self::Ints) -> [i32; 16] {
        let mut out = [0; 16];
        // SAFETY: the token proves the instructions; the array has 64 bytes.
        unsafe { x.iter().enumerate().for_each(|(i, &x)| vst1q_s32(out.as_mut_ptr().add(4 * i), x)) };
        out
    }

    #[inline(always)]
    fn floats_of_bits(self, x: Self::Ints) -> Self::Floats {
        // SAFETY: the token proves the instructions.
        unsafe { x.map(|x| vreinterpretq_f32_s32(x)) }
    }

    #[inline(always)]
    fn bits_of_floats(self, x: Self::Floats) -> Self::Ints {
        // SAFETY: the token proves the instructions.
        unsafe { x.map(|x| vreinterpretq_s32_f32(x)) }
    }

    #[inline(always)]
    fn to_floats(self, x: Self::Ints) -> Self::Floats {
        // SAFETY: the token proves the instructions.
        unsafe { x.map(|x| vcvtq_f32_s32(x)) }
    }

    #[inline(always)]
    fn mul(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        // SAFETY: the token proves the instructions.
        unsafe { both(a, b, |a, b| vmulq_f32(a, b)) }
    }

    #[inline(always)]
    fn mul_add(self, a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats {
        // SAFETY: the token proves the instructions.
        unsafe { [0, 1, 2, 3].map(|i| vfmaq_f32(c[i], a[i], b[i])) }
    }

    #[inline(always)]
    fn and(self, a: Self::Bytes, mask: u8) -> Self::Bytes {
        // SAFETY: the token proves the instructions.
        unsafe { a.map(|a| vandq_u8(a, vdupq_n_u8(mask))) }
    }

    #[inline(always)]
    fn or(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes {
        // SAFETY: the token proves the instructions.
        unsafe { both(a, b, |a, b| vorrq_u8(a, b)) }
    }

    #[inline(always)]
    fn down(self, a: Self::Bytes, distance: u32) -> Self::Bytes {
        // SAFETY: the token proves the instructions.
        unsafe { a.map(|a| vshlq_u8(a, vdupq_n_s8(-(distance as i8)))) }
    }

    #[inline(always)]
    fn up(self, a: Self::Bytes, distance: u32) -> Self::Bytes {
        // SAFETY: the token proves the instructions.
        unsafe { a.map(|a| vshlq_u8(a, vdupq_n_s8(distance as i8))) }
    }

    #[inline(always)]
    fn add(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes {
        // SAFETY: the token proves the instructions.
        unsafe { both(a, b, |a, b| vaddq_u8(a, b)) }
    }

    #[inline(always)]
    fn at_least(self, a: Self::Bytes, limit: u8) -> Self::Bytes {
        // SAFETY: the token proves the instructions.
        unsafe { a.map(|a| vandq_u8(vcgeq_u8(a, vdupq_n_u8(limit)), vdupq_n_u8(1))) }
    }

    #[inline(always)]
    fn lookup(self, table: &[u8; 16], places: Self::Bytes) -> Self::Bytes {
        // SAFETY: the token proves the instructions; the table has 16 bytes.
        unsafe {
            let table = vld1q_u8(table.as_ptr());
            places.map(|places| vqtbl1q_u8(table, places))
        }
    }

    #[inline(always)]
    unsafe fn load_bytes(self, at: *const u8) -> Self::Bytes {
        // SAFETY: the token proves the instructions, and the caller vouches for 64 bytes.
        unsafe { [0, 16, 32, 48].map(|i| vld1q_u8(at.add(i))) }
    }

    #[inline(always)]
    unsafe fn store_bytes(self, x: Self::Bytes, at: *mut u8) {
        // SAFETY: the token proves the instructions, and the caller vouches for 64 bytes.
        unsafe {
            x.iter().enumerate().for_each(|(i, &x)| vst1q_u8(at.add(16 * i), x));
        }
    }

    #[inline(always)]
    unsafe fn load_floats(self, at: *const f32) -> Self::Floats {
        // SAFETY: the token proves the instructions, and the caller vouches for 64 bytes.
        unsafe { [0, 4, 8, 12].map(|i| vld1q_f32(at.add(i))) }
    }

    #[inline(always)]
    unsafe fn store_floats(self, x: Self::Floats, at: *mut f32) {
        // SAFETY: the token proves the instructions, and the caller vouches for 64 bytes.
        unsafe {
            x.iter().enumerate().for_each(|(i, &x)| vst1q_f32(at.add(4 * i), x));
        }
    }
}
