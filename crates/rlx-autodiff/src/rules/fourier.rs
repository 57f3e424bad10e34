//! Rules of Fourier transforms.

use super::{Batch, Jvp, Rules, Transpose};
use crate::backward::{Arg, Backward, Cotangents};
use crate::error::Error;
use rlx_ir::{DType, FftKind, Op, OpKind, Shape, Tensor, UnaryOp};

const FFT: Rules =
    Rules { jvp: Jvp::Table, transpose: Transpose::Rule(transpose), batch: Batch::Elementwise };

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::Fft => FFT,
        _ => return None,
    })
}

/// The matrix of the complex transforms is symmetric. The transposes of the real ones are each other, except for the scale, and
/// for the coefficients that represent two coefficients each.
fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    _: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let Op::Fft { kind, lengths } = op else {
        return Err(Error::no_rule("transpose", "this is not a Fourier transform"));
    };
    let ct = cts.first(cx.builder);
    let elements: f64 = lengths.iter().map(|&n| n as f64).product();
    let other = |kind: FftKind| Op::Fft { kind, lengths: lengths.clone() };
    Ok(vec![Some(match kind {
        FftKind::Fft | FftKind::Ifft => ct.apply(op.clone(), &[]),
        FftKind::Rfft => {
            let once = ct.unary(UnaryOp::Conj) / multiplicity(&ct, lengths);
            once.apply(other(FftKind::Irfft), &[]) * elements
        }
        FftKind::Irfft => {
            let spectrum = ct.apply(other(FftKind::Rfft), &[]).unary(UnaryOp::Conj);
            &spectrum * multiplicity(&spectrum, lengths) / elements
        }
    })])
}

/// The number of coefficients of the whole spectrum that each coefficient of the half spectrum represents, in its element type.
fn multiplicity(half: &Tensor, lengths: &[usize]) -> Tensor {
    let last = half.rank().saturating_sub(1);
    let builder = half.builder();
    let index = builder.iota(Shape::from_dims(&[half.dim(last)], DType::I64), 0);
    let at = |n: i64| index.equal(&builder.int(n, DType::I64));
    let middle = lengths.last().filter(|&n| n % 2 == 0).map_or(-1, |n| (n / 2) as i64);
    at(0).or(&at(middle)).select(&half.scalar_like(1.0), &half.scalar_like(2.0))
}
