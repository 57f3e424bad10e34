//! Block-quantized storage: the primitive that unpacks it, and matrix products with packed weights. The formats
//! are rows of [`QuantScheme`], in `rlx-quant`.

/// The values of packed blocks.
pub(crate) mod dequantize_blocks {
    use crate::dim::Dim;
    use crate::dtype::{DType, DTypeSet};
    use crate::eval::{EvalCx, Value};
    use crate::op::OpError;
    use crate::op::kinds::QuantScheme;
    use crate::shape::Shape;

    pub(crate) fn infer(bytes: &Shape, scheme: QuantScheme) -> Result<Shape, OpError> {
        OpError::check_dtype("bytes", bytes.dtype(), DTypeSet::of(&[DType::U8]))?;
        let Some((last, lead)) = bytes.dims().split_last() else {
            return Err(OpError::shape("bytes must be [..., bytes per row], got a scalar"));
        };
        if last.as_static().is_some_and(|n| n % scheme.block_bytes() != 0) {
            return Err(OpError::shape(format!(
                "a row of {last} bytes is not a whole number of {scheme} blocks of {} bytes",
                scheme.block_bytes()
            )));
        }
        let blocks = last.floor_div(&Dim::Static(scheme.block_bytes()));
        Ok(Shape::from_dims(&[lead, &[&blocks * scheme.block_len()]].concat(), DType::F32))
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, bytes: &Value, scheme: QuantScheme) -> Result<Value, OpError> {
        let bytes: Vec<u8> = bytes.to_ints().into_iter().map(|b| b as u8).collect();
        let mut values = vec![0f32; bytes.len() / scheme.block_bytes() * scheme.block_len()];
        scheme.dequantize(&bytes, &mut values);
        Ok(Value::floats(cx.dims(), DType::F32, values.into_iter().map(f64::from).collect()))
    }
}

use crate::dim::Dim;
use crate::op::kinds::{Activation, QuantScheme, ReduceOp};
use crate::op::{DotDims, Op, OpError};
use crate::ops::precision::{check_float, wide};
use crate::tensor::Tensor;

/// Number of values of x that are rounded to multiples of the same number.
const GROUP: usize = 32;

/// x `[…, k]` times the transpose of packed weights (u8 `[n, bytes of k values]`) → `[…, n]`. If `round_x`, x is rounded to bytes
/// first. Narrow floats are computed in f32.
pub(crate) fn dequant_matmul(
    x: &Tensor,
    weights: &Tensor,
    scheme: QuantScheme,
    round_x: bool,
) -> Result<Tensor, OpError> {
    check_float("x", x)?;
    if weights.rank() != 2 || x.rank() == 0 {
        return Err(OpError::shape(format!(
            "x must be [..., k] and the packed weights [n, bytes per row], got {} and {}",
            x.shape(),
            weights.shape()
        )));
    }
    let (wide, values) = factors(x, weights, scheme, round_x)?;
    let product = Op::DotGeneral { dims: DotDims::contracting(&[x.rank() - 1], &[1]), dtype: None };
    Ok(wide.apply(product, &[&values]).convert(x.dtype()))
}

/// Multiplies consecutive groups of rows of x `[m, k]`, with the sizes `[groups]`, each by the transpose of its own matrix of
/// packed weights (u8 `[groups, n, bytes of k values]`) → `[m, n]`. If `round_x`, x is rounded to bytes first. Narrow floats are
/// computed in f32.
pub(crate) fn dequant_grouped_matmul(
    x: &Tensor,
    weights: &Tensor,
    group_sizes: &Tensor,
    scheme: QuantScheme,
    round_x: bool,
) -> Result<Tensor, OpError> {
    check_float("x", x)?;
    if weights.rank() != 3 || x.rank() != 2 {
        return Err(OpError::shape(format!(
            "x must be [m, k] and the packed weights [groups, n, bytes per row], got {} and {}",
            x.shape(),
            weights.shape()
        )));
    }
    let (wide, values) = factors(x, weights, scheme, round_x)?;
    let product = Op::RaggedDot { dtype: None };
    Ok(wide.apply(product, &[&values.transpose_last(), group_sizes]).convert(x.dtype()))
}

