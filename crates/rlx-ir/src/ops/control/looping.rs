//! `while`: the loop whose number of steps depends on values.

/// Applies `body` while `cond` is true.
pub(crate) mod while_loop {
    use crate::dtype::DType;
    use crate::eval::{EvalCx, Scalar, Value};
    use crate::graph::Graph;
    use crate::op::OpError;
    use crate::ops::control::signature::{agree, check};
    use crate::shape::Shape;

    pub(crate) fn infer(init: &[Shape], cond: &Graph, body: &Graph) -> Result<Vec<Shape>, OpError> {
        if init.is_empty() {
            return Err(OpError::shape("needs at least one carried value"));
        }
        match check("cond", cond, init)?.as_slice() {
            [one] if *one == Shape::scalar(DType::Bool) => {}
            other => {
                let got: Vec<String> = other.iter().map(Shape::to_string).collect();
                let got = got.join(", ");
                return Err(OpError::shape(format!("cond must return one boolean scalar, returns ({got})")));
            }
        }
        agree("body", &check("body", body, init)?, "the carried values", init)
    }

    pub(crate) fn eval(
        cx: &EvalCx<'_>,
        init: &[Value],
        cond: &Graph,
        body: &Graph,
    ) -> Result<Vec<Value>, OpError> {
        let mut carried = init.to_vec();
        while cx.call(cond, &carried)?[0].get(0) == Scalar::Int(1) {
            carried = cx.call(body, &carried)?;
        }
        Ok(carried)
    }
}
