//! What ops without a StableHLO form expand to. Most expansions are those of the crate `rlx-expand`; here are the few that
//! only this format needs.

use rlx_ir::{Builder, Graph, Op, OpError, Shape, Tensor, UnaryOp};

/// What an op expands to, as a graph of its operands.
pub(super) fn expansion(op: &Op, operands: &[Shape]) -> Option<Result<Graph, OpError>> {
    let builder = Builder::new(op.mnemonic());
    let named = operands.iter().enumerate();
    let inputs: Vec<Tensor> = named.map(|(i, s)| builder.input(format!("x{i}"), s.clone())).collect();
    let Some(result) = own(op, &inputs) else { return rlx_expand::expand_graph(op, operands) };
    Some(builder.finish(&[&result]).map_err(|violations| OpError::shape(violations.to_string())))
}

/// Functions on element types for which StableHLO does not define them.
fn own(op: &Op, xs: &[Tensor]) -> Option<Tensor> {
    let x = xs.first()?;
    match op {
        Op::Unary { op: UnaryOp::Abs } if !x.dtype().is_float() => Some(x.clone()),
        _ => None,
    }
}
