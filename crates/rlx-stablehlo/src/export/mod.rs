//! Exports graphs as text. `form` makes the graph that is written; `writer` owns MLIR's syntax; the other files
//! write one family of ops each.

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

/// How a graph is written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ExportOptions {
    /// Write ops that StableHLO lacks as what they expand to, in place, for compilers that do not know
    /// `stablehlo.composite`. Reading such a module does not give the ops back.
    pub inline_expansions: bool,
    /// Pairs of an input and the output of the same shape that may be written over it, where the caller of the program gives up the
    /// array of the input.
    pub aliases: Vec<(usize, usize)>,
}

impl ExportOptions {
    /// The same options with expansions in place, or as composites.
    pub fn with_inline_expansions(mut self, inline: bool) -> Self {
        self.inline_expansions = inline;
        self
    }

    /// The same options with these pairs of an input and the output that may be written over it.
    pub fn with_aliases(mut self, aliases: Vec<(usize, usize)>) -> Self {
        self.aliases = aliases;
        self
    }
}

/// Why a graph cannot be written: every reason, one per line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct ExportError(pub Vec<String>);

/// Writes a graph as a module whose `main` takes the inputs and parameters, in the order of the graph, and gives the
/// outputs. What is written is [`exported_form`] of the graph; [`crate::composite`] says how ops that StableHLO lacks are named.
///
/// Fails where an op, on the types that it has, can be written in no way; the error lists all of them.
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

/// The values of the arguments of `main`, and how they are written. An argument has its name as SSA name where that is one
/// and is not taken.
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
