//! Attention from the tokens of a run to each other and to the cache.

use super::part::ModelPart;
use super::rope::Rotation;
use super::{DecoderRun, NextState, Past, StateKind};
use crate::spec::AttentionSpec;
use rlx_ir::{
    Activation, AttentionOptions, CompareOp, DType, Dim, DotDims, MaskKind, Op, ReduceOp, Shape, Tensor,
};

/// Returns the attention of x `[batch, seq, width]`, and the next values of its caches.
pub(super) fn attention(
    part: &ModelPart<'_>,
    x: &Tensor,
    width: usize,
    spec: &AttentionSpec,
    rope: Option<&Rotation>,
    run: &DecoderRun,
) -> (Tensor, Vec<NextState>) {
    let AttentionSpec { heads, kv_heads, head_size, .. } = *spec;
    let of_heads = |name: &str, count: usize, size: usize| {
        let flat = part.linear(name, x, (width, count * size), spec.input_bias);
        let dims = [flat.dim(0), flat.dim(1), Dim::Static(count), Dim::Static(size)];
        flat.reshape(&dims).transpose(&[0, 2, 1, 3])
    };
    let placed = |name: &str, mut y: Tensor| {
        if let Some(spec) = &spec.head_norm {
            y = part.norm(&format!("{name}_norm"), &y, spec);
        }
        rope.map_or(y.clone(), |rope| rope.turn(&y))
    };
    let queries = of_heads("query", heads, if spec.gated { 2 * head_size } else { head_size });
    let gate = spec.gated.then(|| queries.slice_axis(3, head_size, 2 * head_size));
    let queries = placed("query", queries.slice_axis(3, 0, head_size));
    let keys = placed("key", of_heads("key", kv_heads, head_size));
    let values = of_heads("value", kv_heads, head_size);
    let (keys, values, states) = match &run.past {
        Some(past) => cached(part, keys, values, run, past),
        None => (keys, values, Vec::new()),
    };
    let attended = if spec.sinks {
        let sinks = part.vector("sinks", &[heads]);
        let [keys, values] = match &run.past {
            Some(past) => [past.cache.load(&keys), past.cache.load(&values)],
            None => [keys, values],
        };
        attention_with_sinks(&queries, &keys, &values, &sinks, spec, run)
    } else {
        match &run.past {
            Some(past) => {
                let options = AttentionOptions { kv_scheme: past.cache.scheme(), ..options(spec) };
                queries.attention_cached(&keys, &values, &past.rows, None, options)
            }
            None => queries.attention(&keys, &values, None, options(spec)),
        }
    };
    let attended = attended.convert(DType::F32);
    let attended = match gate {
        Some(gate) => attended * gate.activation(Activation::Sigmoid),
        None => attended,
    };
    let joined = [x.dim(0), x.dim(1), Dim::Static(heads * head_size)];
    let joined = attended.transpose(&[0, 2, 1, 3]).reshape(&joined);
    let out = part.linear("output", &joined, (heads * head_size, width), spec.output_bias);
    (out, states)
}

/// Appends the keys and values of the run to the caches. Returns the keys and values of all tokens, and the same as
/// states.
fn cached(
    part: &ModelPart<'_>,
    keys: Tensor,
    values: Tensor,
    run: &DecoderRun,
    past: &Past,
) -> (Tensor, Tensor, Vec<NextState>) {
    let elements = past.cache.elements(keys.dim(3).as_static().unwrap_or_default());
    let dims = [keys.dim(0), keys.dim(1), Dim::dynamic("capacity"), elements.into()];
    let shape = Shape::from_dims(&dims, past.cache.dtype());
    let append = |name: &str, new: Tensor| {
        let (name, cache) = run.state(part, &format!("cache.{name}"), &shape);
        let value = cache.kv_append(&past.cache.store(&new), &past.start, 2);
        NextState { name, value, shape: shape.clone(), kind: StateKind::Rows }
    };
    let states = vec![append("key", keys), append("value", values)];
    (states[0].value.clone(), states[1].value.clone(), states)
}

fn options(spec: &AttentionSpec) -> AttentionOptions {
    AttentionOptions {
        num_heads: Some(spec.heads),
        num_kv_heads: Some(spec.kv_heads),
        scale: Some(spec.scale),
        mask: if spec.window.is_some() { MaskKind::SlidingWindow } else { MaskKind::Causal },
        window: spec.window,
        softcap: spec.softcap,
        kv_scheme: None,
    }
}

/// Attention with one more score per head, which attends to nothing (Xiao et al., 2023,
/// <https://arxiv.org/abs/2309.17453>).
fn attention_with_sinks(
    queries: &Tensor,
    keys: &Tensor,
    values: &Tensor,
    sinks: &Tensor,
    spec: &AttentionSpec,
    run: &DecoderRun,
) -> Tensor {
    let groups = spec.heads / spec.kv_heads;
    let (batch, seq, size) = (queries.dim(0), queries.dim(2), queries.dim(3));
    let heads = [batch.clone(), spec.kv_heads.into(), groups.into(), seq, size];
    let product = |lhs: &Tensor, rhs: &Tensor, rhs_contract: usize| {
        let dims = DotDims::contracting(&[4], &[rhs_contract]).batched(2);
        lhs.apply(Op::DotGeneral { dims, dtype: None }, &[rhs])
    };
    let scores = product(&queries.reshape(&heads), keys, 3) * spec.scale;

    let dims = scores.dims();
    let shape = Shape::from_dims(&dims, DType::I32);
    let (place, column) = (run.positions.broadcast_in_dim(&dims, &[0, 3]), scores.builder().iota(shape, 4));
    let mut seen = column.compare(CompareOp::Le, &place);
    if let Some(window) = spec.window {
        let first = &place - place.scalar_like(window as f64);
        seen =
            column.compare(CompareOp::Gt, &first).select(&seen, &seen.scalar_like(0.0).broadcast_to(&dims));
    }
    let nothing = scores.scalar_like(f64::NEG_INFINITY).broadcast_to(&dims);
    let scores = seen.select(&scores, &nothing);

    let rows: Vec<Dim> = dims[..4].to_vec();
    let sinks = sinks.reshape(&[spec.kv_heads.into(), groups.into()]).broadcast_in_dim(&rows, &[1, 2]);
    let most = scores.reduce(ReduceOp::Max, &[4], false).maximum(&sinks);
    let weights = (&scores - most.broadcast_in_dim(&dims, &[0, 1, 2, 3])).exp();
    let sum = weights.reduce(ReduceOp::Sum, &[4], false) + (sinks - most).exp();
    let weights = &weights / sum.broadcast_in_dim(&dims, &[0, 1, 2, 3]);
    product(&weights, values, 2).reshape(&queries.dims())
}
