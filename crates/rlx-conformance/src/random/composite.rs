//! Random composites as models use them, on values with known intervals.

use super::elementwise::partner;
use super::state::{RandomValue, State};
use rlx_ir::{Activation, AttentionOptions, DType, Dim, MaskKind, Op, RopeStyle};

/// Adds one composite.
pub(super) fn add(s: &mut State) -> Option<()> {
    match s.stream.below(22) {
        16..19 => light(s),
        19 => losses(s),
        20 | 21 => picked(s),
        0..5 => activation(s),
        5..7 => softmax(s),
        7..9 => norm(s),
        9 => mean(s),
        10..12 => matmul(s),
        12 => attention(s),
        13 => rope(s),
        14 => movement(s),
        _ => embedding(s),
    }
}

fn float(v: &RandomValue) -> bool {
    v.dtype.is_float()
}

fn activation(s: &mut State) -> Option<()> {
    use Activation::*;
    let x = s.choose(float)?;
    let kind = *s.stream.pick(&[
        Relu,
        Relu6,
        Gelu,
        GeluTanh,
        Silu,
        Sigmoid,
        Softplus,
        Elu,
        HardSwish,
        HardSigmoid,
        Mish,
        Square,
        Tanh,
    ]);
    let (a, b) = x.facts.range;
    let top = b.max(0.0) * 1.1 + 0.1;
    let most = a.abs().max(b.abs());
    let range = match kind {
        Relu => (a.max(0.0), b.max(0.0)),
        Relu6 => (0.0, 6.0),
        Sigmoid | HardSigmoid => (0.0, 1.0),
        Tanh => (-1.0, 1.0),
        Softplus => (0.0, top + 0.8),
        Elu => (-1.0, top),
        Square => (0.0, most * most),
        _ => (-0.5, top),
    };
    s.apply(Op::Activation { kind }, &[&x], range, None).map(|_| ())
}

fn softmax(s: &mut State) -> Option<()> {
    let x = s.choose(|v| float(v) && v.rank() >= 1)?;
    let axis = s.stream.below(x.rank());
    let (a, b) = x.facts.range;
    let n = (x.dims[axis].max(1) as f64).ln();
    match s.stream.below(3) {
        0 => s.apply(Op::Softmax { axis }, &[&x], (0.0, 1.0), None),
        1 => s.apply(Op::LogSoftmax { axis }, &[&x], (a - b - n - 1.0, 0.1), None),
        _ if x.dims[axis] == 0 => None,
        _ => {
            let keep_dims = s.stream.one_in(2);
            s.apply(Op::LogSumExp { axes: vec![axis], keep_dims }, &[&x], (a - 0.1, b + n + 0.1), None)
        }
    }
    .map(|_| ())
}

/// Layer norms and root-mean-square norms over the last axis, with and without factors.
fn norm(s: &mut State) -> Option<()> {
    let x = s.choose(|v| float(v) && v.rank() >= 1 && v.dims.last() != Some(&0))?;
    let axis = x.rank() - 1;
    let n = x.dims[axis];
    let gamma = match s.choose(|v| v.dtype == x.dtype && v.dims == [n]) {
        Some(v) => v,
        None => {
            let place = s.add_input(x.dtype, &[n]);
            s.values[place].clone()
        }
    };
    let most = gamma.facts.range.0.abs().max(gamma.facts.range.1.abs()).max(1.0);
    let bound = (n as f64).sqrt() * most * 1.1;
    // Small enough not to amplify anything, large enough to be visible.
    let eps = 1e-2;
    match s.stream.below(4) {
        0 => s.apply(Op::LayerNorm { axis, eps }, &[&x], (-bound, bound), None),
        1 => s.apply(Op::LayerNorm { axis, eps }, &[&x, &gamma, &gamma], (-bound - most, bound + most), None),
        2 => s.apply(Op::RmsNorm { axis, eps }, &[&x], (-bound, bound), None),
        _ => s.apply(Op::RmsNorm { axis, eps }, &[&x, &gamma], (-bound, bound), None),
    }
    .map(|_| ())
}

fn mean(s: &mut State) -> Option<()> {
    let x = s.choose(|v| float(v) && v.rank() >= 1 && !v.dims.contains(&0))?;
    let axes: Vec<usize> = (0..x.rank()).filter(|_| s.stream.one_in(2)).collect();
    let keep_dims = s.stream.one_in(2);
    let (a, b) = x.facts.range;
    s.apply(Op::Mean { axes, keep_dims }, &[&x], (a - 0.1, b + 0.1), None).map(|_| ())
}

