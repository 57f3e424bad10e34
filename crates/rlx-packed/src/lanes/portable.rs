//! Lanes in plain code, for instruction sets without products of bytes.

use super::{Lanes, each};

/// Any machine.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

/// Applies an operation to the bytes of two integers.
#[inline(always)]
fn bytes(a: i32, b: i32, op: fn(u8, u8) -> u8) -> i32 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    i32::from_le_bytes(each(|i| op(a[i], b[i])))
}

impl Lanes for Portable {
    type Ints = [i32; 16];
    type Floats = [f32; 16];
    type Bytes = [u8; 64];
    const TILE_ROWS: usize = 1;
    const TILE_PANELS: usize = 1;
    const STREAMS: bool = false;

    #[inline(always)]
    fn ints(self, x: i32) -> [i32; 16] {
        [x; 16]
    }

    #[inline(always)]
    fn floats(self, x: f32) -> [f32; 16] {
        [x; 16]
    }

    #[inline(always)]
    fn dot<const WIDE: bool>(self, sum: [i32; 16], codes: [u8; 64], x: i32) -> [i32; 16] {
        let x = x.to_le_bytes();
        let product = |lane: usize, k: usize| i32::from(codes[4 * lane + k]) * i32::from(x[k].cast_signed());
        each(|lane| sum[lane] + product(lane, 0) + product(lane, 1) + product(lane, 2) + product(lane, 3))
    }

    // Functions that are called rather than inlined, because the decoders of all formats are compiled with them.
    #[inline(never)]
    fn add_ints(self, a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        each(|i| a[i].wrapping_add(b[i]))
    }

    #[inline(never)]
    fn sub_ints(self, a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        each(|i| a[i].wrapping_sub(b[i]))
    }

    #[inline(never)]
    fn mul_ints(self, a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        each(|i| a[i].wrapping_mul(b[i]))
    }

    #[inline(never)]
    fn and_ints(self, a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        each(|i| a[i] & b[i])
    }

    #[inline(never)]
    fn or_ints(self, a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        each(|i| a[i] | b[i])
    }

    #[inline(never)]
    fn xor_ints(self, a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        each(|i| a[i] ^ b[i])
    }

    #[inline(never)]
    fn shl_ints(self, a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        each(|i| a[i].wrapping_shl(b[i].cast_unsigned()))
    }

    #[inline(never)]
    fn shr_ints(self, a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        each(|i| a[i].cast_unsigned().wrapping_shr(b[i].cast_unsigned()).cast_signed())
    }

    #[inline(never)]
    fn add_each(self, a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        each(|i| bytes(a[i], b[i], u8::wrapping_add))
    }

    #[inline(never)]
    fn sub_each(self, a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        each(|i| bytes(a[i], b[i], u8::wrapping_sub))
    }

    #[inline]
    fn load_ints(self, from: &[i32; 16]) -> [i32; 16] {
        *from
    }

    #[inline]
    fn store_ints(self, x: [i32; 16]) -> [i32; 16] {
        x
    }

    #[inline(always)]
    fn floats_of_bits(self, x: [i32; 16]) -> [f32; 16] {
        each(|i| f32::from_bits(x[i].cast_unsigned()))
    }

    #[inline(always)]
    fn bits_of_floats(self, x: [f32; 16]) -> [i32; 16] {
        each(|i| x[i].to_bits().cast_signed())
    }

    #[inline(always)]
    fn to_floats(self, x: [i32; 16]) -> [f32; 16] {
        each(|i| x[i] as f32)
    }

    #[inline(always)]
    fn mul(self, a: [f32; 16], b: [f32; 16]) -> [f32; 16] {
        each(|i| a[i] * b[i])
    }

    #[inline(always)]
    fn mul_add(self, a: [f32; 16], b: [f32; 16], c: [f32; 16]) -> [f32; 16] {
        each(|i| a[i] * b[i] + c[i])
    }

    #[inline(never)]
    fn and(self, a: [u8; 64], mask: u8) -> [u8; 64] {
        each(|i| a[i] & mask)
    }

    #[inline(never)]
    fn or(self, a: [u8; 64], b: [u8; 64]) -> [u8; 64] {
        each(|i| a[i] | b[i])
    }

    #[inline(never)]
    fn down(self, a: [u8; 64], distance: u32) -> [u8; 64] {
        each(|i| a[i] >> distance)
    }

    #[inline(never)]
    fn up(self, a: [u8; 64], distance: u32) -> [u8; 64] {
        each(|i| a[i] << distance)
    }

    #[inline(never)]
    fn add(self, a: [u8; 64], b: [u8; 64]) -> [u8; 64] {
        each(|i| a[i].wrapping_add(b[i]))
    }

    #[inline(never)]
    fn at_least(self, a: [u8; 64], limit: u8) -> [u8; 64] {
        each(|i| u8::from(a[i] >= limit))
    }

    #[inline(never)]
    fn lookup(self, table: &[u8; 16], places: [u8; 64]) -> [u8; 64] {
        each(|i| table[usize::from(places[i] & 15)])
    }

    #[inline(always)]
    unsafe fn load_bytes(self, at: *const u8) -> [u8; 64] {
        // SAFETY: the caller vouches for 64 bytes.
        unsafe { at.cast::<[u8; 64]>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store_bytes(self, x: [u8; 64], at: *mut u8) {
        // SAFETY: the caller vouches for 64 bytes.
        unsafe { at.cast::<[u8; 64]>().write_unaligned(x) }
    }

    #[inline(always)]
    unsafe fn load_floats(self, at: *const f32) -> [f32; 16] {
        // SAFETY: the caller vouches for 64 bytes.
        unsafe { at.cast::<[f32; 16]>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store_floats(self, x: [f32; 16], at: *mut f32) {
        // SAFETY: the caller vouches for 64 bytes.
        unsafe { at.cast::<[f32; 16]>().write_unaligned(x) }
    }
}
