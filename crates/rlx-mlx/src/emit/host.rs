//! Functions that MLX computes too inaccurately, evaluated on the host instead. Their operands are computed and read
//! first.

use super::{Declined, Site, Step, StepError, types};
use crate::launch::Launch;
use rlx_ir::{Builder, Literal, Op, Shape, UnaryOp};
use rlx_mlx_sys::{ElementType, MlxArray, MlxError};

/// Why an f64 function is computed on the host.
pub(crate) const COARSE: &str = "MLX computes it in single precision for f64";

/// Whether MLX computes an f64 function in single precision.
pub(crate) fn is_coarse(op: UnaryOp, element: ElementType) -> bool {
    element == ElementType::F64 && matches!(op, UnaryOp::Exp | UnaryOp::Sin | UnaryOp::Cos)
}

/// Computes an array and returns its value.
pub(super) fn literal(cx: &Launch<'_>, array: &MlxArray) -> Result<Literal, MlxError> {
    let shape = Shape::new(&array.dims(), types::dtype(array.element_type()));
    Literal::from_bytes(&shape, &cx.bytes(array)?).map_err(|e| MlxError::Argument(e.to_string()))
}

/// Runs a node with the evaluator.
pub(super) fn step(site: &Site<'_>) -> Result<Step, Declined> {
    let builder = Builder::new(site.op.mnemonic());
    let shape = |(i, operand): (usize, &super::ArrayType)| {
        builder.input(format!("x{i}"), Shape::new(&operand.dims, types::dtype(operand.element)))
    };
    let operands: Vec<_> = site.operands.iter().enumerate().map(shape).collect();
    let Some((first, rest)) = operands.split_first() else { return site.decline("without operands") };
    let op: Op = site.op.clone();
    let result = first.apply(op, &rest.iter().collect::<Vec<_>>());
    let graph = builder.finish(&[&result]).map_err(|violations| violations.to_string())?;
    Ok(Box::new(move |cx, x| {
        let failed = |e: &dyn std::fmt::Display| StepError::Mlx(MlxError::Argument(e.to_string()));
        let values: Vec<Literal> = x.iter().map(|x| literal(cx, x)).collect::<Result<_, _>>()?;
        let names: Vec<String> = (0..values.len()).map(|i| format!("x{i}")).collect();
        let given: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(&values).collect();
        let made = rlx_ir::eval(&graph, &given).map_err(|e| failed(&e))?;
        Ok(made.iter().map(|value| super::constant_array(cx.mlx(), value)).collect::<Result<_, _>>()?)
    }))
}
