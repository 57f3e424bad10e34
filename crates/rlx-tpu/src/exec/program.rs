//! A compiled graph: the loaded program, its arguments, and places for its results in host memory.

use crate::api::{Client, LoadedProgram};
use rlx_compile::{Alias, BackendError};
use rlx_exec::ProgramLayout;
use rlx_ir::{DType, Graph, Op, Shape};
use rlx_stablehlo::{ExportOptions, export};

/// The source of an argument of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// The input with this index.
    Input(usize),
    /// The parameter with this index.
    Param(usize),
}

/// One argument of the program.
pub(super) struct Argument {
    pub(super) source: Source,
    pub(super) dtype: DType,
    pub(super) dims: Vec<usize>,
}

/// A compiled graph.
pub struct Program {
    pub(super) loaded: LoadedProgram,
    pub(super) arguments: Vec<Argument>,
    /// For each input, the index of its argument.
    pub(super) inputs: Vec<usize>,
    pub(super) layout: ProgramLayout,
    /// Length of the exported text in bytes.
    pub(super) text_bytes: usize,
}

impl Program {
    /// Exports a lowered graph with static sizes and compiles it for device `ordinal`. If a run donates the state of an alias pair, the
    /// pair's output is written over it.
    pub(super) fn new(
        client: &Client,
        ordinal: usize,
        graph: &Graph,
        aliases: &[Alias],
    ) -> Result<Program, BackendError> {
        let text = exported(graph, aliases)?;
        let loaded = client.compile_for(ordinal, &text).map_err(|e| {
            let platform = client.platform();
            BackendError::Unsupported(format!("the plugin for {platform} does not compile the program: {e}"))
        })?;
        let results = graph.output_shapes();
        if loaded.outputs() != results.len() || loaded.output_shapes().is_some_and(|got| got != results) {
            let got = loaded.output_shapes().map_or_else(|| loaded.outputs().to_string(), listed);
            let message = format!("the compiled program returns {got} in place of {}", listed(&results));
            return Err(BackendError::Unsupported(message));
        }
        let layout = ProgramLayout::of_graph(graph, aliases, false)?;
        let arguments = arguments(graph)?;
        let of_inputs = arguments.iter().enumerate().filter(|(_, a)| matches!(a.source, Source::Input(_)));
        let inputs = of_inputs.map(|(at, _)| at).collect();
        Ok(Program { loaded, arguments, inputs, layout, text_bytes: text.len() })
    }
}

/// Returns a lowered graph as the text that plugins receive: StableHLO, in which everything that StableHLO lacks is expanded.
///
/// # Errors
/// The error lists every op that cannot be written.
pub fn stablehlo(graph: &Graph) -> Result<String, BackendError> {
    exported(graph, &[])
}

fn exported(graph: &Graph, aliases: &[Alias]) -> Result<String, BackendError> {
    let aliases = aliases.iter().map(|alias| (alias.input, alias.output)).collect();
    let options = ExportOptions::default().with_inline_expansions(true).with_aliases(aliases);
    export(graph, &options).map_err(|e| BackendError::Unsupported(e.to_string()))
}

fn listed(shapes: &[Shape]) -> String {
    let shapes: Vec<String> = shapes.iter().map(Shape::to_string).collect();
    format!("({})", shapes.join(", "))
}

/// Returns the arguments of `main`: inputs and parameters in the order of the graph.
fn arguments(graph: &Graph) -> Result<Vec<Argument>, BackendError> {
    let (mut inputs, mut params) = (0.., 0..);
    let mut list = Vec::new();
    for node in graph.nodes() {
        let source = match node.op() {
            Op::Input { .. } => inputs.next().map(Source::Input),
            Op::Param { .. } => params.next().map(Source::Param),
            _ => None,
        };
        if let Some(source) = source {
            let (dtype, dims) = (node.shape().dtype(), node.shape().static_dims());
            let dims = dims.ok_or_else(|| symbolic(node.shape()))?;
            list.push(Argument { source, dtype, dims });
        }
    }
    Ok(list)
}

fn symbolic(shape: &Shape) -> BackendError {
    BackendError::Unsupported(format!("{shape} has no size; a plugin compiles static graphs"))
}
