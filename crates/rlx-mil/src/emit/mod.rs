//! Writes graphs as programs.
//!
//! `nodes` selects the family that writes an op, and each family writes one kind of ops; `writer` owns blocks, names and constants.
//!
//! **MIL-1**: an op is claimed if its family does not decline it. The family is asked with placeholder values for the operands, so there is
//! no second list of what programs support.

mod attention;
mod blocks;
mod broadcast;
mod channels;
mod composite;
mod compressed;
mod constants;
mod contraction;
mod control;
mod elementwise;
mod flexible;
mod indexing;
mod integers;
mod intervals;
mod lower;
mod masked;
mod nodes;
mod norms;
mod patterns;
mod pooling;
mod quantized;
mod recognized;
mod recurrent;
mod reduction;
mod rounding;
mod runs;
mod shaping;
mod sorting;
mod state;
mod stored;
mod unpacking;
mod value;
mod writer;

pub use blocks::packed_params;
pub use compressed::{PackedValue, ParamValue};
pub use constants::ParamBytes;
pub use masked::Mask;
pub use state::{StatePair, is_kept};
pub use stored::StoredFloats;
pub use value::MAX_RANK;
pub(crate) use value::{Elem, OPEN};
pub(crate) use writer::Const;
pub use writer::{Dialect, Opset};

use crate::blob::Blobs;
use crate::message;
use flexible::Probes;
use lower::Lowering;
use rlx_ir::{DType, Graph, NodeId, Op, Shape};
use state::StateUpdates;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use value::{Held, Known, Var, merged_sizes};
use writer::ProgramWriter;
use writer::{Declined, WrittenBlock};

/// Whether programs of a dialect have operations for an op on operands, and with results, of these shapes, provided that operands that must
/// be constants are. The sizes must be known. For branches and loops, the graphs inside are checked separately.
pub fn has_form(op: &Op, operands: &[Shape], results: &[Shape], dialect: Dialect) -> bool {
    declined(op, operands, results, dialect).is_none()
}

/// Returns why programs of a dialect do not have operations for an op, if they do not: see [`has_form`].
pub fn declined(op: &Op, operands: &[Shape], results: &[Shape], dialect: Dialect) -> Option<String> {
    // Values with more axes than programs support are stored with other sizes.
    let sizes = nodes::sizes_in(op);
    let mut shapes = operands.iter().chain(results);
    if let Some(declined) = shapes.find_map(|shape| sizes(shape).err()) {
        return Some(declined);
    }
    if matches!(op, Op::If { .. } | Op::Case { .. } | Op::While { .. }) {
        return None;
    }
    let operand = |(i, shape): (usize, &Shape)| {
        let (elem, dims) = sizes(shape)?;
        let name: Arc<str> = format!("x{i}").into();
        let known = Some(Known::Param { name: name.clone(), stored: shape.dtype(), packed: None });
        Ok(Held::whole(Var { name, elem, dims, known }))
    };
    let types: Vec<DType> = operands.iter().map(Shape::dtype).collect();
    let operands: Result<Vec<Held>, Declined> = operands.iter().enumerate().map(operand).collect();
    let mut writer = ProgramWriter::new(dialect);
    let written = operands.and_then(|operands| nodes::op(&mut writer, op, &operands, &types, results));
    written.err().map(|declined| declined.0)
}

/// Whether programs can store values of this shape, possibly with fewer axes.
pub fn has_values(shape: &Shape) -> bool {
    merged_sizes(shape).is_ok()
}

/// Returns the nodes of a graph that programs of a dialect cannot express in their context, with the reasons: an op without a form, an
/// operand that must be known and is not, or integers that may not fit. Nodes inside of a node's graphs count as part of it.
pub fn refused(graph: &Graph, dialect: Dialect) -> HashMap<NodeId, String> {
    let mut w = ProgramWriter::new(dialect);
    w.packed = Some(packed_params(graph));
    let mut leaves = Vec::new();
    for node in graph.nodes() {
        let name = node.name().unwrap_or_default();
        let is_param = match node.op() {
            Op::Input { .. } => false,
            Op::Param { .. } => true,
            _ => continue,
        };
        leaves.push(match merged_sizes(node.shape()) {
            Ok((elem, dims)) if is_param => {
                let known = Known::Param { name: name.into(), stored: node.shape().dtype(), packed: None };
                Held::whole(w.known(known, elem, dims, name))
            }
            Ok((elem, dims)) => Held::whole(Var { name: name.into(), elem, dims, known: None }),
            Err(_) => nodes::placeholder(node.shape()),
        });
    }
    let mut found = HashMap::new();
    nodes::declined(&mut w, graph, &leaves, &mut |id, reason| {
        found.entry(id).or_insert_with(|| reason.to_string());
    });
    found
}

