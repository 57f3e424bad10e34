//! Random groups of nodes as models contain them and as fusion passes look for them.
//!
//! Among them are a product with the ops that follow it, a sum that is normalized, elementwise functions before and
//! after a reduction, attention, convolutions, and graphs that are called and repeated.

use super::elementwise::partner;
use super::state::{RandomValue, State};
use rlx_ir::{
    Activation, AttentionOptions, BinaryOp, Builder, Dim, DotDims, MaskKind, Op, ReduceOp, Shape, SubGraph,
    UnaryOp,
};

/// Adds one group.
pub(super) fn add(s: &mut State) -> Option<()> {
    match s.stream.below(10) {
        0 | 1 => residual_norm(s),
        2..4 => epilogue(s),
        4..6 => around_reduction(s),
        6 => attention(s),
        7 => image(s),
        8 => called(s),
        _ => scores(s),
    }
}

fn most(v: &RandomValue) -> f64 {
    v.facts.range.0.abs().max(v.facts.range.1.abs())
}

fn within(bound: f64) -> (f64, f64) {
    (-bound, bound)
}

fn float(v: &RandomValue) -> bool {
    v.dtype.is_float()
}

/// Returns a chosen or a new value of these dimensions.
fn like(s: &mut State, x: &RandomValue, dims: &[usize]) -> RandomValue {
    if s.stream.one_in(3)
        && let Some(found) = s.choose(|v| v.dtype == x.dtype && v.dims == dims)
    {
        return found;
    }
    let place = s.add_input(x.dtype, dims);
    s.values[place].clone()
}

fn sum(s: &mut State, a: &RandomValue, b: &RandomValue) -> Option<RandomValue> {
    let range = (a.facts.range.0 + b.facts.range.0, a.facts.range.1 + b.facts.range.1);
    let grid = a.facts.grid.zip(b.facts.grid).map(|(x, y)| x.max(y));
    s.apply(Op::Binary { op: BinaryOp::Add }, &[a, b], range, grid)
}

/// Returns a value of one element that is broadcast.
fn number(s: &mut State, x: &RandomValue) -> Option<RandomValue> {
    let one = like(s, x, &[]);
    s.broadcast(&one, &x.dims)
}

/// x + y, normalized over the last axes, with or without weights. Sometimes the sum is used again.
fn residual_norm(s: &mut State) -> Option<()> {
    let x = s.choose(|v| float(v) && v.rank() >= 1 && !v.dims.contains(&0))?;
    let y = like(s, &x, &x.dims);
    let total = sum(s, &x, &y)?;
    let axis = s.stream.below(x.rank());
    let row = x.dims[axis..].to_vec();
    let (gamma, beta) = (like(s, &x, &row), like(s, &x, &row));
    let n = row.iter().product::<usize>() as f64;
    let factor = n.sqrt() * 1.1;
    let eps = 1e-2;
    let bound = within(factor * most(&gamma).max(1.0) + most(&beta));
    let normed = match s.stream.below(4) {
        0 => s.apply(Op::LayerNorm { axis, eps }, &[&total], bound, None),
        1 => s.apply(Op::LayerNorm { axis, eps }, &[&total, &gamma, &beta], bound, None),
        2 => s.apply(Op::RmsNorm { axis, eps }, &[&total], bound, None),
        _ => s.apply(Op::RmsNorm { axis, eps }, &[&total, &gamma], bound, None),
    }?;
    if s.stream.one_in(3) {
        sum(s, &normed, &total)?;
    }
    Some(())
}

/// x·w followed by a bias, an activation, a factor or a residual, in several orders.
fn epilogue(s: &mut State) -> Option<()> {
    let x = s.choose(|v| (float(v) || v.dtype.is_complex()) && (1..=3).contains(&v.rank()))?;
    let (k, n) = (*x.dims.last()?, 1 + s.stream.below(20));
    let w = like(s, &x, &[k, n]);
    let op = Op::DotGeneral { dims: DotDims::contracting(&[x.rank() - 1], &[0]), dtype: None };
    let bound = most(&x) * most(&w) * k.max(1) as f64;
    let range = if float(&x) { within(bound) } else { (0.0, bound) };
    let grid = x.facts.grid.zip(w.facts.grid).map(|(a, b)| a + b);
    let mut y = s.apply(op, &[&x, &w], range, grid)?;
    for _ in 0..1 + s.stream.below(4) {
        let next = match s.stream.below(6) {
            0 | 1 => {
                let bias = like(s, &y, &[n]);
                let bias = s.broadcast(&bias, &y.dims)?;
                sum(s, &y, &bias)
            }
            2 => {
                let residual = like(s, &y, &y.dims.clone());
                sum(s, &y, &residual)
            }
            3 => {
                let factor = if s.stream.one_in(2) { number(s, &y)? } else { like(s, &y, &y.dims.clone()) };
                let bound = most(&y) * most(&factor);
                let range = if float(&y) { within(bound) } else { (0.0, bound) };
                s.apply(Op::Binary { op: BinaryOp::Mul }, &[&y, &factor], range, None)
            }
            4 if float(&y) => s.apply(Op::Unary { op: UnaryOp::Tanh }, &[&y], within(1.0), None),
            _ if float(&y) => activated(s, &y),
            _ => None,
        };
        y = next?;
    }
    Some(())
}

