//! Measures importance matrices: runs a text through the model and sums the squares of every matrix's inputs.

use crate::checkpoint::Checkpoint;
use crate::error::LlmError;
use crate::export::gguf_name;
use crate::families::{Family, Param};
use crate::finite::FiniteCheck;
use crate::graph::{CacheType, ModelState, angle_inputs, decoder_graph};
use crate::parameters::{self, TensorSource, TensorsFound};
use crate::spec::DecoderSpec;
use rlx_files::display::quoted;
use rlx_gguf::{ImportanceMatrix, ModelFiles};
use rlx_ir::{Builder, CompareOp, DType, Dim, Graph, Node, NodeId, Op, ReduceOp, Shape, Tensor, Violations};
use rlx_session::{CompiledGraph, Session};
use std::path::Path;
use std::sync::Arc;

/// A model whose graph returns these sums instead of logits.
pub struct ImportanceRun {
    spec: DecoderSpec,
    checkpoint: Arc<Checkpoint>,
    finite: FiniteCheck,
    program: CompiledGraph,
    states: Vec<ModelState>,
    seen: Vec<Seen>,
    window: usize,
    /// Whether any state has a row for each token.
    has_capacity: bool,
}

/// The sums of one tensor.
struct Seen {
    tensor: String,
    /// The index of the output with the sums. For matrices of experts, the next output is the number of rows of each
    /// expert.
    output: usize,
    experts: bool,
}

impl ImportanceRun {
    /// Opens the model at `path` to read up to `window` tokens at a time.
    ///
    /// # Errors
    /// The same as [`LanguageModel::open`](crate::LanguageModel::open), and [`LlmError::Export`] if GGUF files have
    /// no names for the tensors of the family.
    pub fn open(path: &Path, session: &Session, window: usize) -> Result<ImportanceRun, LlmError> {
        Self::from_files(&ModelFiles::open(path)?, session, window)
    }

    /// Does the same as [`open`](Self::open) for files that are already open.
    ///
    /// # Errors
    /// The same as [`ImportanceRun::open`].
    pub fn from_files(
        files: &ModelFiles,
        session: &Session,
        window: usize,
    ) -> Result<ImportanceRun, LlmError> {
        let path = files.path();
        let checkpoint = Arc::new(Checkpoint::new(files)?);
        let (spec, names) = Family::load(path, &checkpoint)?;
        let gguf = Family::gguf_names(path, &checkpoint).ok_or_else(|| LlmError::Export {
            path: path.to_path_buf(),
            problem: "GGUF files have no names for the tensors of its family".into(),
        })?;
        let tensors = TensorsFound::new(&checkpoint, names);
        let graph = decoder_graph(&spec, &tensors, CacheType::F32);
        let sources = tensors.finish()?;
        let (mut graph, states) = graph?;
        let name = |param: &str| gguf_name(&Param::new(param), &checkpoint, names, gguf);
        let seen = observe(&mut graph, name)?;
        let has_capacity = graph.symbols().iter().any(|symbol| symbol.name() == "capacity");
        let mut program = session.try_compile(graph)?;
        for source in &sources {
            parameters::set(&mut program, source, &checkpoint, None)?;
        }
        let tensors = sources.iter().flat_map(TensorSource::tensors).collect();
        let finite = FiniteCheck::new(path, tensors, Vec::new(), CacheType::F32);
        Ok(ImportanceRun { spec, checkpoint, finite, program, states, seen, window, has_capacity })
    }

