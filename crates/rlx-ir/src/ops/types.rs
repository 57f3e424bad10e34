//! Primitives that convert between element types.

/// Converts values.
pub(crate) mod convert {
    use crate::dtype::DType;
    use crate::eval::{EvalCx, Value};
    use crate::op::OpError;
    use crate::shape::Shape;

    pub(crate) fn infer(x: &Shape, dtype: DType) -> Result<Shape, OpError> {
        Ok(x.with_dtype(dtype))
    }

    pub(crate) fn eval(_: &EvalCx<'_>, x: &Value, dtype: DType) -> Result<Value, OpError> {
        Ok(x.convert(dtype))
    }
}

/// Reinterprets bytes.
pub(crate) mod bitcast_convert {
    use crate::dim::Dim;
    use crate::dtype::{DType, DTypeSet};
    use crate::eval::{EvalCx, Value};
    use crate::literal::Literal;
    use crate::op::OpError;
    use crate::shape::Shape;

    pub(crate) fn infer(x: &Shape, dtype: DType) -> Result<Shape, OpError> {
        let (from, to) = (x.dtype(), dtype);
        if from == to {
            return Ok(x.clone());
        }
        let plain = DTypeSet::REAL.or(DTypeSet::COMPLEX);
        OpError::check_dtype("x", from, plain)?;
        OpError::check_dtype("the result", to, plain)?;
        let mut dims = x.dims().to_vec();
        if from.size() > to.size() {
            dims.push(Dim::Static(from.size() / to.size()));
        } else if from.size() < to.size() {
            let ratio = to.size() / from.size();
            match dims.pop() {
                Some(last) if last.compatible(&Dim::Static(ratio)) => {}
                _ => {
                    return Err(OpError::shape(format!(
                        "the last axis must have {ratio} elements of {from} to make one {to}, got {x}"
                    )));
                }
            }
        }
        Ok(Shape::from_dims(&dims, to))
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, x: &Value, _: DType) -> Result<Value, OpError> {
        let error = |e: crate::literal::LiteralError| OpError::Eval(e.to_string());
        let bytes = x.to_literal().map_err(error)?;
        Ok(Value::from_literal(&Literal::from_bytes(cx.out(), bytes.bytes()).map_err(error)?))
    }
}

/// Rounds to a narrower format and back.
pub(crate) mod reduce_precision {
    use crate::dtype::DTypeSet;
    use crate::eval::{EvalCx, Scalar, Value};
    use crate::numeric::reduce_precision;
    use crate::op::OpError;
    use crate::shape::Shape;

    pub(crate) fn infer(x: &Shape, exponent_bits: u32, _mantissa_bits: u32) -> Result<Shape, OpError> {
        OpError::check_dtype("x", x.dtype(), DTypeSet::FLOAT)?;
        if exponent_bits == 0 {
            return Err(OpError::attribute("exponent_bits must be at least 1"));
        }
        Ok(x.clone())
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, x: &Value, exponent: u32, mantissa: u32) -> Result<Value, OpError> {
        Ok(Value::from_fn(cx.dims(), x.dtype(), |i| {
            Scalar::Float(reduce_precision(x.get(i).to_f64(), exponent, mantissa))
        }))
    }
}
