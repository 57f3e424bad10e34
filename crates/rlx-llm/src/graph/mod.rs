//! The graph of a decoder, built from its spec and the same for all families.
//!
//! Inputs, with the symbols `batch`, `seq`, `outputs` and `capacity`:
//!
//! | name | type | contents |
//! |---|---|---|
//! | `tokens` | `i32[batch,seq]` | the next tokens of each sequence |
//! | `start` | `i32[batch]` | how many of its tokens are already in the cache |
//! | `rows` | `i32[batch,outputs]` | the indices, within this run, of the tokens after which logits are returned |
//! | `count` | `i32[batch]` | how many of `tokens` belong to the sequence |
//! | `angles.{i}` | `f32[batch,pairs]` | the frequencies of rotary embedding i, if they change with the length of a text ([`RopeSpec::of_length`]) |
//! | one for each [`ModelState`] | its shape | the state after earlier tokens; the outputs after the logits are the next states |
//!
//! A sequence that is shorter than `seq` is padded at its end with arbitrary tokens. No real token reads them, the
//! next tokens of the sequence overwrite their rows, and they do not change the other states.

mod adapted;
mod attention;
mod cache;
mod experts;
mod feed;
mod part;
mod recurrent;
mod rope;
mod training;

#[cfg(doc)]
use crate::spec::RopeSpec;
use crate::spec::{DecoderSpec, LayerSpec, MixerSpec, NormPlacement};
pub use cache::CacheType;
use part::ModelPart;
use rlx_flow::Flow;
use rlx_ir::{Builder, CompareOp, DType, Dim, Graph, Literal, ReduceOp, Shape, Tensor, Violations};
use rope::Rotation;

pub(crate) use adapted::low_rank_names;
pub use part::{Parameters, Role};
pub(crate) use rope::angle_inputs;
pub use training::training_graph;

/// A state that a model keeps for earlier tokens: an input whose next value is an output. It starts as zeros.
#[derive(Clone, Debug)]
pub struct ModelState {
    /// The name of the input.
    pub name: String,
    /// The index of the output.
    pub output: usize,
    /// The shape, with the symbols `batch` and `capacity`.
    pub shape: Shape,
    /// What the state holds.
    pub kind: StateKind,
}

/// What a state holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateKind {
    /// One row per token along `capacity`. The last tokens can be forgotten by counting fewer rows.
    Rows,
    /// A summary of fixed size. Single tokens cannot be forgotten.
    Summary,
}

/// A state that a layer has computed.
struct NextState {
    name: String,
    value: Tensor,
    shape: Shape,
    kind: StateKind,
}

/// Builds the graph of a decoder, and returns it with its states. `parameters` says how parameters are stored, and
/// `cache` is the type of the caches. Output 0 is the logits after the tokens selected by `rows`,
/// `f32[batch,outputs,vocab]`.
///
/// # Errors
/// Returns the list of problems with the sizes.
pub fn decoder_graph(
    spec: &DecoderSpec,
    parameters: &dyn Parameters,
    cache: CacheType,
) -> Result<(Graph, Vec<ModelState>), Violations> {
    graph_with_states(spec, parameters, cache, None)
}

/// Does the same as [`decoder_graph`] for a program whose cache has `table` rows. Values that only depend on
/// positions are looked up in tables.
///
/// # Errors
/// Returns the list of problems with the sizes.
pub(crate) fn tabled_decoder_graph(
    spec: &DecoderSpec,
    parameters: &dyn Parameters,
    cache: CacheType,
    rows: usize,
) -> Result<(Graph, Vec<ModelState>), Violations> {
    graph_with_states(spec, parameters, cache, Some(rows))
}

fn graph_with_states(
    spec: &DecoderSpec,
    parameters: &dyn Parameters,
    cache: CacheType,
    table: Option<usize>,
) -> Result<(Graph, Vec<ModelState>), Violations> {
    let flow = Flow::new("decoder", DType::F32);
    let run = DecoderRun { table, ..DecoderRun::new(flow.builder(), cache) };
    let (logits, next_states) = logits(&ModelPart::new(flow.clone(), parameters), spec, &run);
    let mut outputs = vec![logits];
    let mut states = Vec::new();
    for NextState { name, value, shape, kind } in next_states {
        states.push(ModelState { name, output: outputs.len(), shape, kind });
        outputs.push(value);
    }
    flow.finish(&outputs.iter().collect::<Vec<_>>()).map(|graph| (graph, states))
}

/// Returns the logits of a run and the next states.
fn logits(model: &ModelPart<'_>, spec: &DecoderSpec, run: &DecoderRun) -> (Tensor, Vec<NextState>) {
    let ropes: Vec<Rotation> = run.rotations(spec);
    let table = model.block("tokens", |part| part.matrix(spec.vocab, spec.width));
    let mut x = table.rows(&run.tokens);
    if let Some(scale) = spec.embedding_scale {
        x = x * scale;
    }
    if spec.learned_positions {
        let table = model.block("positions", |part| part.matrix(spec.context, spec.width));
        x = x + table.rows(&run.positions);
    }
    let mut next_states = Vec::new();
    for (i, layer) in spec.layers.iter().enumerate() {
        let (next, kept) =
            model.block(&format!("layers.{i}"), |part| decoder_layer(part, &x, spec, layer, &ropes, run));
        x = next;
        next_states.extend(kept);
    }
    let x = model.norm("norm", &run.wanted(&x), &spec.norm);
    let x = model.block("output", |part| {
        let dims = [spec.vocab, spec.width];
        let matrix = if spec.tied { part.adapted(table.base, &dims) } else { part.matrix(dims[0], dims[1]) };
        matrix.project(&x)
    });
    (spec.logit_softcap.map_or(x.clone(), |cap| (x / cap).tanh() * cap), next_states)
}