    /// Runs one window of tokens and adds the squares of the matrices' inputs to `matrix`.
    ///
    /// # Errors
    /// Returns [`LlmError::NotFinite`] if the model computes a value that is not finite, and any error of the run.
    /// The window is then not added to the matrix.
    pub fn add(&mut self, tokens: &[u32], matrix: &mut ImportanceMatrix) -> Result<(), LlmError> {
        let ints = |values: &[i32]| values.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
        let ids: Vec<i32> = tokens.iter().map(|&id| id as i32).collect();
        let count = tokens.len() as i32;
        let inputs =
            [("tokens", ints(&ids)), ("start", ints(&[0])), ("count", ints(&[count])), ("rows", ints(&[0]))];
        let empty: Vec<Vec<u8>> =
            self.states.iter().map(|state| vec![0; bytes_of(&state.shape, self.window)]).collect();
        let states = self.states.iter().zip(&empty);
        let states = states.map(|(state, bytes)| (state.name.as_str(), &bytes[..], state.shape.dtype()));
        let angles = angle_inputs(&self.spec, &[tokens.len()]);
        let angles = angles.iter().map(|(name, bytes)| (name.as_str(), &bytes[..], DType::F32));
        let inputs = inputs.iter().map(|(name, bytes)| (*name, &bytes[..], DType::I32));
        let inputs = inputs.chain(angles).chain(states);
        let inputs: Vec<(&str, &[u8], DType)> = inputs.collect();
        let sizes = [("batch", 1), ("seq", tokens.len()), ("outputs", 1), ("capacity", self.window)];
        self.program.bind_dims(&sizes[..if self.has_capacity { 4 } else { 3 }])?;
        self.program.run_kept(&inputs)?;
        let mut sums = Vec::with_capacity(self.seen.len());
        for Seen { tensor, output, experts } in &self.seen {
            let numbers = |output: usize| -> Result<Vec<f32>, LlmError> {
                let bytes = self.program.try_output_bytes(output)?;
                Ok(bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
            };
            let counts = if *experts { numbers(output + 1)? } else { vec![tokens.len() as f32] };
            let squares = numbers(*output)?;
            if let Some(value) = squares.iter().find(|value| !value.is_finite()) {
                let what = format!(
                    "an input of {} is {value} in a window of {} tokens",
                    quoted(tensor),
                    tokens.len()
                );
                return Err(self.finite.error(what, &self.checkpoint, &self.program));
            }
            sums.push((tensor, squares, counts));
        }
        sums.iter().for_each(|(tensor, squares, counts)| matrix.add(tensor, squares, counts));
        Ok(())
    }
}

/// The size in bytes of a state for one sequence.
fn bytes_of(shape: &Shape, window: usize) -> usize {
    let size = |dim: &Dim| match dim.as_static() {
        Some(n) => n,
        None if *dim == Dim::dynamic("batch") => 1,
        None => window,
    };
    shape.dims().iter().map(size).product::<usize>() * shape.dtype().size()
}

/// Replaces the outputs of a graph by the sums over the inputs of its layers' matrices.
fn observe(graph: &mut Graph, name: impl Fn(&str) -> Option<String>) -> Result<Vec<Seen>, Violations> {
    let products: Vec<(String, Vec<NodeId>)> =
        graph.nodes().iter().filter_map(|node| Some((matrix_of(graph, node)?, operands(node)))).collect();
    let (mut seen, mut outputs) = (Vec::<Seen>::new(), Vec::new());
    for (param, operands) in products {
        let Some(tensor) = name(&param).filter(|tensor| seen.iter().all(|seen| seen.tensor != *tensor))
        else {
            continue;
        };
        let shapes: Vec<Shape> = operands.iter().map(|&id| graph.node(id).shape().clone()).collect();
        let sums = match &shapes[..] {
            [x] => sums_of_all(x)?,
            [x, sizes] => sums_of_runs(x, sizes)?,
            _ => continue,
        };
        seen.push(Seen { tensor, output: outputs.len(), experts: shapes.len() > 1 });
        outputs.extend(graph.inline(&sums, &operands));
    }
    graph.set_outputs(outputs);
    Ok(seen)
}

/// Returns the parameter of a layer that `node` multiplies with, if it is such a product.
fn matrix_of(graph: &Graph, node: &Node) -> Option<String> {
    let product = matches!(
        node.op(),
        Op::DotGeneral { .. }
            | Op::DequantMatMul { .. }
            | Op::RaggedDot { .. }
            | Op::DequantGroupedMatMul { .. }
    );
    let mut at = graph.node(*node.inputs().get(1).filter(|_| product)?);
    loop {
        match (at.op(), at.inputs()) {
            (Op::Param { name }, _) => {
                return Some(name.to_string()).filter(|name| name.starts_with("layers."));
            }
            (_, [only]) => at = graph.node(*only),
            _ => return None,
        }
    }
}

/// Returns the input of a product and, if experts share it, the number of rows of each expert.
fn operands(node: &Node) -> Vec<NodeId> {
    let inputs = node.inputs();
    inputs.first().into_iter().chain(inputs.get(2)).copied().collect()
}

/// Sums the squares of each column of x `[…, columns]`.
fn sums_of_all(x: &Shape) -> Result<Graph, Violations> {
    let builder = Builder::new("importance");
    let x = builder.input("x", x.clone());
    let axes: Vec<usize> = (0..x.rank().saturating_sub(1)).collect();
    let x = x.convert(DType::F32);
    let sums = (&x * &x).reduce(ReduceOp::Sum, &axes, false);
    builder.finish(&[&sums])
}

/// Sums the squares of each column in each run of rows of x `[rows, columns]`, where `sizes` has the lengths of the
/// runs. Returns the sums `[runs, columns]`, and the sizes as f32.
fn sums_of_runs(x: &Shape, sizes: &Shape) -> Result<Graph, Violations> {
    let builder = Builder::new("importance");
    let (x, sizes) = (builder.input("x", x.clone()), builder.input("sizes", sizes.clone()));
    let (rows, runs) = (x.dim(0), sizes.dim(0));
    let sizes = sizes.convert(DType::I32);
    // The end of each run is the sum of all sizes up to and including its own.
    let square = [runs.clone(), runs.clone()];
    let number = |axis| builder.iota(Shape::from_dims(&square, DType::I32), axis);
    let up_to = number(1).compare(CompareOp::Le, &number(0)).convert(DType::I32);
    let ends = (up_to * sizes.broadcast_in_dim(&square, &[1])).reduce(ReduceOp::Sum, &[1], false);
    let of_rows = [runs, rows];
    let row = builder.iota(Shape::from_dims(&of_rows, DType::I32), 1);
    let is =
        |op, bound: &Tensor| row.compare(op, &bound.broadcast_in_dim(&of_rows, &[0])).convert(DType::F32);
    let own = is(CompareOp::Ge, &(&ends - &sizes)) * is(CompareOp::Lt, &ends);
    let x = x.convert(DType::F32);
    let sums = own.matmul(&(&x * &x));
    builder.finish(&[&sums, &sizes.convert(DType::F32)])
}
