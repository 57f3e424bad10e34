//! Discrete Fourier transforms over the last axes, computed by [`crate::math::fft`].

/// The four kinds of transform.
pub(crate) mod fft {
    use crate::dim::Dim;
    use crate::dtype::{DType, DTypeSet};
    use crate::eval::{EvalCx, Scalar, Value};
    use crate::math::fft;
    use crate::op::OpError;
    use crate::op::kinds::FftKind;
    use crate::shape::Shape;

    /// The number of coefficients of a real sequence of length `n` that are not conjugates of others.
    fn half(n: usize) -> usize {
        if n == 0 { 0 } else { n / 2 + 1 }
    }

    pub(crate) fn infer(x: &Shape, kind: FftKind, lengths: &[usize]) -> Result<Shape, OpError> {
        let (from, to) = match (kind, x.dtype()) {
            (FftKind::Rfft, dtype) => {
                OpError::check_dtype("x", dtype, DTypeSet::of(&[DType::F32, DType::F64]))?;
                (dtype, if dtype == DType::F32 { DType::C64 } else { DType::C128 })
            }
            (kind, dtype) => {
                OpError::check_dtype("x", dtype, DTypeSet::COMPLEX)?;
                (dtype, if kind == FftKind::Irfft { dtype.real() } else { dtype })
            }
        };
        let Some((&last, outer)) = lengths.split_last().filter(|_| lengths.len() <= 3) else {
            return Err(OpError::attribute(format!("needs one, two or three lengths, got {lengths:?}")));
        };
        let Some(leading) = x.rank().checked_sub(lengths.len()) else {
            return Err(OpError::shape(format!("x must have an axis for each of {lengths:?}, got {x}")));
        };
        let sizes = |last| {
            [x.dims()[..leading].to_vec(), outer.iter().chain([&last]).map(|&n| Dim::Static(n)).collect()]
                .concat()
        };
        let taken = sizes(if kind == FftKind::Irfft { half(last) } else { last });
        let wanted = Shape::from_dims(&taken, from);
        if !x.compatible(&wanted) {
            return Err(OpError::shape(format!("{kind} of lengths {lengths:?} takes {wanted}, got {x}")));
        }
        Ok(Shape::from_dims(&sizes(if kind == FftKind::Rfft { half(last) } else { last }), to))
    }

    pub(crate) fn eval(
        cx: &EvalCx<'_>,
        x: &Value,
        kind: FftKind,
        lengths: &[usize],
    ) -> Result<Value, OpError> {
        let (dims, dtype, axes) = (cx.dims(), cx.out().dtype(), lengths.len());
        if cx.out().num_elements() == Some(0) {
            return Ok(Value::splat(dims, dtype, Scalar::Int(0)));
        }
        Ok(match kind {
            FftKind::Fft | FftKind::Ifft => {
                let mut data = x.to_complexes();
                fft::fft(&mut data, &dims, axes, kind == FftKind::Ifft);
                Value::complexes(dims, dtype, data)
            }
            FftKind::Rfft => Value::complexes(dims, dtype, fft::rfft(&x.to_f64s(), x.dims(), axes)),
            FftKind::Irfft => {
                let data = fft::irfft(&x.to_complexes(), &dims, axes);
                Value::floats(dims, dtype, data)
            }
        })
    }
}
