//! Elementwise primitives, whose operands have the same shape; what they compute on single numbers is in `scalar`.

/// A function of one tensor.
pub(crate) mod unary {
    use crate::eval::{EvalCx, Value};
    use crate::op::OpError;
    use crate::op::kinds::UnaryOp;
    use crate::ops::scalar;
    use crate::shape::Shape;

    pub(crate) fn infer(x: &Shape, op: UnaryOp) -> Result<Shape, OpError> {
        OpError::check_dtype("x", x.dtype(), op.accepts())?;
        Ok(x.with_dtype(op.result(x.dtype())))
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, x: &Value, op: UnaryOp) -> Result<Value, OpError> {
        Ok(Value::from_fn(cx.dims(), cx.out().dtype(), |i| scalar::unary(op, x.dtype(), x.get(i))))
    }
}

/// A function of two tensors.
pub(crate) mod binary {
    use crate::eval::{EvalCx, Value};
    use crate::op::OpError;
    use crate::op::kinds::BinaryOp;
    use crate::ops::scalar;
    use crate::shape::Shape;

    pub(crate) fn infer(lhs: &Shape, rhs: &Shape, op: BinaryOp) -> Result<Shape, OpError> {
        OpError::check_dtype("lhs", lhs.dtype(), op.accepts())?;
        OpError::check_same("lhs", lhs, "rhs", rhs)?;
        Ok(super::merge(lhs, rhs).with_dtype(op.result(lhs.dtype())))
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, lhs: &Value, rhs: &Value, op: BinaryOp) -> Result<Value, OpError> {
        let dtype = lhs.dtype();
        Ok(Value::from_fn(cx.dims(), cx.out().dtype(), |i| scalar::binary(op, dtype, lhs.get(i), rhs.get(i))))
    }
}

/// A comparison.
pub(crate) mod compare {
    use crate::dtype::{DType, DTypeSet};
    use crate::eval::{EvalCx, Scalar, Value};
    use crate::op::OpError;
    use crate::op::kinds::CompareOp;
    use crate::ops::scalar;
    use crate::shape::Shape;

    pub(crate) fn infer(
        lhs: &Shape,
        rhs: &Shape,
        op: CompareOp,
        total_order: bool,
    ) -> Result<Shape, OpError> {
        if total_order {
            OpError::check_dtype("lhs (in total order)", lhs.dtype(), DTypeSet::REAL.or(DTypeSet::BOOL))?;
        }
        if !matches!(op, CompareOp::Eq | CompareOp::Ne) {
            OpError::check_dtype("lhs", lhs.dtype(), DTypeSet::REAL.or(DTypeSet::BOOL))?;
        }
        OpError::check_same("lhs", lhs, "rhs", rhs)?;
        Ok(super::merge(lhs, rhs).with_dtype(DType::Bool))
    }

    pub(crate) fn eval(
        cx: &EvalCx<'_>,
        lhs: &Value,
        rhs: &Value,
        op: CompareOp,
        total_order: bool,
    ) -> Result<Value, OpError> {
        Ok(Value::from_fn(cx.dims(), DType::Bool, |i| {
            Scalar::Int(i128::from(scalar::compare(op, lhs.get(i), rhs.get(i), total_order)))
        }))
    }
}

/// A choice by a boolean tensor.
pub(crate) mod select {
    use crate::dtype::DTypeSet;
    use crate::eval::{EvalCx, Value};
    use crate::op::OpError;
    use crate::ops::element;
    use crate::shape::Shape;

    pub(crate) fn infer(pred: &Shape, on_true: &Shape, on_false: &Shape) -> Result<Shape, OpError> {
        OpError::check_dtype("pred", pred.dtype(), DTypeSet::BOOL)?;
        OpError::check_same("on_true", on_true, "on_false", on_false)?;
        OpError::check_same("pred", &pred.with_dtype(on_true.dtype()), "on_true", on_true)?;
        Ok(super::merge(&super::merge(on_true, on_false), &pred.with_dtype(on_true.dtype())))
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, pred: &Value, t: &Value, f: &Value) -> Result<Value, OpError> {
        Ok(Value::from_fn(cx.dims(), t.dtype(), |i| element::select(pred.get(i), t.get(i), f.get(i))))
    }
}

/// Limits from below and above.
pub(crate) mod clamp {
    use crate::dtype::DTypeSet;
    use crate::eval::{EvalCx, Value};
    use crate::op::OpError;
    use crate::ops::element;
    use crate::shape::Shape;

    pub(crate) fn infer(low: &Shape, x: &Shape, high: &Shape) -> Result<Shape, OpError> {
        OpError::check_dtype("x", x.dtype(), DTypeSet::REAL.or(DTypeSet::BOOL))?;
        OpError::check_same("low", low, "x", x)?;
        OpError::check_same("high", high, "x", x)?;
        Ok(super::merge(&super::merge(x, low), high))
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, low: &Value, x: &Value, high: &Value) -> Result<Value, OpError> {
        let dtype = x.dtype();
        Ok(Value::from_fn(cx.dims(), dtype, |i| element::clamp(dtype, low.get(i), x.get(i), high.get(i))))
    }
}

/// The regularized incomplete beta function.
pub(crate) mod betainc {
    use crate::dtype::DTypeSet;
    use crate::eval::{EvalCx, Value};
    use crate::op::OpError;
    use crate::ops::element;
    use crate::shape::Shape;

    pub(crate) fn infer(a: &Shape, b: &Shape, x: &Shape) -> Result<Shape, OpError> {
        OpError::check_dtype("x", x.dtype(), DTypeSet::FLOAT)?;
        OpError::check_same("a", a, "x", x)?;
        OpError::check_same("b", b, "x", x)?;
        Ok(super::merge(&super::merge(x, a), b))
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, a: &Value, b: &Value, x: &Value) -> Result<Value, OpError> {
        Ok(Value::from_fn(cx.dims(), x.dtype(), |i| element::betainc(a.get(i), b.get(i), x.get(i))))
    }
}

use crate::shape::Shape;

/// The more specific of two compatible shapes: static sizes win over symbols.
pub(crate) fn merge(a: &Shape, b: &Shape) -> Shape {
    if a.dims() == b.dims() {
        return a.clone();
    }
    let dims = a
        .dims()
        .iter()
        .zip(b.dims())
        .map(|(x, y)| if y.as_static().is_some() { y.clone() } else { x.clone() });
    a.with_dims(dims.collect())
}
