//! Exports graphs as StableHLO text. `form` makes the graph that is written, `writer` owns MLIR's syntax, and the other
//! files write one family of ops each.

mod constant;
mod contraction;
mod control;
mod elementwise;
mod expansion;
mod form;
mod indexing;
mod nodes;
mod reduction;
mod routines;
mod shaping;
mod sizes;
mod support;
mod writer;

pub use form::exported_form;
pub use support::has_form;

use crate::composite;
use rlx_escape::mlir_string;
use rlx_ir::{Graph, Node, Op};
use writer::{EmittedValue, Module, Writer, is_ssa_name, symbol, ty};

/// Options for writing a graph.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ExportOptions {
    /// Whether to write the expansion of ops that StableHLO lacks in place, for compilers that do not know
    /// `stablehlo.composite`. Reading such a module does not restore the ops.
    pub inline_expansions: bool,
    /// Pairs of an input and an output of the same shape. The program may write the output over the input if its caller
    /// donates the input's array.
    pub aliases: Vec<(usize, usize)>,
}

impl ExportOptions {
    /// Returns the options with expansions written in place, or as composites.
    pub fn with_inline_expansions(mut self, inline: bool) -> Self {
        self.inline_expansions = inline;
        self
    }

    /// Returns the options with these pairs of an input and the output that may be written over it.
    pub fn with_aliases(mut self, aliases: Vec<(usize, usize)>) -> Self {
        self.aliases = aliases;
        self
    }
}

/// All reasons why a graph cannot be written, one per line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct ExportError(pub Vec<String>);

/// Writes a graph as a module. Its `main` takes the inputs and parameters in the order of the graph and returns the
/// outputs. The text represents the [`exported_form`] of the graph; [`crate::composite`] describes how ops that
/// StableHLO lacks are named.
///
/// # Errors
///
/// Fails if there is no way to write an op for its element types, and lists all such ops.
pub fn export(graph: &Graph, options: &ExportOptions) -> Result<String, ExportError> {
    graph.check_links().map_err(|e| ExportError(vec![e.to_string()]))?;
    let graph = exported_form(graph)?;
    let mut module = Module::new(options);
    let leaves: Vec<&Node> =
        graph.nodes().iter().filter(|n| matches!(n.op(), Op::Input { .. } | Op::Param { .. })).collect();
    let (inputs, arguments) = arguments(&leaves, &options.aliases);
    let mut writer = Writer::new(&mut module);
    writer.sizes.learn(&inputs);
    writer.assert_sizes(&inputs);
    let outputs = writer.graph(&graph, &inputs);
    writer.finish_block("return", &outputs);
    let body = std::mem::take(&mut writer.text);
    if !module.problems.is_empty() {
        return Err(ExportError(module.problems));
    }
    let results: Vec<String> = graph.output_shapes().iter().map(ty).collect();
    let mut text = format!(
        "module {} {{\n  func.func public @main({}) -> ({}) {{\n{body}  }}\n",
        symbol(if graph.name().is_empty() { "main" } else { graph.name() }),
        arguments.join(", "),
        results.join(", ")
    );
    text.extend(module.functions);
    text.push_str("}\n");
    Ok(text)
}

/// Returns the values of the arguments of `main` and their text. The SSA name of an argument is its own name if that is
/// a valid SSA name and not taken.
fn arguments(leaves: &[&Node], aliases: &[(usize, usize)]) -> (Vec<EmittedValue>, Vec<String>) {
    let mut inputs = 0..;
    let mut values: Vec<EmittedValue> = Vec::new();
    let mut texts = Vec::new();
    for (i, leaf) in leaves.iter().enumerate() {
        let (Op::Input { name } | Op::Param { name }) = leaf.op() else { continue };
        let own = format!("%{name}");
        let reserved = name.starts_with("arg") || values.iter().any(|v| v.name == own);
        let plain = is_ssa_name(name) && !reserved;
        let ssa = if plain { own } else { format!("%arg{i}") };
        let shape = leaf.shape();
        let mut attributes = Vec::new();
        if !plain {
            attributes.push(format!("{} = {}", composite::NAME, mlir_string(name)));
        }
        if matches!(leaf.op(), Op::Param { .. }) {
            attributes.push(composite::PARAM.to_string());
        }
        let input = matches!(leaf.op(), Op::Input { .. }).then(|| inputs.next()).flatten();
        if let Some((_, output)) = aliases.iter().find(|(of, _)| input == Some(*of)) {
            attributes.push(format!("{} = {output} : i32", composite::ALIASING_OUTPUT));
        }
        if !shape.is_static() {
            let dims: Vec<String> = shape.dims().iter().map(ToString::to_string).collect();
            attributes.push(format!("{} = {}", composite::DIMS, mlir_string(&dims.join(","))));
        }
        let attributes =
            if attributes.is_empty() { String::new() } else { format!(" {{{}}}", attributes.join(", ")) };
        texts.push(format!("{ssa}: {}{attributes}", ty(shape)));
        values.push(EmittedValue { name: ssa, shape: shape.clone() });
    }
    (values, texts)
}
