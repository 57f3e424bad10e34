//! Ops without tensor operands, and projections of tuples.

/// A value known when the graph is built.
pub(crate) mod constant {
    use crate::eval::{EvalCx, Value};
    use crate::literal::Literal;
    use crate::op::OpError;
    use crate::shape::Shape;

    pub(crate) fn infer(value: &Literal) -> Result<Shape, OpError> {
        Ok(value.shape().clone())
    }

    pub(crate) fn eval(_: &EvalCx<'_>, value: &Literal) -> Result<Value, OpError> {
        Ok(Value::from_literal(value))
    }
}

/// 0, 1, 2, … along one axis.
pub(crate) mod iota {
    use crate::dtype::DTypeSet;
    use crate::eval::{EvalCx, Scalar, Value, sizes};
    use crate::op::OpError;
    use crate::shape::Shape;

    pub(crate) fn infer(shape: &Shape, axis: usize) -> Result<Shape, OpError> {
        OpError::check_axis(axis, shape.rank())?;
        OpError::check_dtype("the result", shape.dtype(), DTypeSet::NUMBER)?;
        Ok(shape.clone())
    }

    pub(crate) fn eval(_: &EvalCx<'_>, shape: &Shape, axis: usize) -> Result<Value, OpError> {
        let dims = sizes(shape);
        let inner: usize = dims[axis + 1..].iter().product();
        let size = dims[axis];
        Ok(Value::from_fn(dims, shape.dtype(), |i| Scalar::Int((i / inner.max(1) % size.max(1)) as i128)))
    }
}

/// One of the results of an op that has several.
pub(crate) mod output {
    use crate::eval::{EvalCx, Value};
    use crate::op::OpError;
    use crate::shape::Shape;

    pub(crate) fn infer(results: &[Shape], index: usize) -> Result<Shape, OpError> {
        results.get(index).cloned().ok_or_else(|| OpError::attribute(format!("there is no result {index}")))
    }

    pub(crate) fn eval(_: &EvalCx<'_>, results: &[Value], index: usize) -> Result<Value, OpError> {
        results.get(index).cloned().ok_or_else(|| OpError::attribute(format!("there is no result {index}")))
    }
}

/// The size of a dimension.
pub(crate) mod dim_size {
    use crate::dtype::DType;
    use crate::eval::{EvalCx, Value};
    use crate::op::OpError;
    use crate::shape::Shape;

    pub(crate) fn infer(x: &Shape, axis: usize) -> Result<Shape, OpError> {
        OpError::check_axis(axis, x.rank())?;
        Ok(Shape::scalar(DType::I64))
    }

    pub(crate) fn eval(_: &EvalCx<'_>, x: &Value, axis: usize) -> Result<Value, OpError> {
        Ok(Value::ints(Vec::new(), DType::I64, vec![x.dims()[axis] as i128]))
    }
}
