//! Recognizes moving windows, bands of matrices, sequences, and products along axes that are not adjacent.

use super::form::Form;
use super::rows::Candidates;
use super::seen::Seen;
use crate::import::numbers_of;
use rlx_ir::{BinaryOp, CompareOp, Op, OpKind, ReduceOp, UnaryOp};

/// The root of sums of squares in windows
pub(super) fn l2_pool(root: Seen<'_>) -> Candidates {
    if !matches!(root.op(), Op::Unary { op: UnaryOp::Sqrt }) {
        return None;
    }
    let sums = root.input(0)?;
    let Op::ReduceWindow { kind: ReduceOp::Sum, spec } = sums.op() else { return None };
    let [x, _] = sums.input(0)?.both(BinaryOp::Mul)?;
    let pads: Option<Vec<usize>> = spec
        .low
        .iter()
        .zip(&spec.high)
        .skip(2)
        .flat_map(|(&a, &b)| [a, b])
        .map(|n| usize::try_from(n).ok())
        .collect();
    let form = Form::of(&["x"])
        .with("kernel_sizes", spec.window.get(2..)?)
        .with("strides", spec.strides.get(2..)?)
        .with("pad_type", "custom")
        .with("pad", &pads?[..])
        .with("ceil_mode", false);
    Some(vec![(form, vec![x.id])])
}

/// Windows along an axis as rows of a new axis
pub(super) fn sliding_windows(root: Seen<'_>) -> Candidates {
    let Op::Take { axis } = root.op() else { return None };
    let (x, places) = (root.input(0)?, root.input(1)?);
    let &[count, size] = &places.dims()?[..] else { return None };
    let places = numbers_of(places.literal()?)?;
    let stride = if count > 1 { places[size] - places[0] } else { 1.0 };
    if !(1.0..=1e6).contains(&stride) {
        return None;
    }
    let form = Form::of(&["x"]).with("axis", *axis).with("size", size).with("stride", stride as usize);
    Some(vec![(form, vec![x.id])])
}

/// Zeros outside of a band around the diagonal
pub(super) fn band_part(root: Seen<'_>) -> Candidates {
    let (mut lower, mut upper, mut x) = (-1, -1, root);
    for _ in 0..2 {
        let Op::Select {} = x.op() else { break };
        let cond = x.input(0)?;
        let Op::Compare { op, .. } = cond.op() else { break };
        let limit = cond.input(1)?.number()?;
        match op {
            CompareOp::Le => lower = limit as i32,
            CompareOp::Ge => upper = -limit as i32,
            _ => return None,
        }
        x = x.input(1)?;
    }
    let form =
        Form::of(&["x"]).with("lower", super::Setting::Int(lower)).with("upper", super::Setting::Int(upper));
    (x.id != root.id).then(|| vec![(form, vec![x.id])])
}

/// The first elements of each sequence in reverse
pub(super) fn reverse_sequence(root: Seen<'_>) -> Candidates {
    let Op::GatherAxis { axis } = root.op() else { return None };
    let (x, places) = (root.input(0)?, root.input(1)?);
    let Op::Select {} = places.op() else { return None };
    let repeated = places.find(16, |node| match node.op() {
        Op::BroadcastInDim { axes, .. } => axes.len() == 1,
        _ => false,
    })?;
    let Op::BroadcastInDim { axes, .. } = repeated.op() else { return None };
    let lengths = repeated.input(0)?;
    let form = Form::of(&["x", "lengths"]).with("seq_axis", *axis).with("batch_axis", axes[0]);
    Some(vec![(form, vec![x.id, lengths.id])])
}

/// `[…, C, H, W]` times `[…, W, H, U]`: matrix products with rows before the batch
pub(super) fn einsum(root: Seen<'_>) -> Candidates {
    let product = root.through(OpKind::Transpose)?;
    let Op::DotGeneral { .. } = product.op() else { return None };
    let (x, y) = (product.input(0)?, product.input(1)?);
    let equation = match x.dims()?.len() {
        3 => "chw,whr->chr",
        4 => "nchw,nwhu->nchu",
        _ => return None,
    };
    Some(vec![(Form::of(&["values", "values"]).with("equation", equation), vec![x.id, y.id])])
}
