//! Checks that the values of parameters fit in f16 if a program reads them in f16.

use crate::error::RuntimeError;
use rlx_compile::{Param, PrecisionPolicy};
use rlx_ir::op::Access;
use rlx_ir::{DType, FloatFormat, Graph, NodeId, Op};

/// Fails if an f32 parameter has a finite value outside the range of f16, and the lowered program of a precision policy converts it to f16.
pub(super) fn check(
    name: &str,
    value: &Param,
    lowered: &Graph,
    policy: PrecisionPolicy,
) -> Result<(), RuntimeError> {
    if !matches!(policy, PrecisionPolicy::AlwaysF16 | PrecisionPolicy::AutoMixed) {
        return Ok(());
    }
    let most = FloatFormat::F16.max();
    let numbers = value.bytes().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
    let beyond = numbers.filter(|x| x.is_finite()).find(|x| f64::from(x.abs()) > most);
    match beyond {
        Some(number) if is_narrowed(lowered, &|op| matches!(op, Op::Param { name: own } if own == name)) => {
            Err(RuntimeError::BeyondHalf { name: name.into(), number })
        }
        _ => Ok(()),
    }
}

/// Whether a graph, or a fused group in it, converts the value of a leaf to f16.
fn is_narrowed(graph: &Graph, is_leaf: &dyn Fn(&Op) -> bool) -> bool {
    let leads = |mut id: NodeId| loop {
        let node = graph.node(id);
        match (node.op(), node.inputs()) {
            (op, []) => return is_leaf(op),
            (op, &[x]) if op.kind().access() == Access::Movement => id = x,
            _ => return false,
        }
    };
    graph.nodes().iter().any(|node| match (node.op(), node.inputs()) {
        (Op::Convert { dtype: DType::F16 }, &[x]) => leads(x),
        (Op::Fusion { body, .. }, inputs) => {
            let names = body.inputs().map(|input| input.name().unwrap_or_default());
            let read: Vec<&str> =
                names.zip(inputs).filter(|(_, id)| leads(**id)).map(|(name, _)| name).collect();
            !read.is_empty()
                && is_narrowed(body, &|op| matches!(op, Op::Input { name } if read.contains(&name.as_str())))
        }
        _ => false,
    })
}
