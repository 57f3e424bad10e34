//! The graph of a decoder: one for all families, from what its spec says.
//!
//! Inputs, with the symbols `batch`, `seq` and `capacity`:
//!
//! | name | type | what it is |
//! |---|---|---|
//! | `tokens` | `i32[batch,seq]` | the next tokens of each sequence |
//! | `start` | `i32[batch]` | how many tokens of it lie in the cache already |
//! | `layers.{i}.attention.cache.key`, `.value` | `[batch,kv_heads,capacity,head]` | rows of earlier tokens: states that the outputs behind the logits update |
//!
//! A sequence that is shorter than `seq` is filled up with any tokens at its end: nothing in front reads them, and its next tokens
//! are written over their rows.

mod attention;
mod feed;
mod rope;

use crate::spec::{DecoderSpec, LayerSpec, NormKind, NormPlacement, NormSpec};
use attention::Cache;
use rlx_flow::Flow;
use rlx_flow::blocks::contract_last;
use rlx_ir::{Builder, DType, Dim, Graph, ReduceOp, Shape, Tensor, Violations};
use rope::Rotation;

/// Inputs that hold rows of earlier tokens, each with the number of the output that is its next value.
pub type States = Vec<(String, usize)>;

/// The graph of a decoder whose parameters and caches are of these types, and its states. Output 0 is the logits after each token,
/// `f32[batch,seq,vocab]`.
///
/// # Errors
/// A list of what is wrong with the sizes.
pub fn decoder_graph(spec: &DecoderSpec, dtype: DType, cache: DType) -> Result<(Graph, States), Violations> {
    let flow = Flow::new("decoder", dtype);
    let builder = flow.builder().clone();
    let run = DecoderRun::new(&builder, cache);
    let ropes: Vec<Rotation> = spec.ropes.iter().map(|rope| Rotation::new(rope, &run.positions)).collect();

    let table = flow.block("tokens", |flow| flow.param("weight", &[spec.vocab, spec.width]));
    let mut x = table.embedding(&run.tokens).convert(DType::F32);
    if let Some(scale) = spec.embedding_scale {
        x = x * scale;
    }
    if spec.learned_positions {
        let table = flow.block("positions", |flow| flow.param("weight", &[spec.context, spec.width]));
        x = x + table.embedding(&run.positions).convert(DType::F32);
    }
    let mut caches = Vec::new();
    for (i, layer) in spec.layers.iter().enumerate() {
        let rope = layer.attention.rope.map(|rope| &ropes[rope]);
        let (next, kept) =
            flow.block(&format!("layers.{i}"), |flow| decoder_layer(flow, &x, spec, layer, rope, &run));
        x = next;
        caches.push(kept);
    }
    let x = flow.block("norm", |flow| norm(flow, &x, &spec.norm));
    let x = flow.block("output", |flow| {
        let table = if spec.tied { table } else { flow.param("weight", &[spec.vocab, spec.width]) };
        project(&x, &table)
    });
    let x = spec.logit_softcap.map_or(x.clone(), |cap| (x / cap).tanh() * cap);

    let mut outputs = vec![x];
    let mut states = States::new();
    for (i, cache) in caches.into_iter().enumerate() {
        for (part, value) in [("key", cache.keys), ("value", cache.values)] {
            states.push((format!("layers.{i}.attention.cache.{part}"), outputs.len()));
            outputs.push(value);
        }
    }
    flow.finish(&outputs.iter().collect::<Vec<_>>()).map(|graph| (graph, states))
}

/// What one run of the graph is given.
struct DecoderRun {
    tokens: Tensor,
    start: Tensor,
    /// The place of each of `tokens` in its sequence.
    positions: Tensor,
    /// Rows that count in the caches once the run's own are in.
    rows: Tensor,
    cache: DType,
}

impl DecoderRun {
    fn new(builder: &Builder, cache: DType) -> DecoderRun {
        let [batch, seq] = ["batch", "seq"].map(Dim::dynamic);
        let shape = Shape::from_dims(&[batch.clone(), seq.clone()], DType::I32);
        let tokens = builder.input("tokens", shape.clone());
        let start = builder.input("start", Shape::from_dims(&[batch], DType::I32));
        let positions = start.broadcast_in_dim(shape.dims(), &[0]) + builder.iota(shape, 1);
        let rows = positions.reduce(ReduceOp::Max, &[1], false) + builder.int(1, DType::I32);
        DecoderRun { tokens, start, positions, rows, cache }
    }
}

/// One layer on the stream x `[batch, seq, width]`, and its caches.
fn decoder_layer(
    flow: &Flow,
    x: &Tensor,
    spec: &DecoderSpec,
    layer: &LayerSpec,
    rope: Option<&Rotation>,
    run: &DecoderRun,
) -> (Tensor, Cache) {
    let (x, cache) = residual(flow, "attention", x, layer, |flow, x| {
        attention::attention(flow, x, spec.width, &layer.attention, rope, run)
    });
    let (x, ()) =
        residual(flow, "feed", &x, layer, |flow, x| (feed::feed(flow, x, spec.width, &layer.feed), ()));
    (x, cache)
}

/// x and what `part` makes of it, with the norms of the layer around.
fn residual<R>(
    flow: &Flow,
    name: &str,
    x: &Tensor,
    layer: &LayerSpec,
    part: impl FnOnce(&Flow, &Tensor) -> (Tensor, R),
) -> (Tensor, R) {
    let LayerSpec { norm: spec, placement, .. } = layer;
    let normed = flow.block(&format!("{name}_norm"), |flow| norm(flow, x, spec));
    let (mut added, rest) = flow.block(name, |flow| part(flow, &normed));
    if *placement == NormPlacement::Around {
        added = flow.block(&format!("{name}_after_norm"), |flow| norm(flow, &added, spec));
    }
    (x + added, rest)
}

/// The norm of the last axis, by `weight` and `bias` of this part.
fn norm(flow: &Flow, x: &Tensor, spec: &NormSpec) -> Tensor {
    let last = x.rank().saturating_sub(1);
    let width = x.dim(last).as_static().unwrap_or_default();
    let weight = flow.param("weight", &[width]).convert(DType::F32);
    match spec.kind {
        NormKind::Rms => x.rms_norm(last, spec.eps, Some(&weight)),
        NormKind::Layer => {
            let bias = flow.param("bias", &[width]).convert(DType::F32);
            x.layer_norm(last, spec.eps, Some(&weight), Some(&bias))
        }
    }
}

/// x `[…, inputs]` · Wᵀ → f32 `[…, outputs]`, with W `[outputs, inputs]` as `weight` of the part `name`, and its `bias` if it has one.
fn linear(flow: &Flow, name: &str, x: &Tensor, (inputs, outputs): (usize, usize), bias: bool) -> Tensor {
    flow.block(name, |flow| {
        let product = project(x, &flow.param("weight", &[outputs, inputs]));
        if bias { product + flow.param("bias", &[outputs]).convert(DType::F32) } else { product }
    })
}

/// x · Wᵀ of numbers as W has them, added up in f32.
fn project(x: &Tensor, weight: &Tensor) -> Tensor {
    contract_last(&x.convert(weight.dtype()), weight).convert(DType::F32)
}