/// A graph as a function of a program.
#[derive(Clone, Debug)]
pub struct EmittedFunction {
    /// The function.
    pub function: message::Function,
    /// The inputs, with their names in the function, in the order of the graph's inputs without states.
    pub inputs: Vec<Feature>,
    /// The outputs, in the order of the graph's outputs without the next values of states.
    pub outputs: Vec<Feature>,
    /// The states that it reads and writes, in order.
    pub states: Vec<Feature>,
    /// Packed parameters that are not packed in the program, and why.
    pub unpacked: Vec<(String, String)>,
}

/// An input or output of a function: an array of a type that CoreML supports in models' inputs and outputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Feature {
    /// Its name in the program.
    pub name: String,
    /// The element type: f32, f16 or i32.
    pub dtype: DType,
    /// The sizes, at least one. Those that the run decides are [`Feature::OPEN`].
    pub dims: Vec<usize>,
}

impl Feature {
    /// A size that the run decides.
    pub const OPEN: usize = value::OPEN;

    /// Returns the sizes of an input or output of this shape, which must be static, or `None` if programs do not support such values.
    pub fn sizes(shape: &Shape) -> Option<Vec<usize>> {
        let (_, dims) = merged_sizes(shape).ok()?;
        Some(if dims.is_empty() { vec![1] } else { dims })
    }
}

/// A graph written as operations.
struct Draft {
    block: WrittenBlock,
    /// The states that it reads and writes.
    updates: StateUpdates,
    vars: Vec<Var>,
    inputs: Vec<Feature>,
    outputs: Vec<Feature>,
}

fn draft(graph: &Graph, dialect: Dialect, states: &[StatePair]) -> Result<Draft, Vec<String>> {
    let mut w = ProgramWriter::new(dialect);
    w.packed = Some(packed_params(graph));
    let (mut inputs, mut vars, mut leaves) = (Vec::new(), Vec::new(), Vec::new());
    let mut updates = StateUpdates::default();
    let mut number = 0..;
    for node in graph.nodes() {
        let leaf = match node.op() {
            Op::Input { name }
                if let Some(state) = number.next().and_then(|i| StatePair::of_input(states, i)) =>
            {
                updates.read(&mut w, name, node, graph.outputs().get(state.output).copied())
            }
            Op::Input { name } => input(&mut w, name, node.shape(), &mut inputs, &mut vars),
            Op::Param { name } => merged_sizes(node.shape()).map(|(elem, dims)| {
                let known =
                    Known::Param { name: name.as_str().into(), stored: node.shape().dtype(), packed: None };
                Held::whole(w.known(known, elem, dims, name))
            }),
            _ => continue,
        };
        leaves.push(leaf.map_err(|reason| format!("{}: {reason}", node.name().unwrap_or_default())));
    }
    let problems: Vec<String> = leaves.iter().filter_map(|leaf| leaf.as_ref().err().cloned()).collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    let leaves: Vec<Held> = leaves.into_iter().filter_map(Result::ok).collect();
    let results = nodes::with_states(&mut w, graph, &leaves, &updates);
    let is_state = |i: &usize| states.iter().any(|state| state.output == *i);
    let results = results.iter().enumerate().filter(|(i, _)| !is_state(i)).map(|(_, held)| held);
    let mut outputs = Vec::new();
    let results: Vec<Var> =
        results.enumerate().map(|(i, held)| output(&mut w, i, held, &mut outputs)).collect();
    if !w.problems.is_empty() {
        return Err(w.problems);
    }
    let mut block = WrittenBlock { inputs: Vec::new(), operations: w.finish(), outputs: results };
    patterns::apply(&mut block);
    Ok(Draft { block, updates, vars, inputs, outputs })
}

/// Writes a graph as a function, provided that all its ops have a form. Values of the parameters become constants; the given pairs of
/// inputs and outputs are states that persist between runs.
///
/// # Errors
/// Returns everything that cannot be written, with one message for each.
pub fn function<'p>(
    graph: &Graph,
    dialect: Dialect,
    states: &[StatePair],
    params: &ParamBytes<'_, 'p>,
    weights: &mut Blobs<'p>,
) -> Result<EmittedFunction, Vec<String>> {
    stored(draft(graph, dialect, states)?, dialect, params, weights)
}

/// A graph with sizes that the run decides, at several sizes.
#[derive(Clone, Copy)]
pub struct OpenGraph<'g> {
    /// The graph at several sizes. In the second graph, the first dimension differs from the first graph, in the third the second
    /// dimension, and so on; in the next graph, all sizes differ from those before. The graphs that follow are for checking: functions
    /// found from the others must hold for them too.
    pub graphs: &'g [Graph],
    /// For each graph, the size of each open dimension.
    pub sizes: &'g [Vec<usize>],
    /// The minimum and the maximum size of each dimension.
    pub bounds: &'g [(usize, usize)],
    /// The pairs of inputs and outputs that are states.
    pub states: &'g [StatePair],
}