fn matmul(s: &mut State) -> Option<()> {
    let a = s.choose(|v| float(v) && v.rank() >= 1)?;
    let k = *a.dims.last()?;
    let found = s.choose(|v| v.dtype == a.dtype && v.rank() >= 2 && v.dims[v.rank() - 2] == k);
    let b = match found {
        Some(b) => b,
        None => {
            let n = 1 + s.stream.below(6);
            let place = s.add_input(a.dtype, &[k, n]);
            s.values[place].clone()
        }
    };
    let most = |v: &RandomValue| v.facts.range.0.abs().max(v.facts.range.1.abs());
    let bound = most(&a) * most(&b) * k.max(1) as f64;
    let grid = a.facts.grid.zip(b.facts.grid).map(|(x, y)| x + y);
    s.apply(Op::Matmul {}, &[&a, &b], (-bound, bound), grid).map(|_| ())
}

fn attention(s: &mut State) -> Option<()> {
    let q = s.choose(|v| float(v) && v.rank() == 4 && !v.dims.contains(&0))?;
    let kv = |s: &mut State| s.choose(|v| v.dtype == q.dtype && v.dims == q.dims);
    let (k, v) = (kv(s)?, kv(s)?);
    let mask = *s.stream.pick(&[MaskKind::None, MaskKind::Causal, MaskKind::SlidingWindow]);
    let op = AttentionOptions {
        mask,
        window: (mask == MaskKind::SlidingWindow).then_some(2),
        softcap: if s.stream.one_in(3) { Some(4.0) } else { None },
        ..AttentionOptions::default()
    }
    .op();
    let (a, b) = v.facts.range;
    s.apply(op, &[&q, &k, &v], (a.min(0.0) - 0.1, b.max(0.0) + 0.1), None).map(|_| ())
}

fn rope(s: &mut State) -> Option<()> {
    let x = s.choose(|v| float(v) && v.rank() >= 2 && v.dims.last().is_some_and(|d| d % 2 == 0))?;
    let rank = x.rank();
    let dims = [x.dims[rank - 2], x.dims[rank - 1] / 2];
    let mut table = || {
        let place = s.add_input(x.dtype, &dims);
        s.values[place].clone()
    };
    let (cos, sin) = (table(), table());
    let style = *s.stream.pick(&[RopeStyle::Halves, RopeStyle::Interleaved]);
    let most = |v: &RandomValue| v.facts.range.0.abs().max(v.facts.range.1.abs());
    let bound = most(&x) * (most(&cos) + most(&sin)) + most(&x);
    let op = Op::Rope { style, rotary_dims: None, seq_axis: rank - 2 };
    s.apply(op, &[&x, &cos, &sin], (-bound, bound), None).map(|_| ())
}

fn movement(s: &mut State) -> Option<()> {
    let x = s.choose(|v| v.rank() >= 1)?;
    let axis = s.stream.below(x.rank());
    let n = x.dims[axis];
    let keep = (x.facts.range, x.facts.grid);
    match s.stream.below(4) {
        0 => {
            let start = s.stream.below(n + 1);
            let length = s.stream.below(n - start + 1);
            let op = Op::Narrow { axis, start: Dim::Static(start), length: Dim::Static(length) };
            s.apply(op, &[&x], keep.0, keep.1).map(|_| ())
        }
        1 => {
            let first = s.stream.below(n + 1);
            let sizes = vec![Dim::Static(first), Dim::Static(n - first)];
            s.apply_many(Op::Split { axis, sizes }, &[&x], &[keep, keep]).map(|_| ())
        }
        2 => {
            let repeats = x.dims.iter().map(|_| 1 + s.stream.below(2)).collect();
            s.apply(Op::Tile { repeats }, &[&x], keep.0, keep.1).map(|_| ())
        }
        _ => {
            let shifts = vec![s.stream.integer(-5, 5)];
            s.apply(Op::Roll { shifts, axes: vec![axis] }, &[&x], keep.0, keep.1).map(|_| ())
        }
    }
}