/// x and the values of the packed weights, as they are multiplied.
fn factors(
    x: &Tensor,
    weights: &Tensor,
    scheme: QuantScheme,
    round_x: bool,
) -> Result<(Tensor, Tensor), OpError> {
    let values = weights.apply(Op::DequantizeBlocks { scheme }, &[]).convert(wide(x.dtype()));
    let wide = if round_x { rounded(&x.widened())? } else { x.widened() };
    Ok((wide, values))
}

/// x with each group of [`GROUP`] values along the last axis rounded to multiples of their largest magnitude / 127.
fn rounded(x: &Tensor) -> Result<Tensor, OpError> {
    let shape = x.shape();
    let Some((last, lead)) = shape.dims().split_last() else { return Ok(x.clone()) };
    let groups = last.floor_div(&Dim::Static(GROUP));
    if last.as_static().is_some_and(|k| k % GROUP != 0) {
        return Err(OpError::shape(format!("x is rounded {GROUP} values at a time, got rows of {last}")));
    }
    let grouped = x.reshape(&[lead, &[groups, Dim::Static(GROUP)]].concat());
    let axis = grouped.rank() - 1;
    let largest = grouped.stop_gradient().abs().reduce(ReduceOp::Max, &[axis], true);
    let is_finite = largest.less(&largest.scalar_like(f64::INFINITY));
    let is_some = largest.greater(&largest.scalar_like(0.0)).and(&is_finite);
    let inverse = is_some.select(&(largest.scalar_like(127.0) / &largest), &largest.scalar_like(0.0));
    let step = is_finite.select(&(&largest / 127.0), &largest.scalar_like(f64::NAN));
    let rounded = (grouped * inverse).activation(Activation::Round) * step;
    Ok(rounded.reshape(shape.dims()))
}

impl Op {
    /// The index of the operand that the op unpacks, and the format of its blocks.
    pub fn unpacks(&self) -> Option<(usize, QuantScheme)> {
        match self {
            Op::DequantizeBlocks { scheme } => Some((0, *scheme)),
            Op::DequantMatMul { scheme, .. } | Op::DequantGroupedMatMul { scheme, .. } => Some((1, *scheme)),
            _ => None,
        }
    }
}

impl Tensor {
    /// The f32 values of these packed bytes.
    #[track_caller]
    pub fn dequantize_blocks(&self, scheme: QuantScheme) -> Tensor {
        self.apply(Op::DequantizeBlocks { scheme }, &[])
    }

    /// The product with the transpose of packed weights.
    #[track_caller]
    pub fn dequant_matmul(&self, weights: &Tensor, scheme: QuantScheme) -> Tensor {
        self.apply(Op::DequantMatMul { scheme, round_x: false }, &[weights])
    }

    /// Multiplies consecutive groups of these rows, with the sizes `group_sizes` and rounded to bytes, each by the transpose of
    /// its own matrix of packed weights. Mixtures of experts use this.
    #[track_caller]
    pub fn rounded_dequant_grouped_matmul(
        &self,
        weights: &Tensor,
        group_sizes: &Tensor,
        scheme: QuantScheme,
    ) -> Tensor {
        self.apply(Op::DequantGroupedMatMul { scheme, round_x: true }, &[weights, group_sizes])
    }

    /// The product of these numbers, rounded to bytes, with the transpose of packed weights. Language models use this product,
    /// which is several times as fast as the one without rounding.
    #[track_caller]
    pub fn rounded_dequant_matmul(&self, weights: &Tensor, scheme: QuantScheme) -> Tensor {
        self.apply(Op::DequantMatMul { scheme, round_x: true }, &[weights])
    }
}
