//! Uniformly distributed numbers from a Threefry key, as `jax.random.uniform` makes them. Keys are partitionable, as is JAX's
//! default: element i of the result depends only on the key and on i.

use crate::dtype::{DType, DTypeSet};
use crate::op::kinds::BinaryOp;
use crate::op::{Op, OpError};
use crate::shape::Shape;
use crate::tensor::Tensor;

/// Fails unless `key` is a Threefry key.
pub(crate) fn check_key(key: &Tensor) -> Result<(), OpError> {
    let wanted = Shape::new(&[2], DType::U32);
    if key.shape().compatible(&wanted) {
        return Ok(());
    }
    Err(OpError::shape(format!("a key must be {wanted}, got {}", key.shape())))
}

/// The Threefry block of each element: its 64-bit row-major index, encrypted with the key.
pub(crate) fn blocks(key: &Tensor, shape: &Shape) -> [Tensor; 2] {
    let (b, dims) = (key.builder(), shape.dims());
    let flat = Shape::from_dims(&[shape.num_elements_dim()], DType::U64);
    let index = b.iota(flat, 0).reshape(dims);
    let high = index.binary(BinaryOp::ShiftRightLogical, &b.int(32, DType::U64));
    let word = |i: usize| key.slice_axis(0, i, i + 1).reshape(&[]).broadcast_to(dims);
    let (high, low) = (high.convert(DType::U32), index.convert(DType::U32));
    let mut out = b.apply_many(Op::Threefry2x32 {}, &[&word(0), &word(1), &high, &low]);
    out.resize_with(2, || b.void());
    [out.swap_remove(0), out.swap_remove(0)]
}

/// Number of mantissa bits, without the leading one.
fn mantissa_bits(dtype: DType) -> i64 {
    match dtype {
        DType::F64 => 52,
        DType::F32 => 23,
        DType::F16 => 10,
        DType::BF16 => 7,
        DType::F8E4M3 => 3,
        _ => 2,
    }
}

/// Numbers in [0, 1) of a float type: the leading random bits become the mantissa of a number in [1, 2), from which 1 is
/// subtracted.
fn unit(key: &Tensor, shape: &Shape) -> Tensor {
    let (b, dtype) = (key.builder(), shape.dtype());
    let (width, mantissa) = (i64::from(dtype.bits()), mantissa_bits(dtype));
    // A mantissa of less than 8 bits is taken from 8 random bits.
    let drawn = if mantissa < 8 { 8 } else { width };
    let unsigned = |bits| match bits {
        8 => DType::U8,
        16 => DType::U16,
        32 => DType::U32,
        _ => DType::U64,
    };
    let [high, low] = blocks(key, shape);
    let bits = if drawn == 64 {
        let high = high.convert(DType::U64).binary(BinaryOp::ShiftLeft, &b.int(32, DType::U64));
        high.or(&low.convert(DType::U64))
    } else {
        high.binary(BinaryOp::Xor, &low).convert(unsigned(drawn)).convert(unsigned(width))
    };
    let one = b.scalar(1.0, dtype);
    let exponent = one.apply(Op::BitcastConvert { dtype: unsigned(width) }, &[]);
    let shifted = bits.binary(BinaryOp::ShiftRightLogical, &b.int(drawn - mantissa, unsigned(width)));
    shifted.or(&exponent).apply(Op::BitcastConvert { dtype }, &[]) - one
}

/// Numbers in [low, high), by default [0, 1). Both limits broadcast to the shape.
pub(crate) fn rng_uniform(
    key: &Tensor,
    low: Option<&Tensor>,
    high: Option<&Tensor>,
    shape: &Shape,
) -> Result<Tensor, OpError> {
    check_key(key)?;
    OpError::check_dtype("the result", shape.dtype(), DTypeSet::FLOAT)?;
    for (name, bound) in [("low", low), ("high", high)] {
        let Some(bound) = bound else { continue };
        if bound.dtype() != shape.dtype() {
            let (got, expected) = (bound.dtype(), shape.dtype());
            return Err(OpError::shape(format!("{name} is {got}, the result {expected}; convert {name}")));
        }
    }
    let unit = unit(key, shape);
    let bound = |given: Option<&Tensor>, default| match given {
        Some(tensor) => tensor.broadcast_to(shape.dims()),
        None => unit.scalar_like(default).broadcast_to(shape.dims()),
    };
    let (low, high) = (bound(low, 0.0), bound(high, 1.0));
    // Rounding may give a number below low.
    Ok(low.maximum(&(&unit * (high - &low) + &low)))
}

/// −1 plus half an ulp: the open end of the interval that `rng_normal` draws from.
pub(crate) fn after_minus_one(dtype: DType) -> f64 {
    let exponent = i32::try_from(mantissa_bits(dtype) + 1).unwrap_or(0);
    -(1.0 - 0.5f64.powi(exponent))
}

impl Tensor {
    /// Numbers uniformly distributed in [0, 1), with the dimensions and the float type of `shape`, from this key (`u32[2]`).
    #[track_caller]
    pub fn rng_uniform(&self, shape: Shape) -> Tensor {
        self.apply(Op::RngUniform { shape }, &[])
    }
}
