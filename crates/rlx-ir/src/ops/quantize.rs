//! Affine quantization: integers (or 8-bit floats) with a scale and a zero point, per tensor or per channel.

use crate::dtype::{DType, DTypeSet};
use crate::float_format::FloatFormat;
use crate::op::kinds::{Activation, UnaryOp};
use crate::op::{Op, OpError};
use crate::ops::precision::{check_float, wide};
use crate::shape::Shape;
use crate::tensor::Tensor;

/// The types in which a quantized value may be stored.
const STORED: DTypeSet =
    DTypeSet::of(&[DType::I8, DType::I16, DType::I32, DType::U8, DType::U16, DType::F8E4M3, DType::F8E5M2]);

/// A scale or zero point in `dtype`, broadcast to the dimensions of x. It is a scalar without an `axis`, otherwise a vector along
/// it.
fn repeated(
    name: &str,
    parameter: &Tensor,
    x: &Tensor,
    axis: Option<usize>,
    dtype: DType,
) -> Result<Tensor, OpError> {
    let axes: Vec<usize> = axis.into_iter().collect();
    OpError::check_axes(&axes, x.rank())?;
    let own = x.shape();
    let dims: Vec<_> = axes.iter().map(|&a| own.dim(a).clone()).collect();
    let expected = Shape::from_dims(&dims, parameter.dtype());
    if !parameter.shape().compatible(&expected) {
        let message = format!("{name} must be {expected} to fit x {own}, got {}", parameter.shape());
        return Err(OpError::shape(message));
    }
    Ok(parameter.convert(dtype).broadcast_in_dim(own.dims(), &axes))
}

/// Fails unless the zero point, if there is one, has a real number type.
fn check_parameters(scale: &Tensor, zero_point: Option<&Tensor>) -> Result<(), OpError> {
    check_float("scale", scale)?;
    zero_point.map_or(Ok(()), |z| OpError::check_dtype("zero_point", z.dtype(), DTypeSet::REAL))
}

/// saturate(round(x / scale) + zero_point), rounding to nearest even; NaN becomes 0. For 8-bit floats there is no rounding to
/// integers first, and the result saturates at the largest finite value.
pub(crate) fn quantize(
    x: &Tensor,
    scale: &Tensor,
    zero_point: Option<&Tensor>,
    axis: Option<usize>,
    dtype: DType,
) -> Result<Tensor, OpError> {
    check_float("x", x)?;
    check_parameters(scale, zero_point)?;
    OpError::check_dtype("the result", dtype, STORED)?;
    let y = x.widened() / repeated("scale", scale, x, axis, wide(x.dtype()))?;
    let y = if dtype.is_int() { y.unary(UnaryOp::RoundEven) } else { y };
    let y = match zero_point {
        Some(z) => y + repeated("zero_point", z, x, axis, wide(x.dtype()))?,
        None => y,
    };
    // Integers saturate when converted, but floats would overflow.
    let limit = FloatFormat::of(dtype).map(FloatFormat::max);
    Ok(limit.map_or(y.clone(), |limit| y.clip(Some(-limit), Some(limit))).convert(dtype))
}

/// (x − zero_point) · scale, in the element type of scale.
pub(crate) fn dequantize(
    x: &Tensor,
    scale: &Tensor,
    zero_point: Option<&Tensor>,
    axis: Option<usize>,
) -> Result<Tensor, OpError> {
    OpError::check_dtype("x", x.dtype(), STORED)?;
    check_parameters(scale, zero_point)?;
    let inner = wide(scale.dtype());
    let steps = match zero_point {
        Some(z) => x.convert(inner) - repeated("zero_point", z, x, axis, inner)?,
        None => x.convert(inner),
    };
    Ok((steps * repeated("scale", scale, x, axis, inner)?).convert(scale.dtype()))
}

/// Quantization and back, in floating point: (clamp(round(x / scale) + zero_point) − zero_point) · scale. Symmetric integers are
/// in ±(2^(bits−1) − 1), without a zero point; others are in 0 … 2^bits − 1. The derivative of the rounding is the identity
/// (straight-through). The derivative of the clamp is one within the limits, including at the limits, and zero outside. scale
/// gets its derivative through both.
pub(crate) fn fake_quantize(
    x: &Tensor,
    scale: &Tensor,
    zero_point: Option<&Tensor>,
    bits: u32,
    axis: Option<usize>,
    symmetric: bool,
) -> Result<Tensor, OpError> {
    check_float("x", x)?;
    check_parameters(scale, zero_point)?;
    if !(2..=16).contains(&bits) {
        return Err(OpError::attribute(format!("bits must be 2 to 16, got {bits}")));
    }
    if symmetric && zero_point.is_some() {
        return Err(OpError::attribute("symmetric quantization takes no zero_point"));
    }
    let (low, high) = if symmetric {
        let high = f64::from((1u32 << (bits - 1)) - 1);
        (-high, high)
    } else {
        (0.0, f64::from((1u32 << bits) - 1))
    };
    let scale = repeated("scale", scale, x, axis, wide(x.dtype()))?;
    let steps = (x.widened() / &scale).activation(Activation::Round);
    // Values that reach a limit by rounding are inside: they keep their whole derivative, instead of sharing it with the limit.
    let limited = |steps: &Tensor| {
        let inside =
            steps.greater_equal(&steps.scalar_like(low)).and(&steps.less_equal(&steps.scalar_like(high)));
        inside.select(steps, &steps.clip(Some(low), Some(high)))
    };
    let steps = match zero_point {
        Some(z) => {
            let z = repeated("zero_point", z, x, axis, wide(x.dtype()))?;
            limited(&(steps + &z)) - z
        }
        None => limited(&steps),
    };
    Ok((steps * scale).convert(x.dtype()))
}

impl Tensor {
    /// Quantizes to `dtype` with a scale and optionally a zero point, which are scalars, or vectors along `axis`.
    #[track_caller]
    pub fn quantize(
        &self,
        scale: &Tensor,
        zero_point: Option<&Tensor>,
        axis: Option<usize>,
        dtype: DType,
    ) -> Tensor {
        let operands: Vec<&Tensor> = [scale].into_iter().chain(zero_point).collect();
        self.apply(Op::Quantize { axis, dtype }, &operands)
    }

    /// The numbers that these quantized values represent.
    #[track_caller]
    pub fn dequantize(&self, scale: &Tensor, zero_point: Option<&Tensor>, axis: Option<usize>) -> Tensor {
        let operands: Vec<&Tensor> = [scale].into_iter().chain(zero_point).collect();
        self.apply(Op::Dequantize { axis }, &operands)
    }
}
