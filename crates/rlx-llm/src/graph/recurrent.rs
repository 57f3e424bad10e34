//! Mixers that remember earlier tokens in a fixed amount of memory: a short convolution, and a state that each token
//! updates.

use super::part::ModelPart;
use super::{DecoderRun, NextState, StateKind};
use crate::spec::{DeltaNetSpec, Mamba2Spec, NormKind, NormSpec};
use rlx_ir::{Activation, DType, Dim, Op, ReduceOp, ScanOperands, Shape, Tensor};

/// Applies Mamba 2 to x `[batch, seq, width]`, and returns the next values of its states.
pub(super) fn mamba2(
    part: &ModelPart<'_>,
    x: &Tensor,
    width: usize,
    spec: &Mamba2Spec,
    eps: f64,
    run: &DecoderRun,
) -> (Tensor, Vec<NextState>) {
    let Mamba2Spec { heads, head_size, groups, state, .. } = *spec;
    let inner = heads * head_size;
    let read = groups * state;
    let projected = part.linear("input", x, (width, 2 * inner + 2 * read + heads), spec.bias);
    let [gate, mixed, step] = split(&projected, [inner, inner + 2 * read, heads]);
    let (mixed, conv) = convolution(part, &mixed, spec.taps, spec.conv_bias, run);
    let [values, b, c] = split(&mixed, [inner, read, read]);

    let bias = part.block("step", |part| part.vector("bias", &[heads]));
    let step = (&step + bias.broadcast_in_dim(&step.dims(), &[2])).activation(Activation::Softplus);
    // A step of length 0, for padding, leaves the state unchanged.
    let step = step
        * run.counts(&projected.dims()[..2]).broadcast_in_dim(&[x.dim(0), x.dim(1), heads.into()], &[0, 1]);
    let per_channel = |t: &Tensor| {
        let dims = [t.dims(), vec![head_size.into()]].concat();
        let axes: Vec<usize> = (0..t.rank()).collect();
        let flat = [t.dims()[..t.rank() - 1].to_vec(), vec![inner.into()]].concat();
        t.broadcast_in_dim(&dims, &axes).reshape(&flat)
    };
    let of_heads = |t: Tensor| per_channel(&t.reshape(&[heads.into()]));
    let decay = of_heads(part.block("decay", |part| part.decay("weight", &[heads, 1])));
    let skip = of_heads(part.block("skip", |part| part.vector("weight", &[heads, 1])));
    let step = per_channel(&step);

    let shape = Shape::from_dims(&[x.dim(0), inner.into(), state.into()], DType::F32);
    let (name, before) = run.state(part, "state", &shape);
    let of_group = |g: usize| {
        let channels = g * inner / groups..(g + 1) * inner / groups;
        let numbers = g * state..(g + 1) * state;
        let [values, step] = [&values, &step].map(|t| t.slice_axis(2, channels.start, channels.end));
        let [b, c] = [&b, &c].map(|t| t.slice_axis(2, numbers.start, numbers.end));
        let [decay, skip] = [&decay, &skip].map(|t| t.slice_axis(0, channels.start, channels.end));
        let decay = decay.broadcast_in_dim(&[decay.dim(0), state.into()], &[0]);
        let before = before.slice_axis(1, channels.start, channels.end);
        values.apply_many(Op::SelectiveScanWithState {}, &[&step, &decay, &b, &c, &before, &skip])
    };
    let parts: Vec<Vec<Tensor>> = (0..groups).map(of_group).collect();
    let joined = |i: usize, axis: usize| {
        let all: Vec<&Tensor> = parts.iter().filter_map(|part| part.get(i)).collect();
        concatenate(axis, all[0], &all[1..])
    };
    let (y, after) = (joined(0, 2), joined(1, 1));

    let y = y * gate.activation(Activation::Silu);
    let grouped = [x.dim(0), x.dim(1), groups.into(), (inner / groups).into()];
    let y = y.reshape(&grouped).rms_norm(3, eps, None).reshape(&y.dims());
    let weight = part.block("norm", |part| part.vector("weight", &[groups, inner / groups]));
    let y = &y * weight.reshape(&[inner.into()]).broadcast_in_dim(&y.dims(), &[2]);
    let out = part.linear("output", &y, (inner, width), spec.bias);
    (out, vec![conv, NextState { name, value: after, shape, kind: StateKind::Summary }])
}

