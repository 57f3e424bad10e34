//! Subnormal numbers, for targets that compute without them. Knows element types, but no ops.

use crate::data::Limits;
use rlx_ir::{DType, Literal};

/// Returns the float type of elements, or of their parts, if targets flush its subnormal numbers. Narrower types are
/// computed in f32, in which their subnormal numbers are normal; bf16 has the exponents of f32.
fn part(dtype: DType) -> Option<DType> {
    let real = dtype.real();
    matches!(real, DType::F64 | DType::F32 | DType::BF16).then_some(real)
}

/// Applies `f` to the value of each float that the tensor contains. If `f` writes bytes, they replace the float's own.
fn map(literal: &Literal, mut f: impl FnMut(usize, f64, &mut [u8])) -> Literal {
    let Some(part) = part(literal.dtype()) else { return literal.clone() };
    let mut bytes = literal.bytes().to_vec();
    for (i, float) in bytes.chunks_exact_mut(part.size()).enumerate() {
        let value = rlx_ir::eval::Scalar::read(part, float).to_f64();
        f(i, value, float);
    }
    // INVARIANT: the number of bytes has not changed.
    Literal::from_bytes(literal.shape(), &bytes).unwrap_or_else(|_| literal.clone())
}

fn is_subnormal(x: f64, dtype: DType) -> bool {
    x != 0.0 && x.abs() < Limits::of(dtype).min_normal
}

/// Replaces subnormal numbers with zeros of the same sign.
pub(crate) fn flushed(literal: &Literal) -> Literal {
    map(literal, |_, x, bytes| {
        if is_subnormal(x, literal.dtype()) {
            let sign = bytes[bytes.len() - 1] & 0x80;
            bytes.fill(0);
            bytes[bytes.len() - 1] = sign;
        }
    })
}

/// Replaces computed zeros with the expected values where those are subnormal.
pub(crate) fn unflushed(got: &Literal, want: &Literal) -> Literal {
    if got.shape() != want.shape() {
        return got.clone();
    }
    map(got, |i, x, bytes| {
        let expected = &want.bytes()[i * bytes.len()..][..bytes.len()];
        let value = rlx_ir::eval::Scalar::read(want.dtype().real(), expected).to_f64();
        if x == 0.0 && is_subnormal(value, want.dtype()) {
            bytes.copy_from_slice(expected);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_subnormal_numbers_become_zeros() {
        let tiny = f32::MIN_POSITIVE / 2.0;
        let some = Literal::new(&[4], &[-tiny, 1.0, f32::MIN_POSITIVE, f32::NAN]).expect("four elements");
        let zeros = flushed(&some);
        assert_eq!(zeros.as_slice::<f32>().expect("f32")[0].to_bits(), (-0f32).to_bits());
        assert_eq!(zeros.bytes()[4..], some.bytes()[4..]);
        assert_eq!(unflushed(&zeros, &some), some);
        let ones = Literal::new(&[4], &[1f32; 4]).expect("four elements");
        assert_eq!(unflushed(&ones, &some), ones, "a result that is not zero stays");
    }
}
