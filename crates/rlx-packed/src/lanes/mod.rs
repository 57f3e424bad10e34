//! What panel kernels need from an instruction set: vectors of 16 lanes, one per row of a panel.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

use crate::layout::ROWS;
#[cfg(test)]
pub(crate) use portable::Portable;
pub(crate) use rlx_simd::isa::Cpu;
use rlx_simd::isa::Isa;

/// An instruction set. A value proves that the machine has it.
pub(crate) trait Lanes: Copy {
    /// 16 integers of 32 bits.
    type Ints: Copy;
    /// 16 floats.
    type Floats: Copy;
    /// 64 bytes.
    type Bytes: Copy;
    /// Number of rows of activations in a tile.
    const TILE_ROWS: usize;
    /// Number of panels in a tile.
    const TILE_PANELS: usize;
    /// Whether a single row is multiplied with packed panels directly.
    const STREAMS: bool = true;

    /// The same integer in all lanes.
    fn ints(self, x: i32) -> Self::Ints;
    /// The same float in all lanes.
    fn floats(self, x: f32) -> Self::Floats;
    /// For each lane, `sum` plus the products of four unsigned bytes of `codes` and four signed bytes of `x`. With `WIDE` the codes may
    /// exceed 127.
    fn dot<const WIDE: bool>(self, sum: Self::Ints, codes: Self::Bytes, x: i32) -> Self::Ints;
    /// The sum of integers, wrapping.
    fn add_ints(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// The difference.
    fn sub_ints(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// The product.
    fn mul_ints(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// The bits set in both.
    fn and_ints(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// The bits set in either.
    fn or_ints(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// The bits set in exactly one.
    fn xor_ints(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// Shifts left by 0 to 31 bits, each lane by its own distance.
    fn shl_ints(self, a: Self::Ints, distance: Self::Ints) -> Self::Ints;
    /// Shifts right by 0 to 31 bits, each lane by its own distance, and fills with zeros.
    fn shr_ints(self, a: Self::Ints, distance: Self::Ints) -> Self::Ints;
    /// The sums of the bytes of integers, wrapping.
    fn add_each(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// The differences of the bytes of integers.
    fn sub_each(self, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// Reads integers from bytes, the lowest byte of each first.
    #[inline(always)]
    fn load_words(self, from: &[u8; 4 * ROWS]) -> Self::Ints {
        let words = from.as_chunks().0;
        self.load_ints(&each(|i| i32::from_le_bytes(words[i])))
    }
    /// Transposes a matrix, given by its rows.
    #[inline(always)]
    fn transpose(self, rows: [Self::Ints; ROWS]) -> [Self::Ints; ROWS] {
        let mut numbers = [[0; ROWS]; ROWS];
        for (to, row) in numbers.iter_mut().zip(rows) {
            *to = self.store_ints(row);
        }
        let mut columns = rows;
        for (column, to) in columns.iter_mut().enumerate() {
            *to = self.load_ints(&each(|row| numbers[row][column]));
        }
        columns
    }
    /// Loads integers from an array.
    fn load_ints(self, from: &[i32; ROWS]) -> Self::Ints;
    /// Stores integers to an array.
    fn store_ints(self, x: Self::Ints) -> [i32; ROWS];
    /// The floats with these bits.
    fn floats_of_bits(self, x: Self::Ints) -> Self::Floats;
    /// The bits of floats.
    fn bits_of_floats(self, x: Self::Floats) -> Self::Ints;
    /// Converts integers to floats, rounded to nearest.
    fn to_floats(self, x: Self::Ints) -> Self::Floats;
    /// The product.
    fn mul(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// a·b + c, rounded once if the instruction set can.
    fn mul_add(self, a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats;
    /// The sum, computed with a factor of one.
    #[inline(always)]
    fn add_floats(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        self.mul_add(a, self.floats(1.0), b)
    }

    /// The bits set in each byte and in the mask.
    fn and(self, a: Self::Bytes, mask: u8) -> Self::Bytes;
    /// The bits set in either.
    fn or(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Shifts bits down. Bits of the next byte shift in from above.
    fn down(self, a: Self::Bytes, distance: u32) -> Self::Bytes;
    /// Shifts bits up. Bits of the previous byte shift in from below.
    fn up(self, a: Self::Bytes, distance: u32) -> Self::Bytes;
    /// Zeros.
    #[inline(always)]
    fn zeros(self) -> Self::Bytes {
        // SAFETY: the array has 64 bytes.
        unsafe { self.load_bytes([0; 64].as_ptr()) }
    }

    /// Prefetches the cache line of a byte, which need not exist.
    #[inline(always)]
    fn prefetch(self, _at: *const u8) {}

    /// The sum of bytes, wrapping.
    fn add(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// 1 if a byte is at least `limit`, else 0.
    fn at_least(self, a: Self::Bytes, limit: u8) -> Self::Bytes;
    /// The entries of a table at indices below 16.
    fn lookup(self, table: &[u8; 16], places: Self::Bytes) -> Self::Bytes;

    /// The half-precision floats with these bits, widened.
    #[inline(always)]
    fn halves(self, x: Self::Ints) -> Self::Floats {
        let masked = |mask: i32| self.and_ints(x, self.ints(mask));
        // The exponent of a half is smaller by 112 than that of a float; its maximum represents infinity and NaN.
        let magnitude = self.floats_of_bits(self.shl_ints(masked(0x7fff), self.ints(13)));
        let magnitude = self.mul(magnitude, self.floats(f32::from_bits((112 + 127) << 23)));
        let is_largest = self.shr_ints(self.add_ints(masked(0x7c00), self.ints(0x400)), self.ints(15));
        let exponent = self.mul_ints(is_largest, self.ints(0x7f80_0000));
        let sign = self.shl_ints(masked(0x8000), self.ints(16));
        let bits = self.or_ints(self.bits_of_floats(magnitude), exponent);
        self.floats_of_bits(self.or_ints(bits, sign))
    }

    /// Loads 16 half-precision floats.
    ///
    /// # Safety
    /// `at` is valid for 32 bytes.
    #[inline(always)]
    unsafe fn load_halves(self, at: *const u8) -> Self::Floats {
        // SAFETY: the caller vouches for the bytes.
        let bits = unsafe { at.cast::<[[u8; 2]; ROWS]>().read_unaligned() };
        self.halves(self.load_ints(&each(|row| i32::from(u16::from_le_bytes(bits[row])))))
    }

    /// Loads 16 bytes as integers.
    ///
    /// # Safety
    /// `at` is valid for 16 bytes.
    #[inline(always)]
    unsafe fn load_widened(self, at: *const u8) -> Self::Ints {
        // SAFETY: the caller vouches for the bytes.
        let bytes = unsafe { at.cast::<[u8; ROWS]>().read_unaligned() };
        self.load_ints(&each(|row| i32::from(bytes[row])))
    }

    /// Loads a vector. Loads and stores work at any alignment.
    ///
    /// # Safety
    /// For this and the following functions: `at` is valid for 64 bytes.
    unsafe fn load_bytes(self, at: *const u8) -> Self::Bytes;
    /// # Safety
    /// As above.
    unsafe fn store_bytes(self, x: Self::Bytes, at: *mut u8);
    /// # Safety
    /// As above.
    unsafe fn load_floats(self, at: *const f32) -> Self::Floats;
    /// # Safety
    /// As above.
    unsafe fn store_floats(self, x: Self::Floats, at: *mut f32);
}

/// Returns the results of a function of each lane. It is a loop, which is compiled for the instruction set of its caller.
#[inline(always)]
pub(crate) fn each<T: Copy + Default, const N: usize>(f: impl Fn(usize) -> T) -> [T; N] {
    let mut out = [T::default(); N];
    for (i, out) in out.iter_mut().enumerate() {
        *out = f(i);
    }
    out
}

/// Code that is compiled for each instruction set.
pub(crate) trait Work {
    type Output;
    /// Whether it computes products of bytes, for which some machines with AVX-512 have instructions.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    const MULTIPLIES: bool = true;

    /// Whether it is faster with AVX-512. Work that is not is compiled without it.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    const WIDEST: bool = true;

    /// Runs the work. Implementations are `#[inline(always)]`.
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// Runs `work` with the instructions that `cpu` allows and this machine has.
pub(crate) fn dispatch<W: Work>(cpu: Cpu, work: W) -> W::Output {
    match cpu.isa() {
        // SAFETY: `cpu` proves AVX2, as it does with AVX-512.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 | Isa::Amx if !W::WIDEST => unsafe { avx2::enter(work) },
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 | Isa::Amx if W::MULTIPLIES && is_x86_feature_detected!("avx512vnni") => {
            // SAFETY: the machine has AVX-512, as `cpu` proves, and VNNI.
            unsafe { avx512::enter_vnni(work) }
        }
        // SAFETY: `cpu` proves AVX-512.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 | Isa::Amx => unsafe { avx512::enter(work) },
        // SAFETY: `cpu` proves AVX2.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => unsafe { avx2::enter(work) },
        #[cfg(target_arch = "aarch64")]
        Isa::Neon if std::arch::is_aarch64_feature_detected!("dotprod") => {
            // SAFETY: the machine has the products of bytes.
            unsafe { neon::enter(work) }
        }
        _ => work.run(portable::Portable),
    }
}
