//! What the op table says of complex numbers beyond their arithmetic.

pub use super::special::complex::Complex64;

/// A c64 from memory; of a NaN every bit.
pub fn load_c64([re, im]: [f32; 2]) -> Complex64 {
    Complex64 { re: f64::from(re), im: f64::from(im) }
}

/// A number as a c64 in memory.
pub fn store_c64(z: Complex64) -> [f32; 2] {
    [z.re as f32, z.im as f32]
}

/// A c128 from memory.
pub fn load_c128([re, im]: [f64; 2]) -> Complex64 {
    Complex64 { re, im }
}

/// A number as a c128 in memory.
pub fn store_c128(z: Complex64) -> [f64; 2] {
    [z.re, z.im]
}

/// Both parts rounded to f32.
pub fn round_c64(z: Complex64) -> Complex64 {
    load_c64(store_c64(z))
}

/// The larger in lexicographic order; one with a NaN part wins.
pub fn max(a: Complex64, b: Complex64) -> Complex64 {
    if wins(a, b, |a, b| a > b) { a } else { b }
}

/// The smaller in lexicographic order; one with a NaN part wins.
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

/// The bits of a c64.
pub fn bits_of_c64(z: Complex64) -> u64 {
    let [re, im] = store_c64(z);
    u64::from(re.to_bits()) | u64::from(im.to_bits()) << 32
}

/// The c64 of these bits.
pub fn c64_of_bits(bits: u64) -> Complex64 {
    load_c64([f32::from_bits(bits as u32), f32::from_bits((bits >> 32) as u32)])
}
