//! Operations on complex numbers that the op table defines, apart from arithmetic.

pub use super::special::complex::Complex64;

/// Loads a c64 from memory, preserving every bit of a NaN.
pub fn load_c64([re, im]: [f32; 2]) -> Complex64 {
    Complex64 { re: widen(re), im: widen(im) }
}

/// Converts a number to f64, preserving every bit of a NaN, which a conversion would change.
fn widen(x: f32) -> f64 {
    if !x.is_nan() {
        return f64::from(x);
    }
    let bits = u64::from(x.to_bits());
    f64::from_bits(bits >> 31 << 63 | 0x7ff << 52 | (bits & 0x7f_ffff) << 29)
}

/// Rounds a number to f32, preserving the leading bits of a NaN.
fn narrow(x: f64) -> f32 {
    if !x.is_nan() {
        return x as f32;
    }
    let payload = (x.to_bits() >> 29) as u32 & 0x7f_ffff;
    let payload = if payload == 0 { 0x40_0000 } else { payload };
    f32::from_bits(((x.to_bits() >> 32) as u32 & 0x8000_0000) | 0x7f80_0000 | payload)
}

/// Converts a number to a c64 in memory.
pub fn store_c64(z: Complex64) -> [f32; 2] {
    [narrow(z.re), narrow(z.im)]
}

/// Loads a c128 from memory.
pub fn load_c128([re, im]: [f64; 2]) -> Complex64 {
    Complex64 { re, im }
}

/// Converts a number to a c128 in memory.
pub fn store_c128(z: Complex64) -> [f64; 2] {
    [z.re, z.im]
}

/// Rounds both parts to f32.
pub fn round_c64(z: Complex64) -> Complex64 {
    load_c64(store_c64(z))
}

/// Returns the larger number in lexicographic order. A number with a NaN part wins.
pub fn max(a: Complex64, b: Complex64) -> Complex64 {
    if wins(a, b, |a, b| a > b) { a } else { b }
}

/// Returns the smaller number in lexicographic order. A number with a NaN part wins.
pub fn min(a: Complex64, b: Complex64) -> Complex64 {
    if wins(a, b, |a, b| a < b) { a } else { b }
}

fn wins(a: Complex64, b: Complex64, before: fn(f64, f64) -> bool) -> bool {
    let nan = |z: Complex64| z.re.is_nan() || z.im.is_nan();
    if nan(a) || nan(b) {
        return nan(a);
    }
    before(a.re, b.re) || (a.re == b.re && (before(a.im, b.im) || a.im == b.im))
}

/// Returns the bits of a c64.
pub fn bits_of_c64(z: Complex64) -> u64 {
    let [re, im] = store_c64(z);
    u64::from(re.to_bits()) | u64::from(im.to_bits()) << 32
}

/// Returns the c64 with these bits.
pub fn c64_of_bits(bits: u64) -> Complex64 {
    load_c64([f32::from_bits(bits as u32), f32::from_bits((bits >> 32) as u32)])
}