fn activated(s: &mut State, y: &RandomValue) -> Option<RandomValue> {
    use Activation::*;
    let kind = *s.stream.pick(&[Relu, Gelu, GeluTanh, Silu, Sigmoid, Tanh, HardSwish, Elu]);
    let (_, b) = y.facts.range;
    s.apply(Op::Activation { kind }, &[y], (-1.0, b.max(1.0) * 1.1 + 0.1), None)
}

/// Elementwise functions, a reduction over trailing, leading or other axes, and functions of its result.
fn around_reduction(s: &mut State) -> Option<()> {
    let mut x = s.choose(|v| float(v) && v.rank() >= 1 && !v.dims.contains(&0))?;
    for _ in 0..s.stream.below(4) {
        let y = if s.stream.one_in(2) { number(s, &x)? } else { partner(s, &x, float)? };
        let (op, bound) = match s.stream.below(3) {
            0 => (BinaryOp::Mul, most(&x) * most(&y)),
            1 => (BinaryOp::Sub, most(&x) + most(&y)),
            _ => (BinaryOp::Max, most(&x).max(most(&y))),
        };
        x = s.apply(Op::Binary { op }, &[&x, &y], within(bound), None)?;
    }
    let from = s.stream.below(x.rank() + 1);
    let axes: Vec<usize> = match s.stream.below(3) {
        0 | 1 => (from..x.rank()).collect(),
        _ => (0..from).collect(),
    };
    let n = axes.iter().map(|&a| x.dims[a]).product::<usize>().max(1) as f64;
    let (kind, bound) = match s.stream.below(3) {
        0 => (ReduceOp::Max, most(&x)),
        _ => (ReduceOp::Sum, most(&x) * n),
    };
    let mut y = s.apply(Op::Reduce { kind, axes }, &[&x], within(bound), None)?;
    for _ in 0..s.stream.below(4) {
        let next = match s.stream.below(4) {
            0 => activated(s, &y),
            1 => s.apply(Op::Unary { op: UnaryOp::Abs }, &[&y], (0.0, most(&y)), None),
            2 => {
                let factor = number(s, &y)?;
                s.apply(
                    Op::Binary { op: BinaryOp::Mul },
                    &[&y, &factor],
                    within(most(&y) * most(&factor)),
                    None,
                )
            }
            _ => {
                let to = *s.stream.pick(&[rlx_ir::DType::F32, rlx_ir::DType::BF16, rlx_ir::DType::F64]);
                s.apply(Op::Convert { dtype: to }, &[&y], y.facts.range, None)
            }
        };
        y = next?;
    }
    Some(())
}

/// Attention in either layout, with fewer key heads, other lengths, masks and soft caps.
fn attention(s: &mut State) -> Option<()> {
    let x = s.choose(float)?;
    let (batch, kv, group, d) =
        (1 + s.stream.below(2), 1 + s.stream.below(2), 1 + s.stream.below(2), 1 + s.stream.below(9));
    let (rows, columns) = (1 + s.stream.below(9), 1 + s.stream.below(17));
    let heads = kv * group;
    let flat = s.stream.one_in(2);
    let dims =
        |n: usize, heads: usize| if flat { vec![batch, n, heads * d] } else { vec![batch, heads, n, d] };
    let q = like(s, &x, &dims(rows, heads));
    let (k, v) = (like(s, &x, &dims(columns, kv)), like(s, &x, &dims(columns, kv)));
    let mask = *s.stream.pick(&[MaskKind::None, MaskKind::Causal, MaskKind::SlidingWindow]);
    let op = AttentionOptions {
        num_heads: flat.then_some(heads),
        num_kv_heads: flat.then_some(kv),
        scale: s.stream.one_in(2).then_some(0.5),
        mask,
        window: (mask == MaskKind::SlidingWindow).then_some(1 + s.stream.below(5)),
        softcap: s.stream.one_in(3).then_some(4.0),
        kv_scheme: None,
    }
    .op();
    let (a, b) = v.facts.range;
    s.apply(op, &[&q, &k, &v], (a.min(0.0) - 0.1, b.max(0.0) + 0.1), None).map(|_| ())
}

