//! Writes reductions, running sums, and moving windows.

use super::elementwise::float;
use super::integers;
use super::shaping::dims_of;
use super::value::{Elem, Held, Var};
use super::writer::{ProgramWriter, Written};
use rlx_ir::{FloatFormat, ReduceOp, Shape, WindowSpec};

impl ProgramWriter {
    /// Writes a reduction along axes, which are kept with size 1 or removed.
    pub(crate) fn reduce(&mut self, kind: &'static str, x: &Var, axes: &[usize], keep: bool) -> Var {
        let size = |axis: usize| match axes.contains(&axis) {
            true => keep.then_some(1),
            false => Some(x.dims[axis]),
        };
        let dims = (0..x.rank()).filter_map(size).collect();
        let inputs = [("x", x.into()), ("axes", axes.into()), ("keep_dims", keep.into())];
        self.op(kind, inputs, x.elem, dims)
    }
}

/// Returns the operation for a reduction of numbers.
fn reduction_name(op: ReduceOp, elem: Elem) -> Option<&'static str> {
    Some(match op {
        ReduceOp::Sum => "reduce_sum",
        ReduceOp::Prod => "reduce_prod",
        ReduceOp::Max => "reduce_max",
        ReduceOp::Min => "reduce_min",
        ReduceOp::Mean if elem.is_float() => "reduce_mean",
        ReduceOp::LogSumExp if elem.is_float() => "reduce_log_sum_exp",
        _ => return None,
    })
}

pub(super) fn reduce(w: &mut ProgramWriter, op: ReduceOp, axes: &[usize], x: &Held) -> Written {
    let full = w.full(x);
    if axes.is_empty() {
        return match op {
            ReduceOp::And | ReduceOp::Or if x.elem() != Elem::Bool => Err("programs have no bit ops".into()),
            _ => Ok(vec![x.clone()]),
        };
    }
    if x.elem() == Elem::Bool {
        let kind = match op {
            ReduceOp::And | ReduceOp::Min | ReduceOp::Prod => "reduce_min",
            ReduceOp::Or | ReduceOp::Max => "reduce_max",
            _ => return Err(format!("programs have no {op} of booleans").into()),
        };
        let numbers = w.cast(&full, Elem::I32);
        let extreme = w.reduce(kind, &numbers, axes, false);
        return Ok(vec![Held::whole(w.cast(&extreme, Elem::Bool))]);
    }
    let kind = reduction_name(op, x.elem())
        .ok_or_else(|| format!("programs have no {op} of {}", x.elem().name()))?;
    Ok(vec![Held::whole(w.reduce(kind, &full, axes, false))])
}

pub(super) fn mean(w: &mut ProgramWriter, axes: &[usize], keep: bool, x: &Held) -> Written {
    float(x, "means")?;
    let full = w.full(x);
    if axes.is_empty() {
        return Ok(vec![x.clone()]);
    }
    Ok(vec![Held::whole(w.reduce("reduce_mean", &full, axes, keep))])
}

pub(super) fn logsumexp(w: &mut ProgramWriter, axes: &[usize], keep: bool, x: &Held) -> Written {
    if x.elem() != Elem::F32 || axes.is_empty() {
        return Err("sums of exponentials must be computed in f32".into());
    }
    let full = w.full(x);
    Ok(vec![Held::whole(w.reduce("reduce_log_sum_exp", &full, axes, keep))])
}

pub(super) fn cumulative(
    w: &mut ProgramWriter,
    op: ReduceOp,
    axis: usize,
    exclusive: bool,
    reverse: bool,
    x: &Held,
) -> Written {
    if op != ReduceOp::Sum || x.elem() == Elem::Bool {
        return Err(format!("programs have running sums of numbers, but no running {op}").into());
    }
    let full = w.full(x);
    let inputs = [
        ("x", (&full).into()),
        ("axis", (axis as i32).into()),
        ("exclusive", exclusive.into()),
        ("reverse", reverse.into()),
    ];
    Ok(vec![Held::whole(w.op("cumsum", inputs, full.elem, full.dims.clone()))])
}

/// Maximum number of elements of a window, which are combined separately.
const MOST_IN_WINDOW: usize = 64;

/// Writes the combination of the elements in a moving window, with one slice of x per element of the window.
pub(super) fn reduce_window(
    w: &mut ProgramWriter,
    op: ReduceOp,
    spec: &WindowSpec,
    x: &Held,
    result: &Shape,
) -> Written {
    let elem = x.elem();
    let range = integers::extremes(result.dtype());
    let format = FloatFormat::of(result.dtype()).filter(|format| !format.has_infinity);
    let furthest = format.map_or(f64::INFINITY, FloatFormat::max);
    let (kind, identity) = match (op, elem) {
        (ReduceOp::Sum, Elem::F16 | Elem::F32 | Elem::I32) => ("add", 0.0),
        (ReduceOp::Prod, Elem::F16 | Elem::F32 | Elem::I32) => ("mul", 1.0),
        (ReduceOp::Max, Elem::F16 | Elem::F32) => ("maximum", -furthest),
        (ReduceOp::Min, Elem::F16 | Elem::F32) => ("minimum", furthest),
        (ReduceOp::Max, Elem::I32) => ("maximum", range.0),
        (ReduceOp::Min, Elem::I32) => ("minimum", range.1),
        _ => return Err(format!("programs have no windows of {op} of {}", elem.name()).into()),
    };
    if spec.taps() > MOST_IN_WINDOW {
        return Err(format!("windows of more than {MOST_IN_WINDOW} elements are not supported").into());
    }
    if spec.low.iter().chain(&spec.high).any(|&n| n < 0) {
        return Err("windows with negative padding are not supported".into());
    }
    let dims = dims_of(result)?;
    let identity = w.scalar(identity, elem);
    let mut full = w.full(x);
    for (axis, &dilation) in spec.base_dilation.iter().enumerate() {
        full = w.spread(&full, &identity, axis, dilation - 1)?;
    }
    let amounts = |list: &[i64]| list.iter().map(|&n| n as usize).collect::<Vec<usize>>();
    let padded = w.pad(&full, &identity, &amounts(&spec.low), &amounts(&spec.high));
    let mut total: Option<Var> = None;
    let mut at = vec![0; dims.len()];
    loop {
        let starts: Vec<usize> =
            at.iter().zip(&spec.window_dilation).map(|(i, dilation)| i * dilation).collect();
        let end = |axis: usize| starts[axis] + (dims[axis] - 1) * spec.strides[axis] + 1;
        let limits: Vec<usize> = (0..dims.len()).map(end).collect();
        let seen = w.slice(&padded, &starts, &limits, &spec.strides);
        total = Some(match total {
            Some(total) => w.join(kind, &total, &seen),
            None => seen,
        });
        // Advance to the next element of the window.
        let Some(axis) = (0..at.len()).rev().find(|&axis| at[axis] + 1 < spec.window[axis]) else { break };
        at[axis] += 1;
        at[axis + 1..].fill(0);
    }
    let total = total.ok_or("a window has no axes")?;
    Ok(vec![Held::whole(total)])
}
