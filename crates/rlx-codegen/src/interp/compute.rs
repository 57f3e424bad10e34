//! Computes scalars in the evaluator's numbers.

use super::FaultKind;
use rlx_ir::eval::scalar::element;
use rlx_ir::{DType, Op, Scalar};

/// Applies an elementwise op without rounding the result. `number` is the type of the first operand that is a number.
pub(super) fn apply(op: &Op, number: DType, operands: &[Scalar]) -> Result<Scalar, FaultKind> {
    let fault = || FaultKind::NotElementwise { op: op.mnemonic(), operands: operands.len() };
    element(op, number, operands).ok_or_else(fault)
}

/// Computes a · b + c in a float type, rounded once.
pub(super) fn fma(dtype: DType, [a, b, c]: [Scalar; 3]) -> Scalar {
    let (a, b, c) = (a.to_f64(), b.to_f64(), c.to_f64());
    if dtype == DType::F64 {
        return Scalar::Float(a.mul_add(b, c));
    }
    // The product of two narrower numbers is exact. Their sum is rounded to odd, so that a second rounding, to a type
    // with at most half the digits less two, gives the same result as a single one (Boldo and Melquiond, "Emulation of
    // FMA and correctly rounded sums", 2008).
    let product = a * b;
    let sum = product + c;
    let of_c = sum - product;
    let error = (product - (sum - of_c)) + (c - of_c);
    let odd = if sum.is_finite() && error != 0.0 && sum.to_bits() & 1 == 0 {
        let away = (error > 0.0) == (sum > 0.0);
        f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
    } else {
        sum
    };
    Scalar::Float(odd).convert(dtype)
}

/// Reinterprets the bits of a scalar as another type of the same width. `bytes` is scratch memory.
pub(super) fn bitcast(from: DType, to: DType, scalar: Scalar, bytes: &mut Vec<u8>) -> Scalar {
    bytes.clear();
    scalar.write(from, bytes);
    Scalar::read(to, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_with_sums_are_rounded_once() {
        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            f32::from_bits((seed >> 32) as u32)
        };
        let mut twice = 0;
        for _ in 0..200_000 {
            // Products whose last bits are lost in a sum with a number of another magnitude.
            let (a, b) = (next() as f64, next() as f64);
            let (a, b) =
                (1.0 + (a.to_bits() >> 41) as f64 / 8388608.0, 1.0 + (b.to_bits() >> 41) as f64 / 8388608.0);
            let (a, b, c) = (a as f32, b as f32, next());
            let exact = a.mul_add(b, c);
            let ours = fma(DType::F32, [a, b, c].map(|x| Scalar::Float(f64::from(x))));
            let Scalar::Float(ours) = ours else { panic!("a float") };
            assert!(ours as f32 == exact || (ours.is_nan() && exact.is_nan()), "{a:e} {b:e} {c:e}");
            twice += usize::from((f64::from(a) * f64::from(b) + f64::from(c)) as f32 != exact);
        }
        let tie = [1.0 + 2f64.powi(-12), 1.0 + 2f64.powi(-12), 2f64.powi(-60)];
        let once = (tie[0] as f32).mul_add(tie[1] as f32, tie[2] as f32);
        assert_eq!(fma(DType::F32, tie.map(Scalar::Float)), Scalar::Float(f64::from(once)));
        assert_ne!(
            (tie[0] * tie[1] + tie[2]) as f32,
            once,
            "the naive sum is rounded twice ({twice} others)"
        );
    }
}
