//! The graph of a decoder: one for all families, from what its spec says.
//!
//! Inputs, with the symbols `batch`, `seq`, `outputs` and `capacity`:
//!
//! | name | type | what it is |
//! |---|---|---|
//! | `tokens` | `i32[batch,seq]` | the next tokens of each sequence |
//! | `start` | `i32[batch]` | how many tokens of it lie in the cache already |
//! | `rows` | `i32[batch,outputs]` | after which of its tokens logits are wanted, counted in this run |
//! | `layers.{i}.attention.cache.key`, `.value` | `[batch,kv_heads,capacity,head]` | rows of earlier tokens: states that the outputs behind the logits update |
//!
//! A sequence that is shorter than `seq` is filled up with any tokens at its end: nothing in front reads them, and its next tokens
//! are written over their rows.

mod attention;
mod feed;
mod part;
mod rope;

use crate::spec::{DecoderSpec, LayerSpec, NormPlacement};
use attention::Cache;
use part::ModelPart;
use rlx_flow::Flow;
use rlx_ir::{Builder, DType, Dim, Graph, ReduceOp, Shape, Tensor, Violations};
use rope::Rotation;

pub use part::{Parameters, Role};

/// Inputs that hold rows of earlier tokens, each with the number of the output that is its next value.
pub type States = Vec<(String, usize)>;

/// The graph of a decoder whose parameters are stored as `parameters` says, with caches of the type `cache`, and its states. Output 0
/// is the logits after the tokens that `rows` names, `f32[batch,outputs,vocab]`.
///
/// # Errors
/// A list of what is wrong with the sizes.
pub fn decoder_graph(
    spec: &DecoderSpec,
    parameters: &dyn Parameters,
    cache: DType,
) -> Result<(Graph, States), Violations> {
    let flow = Flow::new("decoder", DType::F32);
    let run = DecoderRun::new(flow.builder(), cache);
    let model = ModelPart::new(flow.clone(), parameters);
    let ropes: Vec<Rotation> = spec.ropes.iter().map(|rope| Rotation::new(rope, &run.positions)).collect();

    let table = model.block("tokens", |part| part.matrix(spec.vocab, spec.width));
    let mut x = table.rows(&run.tokens);
    if let Some(scale) = spec.embedding_scale {
        x = x * scale;
    }
    if spec.learned_positions {
        let table = model.block("positions", |part| part.matrix(spec.context, spec.width));
        x = x + table.rows(&run.positions);
    }
    let mut caches = Vec::new();
    for (i, layer) in spec.layers.iter().enumerate() {
        let rope = layer.attention.rope.map(|rope| &ropes[rope]);
        let (next, kept) =
            model.block(&format!("layers.{i}"), |part| decoder_layer(part, &x, spec, layer, rope, &run));
        x = next;
        caches.push(kept);
    }
    let x = model.norm("norm", &run.wanted(&x), &spec.norm);
    let x = model.block("output", |part| {
        let table = if spec.tied { table } else { part.matrix(spec.vocab, spec.width) };
        table.project(&x)
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
    /// The tokens after which logits are wanted.
    wanted: Tensor,
    /// Rows that count in the caches once the run's own are in.
    rows: Tensor,
    cache: DType,
}

impl DecoderRun {
    fn new(builder: &Builder, cache: DType) -> DecoderRun {
        let [batch, seq] = ["batch", "seq"].map(Dim::dynamic);
        let shape = Shape::from_dims(&[batch.clone(), seq.clone()], DType::I32);
        let tokens = builder.input("tokens", shape.clone());
        let start = builder.input("start", Shape::from_dims(std::slice::from_ref(&batch), DType::I32));
        let wanted = builder.input("rows", Shape::from_dims(&[batch, Dim::dynamic("outputs")], DType::I32));
        let positions = start.broadcast_in_dim(shape.dims(), &[0]) + builder.iota(shape, 1);
        let rows = positions.reduce(ReduceOp::Max, &[1], false) + builder.int(1, DType::I32);
        DecoderRun { tokens, start, positions, wanted, rows, cache }
    }

    /// The rows of x `[batch, seq, width]` after which logits are wanted.
    fn wanted(&self, x: &Tensor) -> Tensor {
        let dims = [self.wanted.dim(0), self.wanted.dim(1), x.dim(2)];
        x.gather(&self.wanted.broadcast_in_dim(&dims, &[0, 1]), 1)
    }
}

/// One layer on the stream x `[batch, seq, width]`, and its caches.
fn decoder_layer(
    part: &ModelPart<'_>,
    x: &Tensor,
    spec: &DecoderSpec,
    layer: &LayerSpec,
    rope: Option<&Rotation>,
    run: &DecoderRun,
) -> (Tensor, Cache) {
    let (x, cache) = residual(part, "attention", x, layer, |part, x| {
        attention::attention(part, x, spec.width, &layer.attention, rope, run)
    });
    let (x, ()) =
        residual(part, "feed", &x, layer, |part, x| (feed::feed(part, x, spec.width, &layer.feed), ()));
    (x, cache)
}

/// x and what `part` makes of it, with the norms of the layer around.
fn residual<R>(
    layer: &ModelPart<'_>,
    name: &str,
    x: &Tensor,
    spec: &LayerSpec,
    part: impl FnOnce(&ModelPart<'_>, &Tensor) -> (Tensor, R),
) -> (Tensor, R) {
    let normed = layer.norm(&format!("{name}_norm"), x, &spec.norm);
    let (mut added, rest) = layer.block(name, |inner| part(inner, &normed));
    if spec.placement == NormPlacement::Around {
        added = layer.norm(&format!("{name}_after_norm"), &added, &spec.norm);
    }
    (x + added, rest)
}