/// softmax(scale · x + bias) and its product with another matrix: attention in primitives.
fn scores(s: &mut State) -> Option<()> {
    let x = s.choose(|v| float(v) && (2..=3).contains(&v.rank()) && !v.dims.contains(&0))?;
    let scale = number(s, &x)?;
    let bound = most(&x) * most(&scale);
    let scaled = s.apply(Op::Binary { op: BinaryOp::Mul }, &[&x, &scale], within(bound), None)?;
    let bias = partner(s, &scaled, float)?;
    let biased = sum(s, &scaled, &bias)?;
    let axis = x.rank() - 1;
    let weights = s.apply(Op::Softmax { axis }, &[&biased], (0.0, 1.0), None)?;
    let mut dims = x.dims.clone();
    (dims[axis - 1], dims[axis]) = (x.dims[axis], 1 + s.stream.below(8));
    let values = like(s, &x, &dims);
    s.apply(Op::Matmul {}, &[&weights, &values], within(most(&values) * 1.1), None).map(|_| ())
}

/// A convolution or a pooling of images, with a bias and an activation.
fn image(s: &mut State) -> Option<()> {
    let x = s.choose(float)?;
    let (groups, per_group) = (1 + s.stream.below(2), 1 + s.stream.below(3));
    let (batch, size) = (1 + s.stream.below(2), [4 + s.stream.below(5), 4 + s.stream.below(5)]);
    let channels = groups * per_group;
    let images = like(s, &x, &[batch, channels, size[0], size[1]]);
    let mut pair = |low: usize, count: usize| vec![low + s.stream.below(count), low + s.stream.below(count)];
    let (kernel, stride, padding, dilation) = (pair(1, 3), pair(1, 2), pair(0, 2), pair(1, 2));
    if s.stream.one_in(3) {
        let kind = *s.stream.pick(&[ReduceOp::Sum, ReduceOp::Mean, ReduceOp::Max, ReduceOp::Min]);
        let padding = if matches!(kind, ReduceOp::Max | ReduceOp::Min) { vec![0, 0] } else { padding };
        let bound = most(&images) * (kernel[0] * kernel[1]) as f64;
        let op = Op::Pool { kind, kernel_size: kernel, stride, padding };
        return s.apply(op, &[&images], within(bound), None).map(|_| ());
    }
    let out = groups * (1 + s.stream.below(3));
    let terms = (per_group * kernel[0] * kernel[1]) as f64;
    let w = like(s, &x, &[out, per_group, kernel[0], kernel[1]]);
    let bias = like(s, &x, &[out]);
    let bound = most(&images) * most(&w) * terms + most(&bias);
    let op = Op::Conv2d { stride, padding, dilation, groups };
    let y = s.apply(op, &[&images, &w, &bias], within(bound), None)?;
    activated(s, &y).map(|_| ())
}

/// A graph of elementwise functions and a reduction: called, as a branch that a certain predicate chooses, or repeated along an axis.
fn called(s: &mut State) -> Option<()> {
    let x = s.choose(|v| float(v) && v.rank() >= 1 && !v.dims.contains(&0))?;
    let y = like(s, &x, &x.dims.clone());
    let shape = Shape::new(&x.dims, x.dtype);
    let step = |name: &str, dims: &[usize]| {
        let b = Builder::new(name);
        let (x, y) =
            (b.input("x", Shape::new(dims, shape.dtype())), b.input("y", Shape::new(dims, shape.dtype())));
        let gate = (&x * &y).unary(UnaryOp::Tanh);
        let next = (&gate * 0.5) + (&x * 0.25) + 0.125;
        let rows = (0..dims.len()).collect::<Vec<_>>();
        let total = next.reduce(ReduceOp::Max, &rows, false);
        b.finish(&[&next, &total]).ok().map(SubGraph::new)
    };
    let range = within(0.7 + most(&x) * 0.26);
    match s.stream.below(2) {
        0 => {
            let body = step("called", &x.dims)?;
            s.apply_many(Op::Call { body }, &[&x, &y], &[(range, None), (range, None)]).map(|_| ())
        }
        _ => {
            let (&length, rest) = x.dims.split_first()?;
            if length > 12 {
                return None;
            }
            let start = like(s, &x, rest);
            let body = step("step", rest)?;
            let reverse = s.stream.one_in(2);
            let op = Op::Scan { body, length: Dim::Static(length), num_consts: 0, num_carry: 1, reverse };
            let range = within(1.0 + most(&start));
            s.apply_many(op, &[&start, &x], &[(range, None), (range, None)]).map(|_| ())
        }
    }
}
