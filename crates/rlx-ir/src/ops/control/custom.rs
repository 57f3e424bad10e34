//! `custom`: the op with rules that a program has registered.

use crate::custom::{CustomOp, custom_names, find_custom};
use crate::eval::{EvalCx, Value};
use crate::literal::Literal;
use crate::op::OpError;
use crate::ops::control::signature::agree;
use crate::shape::Shape;
use std::sync::Arc;

fn rules(name: &str) -> Result<Arc<dyn CustomOp>, OpError> {
    find_custom(name).ok_or_else(|| {
        let known = custom_names();
        let known = if known.is_empty() { "none".into() } else { known.join(", ") };
        OpError::attribute(format!(
            "no custom op `{name}` is registered (registered: {known}); call `register_custom` before the graph is used"
        ))
    })
}

pub(crate) fn infer(
    args: &[Shape],
    name: &str,
    config: &str,
    results: &[Shape],
) -> Result<Vec<Shape>, OpError> {
    let given = rules(name)?.infer(config, args)?;
    agree(&format!("the shape rule of `{name}`"), &given, "the declaration", results)
}

pub(crate) fn eval(
    cx: &EvalCx<'_>,
    args: &[Value],
    name: &str,
    config: &str,
    _: &[Shape],
) -> Result<Vec<Value>, OpError> {
    let error = |e: crate::literal::LiteralError| OpError::Eval(e.to_string());
    let operands: Vec<Literal> =
        args.iter().map(|v| v.to_literal().map_err(error)).collect::<Result<_, _>>()?;
    let results = rules(name)?.eval(config, &operands)?;
    let shapes: Vec<Shape> = results.iter().map(|r| r.shape().clone()).collect();
    agree(&format!("the evaluation of `{name}`"), &shapes, "the shape rule", cx.results())?;
    Ok(results.iter().map(Value::from_literal).collect())
}
