//! Error bounds through loops with a known number of steps.

use super::{Analysis, BoundError, Known, Shadow};
use rlx_ir::{Literal, Node, Op, Shape, Tensor};

/// The graphs of longer loops would take longer to bound than to test.
const MOST_STEPS: usize = 64;

/// Bounds the scan `node`.
pub(super) fn scan(cx: &Analysis, node: &Node, operands: &[Shadow]) -> Result<Vec<Shadow>, BoundError> {
    let no_rule = || BoundError::NoRule { op: node.op().mnemonic().to_string() };
    let Op::Scan { body, length, num_consts, num_carry, reverse } = node.op() else {
        return Err(no_rule());
    };
    let steps = length.as_static().ok_or_else(no_rule)?;
    let num_ys = node.results().len() - num_carry;
    if steps > MOST_STEPS {
        return Err(BoundError::NoRule { op: format!("scan of {steps} steps") });
    }
    let (consts, rest) = operands.split_at(*num_consts);
    let (start, xs) = rest.split_at(*num_carry);
    let mut carry = start.to_vec();
    let mut ys: Vec<Vec<Shadow>> = vec![Vec::new(); num_ys];
    for step in 0..steps {
        let at = if *reverse { steps - 1 - step } else { step };
        let slices: Vec<Shadow> = xs.iter().map(|x| slice(x, at)).collect();
        let args = [consts, &carry, &slices].concat();
        let shadows = cx.graph(body, &args, &|_| Known::Nothing)?;
        let mut outputs = body.outputs().iter().map(|o| shadows[o.index()][0].clone());
        carry = outputs.by_ref().take(*num_carry).collect();
        ys.iter_mut().zip(outputs).for_each(|(list, y)| list.push(y));
    }
    for list in &mut ys {
        if *reverse {
            list.reverse();
        }
    }
    let shapes = &node.results()[*num_carry..];
    let stacked = ys.iter().zip(shapes).map(|(list, shape)| stack(cx, list, shape));
    let stacked: Result<Vec<Shadow>, BoundError> = stacked.collect();
    Ok(carry.into_iter().chain(stacked?).collect())
}

fn slice(x: &Shadow, at: usize) -> Shadow {
    let take = |t: &Tensor| t.slice_axis(0, at, at + 1).squeeze(0);
    Shadow { value: take(&x.value), error: x.error.as_ref().map(take) }
}

/// Stacks the slices of all steps to one value of this shape.
fn stack(cx: &Analysis, list: &[Shadow], shape: &Shape) -> Result<Shadow, BoundError> {
    if list.is_empty() {
        let none = Literal::from_bytes(shape, &[]).map_err(|e| BoundError::Failed(e.to_string()))?;
        return Ok(cx.exact(cx.builder.constant(none)));
    }
    let join = |parts: Vec<Tensor>| {
        let parts: Vec<Tensor> = parts.iter().map(|t| t.unsqueeze(0)).collect();
        cx.builder.apply(Op::Concatenate { axis: 0 }, &parts.iter().collect::<Vec<_>>())
    };
    if list.iter().all(|t| t.error.is_none()) {
        return Ok(cx.exact(join(list.iter().map(|t| t.value.clone()).collect())));
    }
    let float = list.iter().all(|t| t.value.dtype() != rlx_ir::DType::Bool);
    let value = |t: &Shadow| if float { t.wide() } else { t.value.clone() };
    let value = join(list.iter().map(value).collect());
    Ok(Shadow { value, error: Some(join(list.iter().map(Shadow::error).collect())) })
}