/// The inputs of one run of the graph.
struct DecoderRun {
    tokens: Tensor,
    /// The position of each token in its sequence.
    positions: Tensor,
    /// How many of the tokens belong to each sequence; the rest is padding.
    count: Tensor,
    /// The tokens after which logits are returned, or `None` for all.
    wanted: Option<Tensor>,
    /// The earlier tokens, or `None` if sequences begin with this run.
    past: Option<Past>,
    /// The number of rows of tables for values that only depend on positions, or `None` for no tables.
    table: Option<usize>,
    /// The number of tokens of each sequence, if it is known and the same for all.
    length: Option<usize>,
}

/// What a run knows about earlier tokens.
struct Past {
    /// How many earlier tokens each sequence has.
    start: Tensor,
    /// How many rows of each cache count after this run's rows are appended.
    rows: Tensor,
    /// The type of the caches.
    cache: CacheType,
}

impl DecoderRun {
    fn new(builder: &Builder, cache: CacheType) -> DecoderRun {
        let [batch, seq] = ["batch", "seq"].map(Dim::dynamic);
        let shape = Shape::from_dims(&[batch.clone(), seq.clone()], DType::I32);
        let tokens = builder.input("tokens", shape.clone());
        let start = builder.input("start", Shape::from_dims(std::slice::from_ref(&batch), DType::I32));
        let count = builder.input("count", Shape::from_dims(std::slice::from_ref(&batch), DType::I32));
        let wanted = builder.input("rows", Shape::from_dims(&[batch, Dim::dynamic("outputs")], DType::I32));
        let positions = start.broadcast_in_dim(shape.dims(), &[0]) + builder.iota(shape, 1);
        let rows = positions.reduce(ReduceOp::Max, &[1], false) + builder.int(1, DType::I32);
        let past = Some(Past { start, rows, cache });
        DecoderRun { tokens, positions, count, wanted: Some(wanted), past, table: None, length: None }
    }

    fn rotations(&self, spec: &DecoderSpec) -> Vec<Rotation> {
        let rotation = |(i, rope)| match self.table {
            Some(rows) => Rotation::tabled(rope, &self.positions, rows),
            None => Rotation::new(i, rope, &self.positions, self.length),
        };
        spec.ropes.iter().enumerate().map(rotation).collect()
    }

    /// Returns the full name of the state `name` of a part, and its value: an input, or zeros if there are no earlier
    /// tokens.
    fn state(&self, part: &ModelPart<'_>, name: &str, shape: &Shape) -> (String, Tensor) {
        let full = format!("{}.{name}", part.flow.path());
        let builder = part.flow.builder();
        let value = match &self.past {
            Some(_) => builder.input(full.clone(), shape.clone()),
            None => builder.constant(Literal::scalar(0.0f32)).broadcast_to(shape.dims()),
        };
        (full, value)
    }

    /// Returns 1 for tokens of a sequence and 0 for padding, f32 `[batch, seq]`.
    fn counts(&self, dims: &[Dim]) -> Tensor {
        let places = self.tokens.builder().iota(Shape::from_dims(dims, DType::I32), 1);
        places.compare(CompareOp::Lt, &self.count.broadcast_in_dim(dims, &[0])).convert(DType::F32)
    }

    /// Returns the rows of x `[batch, seq, width]` after which logits are returned.
    fn wanted(&self, x: &Tensor) -> Tensor {
        let Some(wanted) = &self.wanted else { return x.clone() };
        let dims = [wanted.dim(0), wanted.dim(1), x.dim(2)];
        x.gather(&wanted.broadcast_in_dim(&dims, &[0, 1]), 1)
    }
}

/// Applies one layer to the stream x `[batch, seq, width]`, and returns the stream and the layer's next states.
fn decoder_layer(
    part: &ModelPart<'_>,
    x: &Tensor,
    spec: &DecoderSpec,
    layer: &LayerSpec,
    ropes: &[Rotation],
    run: &DecoderRun,
) -> (Tensor, Vec<NextState>) {
    let (width, eps) = (spec.width, layer.norm.eps);
    let (x, states) = match &layer.mixer {
        MixerSpec::Attention(spec) => residual(part, ["attention", "mixer"], x, layer, |part, x| {
            let rope = spec.rope.and_then(|rope| ropes.get(rope));
            attention::attention(part, x, width, spec, rope, run)
        }),
        MixerSpec::Mamba2(spec) => residual(part, ["mamba", "mixer"], x, layer, |part, x| {
            recurrent::mamba2(part, x, width, spec, eps, run)
        }),
        MixerSpec::DeltaNet(spec) => residual(part, ["delta", "mixer"], x, layer, |part, x| {
            recurrent::delta_net(part, x, width, spec, eps, run)
        }),
    };
    let Some(spec) = &layer.feed else { return (x, states) };
    let (x, ()) =
        residual(part, ["feed", "feed"], &x, layer, |part, x| (feed::feed(part, x, width, spec), ()));
    (x, states)
}

/// Returns x plus the output of the part `name`, with the norms that the layer places around it.
fn residual<R>(
    layer: &ModelPart<'_>,
    [name, norm]: [&str; 2],
    x: &Tensor,
    spec: &LayerSpec,
    part: impl FnOnce(&ModelPart<'_>, &Tensor) -> (Tensor, R),
) -> (Tensor, R) {
    let normed = layer.norm(&format!("{norm}_norm"), x, &spec.norm);
    let (mut added, rest) = layer.block(name, |inner| part(inner, &normed));
    if spec.placement == NormPlacement::Around {
        added = layer.norm(&format!("{norm}_after_norm"), &added, &spec.norm);
    }
    (x + added, rest)
}