/// Applies the gated delta rule to x `[batch, seq, width]`, and returns the next values of its states.
pub(super) fn delta_net(
    part: &ModelPart<'_>,
    x: &Tensor,
    width: usize,
    spec: &DeltaNetSpec,
    eps: f64,
    run: &DecoderRun,
) -> (Tensor, Vec<NextState>) {
    let DeltaNetSpec { key_heads, value_heads, key_size, value_size, .. } = *spec;
    let (keys, values) = (key_heads * key_size, value_heads * value_size);
    let mixed = part.linear("mixed", x, (width, 2 * keys + values), false);
    let gate = part.linear("gate", x, (width, values), false);
    let [beta, alpha] = ["beta", "alpha"].map(|name| part.linear(name, x, (width, value_heads), false));
    let (mixed, conv) = convolution(part, &mixed, spec.taps, false, run);
    let [query, key, value] = split(&mixed, [keys, keys, values]);

    let of_heads =
        |t: &Tensor, heads: usize, size: usize| t.reshape(&[t.dim(0), t.dim(1), heads.into(), size.into()]);
    let for_values = |t: &Tensor| {
        let t = of_heads(t, key_heads, key_size);
        let length = (&t * &t).reduce(ReduceOp::Sum, &[3], true) + 1e-6;
        let t = &t / length.sqrt().broadcast_in_dim(&t.dims(), &[0, 1, 2, 3]);
        let each = value_heads / key_heads;
        let (dims, axes) = if spec.tiled {
            ([t.dim(0), t.dim(1), each.into(), t.dim(2), t.dim(3)], [0, 1, 3, 4])
        } else {
            ([t.dim(0), t.dim(1), t.dim(2), each.into(), t.dim(3)], [0, 1, 2, 4])
        };
        t.broadcast_in_dim(&dims, &axes).reshape(&[t.dim(0), t.dim(1), value_heads.into(), t.dim(3)])
    };
    let query = for_values(&query) / (key_size as f64).sqrt();
    let key = for_values(&key);
    let value = of_heads(&value, value_heads, value_size);

    let counts = run.counts(&x.dims()[..2]).broadcast_in_dim(&beta.dims(), &[0, 1]);
    let beta = beta.activation(Activation::Sigmoid) * &counts;
    let bias = part.block("step", |part| part.vector("bias", &[value_heads]));
    let rate = part.block("decay", |part| part.decay("weight", &[value_heads]));
    let step = (&alpha + bias.broadcast_in_dim(&alpha.dims(), &[2])).activation(Activation::Softplus);
    let decay = (step * rate.broadcast_in_dim(&alpha.dims(), &[2]) * counts).exp();

    let shape =
        Shape::from_dims(&[x.dim(0), value_heads.into(), key_size.into(), value_size.into()], DType::F32);
    let (name, before) = run.state(part, "state", &shape);
    let by_step = |t: &Tensor| {
        let order: Vec<usize> = [1, 0].into_iter().chain(2..t.rank()).collect();
        t.transpose(&order)
    };
    let xs = [&query, &key, &value, &decay, &beta].map(by_step);
    let operands = ScanOperands { consts: &[], carry: std::slice::from_ref(&before), xs: &xs };
    let dims = shape.dims().to_vec();
    let mut results = x.builder().scan(operands, x.dim(1), false, &|_, values| delta_step(values, &dims));
    let y = results.pop().map_or(value.clone(), |y| by_step(&y));
    let after = results.pop().unwrap_or(before);

    let spec = NormSpec { kind: NormKind::Rms, eps };
    let weight = part.block("norm", |part| part.vector("weight", &[value_size]));
    let y = y.rms_norm(3, spec.eps, Some(&weight)).reshape(&gate.dims()) * gate.activation(Activation::Silu);
    let out = part.linear("output", &y, (values, width), false);
    (out, vec![conv, NextState { name, value: after, shape, kind: StateKind::Summary }])
}

/// Processes one token: from (state, query, key, value, decay, beta) to (next state, output of the query).
fn delta_step(values: &[Tensor], dims: &[Dim]) -> Vec<Tensor> {
    let [state, query, key, value, decay, beta] = values else { return Vec::new() };
    let down = |t: &Tensor| t.broadcast_in_dim(dims, &[0, 1, 2]);
    let across = |t: &Tensor| t.broadcast_in_dim(dims, &[0, 1, 3]);
    let state = state * decay.broadcast_in_dim(dims, &[0, 1]);
    let found = (&state * down(key)).reduce(ReduceOp::Sum, &[2], false);
    let change = (value - found) * beta.broadcast_in_dim(&value.dims(), &[0, 1]);
    let state = state + down(key) * across(&change);
    let y = (&state * down(query)).reduce(ReduceOp::Sum, &[2], false);
    vec![state, y]
}

/// Applies a causal convolution to each channel of x `[batch, seq, channels]`, then silu. Also returns the last rows
/// of x for the next run.
fn convolution(
    part: &ModelPart<'_>,
    x: &Tensor,
    taps: usize,
    bias: bool,
    run: &DecoderRun,
) -> (Tensor, NextState) {
    let channels = x.dim(2).as_static().unwrap_or_default();
    let shape = Shape::from_dims(&[x.dim(0), (taps - 1).into(), channels.into()], DType::F32);
    let (name, before) = run.state(part, "rows", &shape);
    let rows = concatenate(1, &before, &[x]);
    let (kernel, bias) = part.block("conv", |part| {
        (part.vector("weight", &[channels, taps]), bias.then(|| part.vector("bias", &[channels])))
    });
    let tap = |i: usize| {
        let weight = kernel.slice_axis(1, i, i + 1).reshape(&[channels.into()]);
        rows.slice_axis(1, i, &x.dim(1) + i) * weight.broadcast_in_dim(&x.dims(), &[2])
    };
    let mut y = (1..taps).fold(tap(0), |sum, i| sum + tap(i));
    if let Some(bias) = bias {
        y = y + bias.broadcast_in_dim(&x.dims(), &[2]);
    }
    // The rows before the next token of each sequence.
    let dims = [x.dim(0), (taps - 1).into(), channels.into()];
    let places =
        x.builder().iota(Shape::from_dims(&dims, DType::I32), 1) + run.count.broadcast_in_dim(&dims, &[0]);
    let after = rows.gather(&places, 1);
    (y.activation(Activation::Silu), NextState { name, value: after, shape, kind: StateKind::Summary })
}

/// Concatenates tensors along an axis.
pub(super) fn concatenate(axis: usize, first: &Tensor, others: &[&Tensor]) -> Tensor {
    first.apply(Op::Concatenate { axis }, others)
}

/// Splits the last axis into parts of these widths.
fn split<const N: usize>(x: &Tensor, widths: [usize; N]) -> [Tensor; N] {
    let mut from = 0;
    widths.map(|width| {
        from += width;
        x.slice_axis(2, from - width, from)
    })
}