fn embedding(s: &mut State) -> Option<()> {
    let table = s.choose(|v| v.rank() == 2 && !v.dims.contains(&0))?;
    let ids = match s.choose(|v| v.dtype.is_int() && v.len() <= 32) {
        Some(ids) => ids,
        None => {
            let place = s.add_input(DType::I64, &[2, 3]);
            s.values[place].clone()
        }
    };
    let rows = s.apply(Op::Embedding {}, &[&table, &ids], table.facts.range, table.facts.grid)?;
    if !float(&rows) {
        return Some(());
    }
    let other = partner(s, &rows, float)?;
    let most = |v: &RandomValue| v.facts.range.0.abs().max(v.facts.range.1.abs());
    let bound = most(&rows) * 6.0;
    s.apply(Op::Swiglu {}, &[&rows, &other], (-bound * most(&other), bound * most(&other)), None).map(|_| ())
}

/// Composites of a few nodes.
fn light(s: &mut State) -> Option<()> {
    let x = s.choose(float)?;
    let (a, b) = x.facts.range;
    let (most, keep) = (a.abs().max(b.abs()), (a, b));
    let grid = x.facts.grid;
    match s.stream.below(8) {
        0 => s.apply(Op::Elu { alpha: 0.7 }, &[&x], (-0.8, b.max(0.0) * 1.1 + 0.1), None),
        1 => s.apply(Op::LeakyRelu { slope: 0.25 }, &[&x], (a.min(0.0), b.max(0.0)), None),
        2 => {
            let low = s.stream.one_in(2).then_some(-1.0);
            let high = if low.is_none() || s.stream.one_in(2) { Some(1.5) } else { None };
            s.apply(Op::Clip { low, high }, &[&x], (a.min(-1.0), b.max(1.5)), None)
        }
        3 => s.apply(Op::StopGradient {}, &[&x], keep, grid),
        4 => s.apply(Op::OptimizationBarrier {}, &[&x], keep, grid),
        5 => s.apply(
            Op::ReducePrecision { exponent_bits: 6, mantissa_bits: 5 },
            &[&x],
            (-most * 1.1, most * 1.1),
            None,
        ),
        6 => {
            let dims: Vec<Dim> = std::iter::once(2).chain(x.dims.iter().copied()).map(Dim::Static).collect();
            s.apply(Op::Expand { dims }, &[&x], keep, grid)
        }
        _ if x.rank() == 0 => None,
        _ => {
            let axis = s.stream.below(x.rank());
            let n = x.dims[axis] as f64;
            s.apply(Op::Cumsum { axis }, &[&x], (a.min(0.0) * n, b.max(0.0) * n), grid)
        }
    }
    .map(|_| ())
}

/// Means of errors, as one number or one per row.
fn losses(s: &mut State) -> Option<()> {
    let x = s.choose(|v| float(v) && v.rank() >= 1 && !v.dims.contains(&0))?;
    let most = |v: &RandomValue| v.facts.range.0.abs().max(v.facts.range.1.abs());
    if s.stream.one_in(2) {
        let target = partner(s, &x, float)?;
        let bound = (most(&x) + most(&target)).powi(2) * 1.1;
        return s.apply(Op::Mse {}, &[&x, &target], (0.0, bound), None).map(|_| ());
    }
    let rows = &x.dims[..x.rank() - 1];
    let classes = *x.dims.last()?;
    let labels = s.add_labels(rows, classes);
    let bound = 2.0 * most(&x) + (classes as f64).ln() + 1.0;
    s.apply(Op::SoftmaxCrossEntropy {}, &[&x, &labels], (-0.1, bound), None).map(|_| ())
}

/// Elements and slices chosen by indices, some of which are out of range.
fn picked(s: &mut State) -> Option<()> {
    let x = s.choose(|v| v.rank() >= 1 && !v.dims.contains(&0))?;
    let axis = s.stream.below(x.rank());
    let keep = (x.facts.range, x.facts.grid);
    match s.stream.below(3) {
        0 => {
            let indices = s.add_labels(&[2, 3], x.dims[axis]);
            s.apply(Op::Take { axis }, &[&x, &indices], keep.0, keep.1).map(|_| ())
        }
        1 => {
            let mut dims = x.dims.clone();
            dims[axis] = 1 + s.stream.below(4);
            let indices = s.add_labels(&dims, x.dims[axis]);
            s.apply(Op::GatherAxis { axis }, &[&x, &indices], keep.0, keep.1).map(|_| ())
        }
        _ => {
            let depth = 2 + s.stream.below(5);
            let ids = s.choose(|v| v.dtype.is_int() && v.certain() && v.rank() <= 2)?;
            s.apply(Op::OneHot { depth, dtype: x.dtype }, &[&ids], (0.0, 1.0), Some(0)).map(|_| ())
        }
    }
}