impl OpenGraph<'_> {
    fn draft(self, dialect: Dialect) -> Result<Draft, Vec<String>> {
        let OpenGraph { graphs, sizes, bounds, states } = self;
        let mut drafts: Vec<Draft> =
            graphs.iter().map(|graph| draft(graph, dialect, states)).collect::<Result<_, _>>()?;
        let dimensions = sizes.first().map_or(0, Vec::len);
        if drafts.len() < dimensions + 2 || sizes.len() != drafts.len() || bounds.len() != dimensions {
            return Err(vec![
                "a graph must be given at base sizes, with each dimension changed, and with all changed"
                    .into(),
            ]);
        }
        let probes = Probes { sizes: sizes.to_vec(), bounds: bounds.to_vec() };
        let blocks: Vec<&WrittenBlock> = drafts.iter().map(|draft| &draft.block).collect();
        let vars: Vec<&[Var]> = drafts.iter().map(|draft| &draft.vars[..]).collect();
        let kept = drafts[0].updates.features();
        if drafts.iter().any(|draft| draft.updates.features() != kept) {
            return Err(vec!["a state has sizes that the run decides".into()]);
        }
        let kept = kept.iter().map(|state| state.name.as_str().into()).collect();
        let (block, vars) =
            flexible::merge(&probes, dialect.opset, &blocks, &vars, kept).map_err(|problem| vec![problem])?;
        let mut first = drafts.swap_remove(0);
        let open = |features: &mut Vec<Feature>, vars: &[Var]| {
            features.iter_mut().zip(vars).for_each(|(feature, var)| feature.dims.clone_from(&var.dims));
        };
        open(&mut first.inputs, &vars);
        open(&mut first.outputs, &block.outputs);
        Ok(Draft { block, vars, ..first })
    }

    /// Checks whether it can be written as one function, whatever the values of its parameters are.
    ///
    /// # Errors
    /// Fails as [`open_function`] does.
    pub fn check(self, dialect: Dialect) -> Result<(), Vec<String>> {
        self.draft(dialect).map(|_| ())
    }
}

/// Writes a graph with sizes that the run decides as a function.
///
/// # Errors
/// Returns everything that cannot be written, with one message for each, including values that depend on sizes in a way that programs
/// cannot compute.
pub fn open_function<'p>(
    open: OpenGraph<'_>,
    dialect: Dialect,
    params: &ParamBytes<'_, 'p>,
    weights: &mut Blobs<'p>,
) -> Result<EmittedFunction, Vec<String>> {
    stored(open.draft(dialect)?, dialect, params, weights)
}

/// Returns a function, with its constants stored where they belong.
fn stored<'p>(
    draft: Draft,
    dialect: Dialect,
    params: &ParamBytes<'_, 'p>,
    weights: &mut Blobs<'p>,
) -> Result<EmittedFunction, Vec<String>> {
    let Draft { block, updates, vars, inputs, outputs } = draft;
    let opset = dialect.opset;
    let mut lowering = Lowering::new(opset, &vars, params, weights);
    let lowered = lowering.block(&block).map_err(|problem| vec![problem])?;
    let unpacked = lowering.unpacked;
    let function = message::Function {
        inputs: vars.iter().map(lower::named).chain(updates.inputs()).collect(),
        opset: opset.name().into(),
        block_specializations: BTreeMap::from([(opset.name().into(), lowered)]),
        attributes: BTreeMap::new(),
    };
    Ok(EmittedFunction { function, inputs, outputs, states: updates.features(), unpacked })
}

/// Writes an input of the graph. Arrays in inputs and outputs have at least one axis, and are not booleans.
fn input(
    w: &mut ProgramWriter,
    name: &str,
    shape: &Shape,
    features: &mut Vec<Feature>,
    vars: &mut Vec<Var>,
) -> Result<Held, String> {
    let (elem, dims) = merged_sizes(shape)?;
    let given = if elem == Elem::Bool { Elem::I32 } else { elem };
    let name = w.name(name);
    let at_border = if dims.is_empty() { vec![1] } else { dims.clone() };
    features.push(Feature { name: name.to_string(), dtype: given.dtype(), dims: at_border.clone() });
    let var = Var { name, elem: given, dims: at_border, known: None };
    vars.push(var.clone());
    let var = match elem {
        Elem::Bool => w.compare_with("not_equal", &var, 0.0),
        _ => var,
    };
    Ok(Held::whole(w.reshape(&var, &dims)))
}

/// Writes an output of the graph as the result of its own operation.
fn output(w: &mut ProgramWriter, index: usize, held: &Held, features: &mut Vec<Feature>) -> Var {
    let mut var = w.full(held);
    if var.elem == Elem::Bool {
        var = w.cast(&var, Elem::I32);
    }
    if var.dims.is_empty() {
        var = w.reshape(&var, &[1]);
    }
    let name = w.name(&format!("out{index}"));
    let dims = var.dims.clone();
    features.push(Feature { name: name.to_string(), dtype: var.elem.dtype(), dims });
    w.renamed("identity", &var, name)
}
