//! `if` and `case`: one of several graphs with the same signature runs.

/// One of two graphs, chosen by a boolean.
pub(crate) mod conditional {
    use crate::dtype::DTypeSet;
    use crate::eval::{EvalCx, Scalar, Value};
    use crate::graph::Graph;
    use crate::op::OpError;
    use crate::ops::control::signature::{agree, check};
    use crate::shape::Shape;

    pub(crate) fn infer(
        pred: &Shape,
        args: &[Shape],
        then_branch: &Graph,
        else_branch: &Graph,
    ) -> Result<Vec<Shape>, OpError> {
        OpError::check_dtype("pred", pred.dtype(), DTypeSet::BOOL)?;
        super::check_scalar("pred", pred)?;
        let on_true = check("then_branch", then_branch, args)?;
        let on_false = check("else_branch", else_branch, args)?;
        agree("else_branch", &on_false, "then_branch", &on_true)
    }

    pub(crate) fn eval(
        cx: &EvalCx<'_>,
        pred: &Value,
        args: &[Value],
        then_branch: &Graph,
        else_branch: &Graph,
    ) -> Result<Vec<Value>, OpError> {
        cx.call(if pred.get(0) == Scalar::Int(1) { then_branch } else { else_branch }, args)
    }
}

/// One of several graphs, chosen by an index.
pub(crate) mod case {
    use crate::dtype::{DType, DTypeSet};
    use crate::eval::{EvalCx, Value};
    use crate::graph::SubGraph;
    use crate::op::OpError;
    use crate::ops::control::signature::{agree, check};
    use crate::shape::Shape;

    pub(crate) fn infer(index: &Shape, args: &[Shape], branches: &[SubGraph]) -> Result<Vec<Shape>, OpError> {
        OpError::check_dtype("index", index.dtype(), DTypeSet::of(&[DType::I32]))?;
        super::check_scalar("index", index)?;
        let Some((first, others)) = branches.split_first() else {
            return Err(OpError::attribute("needs at least one branch"));
        };
        let mut results = check("branch 0", first, args)?;
        for (i, branch) in others.iter().enumerate() {
            let name = format!("branch {}", i + 1);
            results = agree(&name, &check(&name, branch, args)?, "branch 0", &results)?;
        }
        Ok(results)
    }

    pub(crate) fn eval(
        cx: &EvalCx<'_>,
        index: &Value,
        args: &[Value],
        branches: &[SubGraph],
    ) -> Result<Vec<Value>, OpError> {
        let last = branches.len() - 1;
        let chosen = usize::try_from(index.to_ints()[0]).map_or(last, |i| i.min(last));
        cx.call(&branches[chosen], args)
    }
}

use crate::op::OpError;
use crate::shape::Shape;

fn check_scalar(operand: &str, shape: &Shape) -> Result<(), OpError> {
    if shape.is_scalar() {
        return Ok(());
    }
    Err(OpError::shape(format!(
        "{operand} must be a scalar, got {shape}; for a choice per element use select"
    )))
}
